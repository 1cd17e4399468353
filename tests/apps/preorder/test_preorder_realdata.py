"""What pre-ordering does on parallel treebanks: gold trees, gold alignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from wordorder.apps.preorder import Blame, CrossValidation, Reference, evaluate_orders, load_rules, order_systems
from wordorder.core.orders.projection import place
from wordorder.core.statistics import Resampling
from wordorder.formats import conllu, pud
from wordorder.scoring.comparison import compare_pairs

RULES = ("r1", "r2", "r3", "r4", "r5")


@pytest.mark.realdata
def test_english_to_japanese(shared: Path) -> None:
    folder = shared / "data" / "pud-aligned" / "en-jp"
    trees = conllu.read(folder / "en.conllu")
    reference = Reference.of(place(pud.read(folder).alignments, policy="talbot"), trees)
    sets = {name: load_rules(name) for name in RULES} | {"learned": CrossValidation(folds=4)}
    scores = evaluate_orders(
        order_systems({"gold": trees}, sets, reference),
        reference,
        metrics="fuzzy,kendall",
        resampling=Resampling(samples=300),
    )
    fuzzy, kendall = (dict(zip(scores.systems, scores.values[:, m].tolist(), strict=True)) for m in (0, 1))
    assert fuzzy["r5"] > fuzzy["r1"]
    assert kendall["r5"] > kendall["r1"]
    assert max(fuzzy, key=lambda name: fuzzy[name]) == "learned"
    better = {(each.a, each.b) for each in compare_pairs(scores, "fuzzy") if each.significant and each.difference > 0}
    assert {("r5", "r1"), *(("learned", name) for name in RULES)} <= better
    (losses,) = Blame.of(trees, load_rules("r5"), reference).loss_table(metrics="kendall").rows
    system, top, by_rules, by_parse = (float(str(cell.value)) for cell in losses[1:])
    assert system == kendall["r5"]
    assert system < 0.9 < top < 1
    assert by_rules > by_parse > 0


@pytest.mark.realdata
def test_english_to_french_needs_no_reordering(shared: Path) -> None:
    folder = shared / "data" / "pud-aligned" / "en-fr"
    trees = conllu.read(folder / "en.conllu")
    reference = Reference.of(place(pud.read(folder).alignments, policy="talbot"), trees)
    names = (*RULES, "head-initial-r3", "head-initial-r4", "head-initial-r5")
    orders = order_systems({"gold": trees}, {name: load_rules(name) for name in names}, reference)
    scores = evaluate_orders(orders, reference, metrics="fuzzy", resampling=Resampling(samples=300), baseline="r1")
    assert all(each.b == "r1" for each in scores.comparisons)
    assert not any(each.difference > 0 for each in scores.comparisons)
    assert all(each.significant for each in scores.comparisons)
