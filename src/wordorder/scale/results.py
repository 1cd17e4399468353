"""What a finished run says as a whole, whichever command made it."""

from __future__ import annotations

import os
from typing import Any, Protocol

from wordorder.report.table import Table
from wordorder.scale.merging import finished
from wordorder.scale.scores import total_scores


class Totals(Protocol):
    """What is shown of a finished run."""

    def table(self) -> Table:
        """Return it as a table."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""


def totals(folder: str | os.PathLike[str]) -> Totals:
    """Return the totals of a finished run, from what its parts say of themselves.

    They are scores, a profile or the report of a filter; of other runs, their status.
    """
    found, reports = finished(folder)
    return total_scores(reports) if found.command == "score" else found
