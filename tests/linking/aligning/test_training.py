"""Training against dictionaries, and what must hold for any text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from aligning_twins import Posterior, direct_diagonal, likeness, matrix_hmm, slow_train
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.threads import budget_spans
from wordorder.core.text import Tokens, encode
from wordorder.linking.aligning import MODELS, Aligner, Smoothing, TrainedAligner, cooccurrence, train
from wordorder.linking.aligning.cooccurrence import Bitext, count_pairs, number_words
from wordorder.linking.aligning.lookup import LONGEST_COMPARED, digamma, spelling_likeness
from wordorder.linking.aligning.motion import Jumps

OWN_MODELS = [model for model in MODELS if model != "eflomal"]

SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "klein", "das ist ein kleines buch", "buch 17", ""]
TARGET = ["the house is small", "the small house", "a house", "small", "this is a small book", "book 17", "x"]


def trained(source: list[str], target: list[str], **options: object) -> TrainedAligner:
    aligner = train(*encode(source, target), **options)  # type: ignore[arg-type]
    assert isinstance(aligner, TrainedAligner)
    return aligner


def tables(aligner: TrainedAligner, source: list[str], target: list[str]) -> dict[tuple[str, str], tuple[float, float]]:
    """t(f|e) and t(e|f) of every pair of words in one sentence pair after another."""
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for one, two in zip(source, target, strict=True):
        left, right = encode([one], [two])
        text = Bitext(
            np.arange(len(left.ids), dtype=np.int32),
            left.offsets.copy(),
            np.arange(len(right.ids), dtype=np.int32),
            right.offsets.copy(),
        )
        readings = aligner.tables.read(left.vocabulary.take(left.ids), right.vocabulary.take(right.ids))
        forward, backward = aligner.tables.emissions(text, *readings)
        pairs = [(e, f) for e in one.split() for f in two.split()]
        found |= dict(zip(pairs, zip(forward.tolist(), backward.tolist(), strict=True), strict=True))
    return found


def uniform(null: float) -> Posterior:
    return lambda emission, silence: direct_diagonal(emission, silence, null, 0.0)


def test_model_one_is_the_textbook_one() -> None:
    """With next to no smoothing: the expectation-maximisation of Brown et al. (1993), over dictionaries."""
    smoothing = Smoothing(floor=1e-9, spelling=0.0, stems=0.0)
    aligner = trained(SOURCE, TARGET, model="model1", iterations=4, smoothing=smoothing, null=0.1)
    sentences = [line.split() for line in SOURCE], [line.split() for line in TARGET]
    step = ([uniform(0.1), uniform(0.1)], False)
    forward, backward = slow_train(*sentences, [step] * 4, smoothing)
    for (e, f), (ahead, back) in tables(aligner, SOURCE, TARGET).items():
        assert ahead == pytest.approx(forward.table[e, f], rel=1e-4, abs=1e-5)
        assert back == pytest.approx(backward.table[f, e], rel=1e-4, abs=1e-5)


WORDS = st.sampled_from(["parl", "parlament", "parlamentul", "parliament", "la", "le", "17", "議会", "議員"])
PAIRS = st.lists(st.tuples(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4)), min_size=1, max_size=4)


@settings(max_examples=40)
@given(PAIRS, st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 10.0]), st.booleans())
def test_training_is_the_one_over_dictionaries(
    pairs: list[tuple[list[str], list[str]]], spelling: float, stems: float, agreement: bool
) -> None:
    """Model 1, then one step of the Markov model, with all smoothing."""
    smoothing = Smoothing(floor=1e-3, spelling=spelling, stems=stems)
    source, target = [" ".join(one) for one, _ in pairs], [" ".join(two) for _, two in pairs]
    aligner = trained(source, target, iterations=1, agreement=agreement, smoothing=smoothing, null=0.2)
    start = Jumps.start().weights.tolist()

    def markov(emission: NDArray[np.float64], silence: list[float]) -> tuple[NDArray[np.float64], list[float]]:
        return matrix_hmm(emission, silence, 0.2, start)[:2]

    chain: list[tuple[list[Posterior], bool]] = [([uniform(0.2), uniform(0.2)], False), ([markov, markov], agreement)]
    used = [(one, two) for one, two in pairs if one and two]
    forward, backward = slow_train([one for one, _ in used], [two for _, two in used], chain, smoothing)
    seen = tables(aligner, [" ".join(one) for one, _ in used], [" ".join(two) for _, two in used])
    assert set(seen) == set(forward.table)
    for (e, f), (ahead, back) in seen.items():
        assert ahead == pytest.approx(forward.table[e, f], rel=1e-4, abs=1e-5)
        assert back == pytest.approx(backward.table[f, e], rel=1e-4, abs=1e-5)
    null = dict(zip(aligner.tables.target.words.to_pylist(), aligner.tables.target.null.tolist(), strict=True))
    assert null == pytest.approx(forward.null, rel=1e-5)


@given(PAIRS)
def test_pairs_are_those_that_occur_together(pairs: list[tuple[list[str], list[str]]]) -> None:
    source, target = encode([" ".join(one) for one, _ in pairs], [" ".join(two) for _, two in pairs])
    size = len(source.vocabulary)
    text = Bitext(source.ids.copy(), source.offsets.copy(), target.ids.copy(), target.offsets.copy())
    found = count_pairs(text, source_size=size, target_size=size)
    expected = {(e, f) for s, t in pairs for e in s for f in t}
    words = source.vocabulary.to_pylist()
    listed = [
        (words[row], words[column])
        for row in range(size)
        for column in found.columns[found.offsets[row] : found.offsets[row + 1]]
    ]
    assert len(listed) == len(expected)
    assert set(listed) == expected
    for row in range(size):
        assert (np.diff(found.columns[found.offsets[row] : found.offsets[row + 1]]) > 0).all()


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 12))
def test_spans_cover_everything_within_the_budget(costs: list[int], budget: int) -> None:
    spans = budget_spans(np.array(costs, dtype=np.int64), budget)
    assert [place for first, last in spans for place in range(first, last)] == list(range(len(costs)))
    assert all(sum(costs[first:last]) <= budget or last - first == 1 for first, last in spans)


@given(st.text("abc", max_size=9), st.text("abc", max_size=9), st.sampled_from([0.0, 0.6, 1.0]))
def test_likeness_is_the_common_subsequence(one: str, two: str, threshold: float) -> None:
    room = np.zeros(LONGEST_COMPARED + 1, np.int32)
    spelt = [np.array([ord(letter) for letter in word], dtype=np.int32) for word in (one, two)]
    assert spelling_likeness(spelt[0], spelt[1], threshold, room) == pytest.approx(likeness(one, two, threshold))


def test_very_long_words_are_alike_only_if_they_are_the_same() -> None:
    room = np.zeros(LONGEST_COMPARED + 1, np.int32)
    long = np.ones(500, np.int32)
    other = long.copy()
    other[7] = 2
    assert spelling_likeness(long, long, 0.6, room) == 1.0
    assert spelling_likeness(long, other, 0.6, room) == 0.0


@given(st.floats(1e-4, 1e6))
def test_digamma(x: float) -> None:
    from scipy.special import digamma as exact

    assert digamma(x) == pytest.approx(float(exact(x)), rel=1e-9, abs=1e-9)


def test_variational_prefers_few_translations() -> None:
    plain = trained(SOURCE, TARGET, model="model1", smoothing=Smoothing(floor=0.01, spelling=0.0, stems=0.0))
    sparse = trained(
        SOURCE, TARGET, model="model1", smoothing=Smoothing(floor=0.01, spelling=0.0, stems=0.0, variational=True)
    )
    seldom = tables(plain, ["das haus"], ["the is"])["haus", "is"]
    assert tables(sparse, ["das haus"], ["the is"])["haus", "is"][0] < seldom[0] / 10


def links(alignments: Alignments) -> list[str]:
    return [str(row) for row in alignments]


def same(one: Alignments, two: Alignments) -> bool:
    assert one.probability is not None
    assert two.probability is not None
    columns = ("source", "target", "offsets", "probability", "source_lengths", "target_lengths")
    return all(getattr(one, name).tobytes() == getattr(two, name).tobytes() for name in columns)


def random_text(sentences: int, seed: int) -> tuple[Tokens, Tokens]:
    """A made-up language and its translation, word by word with some noise; some lines are empty."""
    numbers = np.random.default_rng(seed)
    source, target = [], []
    for _ in range(sentences):
        words = numbers.zipf(1.3, numbers.integers(0, 14)) % 400
        source.append(" ".join(f"s{word}" for word in words))
        target.append(" ".join(f"t{word if numbers.random() < 0.9 else 0}" for word in numbers.permuted(words[:12])))
    source_tokens, target_tokens = encode(source, target)
    return source_tokens, target_tokens


@pytest.mark.parametrize("model", OWN_MODELS)
def test_threads_change_no_byte(model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    import wordorder.linking.aligning.cooccurrence as cooccurrence

    monkeypatch.setattr(cooccurrence, "CELLS_PER_CHUNK", 2000)  # many chunks from a small text
    source, target = random_text(300, 1)
    results = []
    for threads in (1, 2, 5):
        aligner = train(source, target, model=model, iterations=2, threads=threads)
        assert isinstance(aligner, TrainedAligner)
        results.append((aligner, aligner.align(source, target, threads=threads)))
    for aligner, alignments in results[1:]:
        assert same(alignments, results[0][1])
        assert aligner.tables.pairs.forward.tobytes() == results[0][0].tables.pairs.forward.tobytes()
        assert aligner.motions[0].parameters.tobytes() == results[0][0].motions[0].parameters.tobytes()


def test_a_sentence_pair_is_aligned_as_it_would_be_alone() -> None:
    source, target = random_text(60, 2)
    aligner = train(source, target)
    together = aligner.align(source, target)
    for row in range(0, 60, 7):
        alone = aligner.align(source[row : row + 1], target[row : row + 1])
        assert same(alone, together[row : row + 1])


def test_it_learns_a_made_up_language() -> None:
    source, target = random_text(400, 3)
    aligner = train(source, target)
    found = aligner.align(source, target)
    right = wrong = 0
    for row, alignment in enumerate(found):
        one, two = source.words(row), target.words(row)
        for i, j in alignment.links:
            if one[i][1:] == two[j][1:]:
                right += 1
            else:
                wrong += 1
    assert right > 20 * wrong
    assert right > 0.8 * len(target.ids) * 0.9


def test_unseen_words_and_stems() -> None:
    aligner = train(*encode(SOURCE, TARGET))
    source, target = encode(
        ["das gebäude ist klein", "das haus ist kleiner", "das Obama haus", "kleinigkeit"],
        ["the building is small", "the house is smaller", "the house Obama", "smallness"],
    )
    found = links(aligner.align(source, target))
    assert "0-0" in found[0]
    assert "3-3" in found[0]
    assert "3-3" in found[1]  # by the stem: klei… with smal…
    assert "1-2" in found[2]  # by the spelling
    assert found[3] == "0-0"


@pytest.mark.parametrize("model", OWN_MODELS)
@pytest.mark.slow
def test_odd_text(model: str) -> None:
    """An empty side, nothing at all, one word again and again, a sentence of 1,000 words."""
    lines = ["", "a", "", "ha " * 50, " ".join(f"w{i}" for i in range(1000))]
    other = ["", "", "b", "ha " * 60, " ".join(f"w{i}" for i in range(1000))]
    source, target = encode(lines, other)
    found = train(source, target, model=model, iterations=1).align(source, target)
    assert np.diff(found.offsets)[:3].tolist() == [0, 0, 0]
    assert found.source_lengths.tolist() == [0, 1, 0, 50, 1000]
    assert found.target_lengths.tolist() == [0, 0, 1, 60, 1000]
    assert found.probability is not None
    assert np.isfinite(found.probability).all()
    assert found.probability.max() <= 1 + 1e-9
    if model == "hmm":
        assert sum(i == j for i, j in found[4].links) > 900


@pytest.mark.parametrize("model", OWN_MODELS)
@pytest.mark.parametrize("lines", [[], [""], ["", ""]])
def test_nothing_to_learn_from(model: str, lines: list[str]) -> None:
    source, target = encode(lines, lines)
    aligner = train(source, target, model=model)
    assert len(aligner.align(source, target)) == len(lines)
    new, text = encode(["a b"], ["a b"])
    assert links(aligner.align(new, text)) == ["0-0 1-1"]  # by spelling alone


def test_too_long_to_align() -> None:
    source, target = encode(["a", "b " * 5000], ["a", "c " * 5000])
    aligner = train(source, target)  # the long pair is left out
    assert aligner.tables.source.words.to_pylist() == ["a"]  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"^line 2: a sentence pair of 5000 × 5000 words is too long to align"):
        aligner.align(source, target)


def test_posteriors_are_probabilities() -> None:
    source, target = random_text(50, 4)
    aligner = train(source, target)
    forward = aligner.posteriors(source, target, direction="forward", floor=0.0)
    backward = aligner.posteriors(source, target, direction="backward", floor=0.0)
    both = aligner.posteriors(source, target, floor=1e-3)
    cells = source.lengths * target.lengths
    assert np.diff(forward.offsets).tolist() == cells.tolist()
    assert forward.probability is not None
    assert backward.probability is not None
    assert both.probability is not None
    for row in range(50):
        shape = int(source.lengths[row]), int(target.lengths[row])
        span = slice(int(forward.offsets[row]), int(forward.offsets[row + 1]))
        assert (forward.probability[span].reshape(shape).sum(axis=0) <= 1 + 1e-9).all()
        assert (backward.probability[span].reshape(shape).sum(axis=1) <= 1 + 1e-9).all()
    mean = (forward.probability + backward.probability) / 2
    assert both.probability.tobytes() == mean[mean >= 1e-3].tobytes()


def test_posterior_methods_keep_what_reaches_the_threshold() -> None:
    source, target = random_text(50, 5)
    aligner = train(source, target)
    one, two = (aligner.posteriors(source, target, direction=way, floor=0.0) for way in ("forward", "backward"))
    assert one.probability is not None
    assert two.probability is not None
    for method, joint in (
        ("posterior-product", one.probability * two.probability),
        ("soft-union", (one.probability + two.probability) / 2),
    ):
        for threshold in (0.3, 0.5):
            found = aligner.align(source, target, symmetrise=method, threshold=threshold)
            assert found.source.tolist() == one.source[joint >= threshold].tolist()
            assert found.target.tolist() == one.target[joint >= threshold].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "hhm"}, "unknown alignment model 'hhm'; did you mean 'hmm'"),
        ({"iterations": 0}, "iterations must be at least 1"),
        ({"null": 1.0}, "probability of the null word"),
        ({"threads": -1}, "threads must be 0"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        trained(SOURCE, TARGET, **options)


@pytest.mark.parametrize("options", [{"floor": 0.0}, {"stems": -1.0}, {"spelling": float("nan")}, {"likeness": 2.0}])
def test_wrong_smoothing(options: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Smoothing(**options)  # type: ignore[arg-type]


def test_wrong_calls() -> None:
    one, two = encode(["a"], ["a", "b"])
    with pytest.raises(InputError, match="differ in their numbers of sentences: 1 and 2"):
        train(one, two)
    aligner: Aligner = train(one, one)
    with pytest.raises(InputError, match="differ in their numbers of sentences: 1 and 2"):
        aligner.align(one, two)
    with pytest.raises(UsageError, match="unknown symmetrisation"):
        aligner.align(one, one, symmetrise="grow")
    with pytest.raises(UsageError, match="unknown direction"):
        aligner.posteriors(one, one, direction="up")


def test_cells_are_found_again_where_they_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    import wordorder.linking.aligning.training as training

    remembered = trained(SOURCE, TARGET)
    monkeypatch.setattr(training, "_REMEMBERED_CELLS", 0)
    assert trained(SOURCE, TARGET).tables.pairs.forward.tobytes() == remembered.tables.pairs.forward.tobytes()


def test_a_vocabulary_of_the_other_string_type() -> None:
    import pyarrow as pa

    source, target = encode(SOURCE, TARGET)
    aligner = train(source, target)
    plain = [Tokens(side.ids, side.offsets, side.vocabulary.cast(pa.string())) for side in (source, target)]
    assert links(aligner.align(plain[0], plain[1])) == links(aligner.align(source, target))


def test_offsets_of_a_slice_do_not_matter() -> None:
    """A column cut out of a larger one trains the same model as the same sentences by themselves."""
    source, target = encode([*SOURCE, "x y"], [*TARGET, "x y"])
    alone = trained(SOURCE, TARGET)
    cut = train(source[: len(SOURCE)], target[: len(TARGET)])
    assert isinstance(cut, TrainedAligner)
    assert cut.tables.source.words.to_pylist() == alone.tables.source.words.to_pylist()
    assert cut.tables.pairs.forward.tobytes() == alone.tables.pairs.forward.tobytes()
    assert offsets_from_lengths(source.lengths)[-1] == source.offsets[-1]


@given(PAIRS, st.integers(0, 40))
def test_of_many_pairs_the_clearest_stay(pairs: list[tuple[list[str], list[str]]], most: int) -> None:
    source, target = encode([" ".join(one) for one, _ in pairs], [" ".join(two) for _, two in pairs])
    text, (source_words, target_words) = number_words([(source, target)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cooccurrence, "MOST_PAIRS", most)
        found = count_pairs(text, len(source_words), len(target_words))
    rows = rows_of(found.offsets).tolist()
    known = {
        (source_words[row].as_py(), target_words[column].as_py())
        for row, column in zip(rows, found.columns.tolist(), strict=True)
    }

    def clear(e: str, f: str) -> float:
        met = sum(two.count(f) for one, two in pairs if e in one)
        there = sum(one.count(e) for one, _ in pairs)
        here = sum(two.count(f) for _, two in pairs)
        return met * math.log(met * len(pairs) / (there * here))

    values = {(e, f): clear(e, f) for s, t in pairs for e in s for f in t}
    assert known <= set(values)
    if len(values) <= most:
        assert known == set(values)
        return
    left = sorted((value for pair, value in values.items() if pair not in known), reverse=True)
    worst = min((values[pair] for pair in known), default=math.inf)
    assert all(value <= worst + 1e-9 for value in left)
    assert len(known) <= most


def test_a_table_too_small_for_the_text_still_aligns_it(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = "abcdefgh"
    lines = [" ".join(letters[start : start + 4]) for start in range(5)] * 10
    source, target = encode(lines, [line.upper() for line in lines])
    monkeypatch.setattr(cooccurrence, "MOST_PAIRS", 30)  # of 44
    aligner = train(source, target)
    assert isinstance(aligner, TrainedAligner)
    assert len(letters) <= len(aligner.tables.pairs) <= 30
    assert {str(row) for row in aligner.align(source, target)} == {"0-0 1-1 2-2 3-3"}


def test_parts_are_aligned_as_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = encode(["la casa", "la casa verde", "verde"] * 3, ["the house", "the green house", "green"] * 3)
    aligner = train(source, target)
    whole = [str(row) for row in aligner.align(source, target)]
    monkeypatch.setattr("wordorder.linking.aligning.aligner._AT_ONCE", 2)
    parts = list(aligner.align_parts(source, target))
    assert [len(part) for part in parts] == [2, 2, 2, 2, 1]
    assert [str(row) for part in parts for row in part] == whole
