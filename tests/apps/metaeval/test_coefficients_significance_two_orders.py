"""Matched words against orders through the source, beside each other and tested."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordorder
from wordorder.apps.metaeval import JudgedSet
from wordorder.apps.metaeval.coefficients import Setup, compare_metrics, estimate
from wordorder.apps.metaeval.judged_set import join_signatures
from wordorder.cli.main import main
from wordorder.core.runtime.errors import UsageError
from wordorder.formats import wmt_rankings

SYSTEMS = ["good", "monotone", "scrambled"]
TEXTS = ["--ref", "reference.txt", "--hyp", *(f"{name}.txt" for name in SYSTEMS)]
ONE_SET = ["--judgements", "rankings.csv", "--pair", "de-en", *TEXTS, "--samples", "50", "--no-cache"]
THROUGH = ["--source", "source.txt", "--hyp-align", *(f"{name}.align" for name in SYSTEMS)]
THROUGH += ["--ref-align", "reference.align", "--tokenize", "none"]
METRICS = ["--metrics", "kendall,lr-kb4,bleu"]


@pytest.fixture(autouse=True)
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(wordorder.__file__).parent / "data" / "demo")


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["metaeval", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def values(document: Any) -> dict[tuple[str, str], float]:
    (judged,) = document["sets"]
    return {(each["coefficient"], each["metric"]): each["value"] for each in judged["findings"]}


def test_both_orders_are_those_scored_apart(capsys: pytest.CaptureFixture[str]) -> None:
    both = found(capsys, *ONE_SET, *METRICS, *THROUGH, "--order", "matched", "source")
    matched = values(found(capsys, *ONE_SET, *METRICS, "--tokenize", "none"))
    source = values(found(capsys, *ONE_SET, *METRICS, *THROUGH, "--order", "source"))
    expected = {
        **{(c, f"{name}@matched" if name != "bleu" else name): value for (c, name), value in matched.items()},
        **{(c, f"{name}@source"): value for (c, name), value in source.items() if name != "bleu"},
    }
    assert values(both) == expected
    assert {(test["a"], test["b"]) for test in both["tests"]} == {
        ("kendall@matched", "kendall@source"),
        ("lr-kb4@matched", "lr-kb4@source"),
    }
    assert both["signature"]["order"] == ["matched", "source"]


def test_a_metric_against_itself_does_not_differ() -> None:
    scores = wordorder.score({name: f"{name}.txt" for name in SYSTEMS}, "reference.txt", metrics="kendall,pef")
    judgements = wmt_rankings.read("rankings.csv", pair="de-en")
    one, two = (JudgedSet.of("de-en", scores, judgements, labels=[f"kendall{n}", f"pef{n}"]) for n in (1, 2))
    both = one.combine(two)
    assert both.metrics == ("kendall1", "pef1", "kendall2", "pef2")
    assert np.array_equal(both.segment_scores[:2], both.segment_scores[2:], equal_nan=True)
    setup = Setup()
    for level, name in (("segment", "tau"), ("system", "r")):
        estimates = estimate(both, level, name, setup)
        tests = compare_metrics(both, level, name, setup, estimates=estimates, pairs=[(0, 2), (1, 3)])
        assert [(test.difference, test.p) for test in tests] == [(0, 1), (0, 1)]
    with pytest.raises(UsageError, match="two metrics are called 'kendall1'"):
        one.combine(one)
    fewer = wordorder.score({name: f"{name}.txt" for name in SYSTEMS[:2]}, "reference.txt", metrics="kendall,pef")
    with pytest.raises(UsageError, match="combined only if they cover the same systems and segments"):
        one.combine(JudgedSet.of("de-en", fewer, judgements.among(SYSTEMS[:2], unplaced="drop")))


@pytest.mark.slow
def test_every_set_has_its_own_source_and_training_text(capsys: pytest.CaptureFixture[str]) -> None:
    sets = [["--set", pair, "rankings.csv", "reference.txt", *TEXTS[3:]] for pair in ("de-en", "fr-en")]
    sources = ["--source", "source.txt", "fr-en/source.txt", "--order", "source", "--samples", "0", "--no-cache"]
    training = ["--train-source", "train.de", "train.en", "--train-target", "train.en", "train.de"]
    # lr-kb4 takes another α from each set, and is still one metric
    document = found(capsys, *sets[0], *sets[1], *sources, *training, "--metrics", "lr-kb4", "--system", "none")
    assert len(document["signature"]["dk"]) == len(document["signature"]["alpha"]) == 2
    names = [each["metric"] for judged in document["sets"] for each in judged["findings"]]
    assert names == ["lr-kb4", "lr-kb4"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--influences"], "--influences takes only one value of --order"),
        (["--metrics", "bleu"], "two --order values were given, but no metric depends on word order"),
        (["--train-source", "a", "b"], "--train-source has 2 files for 1 set; expected one per set"),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metaeval", *ONE_SET, *THROUGH, "--order", "matched", "source", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_signatures_are_joined() -> None:
    assert join_signatures([{"a": 1, "b": [1]}, {"a": 1, "b": [2], "c": 0}]) == {"a": 1, "b": [1, 2], "c": 0}
