"""Human judgements: comparisons of two translations, and ratings of single translations.

Every reader of judgements returns either :class:`Comparisons` or :class:`Ratings`, with segments numbered from 0. If
a reader leaves out judgements, it counts them in ``left_out``.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, check_choice, count_of, reject

Judgements = TypeVar("Judgements", "Comparisons", "Ratings")


class UnplacedError(InputError):
    """Raised if there are judgements of systems whose translations are not given."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Judgements that a first translation is better than (+1), equal to (0) or worse than (−1) a second one.

    Comparisons with the same ``screen`` were made together (a ranking of five systems gives ten comparisons).
    ``weight`` is 1, or less if a judgement is divided among several systems with the same output.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    segment: Int64s
    first: Int64s
    second: Int64s
    preference: NDArray[np.int8]
    judge: Int64s
    screen: Int64s
    weight: Floats
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, rows: Sequence[tuple[int, str, str, int, str, str, float]], left_out: Mapping[str, int] | None = None
    ) -> "Comparisons":
        """Build comparisons from one or more rows (segment, first, second, preference, judge, screen, weight)."""
        segments, firsts, seconds, preferences, judges, screens, weights = zip(*rows, strict=True)
        systems, numbers = number([*firsts, *seconds])
        judge_names, judge = number(judges)
        return cls(
            systems,
            judge_names,
            np.array(segments, dtype=np.int64),
            numbers[: len(rows)],
            numbers[len(rows) :],
            np.array(preferences, dtype=np.int8),
            judge,
            number(screens)[1],
            np.array(weights, dtype=np.float64),
            {name: count for name, count in (left_out or {}).items() if count},
        )

    def __len__(self) -> int:
        return len(self.segment)

    @property
    def ties(self) -> int:
        """The number of comparisons without a winner."""
        return int(np.count_nonzero(self.preference == 0))

    def select(self, rows: NDArray[Any]) -> "Comparisons":
        """Return a copy with only the comparisons selected by a mask or an array of positions."""
        names = ("segment", "first", "second", "preference", "judge", "screen", "weight")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def among(self, systems: Sequence[str], *, unplaced: str = "error") -> "Comparisons":
        """Return a copy with the systems numbered as in ``systems``.

        If other systems have judgements, raise an error or, if ``unplaced`` is ``drop``, leave these judgements out.
        """
        counts = np.bincount(np.concatenate([self.first, self.second]), minlength=len(self.systems))
        numbers = place_systems(self.systems, systems, counts=counts, unplaced=unplaced)
        first, second = numbers[self.first], numbers[self.second]
        kept = replace(self, systems=tuple(systems), first=first, second=second)
        return _without_unplaced(kept, self, numbers, counts, (first >= 0) & (second >= 0))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of single translations on a scale, where higher is better.

    ``weight`` has the weight of each rating in the scores of systems and documents, or NaN if it is unknown; None
    means that all weights are equal. The weight of an error rate is the number of words, so that the weighted mean
    equals the total number of edits divided by the total number of words. If the file has one line per segment,
    ``lines`` has its name and its number of lines.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    segment: Int64s
    system: Int64s
    judge: Int64s
    value: Floats
    left_out: Mapping[str, int] = field(default_factory=dict)
    weight: Floats | None = None
    lines: tuple[str, int] | None = None

    @classmethod
    def of(cls, rows: Iterable[tuple[str, int, str, float] | None], *, path: str) -> "Ratings":
        """Build ratings from the rows (system, segment, judge, value) of a file; None is a missing rating."""
        systems: dict[str, int] = {}
        judges: dict[str, int] = {}
        segment, system, judge, value = array("q"), array("q"), array("q"), array("d")
        missing = 0
        for row in rows:
            if row is None:
                missing += 1
            else:
                system.append(systems.setdefault(row[0], len(systems)))
                segment.append(row[1])
                judge.append(judges.setdefault(row[2], len(judges)))
                value.append(row[3])
        reject(not systems, "no ratings", path=path)
        left_out = {"missing ratings": missing} if missing else {}
        numbers = np.array(segment), np.array(system), np.array(judge), np.array(value)
        return cls(tuple(systems), tuple(judges), *numbers, left_out)

    def __len__(self) -> int:
        return len(self.segment)

    def select(self, rows: NDArray[Any]) -> "Ratings":
        """Return a copy with only the ratings selected by a mask or an array of positions."""
        names = ("segment", "system", "judge", "value") + (() if self.weight is None else ("weight",))
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def among(self, systems: Sequence[str], *, unplaced: str = "error") -> "Ratings":
        """Return a copy with the systems numbered as in ``systems``.

        If other systems have ratings, raise an error or, if ``unplaced`` is ``drop``, leave these ratings out. A
        rating of ``A+B``, which stands for two systems with the same output, becomes a rating of each of them.
        """
        if set(self.systems) <= set(systems):
            counts, whole = np.zeros(len(self.systems), dtype=np.int64), self
        else:
            whole = self._separated(systems)
            counts = np.bincount(whole.system, minlength=len(whole.systems))
        numbers = place_systems(whole.systems, systems, counts=counts, unplaced=unplaced)
        system = numbers[whole.system]
        kept = replace(whole, systems=tuple(systems), system=system)
        return _without_unplaced(kept, whole, numbers, counts, system >= 0)

    def _separated(self, systems: Sequence[str]) -> "Ratings":
        """Split names like ``A+B`` or ``A,B`` into system names, and copy the ratings to each of these systems."""
        parts = [
            re.split(r"[+,]", name) if name not in systems and re.search(r"[+,]", name) else [name]
            for name in self.systems
        ]
        if all(len(names) == 1 for names in parts):
            return self
        names, numbers = number([name.strip() for several in parts for name in several])
        starts = np.cumsum([0, *map(len, parts)])
        sizes = np.array([len(several) for several in parts])[self.system]
        rows = np.repeat(np.arange(len(self)), sizes)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        spread = self.select(rows)
        return replace(spread, systems=names, system=numbers[starts[spread.system] + within])

    def means(self, segments: int) -> Floats:
        """Return the mean ratings as an array ``[systems, segments]``, with NaN where there is no rating."""
        place = self.system * segments + self.segment
        size = len(self.systems) * segments
        total = np.bincount(place, weights=self.value, minlength=size)
        count = np.bincount(place, minlength=size)
        with np.errstate(invalid="ignore"):
            return (total / count).reshape(len(self.systems), segments)


def check_segments(judgements: Comparisons | Ratings, segments: int, *, path: str | None = None) -> None:
    """Raise an error if a judged segment does not exist, or if the file has the wrong number of lines.

    ``path`` is the file with the judgements, for error messages.
    """
    if isinstance(judgements, Ratings) and judgements.lines is not None and judgements.lines[1] != segments:
        path, found = judgements.lines
        raise InputError(f"found {count_of(found, 'line')}; expected {segments}, one for each segment", path=path)
    if len(judgements) and int(judgements.segment.max()) >= segments:
        found = int(judgements.segment.max()) + 1
        only = count_of(segments, "segment")
        raise InputError(f"found a judgement of segment {found}, but the texts have only {only}", path=path)


def system_key(name: str) -> str:
    """Return the part of a system's name that is the same in all WMT files.

    >>> [system_key(name) for name in ("newstest2013.fr-en.cu-zeman.2738", "newstest2015.KIT.4017.de-en.txt", "KIT")]
    ['cu-zeman', 'KIT', 'KIT']
    """
    key = name.removesuffix(".txt")
    key = re.sub(r"^newstest\d+\.", "", key)
    key = re.sub(r"(^|\.)[a-z]{2,3}-[a-z]{2,3}(?=\.|$)", "", key).strip(".")
    return re.sub(r"\.\d+$", "", key) or name


def match_systems(found: Sequence[str], wanted: Sequence[str]) -> Int64s:
    """Return the position in ``wanted`` of each system in ``found``, or −1 if there is no unique match.

    Names are compared literally, then without ``.txt``, then by :func:`system_key`. Two names match only if neither
    of them could match another name.

    >>> match_systems(["A.4", "B"], ["A", "B.txt"]).tolist(), match_systems(["A"], ["A.1", "A.2"]).tolist()
    ([0, 1], [-1])
    """
    places = np.full(len(found), -1, dtype=np.int64)
    for key in (str, lambda name: name.removesuffix(".txt"), system_key):
        taken = set(places.tolist())
        ours = _by_key(key, {place: name for place, name in enumerate(found) if places[place] < 0})
        theirs = _by_key(key, {place: name for place, name in enumerate(wanted) if place not in taken})
        for name, here in ours.items():
            if len(here) == len(theirs.get(name, ())) == 1:
                places[here[0]] = theirs[name][0]
    return places


def place_systems(
    found: Sequence[str], wanted: Sequence[str], *, counts: Sequence[int] | Int64s, unplaced: str = "error"
) -> Int64s:
    """Return the position in ``wanted`` of each system in ``found``, or −1 if there is no unique match.

    If a system without a match has judgements, an error is raised, unless ``unplaced`` is ``drop``. ``counts`` has
    the number of judgements of each system in ``found``.
    """
    check_choice(unplaced, ["error", "drop"], "treatment of systems without text")
    places = match_systems(found, wanted)
    lost = [place for place, at in enumerate(places) if at < 0 and counts[place]]
    if not lost or unplaced == "drop":
        return places
    shown = []
    for place in lost[:8]:
        alike = [name for name in wanted if system_key(name) == system_key(found[place])]
        meant = f", which could be {' or '.join(map(repr, alike))}" if alike else ""
        shown.append(f"{found[place]!r} ({count_of(int(counts[place]), 'judgement')}{meant})")
    more = f" and {len(lost) - 8} more" if len(lost) > 8 else ""
    raise UnplacedError(
        f"no text for {count_of(len(lost), 'system')} with judgements: {', '.join(shown)}{more}; "
        f"found texts for {', '.join(wanted[:12])}"
    )


def number_segments(ratings: Ratings, lines: Int64s) -> Ratings:
    """Renumber the segments by their lines in the test set: segment i is on line ``lines[i]``.

    If a line number is −1 (unknown), raise an error.
    """
    if (lines < 0).any():
        unknown = f"the line in the test set is unknown for {count_of(int((lines < 0).sum()), 'segment')}"
        raise InputError(f"{unknown}; use the texts in the table, or give the source text to look the segments up in")
    return replace(ratings, segment=lines[ratings.segment])


def number(names: Sequence[str]) -> tuple[tuple[str, ...], Int64s]:
    """Return the distinct names in order of first appearance, and the index of each given name among them.

    >>> names, numbers = number(["b", "a", "b"])
    >>> names, numbers.tolist()
    (('b', 'a'), [0, 1, 0])
    """
    places: dict[str, int] = {}
    numbers = np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int64)
    return tuple(places), numbers


def _by_key(key: Callable[[str], str], names: Mapping[int, str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, name in names.items():
        found.setdefault(key(name), []).append(place)
    return found


def _without_unplaced(
    kept: Judgements, given: Judgements, places: Int64s, counts: Int64s, known: NDArray[np.bool_]
) -> Judgements:
    """Remove the judgements of systems without a match, and record their number in ``left_out``."""
    if known.all():
        return kept
    lost = [name for n, name in enumerate(given.systems) if places[n] < 0 and counts[n]]
    more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
    reason = f"judgements of {count_of(len(lost), 'system')} without text ({', '.join(lost[:5])}{more})"
    return replace(kept.select(known), left_out={**given.left_out, reason: int(np.count_nonzero(~known))})
