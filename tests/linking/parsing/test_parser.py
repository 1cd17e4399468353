"""Parsing sentences: trees of a small grammar, fallbacks, threads, the grammar file, scores, installed parsers."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.text import encode
from wordorder.core.trees import ConstituencyTrees, score_brackets
from wordorder.formats import brackets, parse_lists
from wordorder.linking.parsing import Grammar, GrammarOptions, Parser, is_flat, load, parse_with_spacy, save
from wordorder.linking.parsing.cky import RuleTables

TREES = [
    "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat)) (PP (IN in) (NP (DT a) (NN box)))) (. .)))",
    "(ROOT (S (NP (DT a) (NN cat)) (VP (VBZ has) (NP (NP (DT the) (NN dog)) (PP (IN in) (NP (NN box))))) (. .)))",
    "(ROOT (S (NP (PRP she)) (VP (MD can) (VP (VB see) (NP (PRP him)))) (. .)))",
    "(ROOT (S (NP (NNS dogs)) (VP (VBP bark)) (. .)))",
    "(ROOT (NP (DT a) (JJ big) (NN dog)))",
]


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    """Learned from enough copies that words take no other tags than their own."""
    return Grammar.learn(ConstituencyTrees.of(TREES * 60))


def words(*sentences: str) -> list[list[str]]:
    return [sentence.split() for sentence in sentences]


def test_the_treebank_comes_back(grammar: Grammar) -> None:
    parser = Parser(grammar)
    for text, tree in zip(TREES, ConstituencyTrees.of(TREES), strict=True):
        assert text in [str(found) for found in parser.parse([tree.words], n=3).trees]
    assert [str(tree) for tree in parser.parse(words("dogs bark .", "a big dog")).trees] == TREES[3:]


def test_attachment_is_ambiguous(grammar: Grammar) -> None:
    found = [str(tree) for tree in Parser(grammar).parse(words("the dog has a cat in the box ."), n=10).trees]
    assert len(found) == len(set(found)) > 1
    assert any("(NP (NP (DT a) (NN cat)) (PP" in tree for tree in found)
    assert any("(NP (DT a) (NN cat)) (PP" in tree and "(NP (NP" not in tree for tree in found)


def test_unknown_words_are_parsed(grammar: Grammar) -> None:
    tree = Parser(grammar).parse([["the", "wug", "has", "the", "blick", "."]]).trees[0]
    assert tree.labels[1:4] == ("S", "NP", "DT")
    assert tree.words == ("the", "wug", "has", "the", "blick", ".")


def test_what_the_grammar_cannot_build_is_flat_and_marked(grammar: Grammar) -> None:
    lists = Parser(grammar).parse(words(". . the the", "dogs bark ."), n=5)
    assert str(lists.trees[0]) == "(ROOT (FLAT (. .) (. .) (DT the) (DT the)))"
    assert is_flat(lists.trees).tolist()[:2] == [True, False]
    assert lists.log_probabilities[0] == 0
    assert is_flat(ConstituencyTrees.of([])).tolist() == []


def test_the_coarse_grammar_stands_in_for_the_fine_one() -> None:
    # The fine grammar remembers parents: there, "x w" exists below B only.
    trees = ["(ROOT (S (A (X x) (Y y)) (B (V v))))", "(ROOT (S (A (Z z)) (B (V v) (A (X x) (W w)))))"]
    grammar = Grammar.learn(ConstituencyTrees.of(trees * 60), GrammarOptions(splits=()))
    assert str(Parser(grammar).parse([["x", "w", "v"]]).trees[0]) == "(ROOT (S (A (X x) (W w)) (B (V v))))"


def test_too_long_a_sentence_is_flat(grammar: Grammar) -> None:
    parser = Parser(grammar, longest=3)
    assert is_flat(parser.parse(words("dogs bark .", "the dog sees him .")).trees).tolist() == [False, True]


def test_empty_sentences_have_no_trees(grammar: Grammar) -> None:
    lists = Parser(grammar).parse([[], ["dogs", "bark", "."], []], n=2)
    assert np.diff(lists.offsets).tolist()[::2] == [0, 0]
    assert lists.names == ("1", "2", "3")
    assert len(Parser(grammar).parse([]).trees) == 0


def test_tokens_are_taken_as_they_are(grammar: Grammar) -> None:
    (tokens,) = encode(["dogs bark .", "", "the cat sees her ."])
    column, rows = Parser(grammar).parse(tokens, n=3), Parser(grammar).parse(list(tokens), n=3)
    assert list(column.trees) == list(rows.trees)
    assert column.offsets.tolist() == rows.offsets.tolist()


def test_threads_change_nothing(grammar: Grammar) -> None:
    sentences = [tree.words for tree in ConstituencyTrees.of(TREES)] * 20
    one, two = (Parser(grammar).parse(sentences, n=4, threads=threads) for threads in (1, 3))
    assert np.array_equal(one.log_probabilities, two.log_probabilities)
    assert np.array_equal(one.trees.labels, two.trees.labels)
    assert np.array_equal(one.trees.parents, two.trees.parents)


@pytest.mark.parametrize("options", [{"n": 0}, {"margins": ()}, {"margins": (float("inf"),)}, {"margins": (-1.0,)}])
def test_senseless_requests_are_refused(grammar: Grammar, options: dict[str, Any]) -> None:
    n = options.pop("n", 1)
    with pytest.raises(UsageError):
        Parser(grammar, **options).parse([["a"]], n=n)


def test_a_grammar_file_gives_the_same_grammar(grammar: Grammar, tmp_path: Path) -> None:
    for name in ("en.grammar", "en.grammar.gz"):
        save(grammar, tmp_path / name)
        again = load(tmp_path / name)
        assert again.counts.options == grammar.counts.options
        for field in RuleTables._fields:
            assert np.array_equal(getattr(grammar.fine.rules, field), getattr(again.fine.rules, field))
        sentences = words("the dog has a big wug in the box .")
        one_list, two_list = (Parser(which).parse(sentences, n=20) for which in (grammar, again))
        assert list(one_list.trees) == list(two_list.trees)
        assert np.array_equal(one_list.log_probabilities, two_list.log_probabilities)
    save(load(tmp_path / "en.grammar"), tmp_path / "again.grammar")
    assert (tmp_path / "again.grammar").read_bytes() == (tmp_path / "en.grammar").read_bytes()


def test_a_grammar_with_blanks_in_words_is_not_written(tmp_path: Path) -> None:
    tree = ConstituencyTrees.of(["(ROOT (NP (DT a) (NN b)))"])[0]
    odd = type(tree)(tree.labels, tree.parents, ("a b", "c"))
    with pytest.raises(InputError, match="'a b'"):
        save(Grammar.learn(ConstituencyTrees.of([odd])), tmp_path / "odd.grammar")
    assert not (tmp_path / "odd.grammar").exists()


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("wordorder-grammar 1", "wordorder-grammar 2", 1, "expected a grammar file of version 1, found version '2'"),
        ("wordorder-grammar 1", "something else", 1, "not a grammar file"),
        ("vertical 2", "vertical two", 2, "expected a number, found 'two'"),
        ("vertical 2", "vertical 0", 6, "vertical"),
        ("binarisation head", "binarisation middle", 6, "unknown binarisation 'middle'"),
        ("splits ", "splits some,", 6, "unknown split 'some'"),
        ("horizontal", "diagonal", 3, "expected 'horizontal', found 'diagonal'"),
        ("\nT . ", "\nQ . ", 8, "expected T, P or S, then a label and a name"),
        ("\nP ROOT ", "\nS ROOT ", None, "the categories are out of order"),
        (":60\n", ":0\n", None, "a count above 0"),
        (":60\n", ":x\n", None, "expected a number, found 'x'"),
        ("\na - ", "\na ? ", None, "expected a word, then . or -, then tag:count pairs"),
    ],
)
def test_errors_in_a_grammar_file(
    grammar: Grammar, tmp_path: Path, old: str, new: str, line: int | None, message: str
) -> None:
    path = tmp_path / "en.grammar"
    save(grammar, path)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert caught.value.path == str(path)
    assert caught.value.line is not None
    assert line in (None, caught.value.line)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_a_damaged_grammar_file_is_an_error_or_a_grammar(tmp_path: Path, grammar: Grammar, data: st.DataObject) -> None:
    path = tmp_path / "en.grammar"
    save(grammar, path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["change", "cut", "repeat"]))
        if kind == "change":
            content[place] = data.draw(st.sampled_from(b"0159 \nTPSx:+-\xff"))
        elif kind == "cut":
            del content[place : place + data.draw(st.integers(1, 200))]
        else:
            content[place:place] = content[place : place + 30]
        if not content:
            break
    path.write_bytes(bytes(content))
    try:
        damaged = load(path)
    except WordorderError:
        return
    lists = Parser(damaged).parse(words("the dog sees a cat ."), n=3)
    assert lists.trees.lengths.tolist() == [6] * len(lists.trees)


def test_parses_are_written_and_read(grammar: Grammar, tmp_path: Path) -> None:
    lists = Parser(grammar).parse(words("the dog sees a cat in a box .", "", "( dogs"), n=5)
    (tmp_path / "out.nbest").write_text("".join(parse_lists.format_lists(lists)))
    again = parse_lists.read(tmp_path / "out.nbest")
    assert list(again.trees) == list(lists.trees)
    assert again.offsets.tolist() == lists.offsets.tolist()
    assert again.log_probabilities == pytest.approx(lists.log_probabilities, abs=1e-5)


def test_spacy_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(UsageError, match=r"'wordorder\[parsers\]'"):
        parse_with_spacy([["a"]], model="en")


def test_spacy_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in with spaCy's interface: every word depends on the next; the last and every 'stop' are roots."""

    class Doc(list[Any]):
        def __init__(self, vocab: object, words: list[str], sent_starts: list[bool]) -> None:
            assert sent_starts == [place == 0 for place in range(len(words))]
            for place, word in enumerate(words):
                self.append(SimpleNamespace(i=place, text=word, dep_=f"d{place}", pos_="X", tag_=""))
            for token in self:
                last = token.i == len(words) - 1 or token.text == "stop"
                token.head = token if last else self[token.i + 1]

    def load_pipeline(name: str) -> Any:
        if name == "none":
            raise OSError
        names = ["tagger"] if name == "tagger" else ["tagger", "parser"]
        return SimpleNamespace(vocab=None, pipe_names=names, pipe=lambda documents, batch_size: documents)

    spacy, tokens = ModuleType("spacy"), ModuleType("spacy.tokens")
    spacy.load = load_pipeline  # type: ignore[attr-defined]
    tokens.Doc = Doc  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", spacy)
    monkeypatch.setitem(sys.modules, "spacy.tokens", tokens)
    lists = parse_with_spacy([["a", "b"], [], ["stop", "c", "d"]], model="good")
    assert lists.offsets.tolist() == [0, 1, 1, 2]
    assert [tree.heads for tree in lists.trees] == [(1, -1), (-1, 2, 0)]
    assert lists.trees[0].labels == ("d0", "d1")
    assert (lists.trees[0].tags, lists.trees[0].fine_tags) == (("X", "X"), ("_", "_"))
    with pytest.raises(UsageError, match="cannot find the pipeline 'none'"):
        parse_with_spacy([], model="none")
    with pytest.raises(UsageError, match="no dependency parser"):
        parse_with_spacy([], model="tagger")


@pytest.mark.realdata
def test_a_real_treebank_teaches_a_useful_grammar(shared: Path) -> None:
    paths = sorted((shared / "data" / "gum-trees").glob("*.ptb"))
    train = ConstituencyTrees.concatenate([brackets.read(path) for place, path in enumerate(paths) if place % 3 == 0])
    held_out = brackets.read(paths[10])
    lists = Parser(Grammar.learn(train)).parse([tree.words for tree in held_out], n=10)
    best = [lists.trees[int(place)] for place in lists.offsets[:-1]]
    assert score_brackets(held_out, ConstituencyTrees.of(best)).f1 > 0.6
    assert is_flat(lists.trees).mean() < 0.05
    for start, stop in zip(lists.offsets, lists.offsets[1:], strict=False):
        assert (np.diff(lists.log_probabilities[start:stop]) <= 0).all()
