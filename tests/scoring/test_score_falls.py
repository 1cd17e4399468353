"""Texts whose lines are out of step from some line on are noticed, and every format says so."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from wordorder import score
from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputWarning

WORDS = [f"w{number}" for number in range(60)]


def lines(seed: int, count: int = 400) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(["the", *draw.sample(WORDS, 7), "."]) for _ in range(count)]


REFERENCE = lines(1)


@pytest.mark.parametrize("line", [31, 150, 370])
def test_the_line_is_named(line: int) -> None:
    shifted = [*REFERENCE[: line - 1], *REFERENCE[line:], "the end ."]
    with pytest.warns(InputWarning, match="from about line") as told:
        scores = score({"good": REFERENCE, "A": shifted}, REFERENCE, metrics="kendall", samples=0)
    assert len(told) == 1
    (note,) = scores.notes
    assert note.startswith(f"from about line {line} on, A matches only ")
    assert note.endswith("% of the reference words, but 100.0% before; is a line missing or added there?")
    assert note in scores.table().notes
    assert note in scores.to_dict()["notes"]


def test_texts_in_step_are_not_warned_of() -> None:
    noisy = [" ".join(line.split()[: 3 + row % 5]) for row, line in enumerate(REFERENCE)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert score(noisy, REFERENCE, metrics="kendall", samples=0).notes == ()
        assert score([*REFERENCE[:20], *lines(2, 20)], REFERENCE[:40], metrics="kendall", samples=0).notes == ()


def test_warnings_about_text_are_notes_in_the_words_of_the_caller(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chinese = ["我们明天去北京。"] * 3
    with pytest.warns(InputWarning, match="use tokenize='zh'"):
        scores = score(chinese, chinese, metrics="bleu1", samples=0)
    assert scores.notes[0].endswith("use tokenize='zh'")
    file = tmp_path / "zh"
    file.write_text("\n".join(chinese) + "\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main(["score", "--hyp", str(file), "--ref", str(file), "-m", "bleu1", "--format", "tsv"]) == 0
    assert "use --tokenize zh" in capsys.readouterr().out
