from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, WordorderError
from wordorder.formats import gold, pud, read_alignments, tables
from wordorder.formats.alignments import ALIGNMENT_FORMATS

FORMAT_OF = {
    "alignments-jsonl.jsonl": "jsonl",
    "xl-wa.tsv": "xl-wa",
    "multimwa-mtref.tsv": "xl-wa",
    "pharaoh-0based.align": "pharaoh",
    "pharaoh-lilt-giza.talp": "pharaoh",
    "pharaoh-questionmark-possible.align": "pharaoh",
    "pharaoh-with-P-suffix.align": "pharaoh",
    "talp-sure-possible-1based.gold": "talp",
    "naacl-like-0based.wa": "naacl",
    "giza.A3.final": "giza",
    "lader-talbot-test.align": "lader",
    "moses.nbest-with-segmentation-and-alignment": "nbest",
}


def written(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def read(path: Path, format: str, **how: Any) -> list[str]:
    return [str(pair) for pair in Alignments.concatenate(list(read_alignments(path, format=format, **how)))]


def test_tables_with_words_and_links(tmp_path: Path) -> None:
    path = written(tmp_path, "x.tsv", "a b\tc d e\t1-0 0-2", "a\tb\t")
    assert read(path, "xl-wa") == ["1-0 0-2", ""]
    (column,) = read_alignments(path, format="xl-wa")
    assert (column.source_lengths.tolist(), column.target_lengths.tolist()) == ([2, 1], [3, 1])
    many = written(tmp_path, "m.tsv", "0:0\ta b\tN/A\tc d\tN/A\t1\t1\t0-1\t1-0\t\t ")
    assert read(many, "xl-wa") == ["0-1 1?0"]
    source, target = gold.read_texts(path, "xl-wa")
    assert (source.to_pylist(), target.to_pylist()) == (["a b", "a"], ["c d e", "b"])
    with pytest.raises(InputError, match=r"x.tsv:1: 2 fields; expected source, target and links"):
        read(written(tmp_path, "x.tsv", "a\tb"), "xl-wa")
    with pytest.raises(InputError, match=r"x.tsv:2: .*0-5.* is out of range: the target sentence has 1 word"):
        read(written(tmp_path, "x.tsv", "a\tb\t0-0", "a\tb\t0-5"), "xl-wa")


def test_records_with_words_and_links(tmp_path: Path) -> None:
    lines = [
        '{"src_words": ["All_the_same", ","], "tgt_words": ["x"], "alignment": [[0, 0], [1, -1]]}',
        '{"source": "a b", "target": "c", "links": "0-0", "possible": [[1, 0]]}',
    ]
    path = written(tmp_path, "x.jsonl", *lines)
    assert read(path, "jsonl") == ["0-0", "0-0 1?0"]
    assert gold.read(path, format="jsonl").nulls == (({1}, set()), (set(), set()))
    for line, message in [
        (
            '{"source": "a", "target": "b"}',
            "expected one of the keys alignment, alignments, links; found source, target",
        ),
        ('{"source": 3, "target": "b", "links": []}', "expected a list of words, found '3'"),
        ('{"source": "a", "target": "b", "links": [[0, 0.5]]}', "expected a list of links like"),
        ("[1]", "expected a JSON object"),
    ]:
        with pytest.raises(InputError, match=message):
            read(written(tmp_path, "bad.jsonl", line), "jsonl")


def test_links_with_null_are_dropped_and_remembered(tmp_path: Path) -> None:
    path = written(tmp_path, "x.align", "0-0 -1-5 2-1", "-1-0", "1--1", "0-0")
    assert read(path, "pharaoh") == ["0-0 2-1", "", "", "0-0"]
    assert gold.read(path, format="pharaoh").nulls == ((set(), {5}), (set(), {0}), ({1}, set()), (set(), set()))
    naacl = written(tmp_path, "x.wa", "1 0 2 S", "1 1 1", "2 3 0 P")
    assert gold.read(naacl, format="naacl").nulls == ((set(), {1}), ({2}, set()))
    with pytest.raises(InputError, match=r"x.align:2: .*'-2-0'"):
        read(written(tmp_path, "x.align", "-1-5", "-2-0"), "pharaoh")


def treebank(folder: Path) -> Path:
    for name, words in (("en", ["a", "b", "c"]), ("target", ["x", "y z"])):
        rows = [f"{n}\t{word}\t_\tNOUN\t_\t_\t0\troot\t_\t_" for n, word in enumerate(words, start=1)]
        written(folder, f"{name}.conllu", *rows, "", "")
    (folder / "alignment.json").write_text(json.dumps([{"2": ["1"], "3": ["X"], "X": ["2"]}]))
    return folder


def test_a_treebank_folder_is_partial_gold(tmp_path: Path) -> None:
    found = gold.read(f"pud:{treebank(tmp_path)}")
    assert str(found.alignments[0]) == "1-0"
    assert found.nulls == (({2}, {1}),)
    assert gold.is_partial(f"pud:{tmp_path}", "talp")
    assert gold.read_texts(tmp_path, "pud")[1].to_pylist() == ["x y_z"]
    judged = Alignment(((0, 0), (1, 0), (2, 0), (1, 1))).column()
    assert found.touched(judged).tolist() == [False, True, True, True]  # nobody annotated the first source word


lines = st.lists(
    st.sampled_from(
        ["a\tb\t0-0", "a\tb", '{"source": "a", "target": "b", "links": []}', "{}", "-1-1", "\0", "[]", "a\tb\t-1-0 9-9"]
    ),
    max_size=3,
)


@settings(max_examples=30)
@pytest.mark.parametrize("format", ["xl-wa", "jsonl"])
@given(rows=lines)
def test_any_file_is_read_or_refused(format: str, rows: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(WordorderError):
        assert read(written(Path(folder), "x", *rows), format)


@pytest.mark.realdata
@pytest.mark.parametrize("name", FORMAT_OF)
def test_every_sample_of_alignments_is_read(shared: Path, name: str) -> None:
    assert FORMAT_OF[name] in ALIGNMENT_FORMATS
    base = {"base": 0} if name == "naacl-like-0based.wa" else {}
    found = read(shared / "formats" / "samples" / name, FORMAT_OF[name], **base)
    assert found
    assert any(found)


@pytest.mark.realdata
def test_a_sample_of_a_treebank_alignment_is_read(shared: Path) -> None:
    (pair,) = tables.json_list(shared / "formats" / "samples" / "pud-alignment.json", expected="pairs")
    assert len(list(pud.links_with_null(pair))) == 32
