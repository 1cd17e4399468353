"""Readers of n-best lists, one after another; a slow twin reads Moses' lines with split() and float()."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from format_files import check_survival, saved, soup
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats.nbest import read_blocks
from wordorder.formats.nbest.hypotheses import Hypotheses


def only(content: str | bytes, **options: Any) -> Hypotheses:
    with saved(content) as path:
        (block,) = read_blocks(path, **options)
    return block


def links_of(block: Hypotheses) -> list[str]:
    assert block.alignments is not None
    return [str(row) for row in block.alignments]


@pytest.mark.parametrize(
    ("line", "names", "values", "total"),
    [
        ("0||| a b  ||| d: 0 -1.5 lm: -3 ||| -2.5", ("d_0", "d_1", "lm"), [0, -1.5, -3], -2.5),
        ("0 ||| a b ||| d= 0 -1 lm= -3e-2 ||| -2", ("d_0", "d_1", "lm"), [0, -1, -0.03], -2),
        ("0 ||| a b ||| Distortion0= 0 LM0= -1 ||| 1", ("Distortion0", "LM0"), [0, -1], 1),
        ("0 ||| a b ||| lm_0=-28.5 OOV=2 ||| -3", ("lm_0", "OOV"), [-28.5, 2], -3),
        ("0 ||| a b ||| -126.855 -5.8 7", ("F0", "F1", "F2"), [-126.855, -5.8, 7], None),
        ("0 ||| a |0-0| b |1-1| ||| lm= 1 ||| 0 ||| 0=0 1=1 ||| ", ("lm",), [1], 0),
        ("0 ||| a b ||| ||| 0", (), [], 0),
        ("0 ||| a b ||| x= 0.1234567890123456789 ||| 1e400", ("x",), [0.1234567890123456789], np.inf),
    ],
)
def test_moses_lines(line: str, names: tuple[str, ...], values: list[float], total: float | None) -> None:
    block = only(line + "\n")
    assert (block.names, block.texts.to_pylist(), block.sentences.tolist()) == (names, ["a b"], [0])
    assert block.features[:, 0].tolist() == values
    assert (None if block.totals is None else block.totals.tolist()) == (None if total is None else [total])


def test_sparse_features_come_and_go() -> None:
    block = only("0 ||| a ||| lm= 1 w_x= 2 ||| 0\n0 ||| b ||| lm= 3 w_y= 4 ||| 0\n1 ||| c ||| lm= 5 z=6 ||| 0\n")
    assert block.names == ("lm", "w_x", "w_y", "z")
    assert block.features.T.tolist() == [[1, 2, 0, 0], [3, 0, 4, 0], [5, 0, 0, 6]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file is empty; expected 'sentence ||| hypothesis"),
        ("0 ||| a\n", ":1: expected 'sentence ||| hypothesis ||| features ||| total', found '0 ||| a'"),
        ("x ||| a ||| lm= 1 ||| 0\n", ":1: expected 'sentence |||"),
        ("12345678901 ||| a ||| lm= 1 ||| 0\n", ":1: expected 'sentence |||"),
        ("0 ||| a ||| lm= 1 ||| low\n", ":1: expected a total score, found 'low'"),
        ("0 ||| a ||| lm= nan ||| 0\n", ":1: feature 'lm' is 'nan'; expected a finite number"),
        ("0 ||| a ||| lm= 1\n0 ||| a ||| lm= 1 ||| 0\n", ":2: found a total, but line 1 has none"),
        ("0 ||| a ||| lm= 1 ||| 0\n0 ||| a ||| lm= 1\n", ":2: found no total, but line 1 has one"),
        (
            "0 ||| a ||| lm= 1 tm= 2 3 ||| 0\n0 ||| a ||| lm= 1 ||| 0\n",
            ":2: feature 'tm' is missing; line 1 has lm, tm",
        ),
        ("0 ||| a ||| lm= 1 2 ||| 0\n0 ||| a ||| lm= 1 ||| 0\n", ":2: feature 'lm' has 1 number, but 2 in line 1"),
        ("0 ||| a ||| 1 2 ||| 0\n0 ||| a ||| 1 ||| 0\n", ":2: there are 1 number, but 2 in line 1"),
        ("0 ||| a ||| lm= 1 ||| 0\n0 ||| a ||| tm= 1 ||| 0\n", ":2: feature 'tm' is not in line 1, which has lm"),
        ("0 ||| a ||| lm= 1 lm= 2 ||| 0\n", ":1: two features have the name 'lm'"),
        ("0 ||| a ||| lm= ||| 0\n", ":1: feature 'lm' has no value"),
        ("0 ||| a ||| lm ||| 0\n", ":1: expected features like 'LM0= -1.5' or 'lm_0=-1.5', found 'lm'"),
        (b"0 ||| \xff ||| lm= 1 ||| 0\n", ":1: byte 0xff at position 7 is not UTF-8"),
    ],
)
def test_moses_refuses(content: str | bytes, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        list(read_blocks(path))
    assert str(caught.value).startswith(path + message)


def test_alignments_of_moses() -> None:
    line = "0 ||| a b ||| lm= 1 ||| 0 ||| "
    block = only(line + "0-1=0 2=1\n" + line + "0=0 1=1 ||| 1-0 0-1\n", alignments=True)
    assert links_of(block) == ["0-0 1-0 2-1", "1-0 0-1"]
    assert block.alignments is not None
    assert block.alignments.source_lengths.tolist() == [3, 2]
    for wrong, message in (("0 ||| a ||| lm= 1 ||| 0\n", "no alignment for 'a'"), (line + "0-2\n", "link 0-2 is out")):
        with pytest.raises(InputError, match=message):
            only(wrong, alignments=True)


def test_marian_has_other_things_before_the_features() -> None:
    hard = "1 ||| a b ||| 0-0 2-1 3-2 ||| WordScores= -1 -2 -3 ||| F0= -6 ||| -2\n"
    soft = "2 ||| a b ||| 0.1,0.8,0.1 0.2,0.1,0.7 0,0,1 ||| F0= -4 ||| -1\n"
    block = only(hard + soft, format="marian", alignments=True)
    assert (block.sentences.tolist(), block.names, block.features.tolist()) == ([1, 2], ("F0",), [[-6, -4]])
    assert links_of(block) == ["0-0 2-1", "1-0"]  # links with the end of a sentence are left out
    assert only("0 ||| a ||| F0= -1 Score= 2 ||| 0\n", format="marian").names == ("F0", "Score")
    for wrong in ("0 ||| a ||| F0= 1\n", "0 ||| a ||| 0-x ||| F0= 1 ||| 1\n", "0 ||| a ||| 1,2 3 ||| F0= 1 ||| 1\n"):
        with pytest.raises(InputError, match="expected"):
            only(wrong, format="marian", alignments=True)


def test_fairseq() -> None:
    text = (
        "| loaded\nS-1 x y\nT-1 z\nH-1\t-0.5\ta@@ b\nD-1\t-0.5\tab\nP-1\t-1 -2\nA-1\t0-0\n"
        "H-0 -0.25 c  d\nP-0 -3\nA-0\t0-1\n"
    )
    block = only(text, format="fairseq", alignments=True)
    assert (block.sentences.tolist(), block.texts.to_pylist()) == ([1, 0], ["ab", "c  d"])
    assert block.names == ("score", "sum")
    assert np.allclose(block.features, np.log(2) * np.array([[-0.5, -0.25], [-3, -3]]))
    assert links_of(block) == ["0-0", "0-1"]
    assert only(text, format="fairseq", log_base=math.e).features[0].tolist() == [-0.5, -0.25]
    for wrong, message in (
        ("x\n", "no hypotheses"),
        ("H-0 low a\n", "expected a score"),
        ("D-0 1 a\n", "found D-0 without a hypothesis H-0 before it"),
        ("H-0 1 a\nP-0 1\nH-0 1 b\n", "some hypotheses have a P- line"),
    ):
        with pytest.raises(InputError, match=message):
            only(wrong, format="fairseq")


def test_lines() -> None:
    block = only("a\nb\n\nd\n", format="lines", count=2)
    assert (block.sentences.tolist(), block.texts.to_pylist(), block.names) == ([0, 0, 1, 1], ["a", "b", "", "d"], ())
    with saved("-1 2\n-2 3\n", "scores") as scores:
        block = only("a\nb\n", format="lines", count=1, scores=scores)
        assert (block.names, block.features.tolist(), block.totals) == (("F0", "F1"), [[-1, -2], [2, 3]], None)
        with pytest.raises(InputError, match="differ in length"):
            only("a\nb\nc\n", format="lines", count=1, scores=scores)
    with pytest.raises(InputError, match=r":3: expected 2 lines per sentence, but the last one has 1"):
        only("a\nb\nc\n", format="lines", count=2)
    with pytest.raises(UsageError, match="give this number"):
        only("a\n", format="lines")


def test_jsonl() -> None:
    sockeye = '{"sentence_id": 3, "translations": ["a b", ["c", "d"]], "scores": [[-1.5], [-2]]}\n'
    block = only(sockeye + '{"translations": [{"text": "e", "score": -3}]}\n', format="jsonl")
    assert (block.sentences.tolist(), block.texts.to_pylist()) == ([3, 3, 1], ["a b", "c d", "e"])
    assert (block.names, block.features.tolist()) == (("score",), [[-1.5, -2, -3]])
    single = '{"n": "7", "out": "x", "features": {"lm": 1}}\n{"n": 7, "out": "y", "features": {"tm": 2}}\n'
    block = only(single, format="jsonl", keys={"id": "n", "text": "out"})
    assert (block.sentences.tolist(), block.names, block.totals) == ([7, 7], ("lm", "tm"), None)
    assert block.features.tolist() == [[1, 0], [0, 2]]
    for wrong, message in (
        ("[1]\n", "expected a JSON object, found"),
        ("{\n", "expected a JSON object, found"),
        ("\n", "no hypotheses; expected objects like"),
        ('{"text": "a"}\n', "the id of a sentence"),
        ('{"id": 0, "translations": []}\n', "expected a list of translations for sentence 0"),
        ('{"id": 0, "translations": ["a"], "scores": [1, 2]}\n', "expected one score per translation, found 2 for 1"),
        ('{"id": 0, "text": 5}\n', "expected the text of a translation"),
        ('{"id": 0, "text": "a", "features": {"lm": null}}\n', "feature 'lm' must be a finite number"),
    ):
        with pytest.raises(InputError, match=message):
            only(wrong, format="jsonl")
    with pytest.raises(UsageError, match="unknown key"):
        only("{}\n", format="jsonl", keys={"ids": "n"})


def test_a_dialect_is_named_and_has_its_own_options() -> None:
    with pytest.raises(UsageError, match=r"unknown format of n-best lists 'mosse'; did you mean 'moses'\?"):
        only("", format="mosse")
    with pytest.raises(UsageError, match="n-best lists in moses format have no option 'count'"):
        only("", format="moses", count=3)


NUMBERS = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e9, 1e9), st.floats(-1, 1).map(lambda x: round(x, 5)))


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(NUMBERS, min_size=3, max_size=3), NUMBERS), min_size=1))
@settings(max_examples=50)
def test_numbers_are_read_as_python_reads_them(rows: list[tuple[int, list[float], float]]) -> None:
    lines = [f"{i} ||| w {i} ||| d: {f[0]} {f[1]} lm= {f[2]} ||| {total}\n" for i, f, total in rows]
    block = only("".join(lines))
    assert block.features.T.tolist() == [[float(str(value)) for value in features] for _, features, _ in rows]
    assert block.totals is not None
    assert block.totals.tolist() == [float(str(total)) for *_, total in rows]
    assert block.texts.to_pylist() == [f"w {i}" for i, *_ in rows]


def count_rows(path: str, **options: Any) -> list[int]:
    return [row for block in read_blocks(path, **options) for row in block.sentences.tolist()]


@given(soup('ab|||012-=,.: HDPA\t{}"[]'))
@settings(max_examples=25)
def test_any_bytes_give_data_or_an_error(content: bytes) -> None:
    settings: tuple[dict[str, Any], ...] = (
        {"format": "moses", "alignments": True},
        {"format": "marian", "alignments": True},
        {"format": "fairseq"},
        {"format": "lines", "count": 1},
        {"format": "jsonl"},
    )
    for text in (content, b"0 ||| " + content, b"0 ||| a b ||| " + content, b"H-0 " + content, b'{"id": 0, ' + content):
        for options in settings:
            if content.strip() or options["format"] != "jsonl":
                check_survival(lambda path, chosen=options: count_rows(path, **chosen), text)  # type: ignore[misc]


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "format", "rows", "features"),
    [
        ("moses-fr-en/nbest.out", "moses", 10_000, 15),
        ("moses-it-en-loop/mert-moses-new/data/run1.NBEST.out.gz", "moses", 1000, 14),
        ("zmert/example10/cand_database.txt", "moses", 500, 3),
        ("joshua/kbest.output.gold", "moses", 3126, 4),
        ("marian/decoder.align.soft.nbest.expected", "marian", 90, 1),
        ("marian/decoder.word-scores.nbest_align_nrm.expected", "marian", 90, 1),
        ("fairseq/samples-2_1.en", "fairseq", 4, 2),
    ],
)
def test_real_lists(shared: Path, name: str, format: str, rows: int, features: int) -> None:
    blocks = list(read_blocks(shared / "data" / "nbest" / name, format=format))
    assert (sum(map(len, blocks)), len(blocks[-1].names)) == (rows, features)
