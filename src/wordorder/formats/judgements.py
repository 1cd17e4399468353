"""What people said, as columns: comparisons of two translations, and ratings of one.

Segments count from 0. Readers of all formats return one of the two values here. Nothing is dropped silently: what a
reader had to leave out is counted in ``left_out``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.errors import InputError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Judged = TypeVar("Judged", "Comparisons", "Ratings")


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

    def among(self, systems: Sequence[str]) -> Comparisons:
        """Number the systems as in ``systems``; comparisons with others are left out and counted."""
        numbers = match_systems(self.systems, systems)
        first, second = numbers[self.first], numbers[self.second]
        known = (first >= 0) & (second >= 0)
        kept = replace(self, systems=tuple(systems), first=first, second=second).select(known)
        return _missing(kept, self, numbers, known)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Judgements of one translation on a scale, higher is better.

    ``weight`` is how much a rating counts in the score of a system or document, NaN where that is unknown: the words
    of an error rate, so that rates add up to edits over words. Without it all ratings count alike.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    segment: Ints
    system: Ints
    judge: Ints
    value: Floats
    left_out: Mapping[str, int] = field(default_factory=dict)
    weight: Floats | None = None

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

    def among(self, systems: Sequence[str]) -> Ratings:
        """Number the systems as in ``systems``; ratings of others are left out and counted."""
        numbers = match_systems(self.systems, systems)
        system = numbers[self.system]
        kept = replace(self, systems=tuple(systems), system=system).select(system >= 0)
        return _missing(kept, self, numbers, system >= 0)

    def means(self, segments: int) -> Floats:
        """Return the mean rating of every system and segment, ``[systems, segments]``; NaN where there is none."""
        place = self.system * segments + self.segment
        size = len(self.systems) * segments
        total = np.bincount(place, weights=self.value, minlength=size)
        count = np.bincount(place, minlength=size)
        with np.errstate(invalid="ignore"):
            return (total / count).reshape(len(self.systems), segments)


def check_segments(judgements: Comparisons | Ratings, segments: int) -> None:
    """Refuse judgements of a segment the text does not have."""
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
    """Return the place of every found system among the wanted ones, by name or else by ``system_key``; −1: none."""
    exact = {name: place for place, name in enumerate(wanted)}
    keys: dict[str, int] = {}
    for place, name in enumerate(wanted):
        key = system_key(name)
        keys[key] = -1 if key in keys else place  # two systems with one key: only the full name will do
    return np.array([exact.get(name, keys.get(system_key(name), -1)) for name in found], dtype=np.int64)


def number(names: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Replace names by numbers in the order of their first appearance.

    >>> names, numbers = number(["b", "a", "b"])
    >>> names, numbers.tolist()
    (('b', 'a'), [0, 1, 0])
    """
    places: dict[str, int] = {}
    numbers = np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int64)
    return tuple(places), numbers


def _missing(kept: Judged, given: Judged, numbers: Ints, known: NDArray[np.bool_]) -> Judged:
    lost = int(np.count_nonzero(~known))
    if not lost:
        return kept
    counts = {"systems without a text": int(np.count_nonzero(numbers < 0)), "judgements of them": lost}
    return replace(kept, left_out={**given.left_out, **counts})
