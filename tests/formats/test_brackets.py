"""Bracketed trees from files: roots, traces, function tags, blocks, errors with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, WordorderError
from wordorder.core.trees import ConstituencyTree, ConstituencyTrees
from wordorder.formats import brackets


def read(folder: Path, text: str | bytes) -> list[str]:
    path = folder / "trees.mrg"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return [str(tree) for tree in brackets.read(path)]


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (NNS cats)) (VP (VBP sleep)))",
        "( (S (NP (NNS cats)) (VP (VBP sleep))) )",
        "((S (NP (NNS cats)) (VP (VBP sleep))))",
        "(ROOT (S (NP (NNS cats)) (VP (VBP sleep))))",
        "(TOP\n  (S\n    (NP (NNS cats))\r\n    (VP (VBP sleep))))\n\n",
        "(S1 (S (NP (NNS cats)) (VP (VBP sleep))))",
        "( (ROOT (S (NP (NNS cats)) (VP (VBP sleep)))))",
        "( S (NP ( NNS cats)) (VP (VBP sleep)))",
        "(S (NP-SBJ-1 (NNS cats)) (VP (VBP sleep) (NP=2 (-NONE- *T*-1))))",
        "(S (NP-SBJ (NP (NNS cats)) (SBAR (-NONE- 0) (S (-NONE- *T*)))) (VP (VBP sleep)))",
    ],
)
def test_every_way_of_writing_gives_one_tree(tmp_path: Path, text: str) -> None:
    expected = "(ROOT (S (NP (NNS cats)) (VP (VBP sleep))))"
    if "SBAR" in text:
        expected = "(ROOT (S (NP (NP (NNS cats))) (VP (VBP sleep))))"
    assert read(tmp_path, text) == [expected]


def test_a_root_with_several_children_stays_one_root(tmp_path: Path) -> None:
    assert read(tmp_path, "( (NP (NN a)) (. .))") == ["(ROOT (NP (NN a)) (. .))"]
    assert read(tmp_path, "(X (TOP (NN a)))") == ["(ROOT (X (TOP (NN a))))"]
    assert read(tmp_path, "(NN a)") == ["(ROOT (NN a))"]


def test_words_that_are_brackets(tmp_path: Path) -> None:
    path = tmp_path / "one.mrg"
    path.write_text("(NP (-LRB- -LRB-) (NN a-LSB-) (: --))", encoding="utf-8")
    tree = brackets.read(path)[0]
    assert tree.words == ("(", "a[", "--")
    assert tree.labels == ("ROOT", "NP", "-LRB-", "NN", ":")
    brackets.write(path, [tree])
    assert path.read_text(encoding="utf-8") == "(ROOT (NP (-LRB- -LRB-) (NN a[) (: --)))\n"


words = st.text(min_size=1, max_size=5).filter(lambda word: not word.isspace())
labels = st.text("ABC$.,", min_size=1, max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.tuples(labels, words), min_size=1, max_size=4), max_size=4), st.integers(1, 3))
def test_what_is_written_can_be_read(tmp_path: Path, rows: list[list[tuple[str, str]]], lines: int) -> None:
    trees = [
        ConstituencyTree(
            ("ROOT", "X", *(tag for tag, _ in row)), (-1, 0, *(1 for _ in row)), tuple(word for _, word in row)
        )
        for row in rows
    ]
    path = tmp_path / "round.mrg"
    brackets.write(path, trees)
    found = ConstituencyTrees.concatenate(list(brackets.read_blocks(path, lines=lines)))
    assert [tree.labels for tree in found] == [tree.labels for tree in trees]
    expected = [tuple(brackets.unescape(brackets.escape(word)) for word in tree.words) for tree in trees]
    assert [tree.words for tree in found] == expected
    for tree, forms in zip(trees, expected, strict=True):
        for word, form in zip(tree.words, forms, strict=True):
            if "-" not in word and not set(word) & set(" \t\n\v\f\r"):
                assert form == word


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40) | st.text("()a -NOE\n", max_size=30).map(str.encode))
def test_any_bytes_are_trees_or_an_error(tmp_path: Path, content: bytes) -> None:
    message = ""
    try:
        read(tmp_path, content)
    except WordorderError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("(A (B b))\n(A (B b)\n(C c)\n", 2, "never closed"),
        ("(A (B b))\n\n(A (B b)))\n", 3, "without an opening bracket"),
        ("(A (B b))\n()\n", 2, "without words"),
        ("(A (B b))\n(A\n(B))\n", 3, "without words"),
        ("(A (B b))\n(A (-NONE- *))\n", 2, "found a tree without words"),
        ("(A (B b))\nword\n", 2, "outside all brackets"),
        ("(A (B b c))\n", 1, "next to another word"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "trees.mrg"), line)


def test_blocks_do_not_change_lines_or_trees(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("(A\n(B b)\n)\n" * 5 + "(A (B b)\n", encoding="utf-8")
    found: list[str] = []
    with pytest.raises(InputError, match="never closed") as caught:
        found.extend(str(tree) for block in brackets.read_blocks(path, lines=2) for tree in block)
    assert found == ["(ROOT (A (B b)))"] * 5
    assert caught.value.line == 16


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not valid UTF-8") as caught:
        read(tmp_path, b"(A (B b))\n(A (B \xff))\n")
    assert caught.value.line == 2


def test_an_empty_file_has_no_trees(tmp_path: Path) -> None:
    assert read(tmp_path, "") == []
    assert read(tmp_path, " \n\n") == []


@pytest.mark.realdata
def test_a_real_treebank_is_read_and_written_back(shared: Path, tmp_path: Path) -> None:
    path = sorted((shared / "data" / "gum-trees").glob("*.ptb"))[0]
    trees = list(brackets.read(path))
    assert all(tree.labels[0] == "ROOT" for tree in trees)
    brackets.write(tmp_path / "copy.ptb", trees)
    assert list(brackets.read(tmp_path / "copy.ptb")) == trees
