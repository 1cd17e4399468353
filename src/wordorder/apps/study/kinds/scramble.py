"""``scramble``: sentences whose words are in several orders, each rated on scales (thesis 6.3).

An item has ``text``; a version also has ``reference``, its ``order`` (the ranks of its words in the reference,
1-based), the reorderings that were undone, their widths, its RQuantity and its scores. An attention
check has ``expected``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.kinds.base import Answer, AnswerError, Kind, View, check_fields, need_text, reading_seconds
from wordorder.core.runtime.errors import InputError

if TYPE_CHECKING:
    from wordorder.apps.study.items import Item


class ScrambleKind(Kind):
    """Answers are ``{question: number}``."""

    name = "scramble"

    def check(self, item: Item) -> None:
        """Look for the text, and for an order where it is a version of a sentence."""
        need_text(item, "text")
        if item.role == "item":
            order = item.content.get("order")
            places = order if isinstance(order, list) and all(type(place) is int for place in order) else [0]
            if sorted(places) != list(range(1, len(places) + 1)):
                raise InputError("order must be a permutation of 1 to the number of words")
        if item.role == "attention":
            check_expected(self, item)

    def view(self, item: Item, person: str) -> View:
        """Show the text alone."""
        return {"text": item.content["text"]}

    def validate(self, item: Item, answer: Any) -> Answer:
        """Take one number of its scale for every question."""
        kept = check_fields(answer, *(question.name for question in self.settings.questions))
        for question in self.settings.questions:
            value = kept.get(question.name)
            if isinstance(value, bool) or value not in question.values:
                low, high = question.values[0], question.values[-1]
                raise AnswerError(f"choose a number from {low} to {high}", question.name)
        return kept

    def judge(self, item: Item, answer: Mapping[str, Any], person: str) -> bool | None:
        """Compare the answer to an attention check with what it asks for."""
        if item.role != "attention":
            return None
        return all(answer.get(name) == value for name, value in item.content["expected"].items())

    def seconds(self, item: Item) -> float:
        """Count reading, and four seconds a question."""
        return reading_seconds(item.content["text"]) + 4 * len(self.settings.questions)


def check_expected(kind: Kind, item: Item) -> None:
    """Raise InputError unless an attention check says which answers it expects."""
    expected = item.content.get("expected")
    names = {question.name: question.values for question in kind.settings.questions}
    if (
        not isinstance(expected, dict)
        or not expected
        or not all(name in names and value in names[name] for name, value in expected.items())
    ):
        raise InputError("an attention check needs expected = {question: number on its scale}")
