"""Google's MQM tables: one error a line (``system doc doc_id seg_id rater source target category severity``).

Quotes are literal. A segment's rating by one rater is minus the sum of its penalties (Freitag et al. 2021): major 5,
minor 1, minor punctuation 0.1, non-translation 25; a clean segment has one line ``No-error``.
"""

from __future__ import annotations

import os

import numpy as np

from wordorder.formats.judgements import Ratings, number
from wordorder.formats.records import Records
from wordorder.runtime.errors import InputError

MAJOR, MINOR, PUNCTUATION, NON_TRANSLATION = 5.0, 1.0, 0.1, 25.0


def penalty(category: str, severity: str) -> float:
    """Give the weight of one error.

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
    records = Records(path, separator="tab", quoted=False)
    system, segment, rater = (records.place(name) for name in ("system", "seg_id", "rater"))
    category, severity = records.place("category"), records.place("severity")
    totals: dict[tuple[str, int, str], float] = {}
    for line, fields in records:
        place = records.whole(fields[segment], line, what="seg_id", low=base) - base
        key = fields[system].strip(), place, fields[rater]
        totals[key] = totals.get(key, 0.0) - penalty(fields[category], fields[severity])
    if not totals:
        raise InputError("has no rating", path=records.path)
    names, segments, raters = zip(*totals, strict=True)
    systems, numbers = number(names)
    judges, judge = number(raters)
    values = np.array(list(totals.values()))
    return Ratings(systems, judges, np.array(segments, dtype=np.int64), numbers, judge, values)
