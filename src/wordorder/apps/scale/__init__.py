"""Corpora that outgrow one machine: folders of Parquet parts, worked on here, by a cluster, or by any executor."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wordorder.apps.scale.runner import Running, run_part
from wordorder.apps.scale.status import Status, status

if TYPE_CHECKING:
    from wordorder.apps.scale.alignments import align
    from wordorder.apps.scale.filtering import Filtered, filter_pairs
    from wordorder.apps.scale.importing import Imported, import_corpus
    from wordorder.apps.scale.merging import merge_columns, merge_rows
    from wordorder.apps.scale.profiles import profile
    from wordorder.apps.scale.results import totals
    from wordorder.apps.scale.scores import score

__all__ = [
    "Filtered",
    "Imported",
    "Running",
    "Status",
    "align",
    "filter_pairs",
    "import_corpus",
    "merge_columns",
    "merge_rows",
    "profile",
    "run_part",
    "score",
    "status",
    "totals",
]

_LATER = {
    "Filtered": "filtering",
    "Imported": "importing",
    "align": "alignments",
    "filter_pairs": "filtering",
    "import_corpus": "importing",
    "merge_columns": "merging",
    "merge_rows": "merging",
    "profile": "profiles",
    "score": "scores",
    "totals": "results",
}
"""What is loaded on first use: a worker needs the modules of its own job."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"wordorder.apps.scale.{_LATER[name]}"), name)
    raise AttributeError(f"module 'wordorder.apps.scale' has no attribute {name!r}")
