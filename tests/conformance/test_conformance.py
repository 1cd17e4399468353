"""The page of comparisons: quick sections are computed anew and stand on it; nothing on it is unexplained."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from conformance import alignments, inputs, numbers, orders, translations
from conformance.__main__ import PAGE, SECTIONS, rows_gone, write_difference, write_page, write_row
from conformance.comparing import AbsentError, Difference, Peer, Section, compare
from conformance.peers import NLTK, SACREBLEU, THOT

NAN = float("nan")
QUICK = (translations.tokenizers, orders.nltk, orders.ribes, alignments.nltk, numbers.textbooks)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def test_values_are_equal_different_or_both_undefined() -> None:
    assert compare("a", "b", [1.0, NAN], [1.0 + 1e-12, NAN]).equal
    one = compare("a", "b", [1.0, NAN], [1.0, 0.5])
    assert (one.differing, one.largest, one.explained) == (1, float("inf"), False)
    assert compare("a", "b", [0.5], [0.6], within=0.2).verdict == "within 0.2"
    with pytest.raises(ValueError, match="1 values of ours, 2 of b"):
        compare("a", "b", [1.0], [1.0, 2.0])


def test_what_nobody_explains_is_told() -> None:
    gone = Difference("gone", "bug", "x", 1.0, 1.0, "")
    section = Section("s", "i", [compare("a", "b", [1.0], [2.0]), compare("c", "d", [1.0], [1.0])], [gone])
    assert section.check() == ["a and b: differs: **unexplained**", "gone: no longer differs; remove it"]


def test_absent_peers_are_told() -> None:
    peer = Peer("nobody", "no_such_module", "no-such-package")
    assert (peer.version, peer.problem) == ("", "not installed")
    with pytest.raises(AbsentError, match="nobody: not installed"):
        peer.load("part")


def test_peers_that_cannot_be_imported_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Peer("broken", "sacrebleu", "sacrebleu", part="no_such_part")
    assert broken.version == ""
    assert broken.problem.startswith("installed, but it cannot be imported: No module named")
    monkeypatch.setattr("conformance.__main__.PEERS", (SACREBLEU, broken))
    page = write_page([])
    assert f"| sacreBLEU | {SACREBLEU.version} |" in page
    assert "| broken |" not in page
    assert f"Not compared: broken ({broken.problem})." in page


def test_comparisons_that_are_gone_are_told() -> None:
    row = write_row(compare("`bleu`", "someone", [1.0], [1.0]))
    assert rows_gone(f"{row}\n", "") == ["`bleu`, someone"]
    assert rows_gone(f"{row}\n", write_row(compare("`bleu`", "someone", [0.5], [0.5]))) == []


@pytest.mark.slow
@pytest.mark.parametrize("make", QUICK, ids=lambda make: f"{make.__module__}.{make.__name__}")
def test_the_page_is_what_is_computed_now(make: Callable[[], Section]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for peer in (SACREBLEU, NLTK, THOT):
        if f"| {peer.name} | {peer.version} |" not in page:
            pytest.skip(f"the page was made with another version of {peer.name}")
    section = make()
    assert make in SECTIONS
    assert section.check() == []
    for row in section.comparisons:
        assert write_row(row) in page, "run make conformance"
    for each in section.differences:
        assert write_difference(each) in page, "run make conformance"


def test_every_row_has_a_verdict() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "unexplained" not in page
    rows = [line.split(" | ") for line in page.splitlines() if line.count(" | ") == 5 and "|---" not in line]
    assert len(rows) > 70
    for cells in rows:
        if cells[2] != "values":
            assert cells[3] == cells[4] or cells[5].startswith("within") or ": " in cells[5]


def test_the_invented_pairs_repeat_words() -> None:
    hypotheses, references = inputs.pairs()
    assert len(hypotheses) == len(references) == 500
    assert sum(len(set(line.split())) < len(line.split()) for line in references) > 250
