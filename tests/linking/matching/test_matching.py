"""The value that says how words are matched, through ``score()`` and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import wordorder
from wordorder import Matching, UsageError
from wordorder.cli.main import main
from wordorder.linking.matching import STAGES

# The best matching of "a b a" keeps "b a" together; the rule of 2011 gives the first a of the hypothesis the first
# of the reference, which breaks both neighbours apart.
HYPOTHESIS, REFERENCE = "b a a c", "a c b a"


def order_of(stages: tuple[str, ...]) -> float:
    scores = wordorder.score(
        [HYPOTHESIS], [REFERENCE], metrics="fuzzy", samples=0, tokenize="none", matching=Matching(stages)
    )
    return float(scores.values[0, 0])


def test_first_takes_the_first_unmatched_instance() -> None:
    assert order_of(("exact",)) == wordorder.metric("fuzzy")("3 4 1 2")
    assert order_of(("first",)) == wordorder.metric("fuzzy")("3 1 4 2")
    assert order_of(("first",)) < order_of(("exact",))


def test_first_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hyp").write_text(HYPOTHESIS + "\n")
    (tmp_path / "ref").write_text(REFERENCE + "\n")
    files = ["--hyp", str(tmp_path / "hyp"), "--ref", str(tmp_path / "ref")]
    assert main(["score", *files, "--metrics", "fuzzy", "-tok", "none", "--match", "first", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["signature"]["match"] == "first"
    assert document["systems"][0]["scores"]["fuzzy"]["value"] == order_of(("first",))
    assert main(["score", *files, "--match", "first", "--samples", "0", "--format", "table"]) == 0
    assert "|match:first|" in capsys.readouterr().out.replace("\n", "")
    assert main(["score", *files, "--match", "exact+first"]) == 2
    assert "cannot be combined" in capsys.readouterr().err


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "paraphrase"])
def test_first_stands_alone(stage: str) -> None:
    with pytest.raises(UsageError, match="'first' cannot be combined with other stages"):
        Matching((stage, "first"))


def test_what_is_wrong_is_refused_when_the_value_is_made() -> None:
    with pytest.raises(UsageError, match=r"unknown matching stage 'frist'; did you mean 'first'\?"):
        Matching(("frist",))
    with pytest.raises(UsageError, match="needs a table in METEOR format"):
        Matching(("exact", "paraphrase"))
