"""``mark``: move misplaced words of a translation without changing any word (an order-only post-edit).

An item has ``words``, the ``system`` that produced them, and optionally ``reference`` and ``source``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.kinds.base import (
    Answer,
    AnswerError,
    Kind,
    View,
    check_fields,
    is_count,
    need_text,
    need_words,
    reading_seconds,
)

if TYPE_CHECKING:
    from wordorder.apps.study.items import Item

SEVERITIES = ("minor", "major")
MOST_MOVES = 200


class MarkKind(Kind):
    """Answers are ``{"moves": [{"words": [3, 4], "before": 7, "severity": "minor"}, …]}``.

    Words are identified by their positions in the original text, counted from 0, regardless of earlier moves. Moved
    words keep their relative order and go before the word at position ``before``, or to the end if ``before`` is the
    number of words. An answer without moves means that the order is right.
    """

    name = "mark"

    def check(self, item: Item) -> None:
        """Check that the words are a list of words, and that source and reference are text if given."""
        need_words(item, "words")
        need_text(item, optional=("source", "reference"))

    def view(self, item: Item, person: str) -> View:
        """Return the words, the source, the reference and the names of the severities."""
        content = item.content
        return {
            "source": content.get("source"),
            "reference": content.get("reference"),
            "words": content["words"],
            "severities": list(SEVERITIES),
        }

    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer if all its moves are possible; otherwise raise AnswerError."""
        kept = check_fields(answer, "moves")
        moves = kept.get("moves")
        if not isinstance(moves, list) or len(moves) > MOST_MOVES:
            raise AnswerError(f"moves must be a list of at most {MOST_MOVES} moves", "moves")
        count = len(item.content["words"])
        for move in moves:
            if not isinstance(move, dict) or set(move) != {"words", "before", "severity"}:
                raise AnswerError("a move must have the fields words, before and severity", "moves")
            words, before = move["words"], move["before"]
            if not isinstance(words, list) or not words or not all(is_count(word, count) for word in words):
                raise AnswerError("select the words to be moved", "moves")
            if len(set(words)) < len(words):
                raise AnswerError("a move cannot contain a word twice", "moves")
            if not is_count(before, count + 1) or before in words:
                raise AnswerError("choose the gap where the words belong", "moves")
            if move["severity"] not in SEVERITIES:
                raise AnswerError(f"severity must be one of {', '.join(SEVERITIES)}", "moves")
        return kept

    def seconds(self, item: Item) -> float:
        """Return the estimated time to read everything twice, plus ten seconds for moving words."""
        content = item.content
        return 2 * reading_seconds(content.get("source"), content.get("reference"), content["words"]) + 10


def apply_moves(count: int, moves: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the original positions of the words in the order of the corrected text.

    >>> apply_moves(4, [{"words": [3], "before": 1}])
    [0, 3, 1, 2]
    """
    order = list(range(count))
    for move in moves:
        moved = [place for place in order if place in set(move["words"])]
        order = [place for place in order if place not in set(moved)]
        spot = len(order) if move["before"] == count else order.index(move["before"])
        order[spot:spot] = moved
    return order
