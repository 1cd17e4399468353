"""How much the languages of Parallel Universal Dependencies reorder."""

from __future__ import annotations

from pathlib import Path

import pytest

from wordorder.apps.profile import measure
from wordorder.apps.profile.corpus_profile import add_up
from wordorder.formats import pud


@pytest.mark.realdata
def test_japanese_reorders_more_than_chinese_more_than_french(shared: Path) -> None:
    quantities = {}
    for pair in ("en-fr", "en-zh", "en-jp"):
        treebank = pud.read(shared / "data" / "pud-aligned" / pair)
        result = add_up([measure(treebank.alignments, references=treebank.target)])
        assert result.sentences == 999
        quantities[pair] = result.rquantity()
    assert 2 * quantities["en-zh"] < quantities["en-jp"]
    assert 2 * quantities["en-fr"] < quantities["en-zh"]
