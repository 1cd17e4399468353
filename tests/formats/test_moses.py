from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from format_files import check_survival, links, saved, soup
from wordorder.core.orders import place
from wordorder.core.runtime.errors import InputError
from wordorder.formats import moses
from wordorder.formats.nbest import alignments as best


@pytest.mark.parametrize(
    ("line", "words", "expected"),
    [
        ("the house |0-1| is |2-2| ", 3, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)]),
        ("b |1-1| a |0-0|", 2, [(1, 0), (0, 1)]),
        ("a |0-0| |1-1| b |2-2|", 2, [(0, 0), (2, 1)]),  # nothing said for source word 1
        ("the house |0-1,wa=0-1 1-0 ,total=-2.5,LM0= -3 ||| |", 0, None),
        ("the house |0-1,wa=0-1 1-0 ,total=-2.5,LM0= -3| is |2-2,wa=,total=0|", 3, [(0, 1), (1, 0), (2, 2)]),
        ("the house |0-1,-2.5 -3|", 2, [(0, 0), (0, 1), (1, 0), (1, 1)]),  # Moses 2
        ("the house ||| 0-0 1-1", 2, [(0, 0), (1, 1)]),
        ("the house |0-1| ||| 0-1 1-0", 2, [(0, 1), (1, 0)]),  # words beat phrases
        ("the house ||| ", 2, []),
        ("a|DT house|NN |0-0|", 2, [(0, 0), (0, 1)]),  # factors
        ("", 0, []),
        (" \r", 0, []),
    ],
)
def test_decoder_output(line: str, words: int, expected: list[tuple[int, int]] | None) -> None:
    with saved("a |0-0|\n" + line + "\n") as path:
        if expected is None:
            with pytest.raises(InputError):
                moses.read(path)
            return
        column = moses.read(path)
    assert links(column)[1] == expected
    assert column.target_lengths.tolist() == [1, words]
    assert column.source_lengths.tolist() == [-1, -1]


def test_the_words_of_a_phrase_stay_together_under_every_policy() -> None:
    with saved("c d |2-3| a b |0-1|\n") as path:
        column = moses.read(path, source_lengths=[4])
    assert str(place(column, policy="birch").against_source()[0]) == "3 4 1 2"
    assert place(column, policy="talbot").written(0, list("abcd")) == "{{ c d }} {{ a b }}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file is empty; expected translations with segmentation marks"),
        ("a |0-0|\nthe house\n", ":2: no alignment for 'the house': expected marks like '|0-1|' (Moses -t)"),
        ("the |0-0| house\n", ":1: expected a mark like '|0-1|' at the end, but none follows 'house'"),
        ("the |3-1|\n", ":1: the span 3-1 ends before it starts"),
        ("the |0-99999999999999999999|\n", ":1: word index 999999999999999999 exceeds the maximum sentence length"),
        ("the ||| 0-x\n", ":1: expected links like '0-0 1-2', found '0-x'"),
        ("the ||| 0-1\n", ":1: link 0-1 is out of range: the target sentence has 1 words (indices 0 to 0)"),
        ("w " * 40 + "|0-65535|\n", ":1: the phrases imply more than 1048576 links"),
        ("w " * 65537, ":1: the sentence exceeds the maximum length of 65536 words"),
    ],
)
def test_refuses(content: str, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        moses.read(path)
    assert str(caught.value).startswith(path + message)
    assert "--base" not in str(caught.value)


def entry(sentence: str, hypothesis: str, total: str, *fields: str) -> str:
    return " ||| ".join([sentence, hypothesis, "LM0= -1 TM0= -2 -3", total, *fields]) + "\n"


def test_the_best_hypothesis_of_each_sentence() -> None:
    content = (
        entry("0", "a b", "-2", "0=0 1=1", "0-0 1-1")
        + entry("0", "b a", "-1", "1=0 0=1", "1-0 0-1")
        + entry("0", "b b", "-1", "0=0 1=1", "")
        + entry("2", "c", "nan", "0-2=0", "")
        + entry("2", "c", "-9", "0-1=0", "")
        + entry("3", "d", "-9", "", "")
    )
    with saved(content) as path:
        blocks = list(best.read_blocks(path, lines=2))
    assert [links(block) for block in blocks] == [[[(1, 0), (0, 1)], []], [[(0, 0), (1, 0)], []]]
    assert [block.source_lengths.tolist() for block in blocks] == [[2, -1], [2, -1]]
    assert [block.target_lengths.tolist() for block in blocks] == [[2, -1], [1, 1]]


def test_empty_phrases() -> None:
    # Moses writes a phrase without target words as if it were the word that comes next.
    with saved(entry("0", "a b", "0", "1=0-18446744073709551615 0=0 2=1 3-4=1 5=2")) as path:
        column = best.read(path)
    assert links(column) == [[(0, 0), (3, 1), (4, 1)]]
    assert column.source_lengths.tolist() == [6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file is empty; expected 'sentence ||| hypothesis ||| features ||| total'"),
        (
            "0 ||| a ||| f= 1\n",
            ":1: expected 'sentence ||| hypothesis ||| features ||| total', found '0 ||| a ||| f= 1'",
        ),
        (entry("x", "a", "0"), ":1: expected 'sentence |||"),
        (entry("0", "a", "low"), ":1: expected 'sentence |||"),
        (entry("0", "a", "0"), ":1: no alignment for 'a': expected marks"),
        (entry("1", "a", "0", "0-0") + entry("0", "a", "0", "0-0"), ":2: sentence 0 comes after sentence 1"),
        (entry("0", "a", "0", "0=x"), ":1: expected phrases like '0-1=0-2', found '0=x'"),
        (entry("0", "a", "0", "0=0-1"), ":1: the phrase '0=0-1' extends beyond the 1 target words"),
        (entry("0", "a", "0", "0=5"), ":1: the phrase '0=5' extends beyond the 1 target words"),
        (entry("0", "a", "0", "0-7"), ":1: link 0-7 is out of range"),
        (entry("999999999", "a", "0", "0-0"), ":1: sentence 999999999 comes after sentence -1"),
    ],
)
def test_refuses_lists(content: str, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        best.read(path)
    assert str(caught.value).startswith(path + message)


def test_text_that_is_not_utf8() -> None:
    with saved(b"0 ||| \xff ||| ||| 0 ||| 0-0\n") as path:
        assert links(best.read(path)) == [[(0, 0)]]


@given(soup("ab|||012-=,wa\t "))
def test_any_bytes_give_data_or_an_error(content: bytes) -> None:
    for text in (content, b"0 ||| " + content, b"0 ||| a b ||| ||| 0 ||| " + content):
        check_survival(moses.read, text)
        check_survival(best.read, text)


@pytest.mark.realdata
def test_real_samples(shared: Path) -> None:
    samples = shared / "formats" / "samples"
    full = best.read(samples / "moses.nbest-with-segmentation-and-alignment")
    assert full.source_lengths.tolist() == [9]
    inline = best.read(samples / "moses.nbest-inline-segmentation")
    assert inline.target_lengths.tolist() == [8]
    assert len(inline.source) == 2 + 2 + 4 + 12
    chart = best.read(samples / "moses-chart.nbest-with-alignment")
    assert links(chart) == [[]]
    with pytest.raises(InputError, match="no alignment for"):
        best.read(samples / "moses.nbest-old-style")


@pytest.mark.realdata
def test_thesis_3_3_4_a_chart_decoder_without_alignments_in_its_rules(shared: Path) -> None:
    column = best.read(shared / "formats" / "samples" / "moses-chart.nbest-with-alignment")
    assert links(column) == [[]]
    assert column.target_lengths.tolist() == [11]
    assert column.phrases is None
