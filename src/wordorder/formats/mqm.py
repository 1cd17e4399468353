"""Google's MQM tables: one error per line (``system doc doc_id seg_id rater source target category severity``).

Quotes are literal. A segment's rating by one rater is minus the sum of its penalties (Freitag et al. 2021): major 5,
minor 1, minor punctuation 0.1, non-translation 25; a clean segment has one line ``No-error``.
"""

from __future__ import annotations

import os

from wordorder.formats.delimited import DelimitedTable
from wordorder.formats.judgements import Ratings

MAJOR, MINOR, PUNCTUATION, NON_TRANSLATION = 5.0, 1.0, 0.1, 25.0


def penalty(category: str, severity: str) -> float:
    """Return the weight of one error.

    >>> penalty("Fluency/Grammar", "Minor"), penalty("Fluency/Punctuation", "minor"), penalty("No-error", "")
    (1.0, 0.1, 0.0)
    """
    kind, level = category.strip().lower(), severity.strip().lower()
    if kind.startswith("non-translation"):
        return NON_TRANSLATION
    if level == "major":
        return MAJOR
    if level == "minor":
        return PUNCTUATION if kind == "fluency/punctuation" else MINOR
    return 0.0


def read(path: str | os.PathLike[str], *, base: int = 1) -> Ratings:
    """Read the ratings of every system, segment and rater."""
    table = DelimitedTable(path, separator="tab", quoted=False)
    system, segment, rater = (table.place(name) for name in ("system", "seg_id", "rater"))
    category, severity = table.place("category"), table.place("severity")
    totals: dict[tuple[str, int, str], float] = {}
    for line, fields in table:
        place = table.whole(fields[segment], line, what="seg_id", low=base) - base
        key = fields[system].strip(), place, fields[rater]
        totals[key] = totals.get(key, 0.0) - penalty(fields[category], fields[severity])
    return Ratings.of([(*key, value) for key, value in totals.items()], path=table.path)
