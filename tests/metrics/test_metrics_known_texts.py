"""Known values of the papers for metrics that look at words (Birch 2011, Figure 6.2, Table 5.2, chapter 8)."""

from __future__ import annotations

import pytest
from text_batches import corpus_score, segment_scores, text_batch

from wordorder.metrics import METRICS, metric
from wordorder.metrics.combined import LRscore

REFERENCE = "parliament launches action plan to reduce its carbon footprint ."
HYPOTHESIS = "to reduce the parliament it plans to start its carbon footprint ."


def test_parliament() -> None:
    batch = text_batch([HYPOTHESIS], [REFERENCE], stages=("exact", "stem"))
    assert corpus_score("bleu", batch) == pytest.approx(0.262, abs=5e-4)
    assert corpus_score("1-ter", batch) == pytest.approx(1 - 0.6)
    assert corpus_score("meteor:parameters=thesis", batch) == pytest.approx(0.715, abs=5e-4)
    assert segment_scores("meteor:parameters=thesis", batch)[0][0] == corpus_score("meteor:parameters=thesis", batch)


def test_parliament_without_stems_loses_the_plans() -> None:
    with_stems = text_batch([HYPOTHESIS], [REFERENCE], stages=("exact", "stem"))
    without = text_batch([HYPOTHESIS], [REFERENCE])
    assert segment_scores("matched", with_stems) == [[0.8]]
    assert segment_scores("matched", without) == [[0.7]]


@pytest.mark.parametrize("named", ["thesis", "2007", "1.5-rank"])
def test_meteor_of_identical_texts_is_one_and_not_what_the_formula_gives(named: str) -> None:
    spec = f"meteor:parameters={named}"
    assert segment_scores(spec, text_batch([REFERENCE], [REFERENCE])) == [[1.0]]
    assert segment_scores(spec, text_batch(["the " + REFERENCE], [REFERENCE]))[0][0] < 1.0


FIGURE_6_2 = [
    ("1 2 3 4 5 6 10 7 8 9 11", 0.7665, 0.6364, 0.6636, 0.9091),
    ("1 2 5 3 4 6 10 7 8 9 11", 0.6985, 0.3636, 0.3170, 0.8182),
    ("1 2 7 8 9 10 3 4 5 6 11", 0.4606, 0.2727, 0.5900, 0.9091),
    ("1 2 10 7 8 9 5 3 4 6 11", 0.3821, 0.2727, 0.3170, 0.7273),
]


@pytest.mark.parametrize(("order", "kendall", "hamming", "bleu", "ter"), FIGURE_6_2)
def test_figure_6_2_with_ranks_for_words(order: str, kendall: float, hamming: float, bleu: float, ter: float) -> None:
    batch = text_batch([order], ["1 2 3 4 5 6 7 8 9 10 11"])
    for name, expected in (("kendall-sqrt", kendall), ("hamming", hamming), ("bleu", bleu), ("1-ter", ter)):
        assert segment_scores(name, batch) == [[pytest.approx(expected, abs=5e-5)]], name


PRESETS = [
    ("lr-hb1", 0.1332, 0.2640, 0.2254),
    ("lr-hb4", 0.0186, 0.0719, 0.0526),
    ("lr-kb1", 0.2820, 0.4333, 0.3924),
    ("lr-kb4", 0.1319, 0.2623, 0.2238),
]


@pytest.mark.parametrize(("name", "theta", "default", "at_739"), PRESETS)
def test_alpha_is_theta_to_the_power_of_dk(name: str, theta: float, default: float, at_739: float) -> None:
    for spec, alpha in ((name, default), (f"{name}:dk=0.739", at_739)):
        found = metric(spec)
        assert isinstance(found, LRscore)
        assert found.theta == theta
        assert found.weight == pytest.approx(alpha, abs=5e-5)
    fixed = metric(f"{name}:alpha=0.3:dk=0.739")
    assert isinstance(fixed, LRscore)
    assert fixed.weight == 0.3


def test_presets_are_what_their_letters_say() -> None:
    parts = {name: (METRICS[name](), metric(name)) for name, *_ in PRESETS}
    for name, (_, found) in parts.items():
        assert isinstance(found, LRscore)
        assert found.order.name == ("hamming" if "-h" in name else "kendall-sqrt")
        assert found.lexical.name == ("bleu1" if name.endswith("1") else "bleu")
