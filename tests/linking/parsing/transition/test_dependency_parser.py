"""The dependency parser as a value: what it learns, what it returns, and its file."""

from __future__ import annotations

import base64
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from wordorder.core.runtime.columns import strings
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.trees import DependencyTree, DependencyTrees, attachment, best_trees
from wordorder.formats import conllu
from wordorder.linking.parsing import Parsing
from wordorder.linking.parsing.transition import DependencyParser, ParserOptions, fingerprint, load, save
from wordorder.linking.parsing.transition.dependency_parser import LONGEST

DEMO = Path(wordorder.__file__).parent / "data" / "demo"
GREEDY = ParserOptions(beam=1, passes=5)


@pytest.fixture(scope="module")
def trees() -> DependencyTrees:
    return conllu.read(DEMO / "source.conllu")


@pytest.fixture(scope="module")
def parser(trees: DependencyTrees) -> DependencyParser:
    return DependencyParser.learn(trees)


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("tags", ["own", "given"])
def test_what_was_learned_is_known(trees: DependencyTrees, beam: int, tags: str) -> None:
    parser = DependencyParser.learn(trees, ParserOptions(beam=beam, tags=tags, passes=8))
    found = attachment(best_trees(parser.parse(trees)), trees)
    least = 0.8 if tags == "own" else 0.95  # own tags, as they are found in other sentences, are worse
    assert found.uas > least
    assert found.las > least
    assert found.pos == 1
    assert (parser.tagger is None) == (tags == "given")


def test_lists_are_different_trees_best_first(trees: DependencyTrees, parser: DependencyParser) -> None:
    words = [*(tree.words for tree in trees[:3]), ()]
    lists = parser.parse(words, n=12)
    assert (lists.names, lists.offsets[-1] - lists.offsets[-2]) == (("1", "2", "3", "4"), 0)
    for row in range(3):
        found = [(tree.heads, tree.labels) for tree in lists[row : row + 1].trees]
        assert 1 < len(found) == len(set(found)) <= 12
        scores = lists.log_probabilities[lists.offsets[row] : lists.offsets[row + 1]]
        assert (np.diff(scores) <= 0).all()
        assert np.exp(scores).sum() == pytest.approx(1)
    assert lists.trees.first_fault() is None
    assert lists.trees.projective().all()


def test_threads_and_spans_change_nothing(trees: DependencyTrees, parser: DependencyParser) -> None:
    many = DependencyTrees.concatenate([trees] * 9)
    one, two = parser.parse(many, threads=1), parser.parse(many, threads=2)
    assert (one.trees.heads == two.trees.heads).all()
    assert (one.trees.heads[: len(trees.words)] == parser.parse(trees).trees.heads).all()


def test_case_is_nothing_to_a_caseless_parser(trees: DependencyTrees) -> None:
    words = [list(tree.words) for tree in trees]
    loud = [[word.upper() for word in row] for row in words]
    caseless = DependencyParser.learn(trees, replace(GREEDY, caseless=True))
    assert (caseless.parse(loud).trees.heads == caseless.parse(words).trees.heads).all()
    minding = DependencyParser.learn(trees, GREEDY)
    assert (minding.parse(loud).trees.heads != minding.parse(words).trees.heads).any()


def test_crossing_arcs_and_odd_tags_are_taken(trees: DependencyTrees) -> None:
    crossing = DependencyTree(
        ("a", "hearing", "is", "scheduled", "on", "it"), (1, 2, -1, 2, 1, 4), ("x",) * 6, ("A",) * 6, ("B",) * 6
    )
    both = DependencyTrees.concatenate([trees, *[crossing.column()] * 5])
    parser = DependencyParser.learn(both, replace(GREEDY, tags="given"))
    found = parser.parse(crossing.column()).trees[0]
    assert found.heads == (1, 2, -1, 2, 2, 4)  # the projective tree
    assert (found.tags, found.fine_tags) == (crossing.tags, crossing.fine_tags)
    strange = replace(crossing, tags=("A", "A", "?", "A", "A", "A"), fine_tags=("C",) * 6)
    assert parser.parse(strange.column()).trees[0].fine_tags == ("C",) * 6


def test_long_sentences_are_parsed_greedily(parser: DependencyParser) -> None:
    words = ["Der", "Hund", "schläft"] * LONGEST
    greedy, beam = (parser.parse([words], beam=beam).trees for beam in (1, 8))
    assert (greedy.heads == beam.heads).all()
    assert greedy.first_fault() is None


def test_a_file_has_it_all(tmp_path: Path, trees: DependencyTrees, parser: DependencyParser) -> None:
    path = tmp_path / "de.parser"
    save(parser, path)
    again = load(path)
    assert fingerprint(again) == fingerprint(parser) == path.read_text().split()[2]
    assert (again.options, again.tags, again.labels) == (parser.options, parser.tags, parser.labels)
    mine, its = parser.parse(trees, n=3), again.parse(trees, n=3)
    assert (mine.trees.heads == its.trees.heads).all()
    assert (mine.log_probabilities == its.log_probabilities).all()
    save(again, tmp_path / "copy.parser.gz")
    assert fingerprint(load(tmp_path / "copy.parser.gz")) == fingerprint(parser)
    other = DependencyParser.learn(trees, replace(GREEDY, tags="given"))
    assert fingerprint(other) != fingerprint(parser)
    save(other, path)
    assert load(path).tagger is None
    save(DependencyParser.learn(trees), tmp_path / "same.parser")
    save(parser, path)
    assert (tmp_path / "same.parser").read_bytes() == path.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, parser: DependencyParser) -> Path:
    path = tmp_path_factory.mktemp("damage") / "whole.parser"
    save(parser, path)
    return path


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
@settings(max_examples=30)
def test_damage_is_an_error(whole: Path, place: float, byte: int) -> None:
    content = bytearray(whole.read_bytes())
    at = int(place * len(content))
    if content[at] == byte or content[at] == ord("\n") or byte in b"\r\n":
        return
    content[at] = byte
    damaged = whole.with_name("damaged.parser")
    damaged.write_bytes(content)
    with pytest.raises(WordorderError):
        load(damaged)


def test_what_is_not_a_parser_is_told(tmp_path: Path, parser: DependencyParser) -> None:
    path = tmp_path / "x.parser"
    path.write_text("wordorder-grammar 1\n")
    with pytest.raises(InputError, match=r"x\.parser:1: not a parser file: expected 'wordorder-parser 1 …', found"):
        load(path)
    path.write_text("wordorder-parser 7 00\n")
    with pytest.raises(InputError, match="expected a parser file of version 1, found version '7'"):
        load(path)
    save(parser, path)
    first, header, *lines = path.read_text().split("\n")
    lines[3] = base64.b64encode(zlib.compress(b"\xff" * len(zlib.decompress(base64.b64decode(lines[3]))))).decode()
    path.write_text("\n".join([first, header, *lines]))
    with pytest.raises(InputError, match="does not match its fingerprint"):
        load(path)


def test_mistakes(trees: DependencyTrees, parser: DependencyParser) -> None:
    for wrong in ({"beam": 0}, {"passes": 0}, {"tags": "gold"}, {"seed": -1}):
        with pytest.raises(UsageError):
            ParserOptions(**wrong)
    with pytest.raises(InputError, match="no sentence of the treebank has between 1 and 1000 words"):
        DependencyParser.learn(trees[:0])
    with pytest.raises(UsageError, match="must both be 1 or more, not 0"):
        parser.parse(trees, n=0)
    with pytest.raises(UsageError, match="beam must be 10000 or less, not 10001"):
        parser.parse(trees, n=10_001)
    bare = DependencyParser.learn(trees, replace(GREEDY, tags="given", passes=1))
    with pytest.raises(UsageError, match="but the text has none"):
        bare.parse([["Hund"]])
    with pytest.raises(UsageError, match="has no tagger"):
        bare.parse(trees, given_tags=False)
    with pytest.raises(UsageError, match="give only one of grammar, parser and spacy"):
        Parsing(grammar="x", parser="y")


def test_parsing_knows_the_parser(parser: DependencyParser) -> None:
    parsing = Parsing(parser=parser, cache=False)
    assert parsing.can_parse
    assert parsing.identity == f"transition:{fingerprint(parser)}"
    found = parsing.parse(strings(["Der Hund schläft .", ""]), tokenizer="none", n=4)
    assert found.trees[0].words == ("Der", "Hund", "schläft", ".")
    assert found.offsets[-1] == found.offsets[-2] > 1


@pytest.mark.realdata
@pytest.mark.slow
def test_real_sentences_are_parsed_well(shared: Path) -> None:
    """A regression test: two passes over nine tenths of PUD teach .76 UAS on the rest, with tags of its own."""
    trees = conllu.read(shared / "data" / "pud-aligned" / "en-jp" / "en.conllu")
    rows = np.arange(len(trees))
    parser = DependencyParser.learn(trees.take(rows[rows % 10 != 5]), ParserOptions(beam=1, passes=2))
    held_out = trees.take(rows[rows % 10 == 5])
    found = attachment(parser.parse(held_out).trees, held_out)
    assert found.uas > 0.72
    assert found.las > 0.66
    assert found.pos > 0.9
