"""``judge``: decide whether two blocks of words are in the right order in a translation (Birch 2011, §3.3.5).

An item has the words of ``reference`` and ``translation``. ``reference_blocks`` and ``translation_blocks`` each
consist of two lists of word positions, counted from 0: one for block A and one for block B. The condition is
"reproduced" or "not reproduced".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wordorder.apps.study.kinds.base import Answer, Kind, View, is_count, need_words, reading_seconds, validate_choice
from wordorder.core.runtime.errors import InputError

if TYPE_CHECKING:
    from wordorder.apps.study.items import Item

CHOICES = {"C": "correct", "I": "incorrect", "N": "not applicable"}


class JudgeKind(Kind):
    """Answers are ``{"choice": "C" | "I" | "N"}``: correct, incorrect, not applicable."""

    name = "judge"

    def check(self, item: Item) -> None:
        """Check the words and the blocks of both sides."""
        for side in ("reference", "translation"):
            words = need_words(item, side)
            blocks = item.content.get(f"{side}_blocks")
            if not (isinstance(blocks, list) and len(blocks) == 2 and all(isinstance(one, list) for one in blocks)):
                raise InputError(f"{side}_blocks must be two lists of word positions")
            if not all(is_count(place, len(words)) for block in blocks for place in block):
                raise InputError(f"{side}_blocks has an invalid position; the {len(words)} words are counted from 0")

    def view(self, item: Item, person: str) -> View:
        """Return both texts with their blocks."""
        return {
            side: {"words": item.content[side], "blocks": item.content[f"{side}_blocks"]}
            for side in ("reference", "translation")
        }

    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer if it is one of the choices; otherwise raise AnswerError."""
        return validate_choice(answer, "choice", tuple(CHOICES))

    def seconds(self, item: Item) -> float:
        """Return the estimated reading time plus six seconds for the decision."""
        return reading_seconds(item.content["reference"], item.content["translation"]) + 6
