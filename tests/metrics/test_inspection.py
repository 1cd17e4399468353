"""``wordorder.inspect`` and ``wordorder.describe``: what the commands print, as Python values."""

from __future__ import annotations

import math

import pytest

import wordorder
from wordorder.metrics.ter import ter_edits


def test_an_inspection_is_a_value() -> None:
    found = wordorder.inspect("0-1 1-0 2-0", source="a b c", policy="talbot", metrics="kendall,pef")
    assert (str(found.order), found.words) == ("2 3 1", "{{ b c }} a")
    assert found.scores == {name: wordorder.metric(name)("2 3 1") for name in ("kendall", "pef")}
    assert found.to_dict()["scores"] == found.scores
    assert str(found).startswith("permutation  2 3 1\nwords        {{ b c }} a\ntree         ")


def test_an_empty_order_has_no_tree() -> None:
    found = wordorder.inspect("", metrics="kendall")
    assert (found.tree, found.forest) == (None, None)
    assert str(found).endswith("\nkendall  undefined")
    assert math.isnan(found.scores["kendall"])
    assert found.to_dict()["scores"] == {"kendall": None}


def test_a_sentence_is_inspected_beside_its_reference() -> None:
    found = wordorder.inspect("sat the cat", reference="the cat sat", metrics="kendall,bleu1")
    assert (str(found.order), found.words, found.scores) == ("3 1 2", "sat the cat", {"kendall": 1 / 3, "bleu1": 1.0})
    assert found.edits == ter_edits("sat the cat", "the cat sat")
    assert found.to_dict()["edits"]["shifted"] == ["the", "cat", "sat"]
    assert wordorder.inspect("2 1", metrics="kendall").edits is None


def test_a_permutation_is_compared_with_another() -> None:
    found = wordorder.inspect("2 1 3", reference="3 2 1", metrics="kendall")
    assert str(found.order) == "2 3 1"
    with pytest.raises(wordorder.UsageError, match="one form for both"):
        wordorder.inspect("2 1 3", reference="0-0 1-1", metrics="kendall")


def test_a_description_is_plain_data() -> None:
    described = wordorder.describe("pef")
    assert described["needs"] == ["word orders"]
    with pytest.raises(wordorder.UsageError, match="did you mean 'pef'"):
        wordorder.describe("peff")
