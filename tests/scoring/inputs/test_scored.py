from __future__ import annotations

import numpy as np
import pytest

import wordorder
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import Resampling
from wordorder.formats import mtme
from wordorder.metrics import metric
from wordorder.scoring.inputs import MatchedTexts, ScoredInputs
from wordorder.scoring.score import score

REFERENCE = ["a b c d", "e f g h", "i j k l", "m n o p"]
TEXTS = {"A": ["a b c d", "f e g h", "i j x y", "p o n m"], "B": ["b a d c", "e f g h", "i j k l", "m n p o"]}
GIVEN = {"neural": {"A": [0.5, 1.0, 0.0, 0.25], "B": [0.1, 0.2, 0.3, 0.4]}}
NONE = Resampling(samples=0)


@pytest.mark.parametrize(
    "spec",
    ["given:comet", "given:metricx:low=25.0:high=0.0", "full:lexical=given:comet:alpha=0.3", "lr:lexical=given:x"],
)
def test_specs_are_read_as_they_are_written(spec: str) -> None:
    assert str(metric(spec)) == spec
    assert (
        str(metric(spec.replace("given:", "given:scores=" if spec.startswith("given") else "given:lexical.scores=")))
        == spec
    )


def test_part_of_a_given_score_is_scaled() -> None:
    spec = "full:lexical=given:x:lexical.high=100.0"
    assert str(metric(spec)) == spec
    with pytest.raises(UsageError, match="low and high must be two different numbers, not 1 and 1"):
        metric("given:x:low=1")
    with pytest.raises(UsageError, match="two different numbers, not nan and 1"):
        metric("given:x:low=nan")
    with pytest.raises(UsageError, match="expected key=value, found 'comet'"):
        metric("full:comet")


def test_given_scores_are_scores_like_ours() -> None:
    found = wordorder.score(TEXTS, REFERENCE, metrics="given:neural,kendall", given=GIVEN, samples=100)
    assert found.values[:, 0].tolist() == pytest.approx([0.4375, 0.25])
    assert found.segment_scores("B", "given:neural").tolist() == GIVEN["neural"]["B"]
    assert found["A", "given:neural"].low < 0.4375 < found["A", "given:neural"].high
    assert {test.metric for test in found.comparisons} == {"given:neural", "kendall"}
    assert found.signature["given"][0].startswith("neural#")
    assert "computed elsewhere" in str(found)
    by_default = wordorder.score(TEXTS, REFERENCE, given=GIVEN, samples=0)
    assert by_default.names[-1] == "given:neural"
    turned = wordorder.score(TEXTS, REFERENCE, metrics="given:neural:low=1:high=0", given=GIVEN, samples=0)
    assert turned.values[:, 0].tolist() == pytest.approx([1 - 0.4375, 0.75])


def test_given_scores_are_the_partner_of_order() -> None:
    found = wordorder.score(
        TEXTS,
        REFERENCE,
        metrics="full:lexical=given:neural:alpha=0.3,full:alpha=0,lr:lexical=given:neural:alpha=0.4,lr:alpha=1",
        given=GIVEN,
        samples=0,
    )
    for system, given in GIVEN["neural"].items():
        both, order, combined, alone = (found.segment_scores(system, name) for name in found.names)
        np.testing.assert_allclose(both, 0.3 * np.array(given) + 0.7 * order)
        np.testing.assert_allclose(combined, 0.4 * alone + 0.6 * np.array(given))


def test_some_segments_keep_their_scores() -> None:
    inputs = ScoredInputs(MatchedTexts(TEXTS, REFERENCE), GIVEN).select(np.array([2, 0]))
    found = score(inputs, metrics="given:neural", resampling=NONE)
    assert found.segment_scores("B", "given:neural").tolist() == [0.3, 0.1]
    blocks = list(ScoredInputs(MatchedTexts(TEXTS, REFERENCE), GIVEN).batches([metric("given:neural")], lines=3))
    assert [block[1].given_scores("neural").tolist() for block in blocks] == [[0.1, 0.2, 0.3], [0.4]]


def test_written_and_read_back_they_are_equal(tmp_path: object) -> None:
    from wordorder.scoring.submission import write_submission

    ours = wordorder.score(TEXTS, REFERENCE, metrics="pef,bleu", samples=0)
    write_submission(ours, str(tmp_path), references=["refA"])
    read = mtme.read_scores(f"{tmp_path}/pef-refA.seg.score", segments=4)
    given = {name: read.means(4)[place] for place, name in enumerate(read.systems)}
    again = wordorder.score(TEXTS, REFERENCE, metrics="given:pef,pef", given={"pef": given}, samples=0)
    np.testing.assert_array_equal(again.values[:, 0], again.values[:, 1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": {"A": [1, 2, 3, 4]}}, "x: no scores found for B; the given scores are for A"),
        ({"x": {"A.txt": [1, 2, 3], "B": [1, 2, 3]}}, "found 3 scores for A, but the texts have 4 segments or more"),
        (
            {"x": {"A": [1, 2, 3, 4, 5], "B": [1, 2, 3, 4, 5]}},
            "x: expected one score per segment, found 5 scores for A, but the texts have 4",
        ),
        ({"x": {"A": [1, None, 3, 4], "B": [1, 2, 3, 4]}}, "x: every segment of A needs a score, but segment 2"),
        ({"x": [1, 2, 3, 4]}, "x: no scores found for A, B; the given scores are for one system without a name"),
        ({"x": {"A": ["one"], "B": [1]}}, "x: expected numbers as the scores of A"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        wordorder.score(TEXTS, REFERENCE, metrics="given:x", given=given, samples=0)


def test_unknown_names_are_told() -> None:
    with pytest.raises(UsageError, match=r"unknown name of given scores 'comet' \(valid: neural\)"):
        wordorder.score(TEXTS, REFERENCE, metrics="given:comet", given=GIVEN, samples=0)
    with pytest.raises(UsageError, match="needs scores that are given, which this input does not include; give scores"):
        wordorder.score(TEXTS, REFERENCE, metrics="given:comet", samples=0)
