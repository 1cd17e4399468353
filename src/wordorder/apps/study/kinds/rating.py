"""Studies in which people rate: ``scramble`` and ``rate``.

In ``scramble``, people rate versions of a sentence that differ in word order (Birch 2011, §6.3). Every item has
``text``. A version of a sentence also has ``reference`` (the unchanged sentence), ``order`` (the ranks of its words
in the reference, counted from 1), ``undone`` (the reorderings that were undone), their ``widths``, ``rquantity`` and
``scores``. An attention check has ``expected``, the number to choose for each question.

In ``rate``, they rate up to five translations of a sentence without knowing their systems (Talbot et al. 2011, §4).
An item has ``outputs`` (``{system: text}``) and optionally ``source`` and ``reference``. An attention check also has
``expected``, the number to choose for each question.
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
    need_outputs,
    need_text,
    reading_seconds,
)
from wordorder.core.runtime.errors import InputError

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
        if item.role == "attention":
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

    def judge(self, item: Item, answer: Mapping[str, Any], person: str) -> bool | None:
        """Return whether the answer to an attention check is the expected one; None for other items."""
        if item.role != "attention":
            return None
        return all(answer.get(name) == value for name, value in item.content["expected"].items())

    def ratings(self, item: Item, answer: Mapping[str, Any], question: str, person: str) -> list[tuple[str, float]]:
        """Return the rating of the version that was shown."""
        return [(item.condition, float(answer[question]))]

    def seconds(self, item: Item) -> float:
        """Return the estimated reading time plus four seconds per question."""
        return reading_seconds(item.content["text"]) + 4 * len(self.settings.questions)


def check_expected(kind: Kind, item: Item) -> None:
    """Raise InputError unless an attention check has expected answers, all on the scales of their questions."""
    expected = item.content.get("expected")
    names = {question.name: question.values for question in kind.settings.questions}
    if (
        not isinstance(expected, dict)
        or not expected
        or not all(name in names and value in names[name] for name, value in expected.items())
    ):
        raise InputError("an attention check needs the field expected: an object {question: number on its scale}")


class RateKind(Kind):
    """Answers are ``{question: [a number for each text, in the order shown]}``; :meth:`systems` gives that order."""

    name = "rate"

    def check(self, item: Item) -> None:
        """Check the outputs and, for an attention check, the expected answer."""
        need_text(item, optional=("source", "reference"))
        need_outputs(item)
        if item.role == "attention":
            check_expected(self, item)

    def systems(self, item: Item, person: str) -> list[str]:
        """Return the systems in the order in which the person sees their outputs."""
        return self.shuffle(sorted(item.content["outputs"]), item, person)

    def view(self, item: Item, person: str) -> View:
        """Return the source, the reference, and the texts in random order."""
        content = item.content
        texts = [content["outputs"][system] for system in self.systems(item, person)]
        return {"source": content.get("source"), "reference": content.get("reference"), "texts": texts}

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

    def judge(self, item: Item, answer: Mapping[str, Any], person: str) -> bool | None:
        """Return whether all answers to an attention check are the expected ones; None for other items."""
        if item.role != "attention":
            return None
        return all(set(answer[name]) == {value} for name, value in item.content["expected"].items())

    def decode(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, str]:
        """Return the systems in the order in which the person saw and rated them."""
        return {"systems": json.dumps(self.systems(item, person), ensure_ascii=False)}

    def ratings(self, item: Item, answer: Mapping[str, Any], question: str, person: str) -> list[tuple[str, float]]:
        """Return the rating of each system, in the order shown."""
        return list(zip(self.systems(item, person), map(float, answer[question]), strict=True))

    def seconds(self, item: Item) -> float:
        """Return the estimated reading time plus four seconds per rating."""
        content = item.content
        texts = content.get("source"), content.get("reference"), *content["outputs"].values()
        return reading_seconds(*texts) + 4 * len(content["outputs"]) * len(self.settings.questions)
