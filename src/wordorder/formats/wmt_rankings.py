"""Rankings of the WMT campaigns as CSV: five systems per line (2010–2014) or two (2015–2016).

Both kinds have columns ``systemNId`` and ``systemNrank`` (N = 1, 2 …), in different orders. Rank 1 is best; −1 or an
empty field is a missing rank, and a system ``-1`` is an unused column. In collapsed files, systems with the same
output are joined by ``+``; each of them gets an equal share of the judgement.
"""

from collections import Counter
from itertools import combinations

from wordorder.core.runtime.errors import InputError, mention
from wordorder.core.runtime.files import Path
from wordorder.formats.delimited import DelimitedTable
from wordorder.formats.judgements import Comparisons

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
    """Return the two-letter code of a language, given its name or code; unknown names are returned in lower case.

    >>> [language_code(name) for name in ("Czech", "ces", "cze", "cs", "Klingon")]
    ['cs', 'cs', 'cs', 'cs', 'klingon']
    """
    lowered = name.strip().lower()
    return _CODES.get(lowered, lowered)


def read(path: Path, *, pair: str | None = None) -> Comparisons:
    """Read the comparisons of one language pair (``de-en``), which may be omitted if the file has only one."""
    table = DelimitedTable(path)
    source, target = table.place("srclang"), table.place("trglang")
    segment, judge = table.place("srcIndex"), table.place("judgeId")
    count = 1
    while table.has(f"system{count + 1}id"):
        count += 1
    ids = [table.place(f"system{place}Id") for place in range(1, max(count, 2) + 1)]
    ranks = [table.place(f"system{place}rank") for place in range(1, max(count, 2) + 1)]
    screen_id = table.place("rankingID") if table.has("rankingID") else None

    wanted = None if pair is None else "-".join(language_code(part) for part in pair.split("-"))
    found: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    blanks = duplicates = 0
    rows: list[tuple[int, str, str, int, str, str, float]] = []
    for line, fields in table:
        languages = f"{language_code(fields[source])}-{language_code(fields[target])}"
        found[languages] += 1
        if wanted is not None and languages != wanted:
            continue
        whole = tuple(fields)
        duplicates += whole in seen
        seen.add(whole)
        place = table.whole(fields[segment], line, what="srcIndex", low=1) - 1
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
            ranked.append((members or [name], table.whole(fields[rank], line, what="rank", low=1)))
        for (first, first_rank), (second, second_rank) in combinations(ranked, 2):
            preference = (second_rank > first_rank) - (second_rank < first_rank)
            share = 1.0 / (len(first) * len(second))
            rows += [(place, a, b, preference, fields[judge], screen, share) for a in first for b in second]
    if wanted is None and len(found) > 1:
        raise InputError(
            f"found several language pairs: {_list_pairs(found)}; choose one with {mention('pair')}", path=table.path
        )
    if not rows:
        what = f"for {pair} (found: {_list_pairs(found) or 'none'})" if pair else ""
        raise InputError(f"no comparisons {what}".strip(), path=table.path)
    return Comparisons.of(rows, {"blank ranks": blanks, "duplicate rows (kept)": duplicates})


def _list_pairs(found: Counter[str]) -> str:
    return ", ".join(f"{pair} ({count})" for pair, count in sorted(found.items()))
