"""Studies in which people rate: ``scramble`` and ``rate``.

In ``scramble``, people rate versions of a sentence that differ in word order (Birch 2011, §6.3). Every item has
``text``. A version of a sentence also has ``reference`` (the unchanged sentence), ``order`` (the ranks of its words
in the reference, counted from 1), ``undone`` (the reorderings that were undone), their ``widths``, ``rquantity`` and
``scores``. Attention checks and practice items have ``expected``: for each question a number, or the lowest and the
highest number.

In ``rate``, they rate up to five translations of a sentence without knowing their systems (Talbot et al. 2011, §4).
An item has ``outputs`` (``{system: text}``) and optionally ``source`` and ``reference``. An attention check also has
``expected``, the number to choose for each question, and a practice item ``gold``, the best of its outputs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.kinds.base import (
    Answer,
    AnswerError,
    Kind,
    View,
    check_fields,
    check_number,
    need_expected,
    need_outputs,
    need_text,
    reading_seconds,
    sides,
)
from wordorder.core.runtime.errors import InputError, reject

if TYPE_CHECKING:
    from wordorder.apps.study.folder import Item


class ScrambleKind(Kind):
    """Answers are ``{question: number}``."""

    name = "scramble"

    def check(self, item: Item) -> None:
        """Check the text, the order of a version, and the expected answer of an attention check."""
        need_text(item, "text")
        if item.role == "item":
            order = item.content.get("order")
            places = order if isinstance(order, list) and all(type(place) is int for place in order) else [0]
            if sorted(places) != list(range(1, len(places) + 1)):
                raise InputError("order must contain every number from 1 to the number of words exactly once")
        check_expected(self, item)

    def view(self, item: Item, person: str) -> View:
        """Return only the text."""
        return {"text": item.content["text"]}

    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer if it has a number on the scale of every question; otherwise raise AnswerError."""
        kept = check_fields(answer, *(question.name for question in self.settings.questions))
        for question in self.settings.questions:
            check_number(kept.get(question.name), question.values, question.name)
        return kept

    def expected(self, item: Item, person: str) -> dict[str, list[int]]:
        """Return the lowest and the highest right number for each question."""
        return {name: _bounds(value) for name, value in item.content["expected"].items()}

    def is_right(self, item: Item, answer: Mapping[str, Any], person: str) -> bool:
        """Return whether every number is in its range."""
        return all(low <= answer[name] <= high for name, (low, high) in self.expected(item, person).items())

    def ratings(self, item: Item, answer: Mapping[str, Any], question: str, person: str) -> list[tuple[str, float]]:
        """Return the rating of the version that was shown."""
        return [(item.condition, float(answer[question]))]

    def seconds(self, item: Item) -> float:
        """Return the estimated reading time plus four seconds per question."""
        return reading_seconds(item.content["text"]) + 4 * len(self.settings.questions)


def _bounds(value: Any) -> list[int]:
    return value if isinstance(value, list) else [value, value]


def check_expected(kind: Kind, item: Item) -> None:
    """Raise InputError unless expected answers are numbers, or pairs of numbers, on the scales of their questions."""
    scales = {question.name: question.values for question in kind.settings.questions}

    def fits(expected: Any) -> bool:
        if not isinstance(expected, dict) or not expected or not expected.keys() <= scales.keys():
            return False
        numbers = [(name, _bounds(value)) for name, value in expected.items()]
        return all(
            len(ends) == 2 and all(type(end) is int and end in scales[name] for end in ends) for name, ends in numbers
        )

    need_expected(item, fits, "{question: number on its scale, or lowest and highest number}")


class RateKind(Kind):
    """Answers are ``{question: [a number for each text, in the order shown]}``; :meth:`systems` gives that order."""

    name = "rate"

    def check(self, item: Item) -> None:
        """Check the outputs and, for an attention check, the expected answer."""
        need_text(item, optional=("source", "reference"))
        outputs = need_outputs(item)
        reject(item.content.get("gold") not in (None, *outputs), f"gold must be one of {', '.join(outputs)}")
        check_expected(self, item)

    def view(self, item: Item, person: str) -> View:
        """Return the source, the reference, and the texts in random order."""
        return {**sides(item), "texts": [item.content["outputs"][system] for system in self.systems(item, person)]}

    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer if it rates every text on the scale of every question; otherwise raise AnswerError."""
        kept = check_fields(answer, *(question.name for question in self.settings.questions))
        count = len(item.content["outputs"])
        for question in self.settings.questions:
            values = kept.get(question.name)
            if not isinstance(values, list) or len(values) > count:
                raise AnswerError(f"rate all {count} translations", f"{question.name}-0")
            for place in range(count):
                value = values[place] if place < len(values) else None
                check_number(value, question.values, f"{question.name}-{place}")
        return kept

    def expected(self, item: Item, person: str) -> Any:
        """Return the place of the best text, counted from 1, or the lowest and highest right number per question."""
        if "gold" in item.content:
            return self.systems(item, person).index(item.content["gold"]) + 1
        return {name: _bounds(value) for name, value in item.content["expected"].items()}

    def is_right(self, item: Item, answer: Mapping[str, Any], person: str) -> bool:
        """Return whether the best text has the highest rating, or all numbers are in their range."""
        right = self.expected(item, person)
        if isinstance(right, int):
            best = [(answer[one.name][right - 1], sorted(answer[one.name])[-2:]) for one in self.settings.questions]
            return all(rating == top[-1] > top[0] for rating, top in best)
        return all(low <= value <= high for name, (low, high) in right.items() for value in answer[name])

    def decode(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, str]:
        """Return the systems in the order in which the person saw and rated them."""
        return {"systems": json.dumps(self.systems(item, person), ensure_ascii=False)}

    def ratings(self, item: Item, answer: Mapping[str, Any], question: str, person: str) -> list[tuple[str, float]]:
        """Return the rating of each system, in the order shown."""
        return list(zip(self.systems(item, person), map(float, answer[question]), strict=True))

    def seconds(self, item: Item) -> float:
        """Return the estimated reading time plus four seconds per rating."""
        outputs = item.content["outputs"]
        reading = reading_seconds(*sides(item).values(), *outputs.values())
        return reading + 4 * len(outputs) * len(self.settings.questions)
