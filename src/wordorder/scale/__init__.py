"""Corpora that outgrow one machine: folders of Parquet parts, worked on here, by a cluster, or by any executor."""

from wordorder.scale.alignments import align
from wordorder.scale.filtering import Filtered, filter_pairs
from wordorder.scale.importing import Imported, import_corpus
from wordorder.scale.merging import merge_columns, merge_rows
from wordorder.scale.profiles import profile
from wordorder.scale.results import totals
from wordorder.scale.runner import Running, run_part
from wordorder.scale.scores import score
from wordorder.scale.status import Status, status

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
