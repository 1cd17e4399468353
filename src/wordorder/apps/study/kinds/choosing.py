"""Studies in which people choose: ``prefer`` and ``judge``.

In ``prefer``, people choose the better of two translations, shown in random order below the reference (Birch 2011,
§8.2). An item has ``outputs`` (``{system: text}`` for two systems) and optionally ``reference`` and ``source``. Gold
and practice items also have ``gold`` (the better system or "neither") and a ``reason`` that is shown after a wrong
answer; attention checks have ``expected``, the choice they ask for.

In ``judge``, they decide whether two blocks of words are in the right order in a translation (Birch 2011, §3.3.5). An
item has the words of ``reference`` and ``translation``. ``reference_blocks`` and ``translation_blocks`` each consist
of two lists of word positions, counted from 0: one for block A and one for block B. The condition is "reproduced" or
"not reproduced". Attention checks and practice items have ``expected``, the right choice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, ClassVar

from wordorder.apps.study.kinds.base import (
    Answer,
    AnswerError,
    Kind,
    View,
    check_fields,
    is_count,
    need_expected,
    need_outputs,
    need_text,
    need_words,
    reading_seconds,
    sides,
)
from wordorder.core.runtime.errors import InputError

if TYPE_CHECKING:
    from wordorder.apps.study.folder import Item


CHOICES = ("A", "B", "N")
NEITHER = "neither"


class ChoosingKind(Kind):
    """A kind of study whose answers are ``{"choice": …}``, with one of ``choices``."""

    choices: ClassVar[Collection[str]]

    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer if it is one of the choices; otherwise raise AnswerError."""
        kept = check_fields(answer, "choice")
        if kept.get("choice") not in tuple(self.choices):
            raise AnswerError(f"choose one of {', '.join(self.choices)}", "choice")
        return kept

    def check_expected(self, item: Item) -> None:
        """Raise InputError unless the right answer is one of the choices."""
        need_expected(item, tuple(self.choices).__contains__, f"one of {', '.join(self.choices)}")

    def expected(self, item: Item, person: str) -> str:
        """Return the choice that is right."""
        return str(item.content["expected"])

    def is_right(self, item: Item, answer: Mapping[str, Any], person: str) -> bool:
        """Return whether the choice is the right one."""
        return bool(answer["choice"] == self.expected(item, person))


class PreferKind(ChoosingKind):
    """Answers are ``{"choice": "A" | "B" | "N"}``: the first text, the second text, or no preference."""

    name = "prefer"
    choices = CHOICES

    def check(self, item: Item) -> None:
        """Check the two outputs and, for a gold item, the right answer."""
        need_text(item, optional=("source", "reference", "reason"))
        outputs = need_outputs(item, 2)
        if item.role == "gold" and item.content.get("gold") not in (*outputs, NEITHER):
            raise InputError(f"gold must be one of {', '.join(outputs)}, {NEITHER}")
        self.check_expected(item)

    def chosen(self, item: Item, answer: Mapping[str, Any], person: str) -> str:
        """Return the system that the person chose, or "neither"."""
        choice = answer["choice"]
        return NEITHER if choice == "N" else self.systems(item, person)[CHOICES.index(choice)]

    def view(self, item: Item, person: str) -> View:
        """Return source, reference and the words of both outputs; ``marks`` are the positions of differing words."""
        texts = [item.content["outputs"][system].split() for system in self.systems(item, person)]
        marks = find_differing(*texts) if self.settings.materials.get("mark", True) else [[], []]
        pairs = zip(texts, marks, strict=True)
        return {**sides(item), "texts": [{"words": words, "marks": places} for words, places in pairs]}

    def expected(self, item: Item, person: str) -> str:
        """Return the choice that is right."""
        gold = item.content.get("gold")
        if gold is None:
            return super().expected(item, person)
        return "N" if gold == NEITHER else CHOICES[self.systems(item, person).index(gold)]

    def decode(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, str]:
        """Return which systems were shown as A and B, and which one was preferred."""
        first, second = self.systems(item, person)
        return {"A": first, "B": second, "preferred": self.chosen(item, answer, person)}

    def seconds(self, item: Item) -> float:
        """Return the estimated reading time plus six seconds for the decision."""
        return reading_seconds(*sides(item).values(), *item.content["outputs"].values()) + 6


def find_differing(first: list[str], second: list[str]) -> list[list[int]]:
    """Return, for each text, the positions of the words outside the blocks that both texts share.

    >>> find_differing("he has it seen".split(), "he has seen it".split())
    [[3], [2]]
    """
    same = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    kept = [set[int](), set[int]()]
    for block in same:
        kept[0].update(range(block.a, block.a + block.size))
        kept[1].update(range(block.b, block.b + block.size))
    pairs = zip((first, second), kept, strict=True)
    return [[place for place in range(len(words)) if place not in known] for words, known in pairs]


VERDICTS = {"C": "correct", "I": "incorrect", "N": "not applicable"}


class JudgeKind(ChoosingKind):
    """Answers are ``{"choice": "C" | "I" | "N"}``: correct, incorrect, not applicable."""

    name = "judge"
    choices = VERDICTS

    def check(self, item: Item) -> None:
        """Check the words and the blocks of both sides."""
        for side in ("reference", "translation"):
            words = need_words(item, side)
            blocks = item.content.get(f"{side}_blocks")
            if not (isinstance(blocks, list) and len(blocks) == 2 and all(isinstance(one, list) for one in blocks)):
                raise InputError(f"{side}_blocks must be two lists of word positions")
            if not all(is_count(place, len(words)) for block in blocks for place in block):
                raise InputError(f"{side}_blocks has an invalid position; the {len(words)} words are counted from 0")
        self.check_expected(item)

    def view(self, item: Item, person: str) -> View:
        """Return both texts with their blocks."""
        return {
            side: {"words": item.content[side], "blocks": item.content[f"{side}_blocks"]}
            for side in ("reference", "translation")
        }

    def seconds(self, item: Item) -> float:
        """Return the estimated reading time plus six seconds for the decision."""
        return reading_seconds(item.content["reference"], item.content["translation"]) + 6
