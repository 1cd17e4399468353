"""Process corpora of any size, stored as folders of Parquet files, on one machine, a cluster or any executor."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wordorder.apps.scale.runner import RunOptions as RunOptions
from wordorder.apps.scale.runner import run_part as run_part
from wordorder.apps.scale.status import Status as Status
from wordorder.apps.scale.status import status as status

if TYPE_CHECKING:
    from wordorder.apps.scale.alignments import align as align
    from wordorder.apps.scale.filters import filter_pairs as filter_pairs
    from wordorder.apps.scale.importing import import_corpus as import_corpus
    from wordorder.apps.scale.merging import merge_columns as merge_columns
    from wordorder.apps.scale.merging import merge_rows as merge_rows
    from wordorder.apps.scale.merging import totals as totals
    from wordorder.apps.scale.profiles import profile as profile
    from wordorder.apps.scale.scores import score as score

_LATER = {
    "align": "alignments",
    "filter_pairs": "filters",
    "import_corpus": "importing",
    "merge_columns": "merging",
    "merge_rows": "merging",
    "profile": "profiles",
    "score": "scores",
    "totals": "merging",
}
"""Public functions by module; modules are imported on first use, since a worker needs only those of its job."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"wordorder.apps.scale.{_LATER[name]}"), name)
    raise AttributeError(f"module 'wordorder.apps.scale' has no attribute {name!r}")
