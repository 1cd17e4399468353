from __future__ import annotations

import itertools

import numpy as np
import pytest

import wordorder
from wordorder.apps.metaeval import JudgedSet, Setup, metaevaluate
from wordorder.apps.metaeval.coefficients import estimate
from wordorder.apps.metaeval.detection import MarkedSet, Translations, detect, measure
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import Resampling
from wordorder.formats.annotations import AnnotationRows, Annotations, Error
from wordorder.formats.judgements import Ratings
from wordorder.scoring.inputs import MatchedTexts

NONE = Resampling(samples=0)


def annotated(texts: dict[str, list[str]], marks: dict[tuple[str, int], str], reference: str) -> Annotations:
    rows = AnnotationRows()
    for system, lines in texts.items():
        for place, line in enumerate(lines):
            kind = marks.get((system, place))
            errors = [Error(kind, "Minor")] if kind else []
            rows.add(system, place, "j", errors, hypothesis=line, reference=reference, document=f"d{place // 2}")
    return rows.gather("en-hr", path="x")


def score_marked(annotations: Annotations, *, metrics: str) -> MarkedSet:
    assert annotations.references is not None
    inputs = MatchedTexts(annotations.translations(), [annotations.references])
    return MarkedSet(annotations.pair, wordorder.score(inputs, metrics=metrics, samples=0), annotations)


def test_low_scores_find_marked_translations() -> None:
    texts = {"s": ["a b c", "c b a", "a b c", "x a b"], "t": ["a b c", "a b c", "", "b a c"]}
    found = annotated(texts, {("s", 1): "ORDER", ("s", 3): "OTHER", ("t", 3): "ORDER"}, "a b c")
    marked = score_marked(found, metrics="kendall,f1")
    detection = detect([marked], "order", at=[2], resampling=Resampling(samples=20))
    assert (detection.segments, detection.marked, detection.others, detection.unit) == (8, 2, 1, "segments")
    values = {
        (m, n): detection.values[i, j]
        for i, m in enumerate(detection.measures)
        for j, n in enumerate(detection.metrics)
    }
    assert values["AUC", "kendall"] == 1.0  # the empty translation is undefined, and so clean
    assert values["AUC other errors", "kendall"] == 1.0
    assert values["AUC same segment", "kendall"] == 1.0
    assert values["P@2", "kendall"] == values["AP", "kendall"] == 1.0
    assert values["AUC", "f1"] < 0.5
    document = detection.to_dict()
    assert document["findings"][0]["auc_same_segment"]["value"] == 1.0
    assert [one["undefined"] for one in document["findings"]] == [1, 0, 0]  # kendall, f1, length
    shown = str(detection.table())
    assert "0.250: precision by chance" in shown
    assert "undefined, and so counted as clean: 1 (kendall) of 8 translations" in shown


def test_the_same_length_is_compared() -> None:
    lengths = np.repeat([1, 10], 50)
    marked = lengths == 10
    marked[[0, 60]] = ~marked[[0, 60]]
    rows = np.arange(100)
    found = Translations(("m",), lengths[None].astype(float), lengths, marked, marked, rows, rows)
    detection = measure(found, category="x", resampling=NONE)
    assert detection.measures[:2] == ("AUC", "AUC same length")
    assert detection.values[0, 0] > 0.9
    assert detection.values[1, 0] == 0.5
    everything = np.ones(100, dtype=bool)
    with pytest.raises(
        InputError, match="100 of 100 translations are marked 'x'; expected some marked and some unmarked"
    ):
        measure(
            Translations(("m",), lengths[None] * 1.0, lengths, everything, everything, rows, rows),
            category="x",
            resampling=NONE,
        )


def test_documents_are_drawn_whole() -> None:
    """Translations of a document have one score and one mark: there is much less to draw from than it seems."""
    rows = AnnotationRows()
    orders = ["a b c", "a c b", "b c a", "c b a"]
    for place in range(96):
        document = place // 8
        errors = [Error("ORDER", "")] if document % 3 == 1 else []
        text = orders[document % 4]
        rows.add("s", place, "", errors, hypothesis=text, reference="a b c", document=f"d{document}")
    marked = score_marked(rows.gather("x-y", path="x"), metrics="kendall")
    spread = {}
    for unit in ("documents", "segments"):
        found = detect([marked], "ORDER", at=[], resampling=Resampling(samples=200, resample=unit))
        assert found.unit == unit
        spread[unit] = np.nanstd(found.replicates[:, 0, 0])
    assert spread["documents"] > 2 * spread["segments"]


def test_scores_and_annotations_must_fit() -> None:
    found = annotated({"s": ["a b", "b a"]}, {("s", 1): "ORDER"}, "a b")
    scores = wordorder.score({"s": ["a b"]}, ["a b"], metrics="kendall", samples=0)
    with pytest.raises(UsageError, match="found 2 annotated and 1 scored segments"):
        MarkedSet("x", scores, found)
    other = wordorder.score({"t": ["a b", "a"]}, ["a b", "a"], metrics="kendall", samples=0)
    with pytest.raises(InputError, match=r"no text for 1 system with judgements: 's' \(2 judgements\)"):
        MarkedSet("x", other, found)


def rated(values: np.ndarray, systems: tuple[str, ...]) -> Ratings:
    system, segment = np.indices(values.shape).reshape(2, -1)
    return Ratings(systems, ("",), segment, system, np.zeros(values.size, dtype=np.int64), values.ravel())


def literal_p(a: np.ndarray, b: np.ndarray) -> float:
    """All exchanges of two systems' segments: the share in which the first is ahead by more (equal ones half)."""
    difference = a - b
    signs = np.array(list(itertools.product([1, -1], repeat=len(a))))
    null = signs @ difference / len(a)
    seen = difference.mean()
    return float((null > seen + 1e-9).mean() + (np.abs(null - seen) <= 1e-9).mean() / 2)


def test_soft_pairwise_accuracy_compares_p_values() -> None:
    rng = np.random.default_rng(5)
    systems = ("A", "B", "C")
    orders = [[" ".join(map(str, rng.permutation(4) + 1)) for _ in range(12)] for _ in systems]
    scores = wordorder.score(permutations=dict(zip(systems, orders, strict=True)), metrics="kendall,fuzzy", samples=0)
    human = rng.normal(size=(3, 12)) + np.array([[0.0], [0.4], [1.0]])
    judged = JudgedSet.of("x", scores, rated(human, systems))
    found = estimate(judged, "system", "spa", Setup(NONE))
    for m, name in enumerate(("kendall", "fuzzy")):
        metric = np.stack([scores.segment_scores(system, name) for system in systems])
        gaps = [
            abs(literal_p(human[i], human[j]) - literal_p(metric[i], metric[j]))
            for i, j in itertools.combinations(range(3), 2)
        ]
        assert found.values[m] == pytest.approx(1 - np.mean(gaps), abs=0.03)
    itself = JudgedSet.of("x", scores, rated(np.stack([scores.segment_scores(s, "kendall") for s in systems]), systems))
    assert estimate(itself, "system", "spa", Setup(NONE)).values[0] == 1.0
    table = metaevaluate([judged], segment=[], system=["spa"], setup=Setup(Resampling(samples=50)))
    low, high = table.intervals("system", "spa")
    assert (low <= high).all()
    assert ((high <= 1) & (low >= 0)).all()
    assert table.compare("system", "spa")[0].test == "bootstrap"
