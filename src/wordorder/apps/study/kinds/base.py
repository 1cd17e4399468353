"""The interface of a kind of study: what its items contain, what browsers may see, and which answers are valid."""

from __future__ import annotations

import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from wordorder.core.runtime.errors import InputError, excerpt, reject

if TYPE_CHECKING:
    from wordorder.apps.study.folder import Item
    from wordorder.apps.study.settings import StudySettings

Answer = dict[str, Any]
View = dict[str, Any]

LONGEST_COMMENT = 2000
LONGEST_TEXT = 10_000
LONGEST_DRAFT = 20_000
DRAFT_DEPTH = 6


class AnswerError(InputError):
    """An answer is incomplete or invalid; ``field`` names the part of the page that must be corrected."""

    def __init__(self, message: str, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class Kind(ABC):
    """A kind of study, with the settings of one study.

    Browsers never receive the names of systems or bins, and gold answers only as feedback to a wrong answer. The
    texts of an item are shown in random order; the same person always sees them in the same order.
    """

    name: ClassVar[str]

    def __init__(self, settings: StudySettings) -> None:
        self.settings = settings

    @abstractmethod
    def check(self, item: Item) -> None:
        """Raise InputError if the content of the item is not what this kind of study needs."""

    @abstractmethod
    def view(self, item: Item, person: str) -> View:
        """Return the parts of an item that the person's browser may see."""

    @abstractmethod
    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer if it is complete and valid; otherwise raise AnswerError."""

    @abstractmethod
    def expected(self, item: Item, person: str) -> Any:
        """Return the right answer to a gold, attention or practice item as its page can show it."""

    @abstractmethod
    def is_right(self, item: Item, answer: Mapping[str, Any], person: str) -> bool:
        """Return whether the answer to an item whose right answer is known is right."""

    def judge(self, item: Item, answer: Mapping[str, Any], person: str) -> bool | None:
        """Return whether the answer to an item is right; None if its right answer is not known."""
        known = item.role in ("gold", "attention", "practice") and {"gold", "expected"} & item.content.keys()
        return self.is_right(item, answer, person) if known else None

    def feedback(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, Any] | None:
        """Return what is shown after an answer to a practice item and after a wrong answer to a gold item."""
        correct = self.judge(item, answer, person)
        if correct is None or item.role == "attention" or (correct and item.role == "gold"):
            return None
        reason = item.content.get("reason", "")
        return {"correct": correct, "right": self.expected(item, person), "reason": reason}

    def findings(self, item: Item, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return possible mistakes in an unfinished answer, with ``blocks`` true if a mistake must be corrected."""
        return []

    def decode(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, str]:
        """Return table columns that tell which system was shown in which position, and which was chosen."""
        return {}

    def ratings(self, item: Item, answer: Mapping[str, Any], question: str, person: str) -> list[tuple[str, float]]:
        """Return pairs of a rated condition (bin or system) and its rating; none for kinds without ratings."""
        return []

    @abstractmethod
    def seconds(self, item: Item) -> float:
        """Return the estimated number of seconds that an answer takes."""

    def systems(self, item: Item, person: str) -> list[str]:
        """Return the systems in the order in which the person sees their outputs.

        The order is random, but depends only on the seed, the person and the item.
        """
        chance = random.Random(f"{self.settings.seed} {person} {item.id}")
        return sorted(sorted(item.content["outputs"]), key=lambda system: chance.random())


def sides(item: Item) -> dict[str, str | None]:
    """Return the source and the reference of an item; None for those that it does not have."""
    return {side: item.content.get(side) for side in ("source", "reference")}


def need_text(item: Item, *names: str, optional: Sequence[str] = ()) -> None:
    """Raise InputError unless the named fields of the content are text; ``optional`` ones may be missing or None."""
    for name in (*names, *optional):
        value = item.content.get(name)
        if value is None and name in optional:
            continue
        reject(not isinstance(value, str) or not value.strip(), f"{name} is {excerpt(repr(value))}, expected text")


def need_expected(item: Item, is_valid: Callable[[Any], bool], what: str) -> None:
    """Raise InputError unless ``expected`` is valid; only attention checks must have it."""
    expected = item.content.get("expected")
    if item.role == "attention" if expected is None else not is_valid(expected):
        raise InputError(f"expected is {excerpt(repr(expected))}, but must be {what}")


def need_words(item: Item, name: str) -> list[str]:
    """Return a field of the content; raise InputError unless it is a list of words."""
    value = item.content.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        raise InputError(f"{name} is {excerpt(repr(value))}, expected a list of words")
    return value


def need_outputs(item: Item, count: int | None = None) -> dict[str, str]:
    """Return the outputs of an item by system; raise InputError unless they are text and number ``count``."""
    outputs = item.content.get("outputs")
    if not isinstance(outputs, dict) or not outputs or not all(isinstance(text, str) for text in outputs.values()):
        raise InputError(f"outputs is {excerpt(repr(outputs))}, expected an object {{system: text}}")
    reject(count is not None and len(outputs) != count, f"expected {count} systems in outputs, found {len(outputs)}")
    return outputs


def check_draft(answer: Any) -> Answer:
    """Return an unfinished answer of any kind; raise AnswerError if it is larger or deeper than a page makes it."""
    if not isinstance(answer, dict):
        raise AnswerError("a draft must be a JSON object")
    level: list[Any] = [answer]
    for _ in range(DRAFT_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [value for values in inner for value in values]
    if level or len(json.dumps(answer, ensure_ascii=False)) > LONGEST_DRAFT:
        raise AnswerError(f"a draft can have at most {LONGEST_DRAFT:,} characters and {DRAFT_DEPTH} levels")
    return answer


def check_number(value: Any, values: range, field: str) -> None:
    """Raise AnswerError unless ``value`` is a number on the scale."""
    if isinstance(value, bool) or value not in values:
        raise AnswerError(f"choose a number from {values[0]} to {values[-1]}", field)


def check_fields(answer: Any, *names: str) -> Answer:
    """Return a copy of an answer; raise AnswerError if it has fields other than ``names`` and ``comment``."""
    if not isinstance(answer, dict):
        raise AnswerError("an answer must be a JSON object")
    for name in answer:
        if name not in (*names, "comment"):
            raise AnswerError(f"unknown field {excerpt(str(name))} in an answer")
    comment = answer.get("comment", "")
    if not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        raise AnswerError(f"a comment must be text of at most {LONGEST_COMMENT} characters", "comment")
    kept = {name: answer[name] for name in names if name in answer}
    return kept | ({"comment": comment} if comment else {})


def is_count(value: Any, below: int) -> bool:
    """Return whether ``value`` is a whole number that is at least 0 and less than ``below``."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def reading_seconds(*texts: str | Sequence[str] | None) -> float:
    """Return the seconds needed to read the texts carefully, at three words per second."""
    counts = (len(text.split()) if isinstance(text, str) else len(text or ()) for text in texts)
    return sum(counts) / 3
