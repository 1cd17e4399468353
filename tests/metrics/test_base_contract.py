"""What every metric promises: statistics that add up, undefined segments that take no part, the same bytes always."""

from __future__ import annotations

import numpy as np
import pytest
from calling import ORDER_SPECS, order_metric, score
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Permutations
from wordorder.core.runtime.threads import map_chunks, spans
from wordorder.metrics import Batch, Orders
from wordorder.metrics.base import mean_rows

orders = st.integers(0, 6).flatmap(lambda n: st.permutations(range(1, n + 1)).map(tuple))
weights = st.floats(0.5, 40)
segments = st.lists(st.tuples(orders, orders, weights, weights), min_size=1, max_size=6)


@given(rows=segments, spec=st.sampled_from(["kendall", "pef", "pet-count"]))
def test_statistics_are_weighted_scores(
    rows: list[tuple[tuple[int, ...], tuple[int, ...], float, float]], spec: str
) -> None:
    chosen = order_metric(spec)
    batch = Batch(
        [Permutations.of([row[0] for row in rows]), Permutations.of([row[1] for row in rows])],
        weights=np.array([[row[2], row[3]] for row in rows]),
    )
    statistics = chosen.statistics(batch)
    assert statistics.shape == (len(rows), 2, len(chosen.columns))
    single = [[score(spec, row[0]), score(spec, row[1])] for row in rows]
    np.testing.assert_allclose(chosen.segment(statistics), single, rtol=1e-12)
    defined = [(x, row[2]) for (x, _), row in zip(single, rows, strict=True) if not np.isnan(x)]
    corpus = chosen.corpus(statistics[:, 0].sum(axis=0))
    if defined:
        assert corpus == pytest.approx(sum(x * w for x, w in defined) / sum(w for _, w in defined), abs=1e-12)
    else:
        assert np.isnan(corpus)
    assert chosen.parts(statistics[:, 0].sum(axis=0)) == {}


def test_corpus_scores_many_sums_at_once() -> None:
    sums = np.array([[[1.0, 2.0], [3.0, 4.0]], [[0.0, 0.0], [5.0, 5.0]]])
    np.testing.assert_array_equal(order_metric("pef").corpus(sums), [[0.5, 0.75], [np.nan, 1.0]])


def test_undefined_rows_weigh_nothing() -> None:
    rows = mean_rows(np.array([0.5, np.nan, 0.0]), np.array([2.0, 3.0, 4.0]))
    assert rows.tolist() == [[1.0, 2.0], [0.0, 0.0], [0.0, 4.0]]


def test_trees_are_built_once() -> None:
    batch = Orders(Permutations.of(["2 1"]))
    assert batch.trees is batch.trees
    assert len(batch) == 1


def test_a_column_may_be_empty() -> None:
    for spec in ORDER_SPECS:
        assert order_metric(spec)(Permutations.of([])).shape == (0,)


@pytest.fixture(scope="module")
def many() -> Permutations:
    """Some thousand orders of all lengths to 60: random, nearly monotone, monotone, inverted, empty."""
    rng = np.random.default_rng(12345)
    rows = []
    for row in range(3_000):
        order = np.arange(1, rng.integers(0, 61) + 1)
        if row % 4 == 0:
            rng.shuffle(order)
        elif row % 4 < 3 and len(order) > 3:
            cut = np.sort(rng.integers(0, len(order), 2))
            order[cut[0] : cut[1]] = order[cut[0] : cut[1]][::-1]
        elif row % 8 == 7:
            order = order[::-1]
        rows.append(order.tolist())
    return Permutations.of(rows)


@pytest.mark.parametrize("spec", ORDER_SPECS)
def test_results_are_the_same_bytes_for_any_number_of_threads(spec: str, many: Permutations) -> None:
    chosen = order_metric(spec)
    chunks = [many[start:stop] for start, stop in spans(len(many), 256)]
    results = [np.concatenate(list(map_chunks(chosen, chunks, threads=threads))).tobytes() for threads in (1, 2, 4)]
    assert results[0] == results[1] == results[2]
    assert results[0] == chosen(many).tobytes()  # nor do they depend on where chunks begin


@pytest.mark.parametrize("spec", ORDER_SPECS)
def test_scores_are_shares(spec: str, many: Permutations) -> None:
    values = order_metric(spec)(many)
    assert np.isnan(values).tolist() == (many.lengths == 0).tolist()
    assert np.nanmin(values) >= -1e-12
    assert np.nanmax(values) <= 1 + 1e-12
