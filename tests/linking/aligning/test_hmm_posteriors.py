"""The kernels against all alignments listed, whole matrices and definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from aligning_twins import FAR, closeness, count_chances, direct_diagonal, enumerate_hmm, jump_weight, matrix_hmm
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.linking.aligning.cooccurrence import Bitext
from wordorder.linking.aligning.motion import UNIFORM, Diagonal, Jumps, Motion, Posteriors


def text_of(shapes: list[tuple[int, int]]) -> Bitext:
    source, target = offsets_from_lengths([i for i, _ in shapes]), offsets_from_lengths([j for _, j in shapes])
    return Bitext(np.zeros(source[-1], np.int32), source, np.zeros(target[-1], np.int32), target)


def emissions_of(shapes: list[tuple[int, int]], seed: int) -> list[NDArray[np.float32]]:
    numbers = np.random.default_rng(seed)
    return [(numbers.random(shape) ** 4).astype(np.float32) + np.float32(1e-6) for shape in shapes]


def run(
    motion: Motion, emissions: list[NDArray[np.float32]], silence: NDArray[np.float64], null: float, *, backward: bool
) -> Posteriors:
    """Run one direction over several sentence pairs at once; emissions are source × target."""
    text = text_of([(one.shape[0], one.shape[1]) for one in emissions])
    flat = np.concatenate([one.ravel() for one in emissions])
    return motion.posteriors(text, flat, silence, null=null, backward=backward)


WEIGHTS = st.lists(st.floats(0.01, 1.0), min_size=2 * FAR + 1, max_size=2 * FAR + 1)
SHAPES = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=3)


@given(SHAPES, st.integers(0, 99), st.floats(0.01, 0.9), WEIGHTS, st.booleans())
def test_hmm_equals_the_list_of_all_alignments(
    shapes: list[tuple[int, int]], seed: int, null: float, weights: list[float], backward: bool
) -> None:
    emissions = emissions_of(shapes, seed)
    silence = np.random.default_rng(seed).random(sum(shape[0 if backward else 1] for shape in shapes))
    result = run(Jumps(np.array(weights)), emissions, silence, null, backward=backward)
    cell = place = 0
    jumps = np.zeros(2 * FAR + 1)
    for emission in emissions:
        view = emission.T if backward else emission
        words = view.shape[1]
        links, silent, found = enumerate_hmm(
            view.astype(np.float64), silence[place : place + words].tolist(), null, weights
        )
        expected = links.T if backward else links
        np.testing.assert_allclose(result.links[cell : cell + emission.size], expected.ravel(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result.null[place : place + words], silent, rtol=1e-9)
        for width, value in found.items():
            jumps[width + FAR] += value
        cell += emission.size
        place += words
    np.testing.assert_allclose(result.statistics[: 2 * FAR + 1], jumps, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (9, 3), (10, 4), (11, 7), (12, 30), (30, 12), (45, 3)])
def test_hmm_equals_whole_matrices_where_jumps_are_wide(shape: tuple[int, int]) -> None:
    numbers = np.random.default_rng(5)
    weights = (numbers.random(2 * FAR + 1) + 0.01).tolist()
    emissions = emissions_of([shape], 3)
    silence = numbers.random(shape[1])
    result = run(Jumps(np.array(weights)), emissions, silence, 0.2, backward=False)
    links, silent, jumps, leaving = matrix_hmm(emissions[0].astype(np.float64), silence.tolist(), 0.2, weights)
    chances = count_chances(leaving, weights, shape[0])
    np.testing.assert_allclose(result.links, links.ravel(), rtol=1e-8, atol=1e-14)
    np.testing.assert_allclose(result.null, silent, rtol=1e-8)
    np.testing.assert_allclose(result.statistics, np.concatenate((jumps, chances)), rtol=1e-8, atol=1e-12)


def test_the_two_hmm_twins_agree() -> None:
    emission = emissions_of([(3, 3)], 1)[0].astype(np.float64)
    weights = np.random.default_rng(2).random(2 * FAR + 1).tolist()
    links, silent, jumps = enumerate_hmm(emission, [0.2, 0.3, 0.1], 0.3, weights)
    other, other_silent, other_jumps, _ = matrix_hmm(emission, [0.2, 0.3, 0.1], 0.3, weights)
    np.testing.assert_allclose(links, other)
    np.testing.assert_allclose(silent, other_silent)
    assert jumps == pytest.approx({width: other_jumps[width + FAR] for width in jumps})


@given(SHAPES, st.integers(0, 99), st.floats(0.01, 0.9), st.sampled_from([0.0, 0.5, 4.0, 20.0]), st.booleans())
def test_diagonal_equals_its_definition(
    shapes: list[tuple[int, int]], seed: int, null: float, tension: float, backward: bool
) -> None:
    emissions = emissions_of(shapes, seed)
    silence = np.random.default_rng(seed).random(sum(shape[0 if backward else 1] for shape in shapes))
    motion = Diagonal(tension) if tension else UNIFORM
    result = run(motion, emissions, silence, null, backward=backward)
    cell = place = 0
    for emission in emissions:
        view = emission.T if backward else emission
        words = view.shape[1]
        links, silent = direct_diagonal(view.astype(np.float64), silence[place : place + words].tolist(), null, tension)
        expected = links.T if backward else links
        np.testing.assert_allclose(result.links[cell : cell + emission.size], expected.ravel(), rtol=1e-9)
        np.testing.assert_allclose(result.null[place : place + words], silent, rtol=1e-9)
        cell += emission.size
        place += words


@pytest.mark.parametrize("motion", [UNIFORM, Diagonal(), Jumps.start()])
@pytest.mark.parametrize("backward", [False, True])
def test_empty_sides_are_left_to_the_null_word(motion: Motion, backward: bool) -> None:
    text = text_of([(0, 2), (2, 0), (0, 0), (1, 1)])
    words = 3
    result = motion.posteriors(text, np.ones(1, np.float32), np.ones(words), null=0.5, backward=backward)
    assert result.null[:2].tolist() == [1.0, 1.0]
    assert result.links[0] + result.null[2] == pytest.approx(1.0)


def test_jumps_learn_what_is_likelier() -> None:
    """One learning step raises Σ N(d) log c(d) − Σ n_m log Z_m."""
    shapes = [(25, 20), (6, 9), (14, 3)]
    emissions = emissions_of(shapes, 8)
    silence = np.full(32, 0.01)
    before = Jumps.start()
    after = before.learn(run(before, emissions, silence, 0.1, backward=False).statistics * 1000)
    assert after.weights.sum() == pytest.approx(1.0)

    def fit(weights: list[float]) -> float:
        total = 0.0
        for emission in emissions:
            states, words = emission.shape
            _, _, jumps, leaving = matrix_hmm(emission.astype(np.float64), [0.01] * words, 0.1, before.weights.tolist())
            total += sum(count * math.log(weight) for count, weight in zip(jumps, weights, strict=True))
            for m, count in leaving.items():
                total -= count * math.log(sum(jump_weight(weights, k - m) for k in range(states)))
        return total

    assert fit(after.weights.tolist()) > fit(before.weights.tolist())


def test_tension_learns_what_is_likelier() -> None:
    """Links on the diagonal tighten it, scattered links loosen it, and the expected likelihood rises."""
    size = 12
    near = np.full((size, size), 1e-6, np.float32)
    np.fill_diagonal(near, 1.0)
    flat = np.full((size, size), 1.0, np.float32)
    silence = np.full(size, 1e-3)
    for emission, tighter in ((near, True), (np.ascontiguousarray(near[::-1]), False)):
        motion = Diagonal(4.0)
        result = run(motion, [emission], silence, 0.1, backward=False)
        learnt = motion.learn(result.statistics)
        assert (learnt.tension > 4.0) is tighter
        assert _fit(result, size, learnt.tension) > _fit(result, size, 4.0)
    result = run(Diagonal(4.0), [flat], silence, 0.1, backward=False)
    assert Diagonal(4.0).learn(result.statistics).tension == pytest.approx(4.0)
    assert UNIFORM.learn(result.statistics) is UNIFORM


def _fit(result: Posteriors, size: int, tension: float) -> float:
    total = 0.0
    links = result.links.reshape(size, size)
    for j in range(size):
        near = [closeness(i, j, size, size) for i in range(size)]
        room = math.log(sum(math.exp(tension * value) for value in near))
        total += sum(links[i, j] * (tension * near[i] - room) for i in range(size))
    return total
