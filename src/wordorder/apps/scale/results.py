"""Compute the totals of a finished run of any ``scale`` command."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol

from wordorder.apps.scale.alignments import total_alignments
from wordorder.apps.scale.filtering import total_filter
from wordorder.apps.scale.folders import Folder
from wordorder.apps.scale.merging import finished
from wordorder.apps.scale.parts import Report
from wordorder.apps.scale.profiles import total_profile
from wordorder.apps.scale.ranking import RANKS
from wordorder.apps.scale.scores import total_scores
from wordorder.report.table import Table


class Totals(Protocol):
    """The interface of totals, which can be printed as a table or as JSON."""

    def table(self) -> Table:
        """Return the totals as a table."""

    def to_dict(self) -> dict[str, Any]:
        """Return the totals as plain data."""


def totals(folder: str | os.PathLike[str]) -> Totals:
    """Compute the totals of a finished run from the reports on its parts.

    Return scores, a profile, or the outcome of an alignment or a filter, depending on the command of the run; for an
    import, return its status.
    """
    found, reports = finished(folder)
    if found.command == "filter":
        ranks = Folder(found.folder).path_of(RANKS)
        measured = finished(ranks)[1] if Folder(ranks).is_there() else []
        return total_filter(reports, measured)
    known: dict[str, Callable[[list[Report]], Totals]] = {
        "align": total_alignments,
        "profile": total_profile,
        "score": total_scores,
    }
    return known[found.command](reports) if found.command in known else found
