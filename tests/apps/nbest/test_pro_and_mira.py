"""Pairwise ranking and batch MIRA: their parts against literal twins, and what they find."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from wordorder.apps.nbest import NBest, ScoredLists, optimise
from wordorder.apps.nbest import pro_and_mira as ranking
from wordorder.apps.nbest.mert import Objective
from wordorder.apps.nbest.pro_and_mira import KEPT, LEAST_DIFFERENCE, draw_pairs, logistic_loss, mean_words, take_steps
from wordorder.core.runtime.errors import InputError, UsageError

WORDS = ["the", "small", "cat", "sat", "on", "a", "red", "mat", "with", "one", "old", "dog"]


@pytest.fixture(scope="module")
def scored() -> ScoredLists:
    """Lists where one feature says how good a translation is, another how bad, and the third nothing."""
    rng = np.random.default_rng(7)
    texts, features = [], {name: [] for name in ("good", "bad", "noise")}  # type: ignore[var-annotated]
    for _ in range(12):
        wrong = rng.integers(0, 7, 8)
        texts.append([" ".join(WORDS[: 12 - count] + ["x"] * count) for count in wrong])
        features["good"].append((-wrong + 0.5 * rng.normal(size=8)).tolist())
        features["bad"].append((0.5 * wrong + 0.5 * rng.normal(size=8)).tolist())
        features["noise"].append(rng.normal(size=8).tolist())
    return NBest.of(texts, features=features).score([" ".join(WORDS)] * 12, "bleu,lr-kb4")


@pytest.mark.parametrize("method", ["pro", "mira"])
def test_both_find_what_is_good(scored: ScoredLists, method: str) -> None:
    tuned = optimise(scored, "lr-kb4", method=method, runs=2)
    for run in tuned.runs:
        assert run.weights["good"] > abs(run.weights["noise"])
        assert run.weights["good"] > run.weights["bad"]
        assert run.score == scored.score(scored.lists.choose(run.weights), "lr-kb4")
        assert run.score > scored.score(scored.lists.offsets[:-1], "lr-kb4")
        assert sum(map(abs, run.weights.values())) == pytest.approx(1)
    assert optimise(scored, "lr-kb4", method=method, runs=2, threads=2).runs == tuned.runs
    held = optimise(scored, "lr-kb4", method=method, fixed={"noise": 0.5}, positive=["bad"]).weights
    assert (held["noise"], held["bad"] >= 0) == (0.5, True)
    with pytest.raises(UsageError, match="unknown method 'prom'; did you mean 'pro'"):
        optimise(scored, "lr-kb4", method="prom")


def test_pairs_differ_enough(scored: ScoredLists) -> None:
    objective = Objective.of(scored, "bleu")
    pairs = draw_pairs(objective, np.random.default_rng(1))
    assert len(pairs) <= KEPT * len(scored.lists)
    scores = scored.segments("bleu")
    features = scored.lists.features.T
    known = {
        (features[one] - features[two]).tobytes()
        for start in range(0, len(scores), 8)
        for one in range(start, start + 8)
        for two in range(start, start + 8)
        if scores[one] - scores[two] >= LEAST_DIFFERENCE
    }
    assert all(np.ascontiguousarray(pair).tobytes() in known or (-pair).tobytes() in known for pair in pairs)
    same = NBest.of([["a", "a"]], features={"lm": [[1.0, 2.0]]}).score(["a"], "bleu")
    with pytest.raises(InputError, match=r"no sampled pair of translations differs by 0\.05 or more in bleu"):
        ranking.rank_pairs(Objective.of(same), np.array([-np.inf]), np.array([np.inf]), np.random.default_rng(1))


def test_the_loss_and_its_gradient() -> None:
    rng = np.random.default_rng(2)
    differences, weights = rng.normal(size=(20, 3)), rng.normal(size=3)
    loss, _ = logistic_loss(differences, weights, 0.5)
    assert loss == pytest.approx(np.log1p(np.exp(-differences @ weights)).sum() + 0.25 * (weights @ weights))
    error = check_grad(
        lambda w: logistic_loss(differences, w, 0.5)[0], lambda w: logistic_loss(differences, w, 0.5)[1], weights
    )
    assert error < 1e-5
    far, _ = logistic_loss(np.array([[1.0], [-1.0]]), np.array([800.0]), 0.0)
    assert far == pytest.approx(800)


def test_steps_of_mira_are_those_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, one epoch: w + min(C, loss/|Δf|²)·Δf, where hope and fear are all there is."""
    lists = NBest.of([["a b", "x y"]], features={"f": [[1.0, 3.0]], "g": [[0.0, 0.5]]})
    objective = Objective.of(lists.score(["a b"], "bleu1"))
    assert mean_words(lists) == 2
    wide = np.full(2, np.inf)
    monkeypatch.setattr(ranking, "EPOCHS", 1)
    found = take_steps(objective, np.array([0.1, 0.0]), -wide, wide, [0, 1], np.random.default_rng(1))
    corpus = objective.rows[:].mean(axis=0) * 10
    hope, fear = (float(objective.metric.corpus(corpus + row)) * 11 * 2 for row in objective.rows[objective.row_of])
    loss = (hope - fear) - (0.1 - 0.3)
    change = np.array([-2.0, -0.5])
    assert found.tolist() == pytest.approx((np.array([0.1, 0.0]) + min(0.01, loss / 4.25) * change).tolist())
