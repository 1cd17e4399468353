"""No score looks perfect because of words that were cut wrongly, or of a handful of words."""

from __future__ import annotations

import unicodedata
import warnings
from pathlib import Path
from typing import Any

import pytest

from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputWarning, UsageError
from wordorder.report import FORMATS, render
from wordorder.report.table import Mark
from wordorder.scoring.shortcuts import score

GERMAN = [f"wir haben heute {word} gesehen und gelacht ." for word in ("ihn", "sie", "es") for _ in range(10)]
ENGLISH = [f"today we saw {word} and laughed ." for word in ("him", "her", "it") for _ in range(10)]
PLAIN: dict[str, Any] = {"metrics": "kendall", "samples": 0}


def test_texts_of_different_languages_are_noticed() -> None:
    with pytest.warns(InputWarning, match="^only 14.3% of the reference words are matched in A, .*same lang") as told:
        score({"A": GERMAN, "B": ENGLISH}, ENGLISH, **PLAIN)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(GERMAN[:5], ENGLISH[:5], **PLAIN)  # too little to say anything
        score(GERMAN, ENGLISH, source=GERMAN, order="source", **PLAIN)  # no word need be shared


def test_the_warning_about_a_lone_system_is_a_note_in_every_format() -> None:
    with pytest.warns(InputWarning):
        scores = score({"A": GERMAN}, ENGLISH, metrics="kendall", samples=10)
    warning = "only 14.3% of the reference words are matched in A, and order scores cover no others;"
    assert warning in str(scores).replace("\n", " ")
    assert any(note.startswith(warning) for note in scores.to_dict()["notes"])
    for format in FORMATS:
        assert "14.3" in render(scores.table(), format), format
    with pytest.warns(InputWarning):
        several = score({"A": GERMAN, "B": ENGLISH}, ENGLISH, metrics="kendall", samples=10)
    assert "not ranked or tested: A (it matches only 14.3%" in str(several)
    assert str(several).count("14.3%") == 1


def test_one_warning_tells_the_reason() -> None:
    composed = ["élève déjà fêté", *["é è ê ë"] * 40]
    with pytest.warns(InputWarning) as told:
        score([unicodedata.normalize("NFD", line) for line in composed], composed, **PLAIN)
    assert len(told) == 1
    assert "NFD" in str(told[0].message)


def test_subwords_are_joined_for_all_metrics_and_in_the_signature() -> None:
    cut, words = ["the ca@@ t sat down", "▁on ▁the ▁m at ▁here"], ["the cat sat down", "on the mat here"]
    with pytest.warns(InputWarning, match="join_subwords=True"):
        assert score(cut, words, metrics="bleu1", samples=0).values[0, 0] < 1
    joined = score(cut, words, metrics="bleu1,chrf,kendall", samples=0, join_subwords=True)
    assert joined.values[0] == pytest.approx([1, 1, 1])
    assert joined.signature["subwords"] == "joined"
    plain = score(words, words, source=words, order="source", **PLAIN).signature
    through = score(cut, words, source=cut, order="source", join_subwords=True, **PLAIN).signature
    assert through == plain | {"subwords": "joined"}


def test_joined_subwords_are_not_parsed() -> None:
    with pytest.raises(UsageError, match="parses cannot be combined with join_subwords"):
        score(["a"], ["a"], hyp_parses=["(S (N a))"], ref_parses=["(S (N a))"], join_subwords=True)


def test_a_system_without_a_score_has_no_mark() -> None:
    systems = {"A": ["a b", "b c"], "B": ["b a", "c b"], "empty": ["x", "y"]}
    for baseline in (None, "empty", "A"):
        table = score(systems, ["a b", "b c"], metrics="kendall", samples=20, baseline=baseline).table()
        cells = {row[0].value: row[1] for row in table.rows}
        assert cells["empty"].value is None
        assert cells["empty"].marks == frozenset()
        assert Mark.BEST in cells["A"].marks
        assert (Mark.BASELINE in cells["A"].marks) == (baseline == "A")


def test_tables_say_what_numbers_rest_on() -> None:
    scores = score({"A": ["a b c", "x", ""], "B": ["a", "y z", "q"]}, ["c b a", "y", "q"], **PLAIN)
    names = [column.name for column in scores.table().columns]
    assert names == ["system", "kendall", "matched", "segments", "words"]
    assert [[cell.value for cell in row[3:]] for row in scores.table().rows] == [[3, 3], [1, 3]]
    assert [system["words"] for system in scores.to_dict()["systems"]] == [3, 3]
    orders = score(permutations={"A": ["2 1", "", "1 2 3"]}, **PLAIN)
    assert [cell.value for cell in orders.table().rows[0][2:]] == [2, 5]


def test_the_words_are_those_of_the_reference_with_most_of_them() -> None:
    scores = score(["a b c", "d"], [["a x b", "e"], ["c b a", "f"]], **PLAIN)
    assert scores.words == [3]
    assert scores.order_words is not None
    assert scores.order_words[0].tolist() == [3, 0]


def test_the_command_line_names_its_own_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, line in {"zh": "我们明天去北京。", "bpe": "hel@@ lo wor@@ ld", "words": "hello world"}.items():
        Path(name).write_text(line + "\n")

    def run(*arguments: str) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            assert main(arguments) == 0
        return capsys.readouterr().err

    zh = "looks like Chinese without spaces between words, but --tokenize {} splits at spaces; use --tokenize zh\n"
    assert run("score", "--hyp", "zh", "--ref", "zh") == f"wordorder: warning: reference 1 (zh) {zh.format('13a')}"
    assert run("align", "--source", "zh", "--target", "words") == f"wordorder: warning: source {zh.format('none')}"
    assert run("score", "--hyp", "zh", "--ref", "zh", "--tokenize", "zh") == ""
    assert "use --tokenize zh" in run("score", "--source", "words", "--hyp", "zh", "-m", "jump")
    for command in (("score", "--hyp", "bpe", "--ref", "words"), ("align", "--source", "bpe", "--target", "words")):
        assert "is split into subwords (@@) but " in (told := run(*command))
        assert told.endswith("; use --join-subwords\n")
        assert run(*command, "--join-subwords") == ""
