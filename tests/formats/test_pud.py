"""Aligned Parallel Universal Dependencies: a small pair written for the test, damaged files, the real thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.formats import pud


def sentence(*words: str) -> str:
    """Write words as CoNLL-U; ``id:form:tag`` gives the id, ``form:tag`` counts."""
    lines = ["# text = " + " ".join(words)]
    count = 0
    for word in words:
        *given_id, form, tag = word.split(":")
        count += not given_id
        lines.append("\t".join([given_id[0] if given_id else str(count), form, "_", tag, *"______"]))
    return "\n".join(lines) + "\n\n"


def write(folder: Path, alignment: object, source: str, target: str) -> Path:
    text = alignment if isinstance(alignment, str) else json.dumps(alignment)
    (folder / "alignment.json").write_text(text, encoding="utf-8")
    (folder / "en.conllu").write_text(source, encoding="utf-8")
    (folder / "target.conllu").write_text(target, encoding="utf-8")
    return folder


def test_ranges_and_empty_nodes_are_no_words(tmp_path: Path) -> None:
    source = sentence("the:DET", "old:ADJ", "mill:NOUN") + sentence("sleep:VERB")
    target = sentence("1-2:du:_", "de:ADP", "le:DET", "10 000:NUM", "3.1:x:X", "y:NOUN") + "\n" + sentence("dors:VERB")
    pairs = [{"3": ["4", "4"], "2": ["3", "X"], "X": ["1"], "1": ["X"]}, {"1": ["1"]}]
    treebank = pud.read(write(tmp_path, pairs, source, target.rstrip("\n")))
    assert [str(pair) for pair in treebank.alignments] == ["1-2 2-3", "0-0"]
    assert treebank.alignments.source_lengths.tolist() == [3, 1]
    assert treebank.alignments.target_lengths.tolist() == [4, 1]
    assert treebank.target.words(0) == ["de", "le", "10 000", "y"]
    assert treebank.source_tags.words(0) == ["DET", "ADJ", "NOUN"]
    assert treebank.target_tags.words(1) == ["VERB"]


@pytest.mark.parametrize(
    ("alignment", "message"),
    [
        ("[{]", "alignment.json:1: not valid JSON"),
        ("{}", "not a JSON list; expected one object"),
        ("[[]]", "sentence pair 1: expected an object"),
        ('[{"1": "1"}]', "sentence pair 1: expected a list of target words"),
        ('[{"1": ["0"]}]', "sentence pair 1: '0' is not a token ID"),
        ('[{"1": [1]}]', "'1' is not a token ID"),
        ('[{"1.1": ["1"]}]', "'1.1' is not a token ID"),
        ('[{"2": ["1"]}]', "sentence pair 1: link 1-0 is out of range: the source sentence has 1 words"),
        ("[]", "0 alignments, but en.conllu has 1 sentence"),
        ("[" * 100_000, "not valid JSON (nested too deeply)"),
    ],
)
def test_bad_alignments(tmp_path: Path, alignment: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        pud.read(write(tmp_path, alignment, sentence("a:X"), sentence("b:X")))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1\ta\n", "en.conllu:1: expected 10 columns separated by tabs, found 2 columns: '1'"),
        (sentence("a:X", "3:b:X"), "en.conllu:3: found word ID '3'; expected 2, a range"),
        (sentence("a:X") + sentence("b:X"), "1 alignment, but en.conllu has 2 sentences"),
    ],
)
def test_bad_trees(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        pud.read(write(tmp_path, [{"1": ["1"]}], source, sentence("b:X")))
    assert message in str(error.value)


def test_a_missing_file_and_wrong_bytes(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        pud.read(tmp_path)
    write(tmp_path, [{}], sentence("a:X"), "")
    (tmp_path / "target.conllu").write_bytes(b"1\t\xff" + b"\t_" * 8 + b"\n")
    with pytest.raises(InputError, match=r"target.conllu:1: byte 0xff at position 3 is not UTF-8"):
        pud.read(tmp_path)


ids = st.sampled_from(["1", "2", "X", "9", "a", "", "1-2"])
nearly_alignments = st.lists(st.dictionaries(ids, st.lists(ids, max_size=2) | st.none() | ids, max_size=3), max_size=2)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nearly_alignments | st.binary(max_size=30), st.binary(max_size=30) | st.just(b"1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n"))
def test_anything_is_data_or_an_error(tmp_path: Path, alignment: list[object] | bytes, tree: bytes) -> None:
    content = alignment if isinstance(alignment, bytes) else json.dumps(alignment).encode()
    (tmp_path / "alignment.json").write_bytes(content)
    for name in ("en.conllu", "target.conllu"):
        (tmp_path / name).write_bytes(tree)
    try:
        treebank = pud.read(tmp_path)
    except WordorderError:
        return
    assert len(treebank.alignments) == len(treebank.source) == len(treebank.target_tags)
