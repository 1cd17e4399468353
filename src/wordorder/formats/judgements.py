"""What people said, as columns: comparisons of two translations, and ratings of one.

Segments count from 0. Readers of all formats return one of the two values here. Nothing is dropped silently: what a
reader had to leave out is counted in ``left_out``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import InputError, choices
from wordorder.core.runtime.plain import count_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Judged = TypeVar("Judged", "Comparisons", "Ratings")


class UnplacedError(InputError):
    """Judgements name systems that have no text."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Judgements of the form "first is better than second" (+1), "equal" (0) or "worse" (−1).

    ``screen`` numbers what a judge saw at once (a ranking of five gives ten comparisons). ``weight`` is 1, except
    where a judgement of several systems with the same output is shared out among them.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    segment: Ints
    first: Ints
    second: Ints
    preference: NDArray[np.int8]
    judge: Ints
    screen: Ints
    weight: Floats
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, rows: Sequence[tuple[int, str, str, int, str, str, float]], left_out: Mapping[str, int] | None = None
    ) -> Comparisons:
        """Gather rows (segment, first, second, preference, judge, screen, weight); there must be at least one."""
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
        """Number of comparisons without a winner."""
        return int(np.count_nonzero(self.preference == 0))

    def select(self, rows: NDArray[Any]) -> Comparisons:
        """Keep some comparisons, by a mask or by their numbers."""
        names = ("segment", "first", "second", "preference", "judge", "screen", "weight")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def among(self, systems: Sequence[str], *, unplaced: str = "error") -> Comparisons:
        """Number the systems as in ``systems``; judgements of others are an error, or are left out (``drop``)."""
        counts = np.bincount(np.concatenate([self.first, self.second]), minlength=len(self.systems))
        numbers = place_systems(self.systems, systems, counts=counts, unplaced=unplaced)
        first, second = numbers[self.first], numbers[self.second]
        kept = replace(self, systems=tuple(systems), first=first, second=second)
        return _without_unplaced(kept, self, numbers, counts, (first >= 0) & (second >= 0))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Judgements of one translation on a scale, higher is better.

    ``weight`` is how much a rating counts in the score of a system or document, NaN where that is unknown: the words
    of an error rate, so that rates add up to edits over words. Without it all ratings count alike. ``lines`` are a
    file and its length, where it has a line for each segment.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    segment: Ints
    system: Ints
    judge: Ints
    value: Floats
    left_out: Mapping[str, int] = field(default_factory=dict)
    weight: Floats | None = None
    lines: tuple[str, int] | None = None

    @classmethod
    def of(cls, rows: Iterable[tuple[str, int, str, float]], *, path: str, missing: int = 0) -> Ratings:
        """Gather rows (system, segment, judge, value) of a file, which has so many missing values besides."""
        values = list(rows)
        if not values:
            raise InputError("has no rating", path=path)
        names, segments, judges, scores = zip(*values, strict=True)
        (systems, system), (judge_names, judge) = number(names), number(judges)
        left_out = {"missing ratings": missing} if missing else {}
        return cls(
            systems, judge_names, np.array(segments, dtype=np.int64), system, judge, np.array(scores), left_out
        )

    def __len__(self) -> int:
        return len(self.segment)

    def select(self, rows: NDArray[Any]) -> Ratings:
        """Keep some ratings, by a mask or by their numbers."""
        names = ("segment", "system", "judge", "value") + (() if self.weight is None else ("weight",))
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def among(self, systems: Sequence[str], *, unplaced: str = "error") -> Ratings:
        """Number the systems as in ``systems``; ratings of others are an error, or are left out (``drop``).

        A rating of ``A+B``, two systems with the same output, is one of each of them.
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

    def _separated(self, systems: Sequence[str]) -> Ratings:
        """Give the ratings of systems that are joined by ``+`` or a comma to each of them."""
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
        """Return the mean rating of every system and segment, ``[systems, segments]``; NaN where there is none."""
        place = self.system * segments + self.segment
        size = len(self.systems) * segments
        total = np.bincount(place, weights=self.value, minlength=size)
        count = np.bincount(place, minlength=size)
        with np.errstate(invalid="ignore"):
            return (total / count).reshape(len(self.systems), segments)


def check_segments(judgements: Comparisons | Ratings, segments: int) -> None:
    """Refuse judgements of a segment the text does not have, and a file of one line for each that is too short."""
    if isinstance(judgements, Ratings) and judgements.lines is not None and judgements.lines[1] != segments:
        path, found = judgements.lines
        raise InputError(f"{count_of(found, 'line')}; expected {segments}, one for each segment", path=path)
    if len(judgements) and int(judgements.segment.max()) >= segments:
        found = int(judgements.segment.max()) + 1
        raise InputError(f"a judgement is about segment {found}, but the texts have {segments}")


def system_key(name: str) -> str:
    """Reduce the name of a system to what all WMT files agree on.

    >>> [system_key(name) for name in ("newstest2013.fr-en.cu-zeman.2738", "newstest2015.KIT.4017.de-en.txt", "KIT")]
    ['cu-zeman', 'KIT', 'KIT']
    """
    key = name.removesuffix(".txt")
    key = re.sub(r"^newstest\d+\.", "", key)
    key = re.sub(r"(^|\.)[a-z]{2,3}-[a-z]{2,3}(?=\.|$)", "", key).strip(".")
    return re.sub(r"\.\d+$", "", key) or name


def match_systems(found: Sequence[str], wanted: Sequence[str]) -> Ints:
    """Return the place of every found system among the wanted ones; −1: none, or more than one.

    Names are compared as they are, then without ``.txt``, then by :func:`system_key`. A name is only taken for
    another if nothing else could be meant by either of them.

    >>> match_systems(["A.4", "B"], ["A", "B.txt"]).tolist(), match_systems(["A"], ["A.1", "A.2"]).tolist()
    ([0, 1], [-1])
    """
    places = np.full(len(found), -1, dtype=np.int64)
    for key in (str, _without_ending, system_key):
        taken = set(places.tolist())
        ours = _by_key(key, {place: name for place, name in enumerate(found) if places[place] < 0})
        theirs = _by_key(key, {place: name for place, name in enumerate(wanted) if place not in taken})
        for name, here in ours.items():
            if len(here) == len(theirs.get(name, ())) == 1:
                places[here[0]] = theirs[name][0]
    return places


def place_systems(
    found: Sequence[str], wanted: Sequence[str], *, counts: Sequence[int] | Ints, unplaced: str = "error"
) -> Ints:
    """Match systems by name; those that cannot be placed are listed with their ``counts`` of judgements.

    That is an error, unless ``unplaced`` is ``drop``.
    """
    if unplaced not in ("error", "drop"):
        raise choices(unplaced, ["error", "drop"], what="treatment of systems that cannot be placed")
    places = match_systems(found, wanted)
    lost = [place for place, at in enumerate(places) if at < 0 and counts[place]]
    if not lost or unplaced == "drop":
        return places
    told = []
    for place in lost[:8]:
        alike = [name for name in wanted if system_key(name) == system_key(found[place])]
        meant = f", which could be {' or '.join(map(repr, alike))}" if alike else ""
        told.append(f"{found[place]!r} ({count_of(int(counts[place]), 'judgement')}{meant})")
    more = f" and {len(lost) - 8} more" if len(lost) > 8 else ""
    raise UnplacedError(
        f"judgements of {count_of(len(lost), 'system')} match no text: {', '.join(told)}{more}; "
        f"there are texts of {', '.join(wanted[:12])}"
    )


def number_segments(judged: Ratings, lines: Ints) -> Ratings:
    """Number segments as the lines of their test set, where ``lines`` has the line of each; −1 is unknown."""
    if (lines < 0).any():
        unknown = int(np.count_nonzero(lines < 0))
        raise InputError(
            f"{count_of(unknown, 'segment')} without a number in the test set; use the texts inside the table, or "
            "give the source text to look them up in"
        )
    return replace(judged, segment=lines[judged.segment])


def number(names: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Replace names by numbers in the order of their first appearance.

    >>> names, numbers = number(["b", "a", "b"])
    >>> names, numbers.tolist()
    (('b', 'a'), [0, 1, 0])
    """
    places: dict[str, int] = {}
    numbers = np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int64)
    return tuple(places), numbers


def _without_ending(name: str) -> str:
    return name.removesuffix(".txt")


def _by_key(key: Callable[[str], str], names: Mapping[int, str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, name in names.items():
        found.setdefault(key(name), []).append(place)
    return found


def _without_unplaced(kept: Judged, given: Judged, places: Ints, counts: Ints, known: NDArray[np.bool_]) -> Judged:
    """Drop the judgements of systems that have no place; who they are is said in ``left_out``."""
    if known.all():
        return kept
    lost = [name for n, name in enumerate(given.systems) if places[n] < 0 and counts[n]]
    more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
    told = f"judgements of {count_of(len(lost), 'system')} without text ({', '.join(lost[:5])}{more})"
    return replace(kept.select(known), left_out={**given.left_out, told: int(np.count_nonzero(~known))})
