"""metaeval and tune take every kind of input of texts: orders through the source, any matching, cold and warm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wordorder.cli.main import main
from wordorder.scoring.inputs.source import SourceTexts

Capture = pytest.CaptureFixture[str]

TEXTS = ["--ref", "reference.txt", "--hyp", "good.txt", "monotone.txt", "scrambled.txt"]
JUDGED = ["--judgements", "rankings.csv", "--pair", "de-en", *TEXTS, "--samples", "20"]
THROUGH = ["--order", "source", "--source", "source.txt"]
GIVEN = ["--hyp-align", "good.align", "monotone.align", "scrambled.align", "--ref-align", "reference.align"]

WORDNET = {
    "data.noun": "00000001 03 n 02 dog 0 hound 0 000 | an animal  \n",
    "index.noun": "dog n 1 0 1 0 00000001  \nhound n 1 0 1 0 00000001  \n",
    "noun.exc": "dogs dog\n",
}

pytestmark = pytest.mark.slow


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """The demo data, and a cache of its own."""
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    assert main(["demo", "--files", str(tmp_path / "demo")]) == 0
    monkeypatch.chdir(tmp_path / "demo")
    capsys.readouterr()
    return tmp_path


def shown(capsys: Capture, *arguments: str) -> str:
    code = main(list(arguments))
    found = capsys.readouterr()
    assert code == 0, found.err
    return found.out


def document(capsys: Capture, *arguments: str) -> Any:
    return json.loads(shown(capsys, *arguments, "--json"))


def complaint(capsys: Capture, *arguments: str) -> str:
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        [*THROUGH, *GIVEN],
        [*THROUGH, *GIVEN, "--policy", "talbot"],
        pytest.param([*THROUGH, "--aligner", "model1"], marks=pytest.mark.slow),
        pytest.param([*THROUGH, "--align-model", "de-en.model"], marks=pytest.mark.slow),
        ["--match", "exact+synonym", "--wordnet", "wordnet"],
        ["--match", "exact+paraphrase", "--paraphrases", "table"],
        ["--match", "first"],
        ["--ref", "reference2.txt"],
        pytest.param(["--grammar", "en.grammar", "-m", "edpm"], marks=pytest.mark.slow),
    ],
    ids=lambda options: " ".join(options[-2:]),
)
def test_metaeval_is_the_same_cold_warm_and_uncached(demo: Path, capsys: Capture, options: list[str]) -> None:
    prepare(options, capsys)
    command = ["metaeval", *JUDGED, "-m", "lr-kb4,kendall-sqrt,bleu", *options]
    uncached, cold, warm = (shown(capsys, *command, *more, "--format", "table") for more in (["--no-cache"], [], []))
    assert uncached == cold == warm
    documents = [document(capsys, *command, *more) for more in (["--no-cache"], [])]
    assert documents[0] == documents[1]
    if "source" in options:
        assert "order:source|policy:" in cold
        assert "dk:" in cold
    if "reference2.txt" in options:
        assert "references:2|reference_choice:closest" in cold


def test_judgements_of_another_form_are_told_so(demo: Path, capsys: Capture) -> None:
    assert main(["metaeval", "--judgements", "ratings.tsv", *TEXTS]) == 1
    said = capsys.readouterr().err
    assert "no column 'srclang'" in said
    assert "choose another --judgement-format" in said


def prepare(options: list[str], capsys: Capture) -> None:
    """Make the files that the options name and the demo does not have."""
    if "wordnet" in options:
        Path("wordnet").mkdir()
        for name in ("noun", "verb", "adj", "adv"):
            for file in (f"data.{name}", f"index.{name}", f"{name}.exc"):
                (Path("wordnet") / file).write_text(WORDNET.get(file, ""))
    if "table" in options:
        Path("table").write_text("0.5\ntrip\njourney\n")
    if "de-en.model" in options:
        sides = ["--source", "source.txt", "--target", "reference.txt"]
        shown(capsys, "align", *sides, "--model", "model1", "--save", "de-en.model", "-o", "made.align")
    if "en.grammar" in options:
        shown(capsys, "parse", "train", "english.mrg", "-o", "en.grammar")


def test_one_more_metric_or_another_coefficient_scores_nothing_again(
    demo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["metaeval", *JUDGED, *THROUGH, *GIVEN]
    first = document(capsys, *command, "-m", "lr-kb4,bleu")
    monkeypatch.setattr(SourceTexts, "batches", lambda *_, **__: pytest.fail("scored again"))
    assert document(capsys, *command, "-m", "bleu,lr-kb4", "--system", "r")["sets"][0]["name"] == "de-en"
    assert document(capsys, *command, "-m", "lr-kb4,bleu") == first


def test_tune_through_the_source(demo: Path, capsys: Capture) -> None:
    command = ["tune", "lr-kb4", "--vary", "theta=0:1", "--search", "grid", "--steps", "3", *JUDGED]
    matched = document(capsys, *command)
    through = document(capsys, *command, *THROUGH, *GIVEN)
    assert through == document(capsys, *command, *THROUGH, *GIVEN)
    assert through["tried"] != matched["tried"]
    assert through["spec"].startswith("lr-kb4:theta=")
    dropped = document(capsys, *command, *THROUGH, *GIVEN, "--policy", "drop")
    assert [one["theta"] for one in dropped["tried"]] == [one["theta"] for one in through["tried"]]


@pytest.mark.slow
def test_tune_aligns_and_matches_as_it_is_told(demo: Path, capsys: Capture) -> None:
    more = [[*THROUGH, "--align-model", "de-en.model"], ["--match", "exact+paraphrase", "--paraphrases", "table"]]
    for options in more:
        prepare(options, capsys)
        command = ["tune", "full", "--vary", "alpha=0:1", "--search", "grid", "--steps", "3", *JUDGED, *options]
        assert len(document(capsys, *command)["tried"]) == 3


def test_several_sets_have_a_source_each(demo: Path, capsys: Capture) -> None:
    one = ["rankings.csv", "reference.txt", "good.txt", "monotone.txt", "scrambled.txt"]
    sets = ["--set", "de-en", *one, "--set", "de-en", *one]
    assert "--source has 1 file for 2 sets; expected one per set" in complaint(capsys, "metaeval", *sets, *THROUGH)
    assert "allow only one set, but 2 were given" in complaint(
        capsys, "metaeval", *sets, *THROUGH, "source.txt", *GIVEN
    )
    assert "--order source needs the source text; give --source" in complaint(
        capsys, "metaeval", *JUDGED, "--order", "source"
    )
