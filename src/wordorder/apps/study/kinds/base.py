"""What every kind of study knows: what an item holds, what a browser may know of it, and which answers are whole."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from wordorder.core.runtime.errors import InputError, excerpt

if TYPE_CHECKING:
    from wordorder.apps.study.items import Item
    from wordorder.apps.study.settings import StudySettings

Answer = dict[str, Any]
View = dict[str, Any]

LONGEST_COMMENT = 2000
LONGEST_TEXT = 10_000

T = TypeVar("T")


class AnswerError(InputError):
    """An answer is not whole or not possible; ``field`` is the part of the page to go to."""

    def __init__(self, message: str, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class Kind(ABC):
    """One kind of study, with the settings of one study.

    * ``check(item)``: raise InputError if the content is not what this kind needs.
    * ``view(item, person)``: what the person's browser may know of an item: never gold, system or bin. Sides and
      orders are drawn anew for every person and item, always the same for the same ones.
    * ``validate(item, answer)``: return a whole answer, or raise AnswerError, which says where and why not.
    * ``judge(item, answer, person)``: whether the answer to a gold or attention item is right; None if neither.
    * ``feedback(item, answer, person)``: what a person is told after a wrong answer to a gold or practice item.
    * ``findings(item, answer)``: what is doubtful about an unfinished answer, each with ``message`` and ``blocks``.
    * ``decode(item, answer, person)``: what the answer must be read with, since it names what the person saw.
    * ``seconds(item)``: how long people will need, roughly.
    """

    name: ClassVar[str]

    def __init__(self, settings: StudySettings) -> None:
        self.settings = settings

    @abstractmethod
    def check(self, item: Item) -> None:
        """Raise InputError if the item does not have what it needs."""

    @abstractmethod
    def view(self, item: Item, person: str) -> View:
        """Return what a browser may know."""

    @abstractmethod
    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer, whole; or raise AnswerError."""

    def judge(self, item: Item, answer: Mapping[str, Any], person: str) -> bool | None:
        """Return whether an answer is right, where that is known."""
        return None

    def feedback(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, Any] | None:
        """Return ``right`` (what would have been right) and ``reason`` after a wrong answer; None otherwise."""
        return None

    def findings(self, item: Item, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what is doubtful about an answer; most kinds have nothing to say."""
        return []

    def decode(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, str]:
        """Return what stood where for this person, and what was chosen, as columns of a table."""
        return {}

    @abstractmethod
    def seconds(self, item: Item) -> float:
        """Return how long an answer will take."""

    def shuffle(self, values: Sequence[T], item: Item, person: str) -> list[T]:
        """Put values into an order that a person keeps for an item."""
        chance = random.Random(f"{self.settings.seed} {person} {item.id}")
        drawn = [chance.random() for _ in values]
        return [value for _, value in sorted(zip(drawn, values, strict=True), key=lambda pair: pair[0])]


def need_text(item: Item, *names: str, optional: Sequence[str] = ()) -> None:
    """Raise InputError unless the named parts of the content are text; optional ones may be missing or None."""
    for name in (*names, *optional):
        value = item.content.get(name)
        if value is None and name in optional:
            continue
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{name} is {excerpt(repr(value))}, expected text")


def need_words(item: Item, name: str) -> list[str]:
    """Return the words of a part of the content; raise InputError unless it is a list of words."""
    value = item.content.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        raise InputError(f"{name} is {excerpt(repr(value))}, expected a list of words")
    return value


def check_fields(answer: Any, *names: str) -> Answer:
    """Return a copy of an answer after looking at its names: those expected, and perhaps a comment."""
    if not isinstance(answer, dict):
        raise AnswerError("an answer must be an object")
    for name in answer:
        if name not in (*names, "comment"):
            raise AnswerError(f"unknown part {excerpt(str(name))} of an answer")
    comment = answer.get("comment", "")
    if not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        raise AnswerError(f"a comment must be text of at most {LONGEST_COMMENT} characters", "comment")
    kept = {name: answer[name] for name in names if name in answer}
    return kept | ({"comment": comment} if comment else {})


def validate_choice(answer: Any, name: str, valid: Sequence[str]) -> Answer:
    """Return an answer that is one choice."""
    kept = check_fields(answer, name)
    if kept.get(name) not in valid:
        raise AnswerError(f"choose one of {', '.join(valid)}", name)
    return kept


def is_count(value: Any, below: int) -> bool:
    """Whether a value is a whole number from 0 to below."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def reading_seconds(*texts: str | Sequence[str] | None) -> float:
    """Return the time to read texts carefully: three words a second."""
    counts = (len(text.split()) if isinstance(text, str) else len(text or ()) for text in texts)
    return sum(counts) / 3
