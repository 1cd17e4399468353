"""Messages as a native would write them: no plural of one, and no turn of phrase that was complained about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wordorder
from running import run, write_files
from wordorder.core.runtime.errors import count_of

Capture = pytest.CaptureFixture[str]

_SOURCES = sorted(Path(wordorder.__file__).parent.rglob("*.py"))
_PLURAL_OF_ONE = re.compile(r"(?<![\d.,:])1 (segments|systems|lines|documents|buckets)\b")
_ODD = re.compile(r"no UTF-8|trees of gold|metric of these scores|inside of a|\bone \w+ a line\b")


def test_a_count_of_one_is_singular() -> None:
    assert [count_of(number, "segment") for number in (0, 1, 2)] == ["0 segments", "1 segment", "2 segments"]
    assert count_of(1, "corpus", "corpora") == "1 corpus"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--hyp", "one", "--ref", "one"),
        ("--hyp", "one", "two", "--ref", "one"),
        ("--hyp", "one", "--ref", "one", "--docs", "docs"),
        ("--hyp", "one", "--ref", "one", "--buckets", "docs"),
        ("--hyp", "one", "--ref", "one", "--docs", "one"),
        ("--hyp", "one", "--ref", "one", "--buckets", "none"),
        ("--permutations", "empty.orders"),
        ("--hyp", "one", "--ref", "one", "-m", "kendall,pef", "--correlate"),
    ],
)
def test_nothing_counts_one_in_the_plural(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    files: dict[str, str | bytes] = {"one": "a b c\n", "two": "b a c\nd\n", "docs": "x\ny\n"}
    write_files(tmp_path, files | {"none": "-\n", "empty.orders": "1 2\n\n"})
    monkeypatch.chdir(tmp_path)
    found = run(capsys, "score", *arguments, "--samples", "10")
    said = [*found.out.splitlines(), *found.err.splitlines()]
    assert said
    assert [
        line for line in said if re.search(r"(?<![\d.,:])1 (segments|systems|lines|documents|buckets)\b", line)
    ] == []


def test_odd_turns_of_phrase_stay_away() -> None:
    found = {path.name: _ODD.findall(path.read_text(encoding="utf-8")) for path in _SOURCES}
    assert {name: odd for name, odd in found.items() if odd} == {}
