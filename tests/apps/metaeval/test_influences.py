"""What moves the scores of a metric: words or their order."""

from __future__ import annotations

import wordorder
from wordorder.apps.metaeval.influences import influences

REFERENCE = ["a b c d", "e f g h", "i j k l", "m n o p"]
TEXTS = {"A": ["a b c d", "f e g h", "i j x y", "p o n m"], "B": ["b a d c", "e f g h", "i j k l", "m n p o"]}
GIVEN = {"neural": {"A": [0.5, 1.0, 0.0, 0.25], "B": [0.1, 0.2, 0.3, 0.4]}}


def test_words_or_order_move_a_given_score() -> None:
    scores = wordorder.score(TEXTS, REFERENCE, metrics="given:neural,bleu-p1,kendall-sqrt", given=GIVEN, samples=0)
    assert [one.metric for one in influences(scores)] == ["given:neural", "bleu-p1", "kendall-sqrt"]
