"""``wordorder smt train`` and ``translate``: the commands and their mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from running import run, write_files
from wordorder.apps.nbest import NBest, rerank
from wordorder.cli.main import main

pytest.importorskip("thot")

Capture = pytest.CaptureFixture[str]

SOURCE = "ein hund schläft\neine katze schläft\nein hund bellt\neine katze bellt\n"
TARGET = "a dog sleeps\na cat sleeps\na dog barks\na cat barks\n"
WEIGHTS = "WordPenalty 1\nLM 1\nTargetLength 1\nJump 1\nSourceSegments 1\nTM_0 1\nTM_1 1\nSentenceLength 0\n"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts, weights and a system that is trained on the texts."""
    folder = tmp_path_factory.mktemp("smt")
    write_files(folder, {"de": SOURCE, "en": TARGET, "weights.tsv": WEIGHTS, "some.tsv": "LM 1\n"})
    texts = ["--source", str(folder / "de"), "--target", str(folder / "en")]
    assert main(["smt", "train", *texts, "-o", str(folder / "system"), "-q"]) == 0
    return folder


def test_train_and_translate(work: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(work)
    found = run(capsys, "smt", "train", "--source", "de", "--target", "en", "-o", "new")
    assert (found.code, found.out) == (0, "new: a system trained on 4 sentence pairs\n")
    plain = run(capsys, "smt", "translate", "new", "de")
    assert (plain.code, plain.out) == (0, TARGET)
    lists = ("--weights", "weights.tsv", "--nbest", "de.nbest.gz", "--count", "5", "-o", "best")
    assert run(capsys, "smt", "translate", "system", "de", *lists).code == 0
    assert Path("best").read_text() == plain.out
    read = NBest.read("de.nbest.gz", alignments=True)
    assert len(read) == 4
    assert "\n".join(rerank(read)) + "\n" == TARGET
    assert read.names[1] == "LM"


def test_mistakes(work: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(work)
    for arguments, message in (
        (("train", "--source", "de", "--target", "en", "-o", "."), "already exists; choose a new folder"),
        (
            ("train", "--source", "de", "--target", "some.tsv", "-o", "x"),
            "the source has 4 lines, but the target has 1",
        ),
        (("translate", ".", "de"), "expected a translation system"),
        (
            ("translate", "system", "de", "--count", "3"),
            "--count is the size of the n-best lists, so it requires --nbest FILE",
        ),
        (
            ("translate", "system", "de", "--objective", "bleu"),
            "--objective selects a column of the weights file, so it requires --weights FILE",
        ),
        (("translate", "system", "none"), "none: no such file"),
        (("translate", "system", "de", "--nbest", "de"), "de is an input of this command"),
        (
            ("translate", "system", "de", "--weights", "some.tsv"),
            "the system has features without a weight: WordPenalty",
        ),
    ):
        found = run(capsys, "smt", *arguments)
        assert found.code in (1, 2)
        assert message in found.err
        assert found.err.count("\n") == 1
