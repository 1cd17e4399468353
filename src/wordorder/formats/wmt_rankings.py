"""Rankings of the WMT campaigns as CSV: five systems a line (2010–2014) or two (2015–2016, also collapsed).

Both kinds have columns ``systemNId`` and ``systemNrank``; the order of the columns differs, so they are found by
name. Rank 1 is best, −1 or nothing is a blank, a system ``-1`` fills an unused place. In collapsed files systems
with the same output are joined by ``+``; each gets an equal share of the judgement.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations

import numpy as np

from wordorder.formats.judgements import Comparisons, number
from wordorder.formats.records import Records
from wordorder.runtime.errors import InputError

_LANGUAGES = {
    "cs": ("czech", "ces", "cze"),
    "de": ("german", "deu", "ger"),
    "en": ("english", "eng"),
    "es": ("spanish", "spa"),
    "fi": ("finnish", "fin"),
    "fr": ("french", "fra", "fre"),
    "hi": ("hindi", "hin"),
    "ro": ("romanian", "ron", "rum"),
    "ru": ("russian", "rus"),
    "tr": ("turkish", "tur"),
    "ht": ("haitian", "hat"),
}
_CODES = {name: code for code, names in _LANGUAGES.items() for name in names}


def language_code(name: str) -> str:
    """Give the two-letter code of a language however the file calls it; an unknown one stays as it is.

    >>> [language_code(name) for name in ("Czech", "ces", "cze", "cs", "Klingon")]
    ['cs', 'cs', 'cs', 'cs', 'klingon']
    """
    lowered = name.strip().lower()
    return _CODES.get(lowered, lowered)


def read(path: str | os.PathLike[str], *, pair: str | None = None) -> Comparisons:
    """Read the comparisons of one language pair (``de-en``), or of the only one the file has."""
    records = Records(path)
    source, target = records.place("srclang"), records.place("trglang")
    segment, judge = records.place("srcIndex"), records.place("judgeId")
    count = 1
    while records.has(f"system{count + 1}id"):
        count += 1
    ids = [records.place(f"system{place}Id") for place in range(1, max(count, 2) + 1)]
    ranks = [records.place(f"system{place}rank") for place in range(1, max(count, 2) + 1)]
    screen_id = records.place("rankingID") if records.has("rankingID") else None

    wanted = None if pair is None else "-".join(language_code(part) for part in pair.split("-"))
    found: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    blanks = duplicates = 0
    columns: list[tuple[int, str, str, int, str, str, float]] = []
    for line, fields in records:
        languages = f"{language_code(fields[source])}-{language_code(fields[target])}"
        found[languages] += 1
        if wanted is not None and languages != wanted:
            continue
        row = tuple(fields)
        duplicates += row in seen
        seen.add(row)
        place = records.whole(fields[segment], line, what="srcIndex", low=1) - 1
        screen = str(line) if screen_id is None else f"{place} {fields[judge]} {fields[screen_id]}"
        ranked: list[tuple[list[str], int]] = []
        for system, rank in zip(ids, ranks, strict=True):
            name = fields[system].strip()
            if name in ("", "-1"):
                continue
            if fields[rank].strip() in ("", "-1"):
                blanks += 1
                continue
            members = [member for member in name.split("+") if member]
            ranked.append((members or [name], records.whole(fields[rank], line, what="rank", low=1)))
        for (first, first_rank), (second, second_rank) in combinations(ranked, 2):
            preference = (second_rank > first_rank) - (second_rank < first_rank)
            share = 1.0 / (len(first) * len(second))
            columns += [(place, a, b, preference, fields[judge], screen, share) for a in first for b in second]
    if wanted is None and len(found) > 1:
        raise InputError(f"has several language pairs: {_listed(found)}; choose one", path=records.path)
    if not columns:
        what = f"of {pair} (found: {_listed(found) or 'none'})" if pair else ""
        raise InputError(f"has no comparison {what}".strip(), path=records.path)
    segments, firsts, seconds, preferences, judges, screens, shares = zip(*columns, strict=True)
    systems, numbers = number([*firsts, *seconds])
    judge_names, judge_numbers = number(judges)
    return Comparisons(
        systems,
        judge_names,
        np.array(segments, dtype=np.int64),
        numbers[: len(columns)],
        numbers[len(columns) :],
        np.array(preferences, dtype=np.int8),
        judge_numbers,
        number(screens)[1],
        np.array(shares, dtype=np.float64),
        {
            name: count
            for name, count in {"blank ranks": blanks, "duplicate rows (kept)": duplicates}.items()
            if count
        },
    )


def _listed(found: Counter[str]) -> str:
    return ", ".join(f"{pair} ({count})" for pair, count in sorted(found.items()))
