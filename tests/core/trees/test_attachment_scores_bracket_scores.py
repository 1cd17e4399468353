from __future__ import annotations

import pytest

from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import ConstituencyTrees, score_brackets


def test_bracket_scores_by_hand() -> None:
    gold = ConstituencyTrees.of(["(ROOT (S (NP (DT a) (NN b)) (, ,) (VP (VB c) (NP (NN d))) (. .)))"])
    assert score_brackets(gold, gold).f1 == 1
    assert score_brackets(gold, gold).exact == 1
    found = ConstituencyTrees.of(["(ROOT (S (NP (DT a) (NN b) (, ,)) (VP (VB c)) (NP (NN d)) (PRN (. .))))"])
    score = score_brackets(gold, found)
    # The comma and the full stop are taken out: S and both NPs match, the VP does not, PRN spans nothing.
    assert (score.matched, score.gold, score.found) == (3, 4, 4)
    assert (score.precision, score.recall, score.f1) == (0.75, 0.75, 0.75)
    assert (score.words, score.right_tags, score.tag_accuracy) == (6, 6, 1)
    twice = ConstituencyTrees.of(["(ROOT (S (NP (NP (DT a) (NN b))) (, ,) (VP (VB c) (NP (NN x))) (. .)))"])
    assert (score_brackets(gold, twice).matched, score_brackets(gold, twice).found) == (4, 5)
    with pytest.raises(InputError, match="same number of words"):
        score_brackets(gold, ConstituencyTrees.of(["(ROOT (NN a))"]))
