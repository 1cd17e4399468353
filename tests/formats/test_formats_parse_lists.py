"""Lists of parses from files: Charniak's form, CoNLL-U with probabilities, plain brackets."""

from __future__ import annotations

import contextlib
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.trees import to_dependency_lists
from wordorder.formats import parse_lists

CHARNIAK = """\
2\tdoc-1 a
-3
(S1 (NP (NN time) (NNS flies)))
-4.5
(S1 (S (NP (NN time)) (VP (VBZ flies))))

0 doc-2

1 doc-3
-1
(S1 (INTJ (UH yes)))
"""

read_conllu = partial(parse_lists.read_dependencies, format="conllu")


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "some.nbest"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def conllu_parse(name: str | None, probability: object, heads: tuple[int, ...], comment: str = "") -> str:
    lines = [f"# sent_id = {name}"] if name is not None else []
    lines += [f"# parse_prob = {probability}"] if probability is not None else []
    lines += [comment] if comment else []
    lines += [f"{i}\tw{i}\t_\t_\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, start=1)]
    return "\n".join(lines) + "\n\n"


def test_charniak_lists(tmp_path: Path) -> None:
    lists = parse_lists.read(write(tmp_path, CHARNIAK))
    assert lists.names == ("doc-1 a", "doc-2", "doc-3")
    assert lists.offsets.tolist() == [0, 2, 2, 3]
    assert lists.log_probabilities.tolist() == pytest.approx([x * math.log(2) for x in (-3, -4.5, -1)])
    assert str(lists.trees[1]) == "(ROOT (S (NP (NN time)) (VP (VBZ flies))))"
    natural = parse_lists.read(tmp_path / "some.nbest", base=math.e)
    assert natural.log_probabilities.tolist() == pytest.approx([-3, -4.5, -1])


def test_blocks_make_no_difference(tmp_path: Path) -> None:
    path = write(tmp_path, CHARNIAK)
    parts = list(parse_lists.read_blocks(path, sentences=1))
    assert [len(part) for part in parts] == [1, 1, 1]
    assert [str(tree) for part in parts for tree in part.trees] == list(map(str, parse_lists.read(path).trees))


def test_lists_are_written_as_they_are_read(tmp_path: Path) -> None:
    lists = parse_lists.read(write(tmp_path, CHARNIAK))
    (tmp_path / "copy.nbest").write_text("".join(parse_lists.format_lists(lists)))
    copy = parse_lists.read(tmp_path / "copy.nbest")
    assert copy.names == lists.names
    assert list(copy.trees) == list(lists.trees)
    assert copy.offsets.tolist() == lists.offsets.tolist()
    assert copy.log_probabilities.tolist() == pytest.approx(lists.log_probabilities.tolist(), abs=1e-5)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("2 a\n-1\n(A a)\n", 1, "the file ends after 1 of 2 parses"),
        ("1 a\n-1\n", 1, "the file ends after 0 of 1 parses"),
        ("2 a\n-1\n(A a)\n-1\n(A b)\n", 5, "word 1 is 'b', but 'a' in the first parse of the list"),
        (
            "1 a\n-1\n(A a)\n2 b\n-0.1\n(A a)\n-0.1\n(B a)\n",
            4,
            "the probabilities of the list sum to 1.86607; expected",
        ),
        ("x a\n", 1, "expected 'n sentence-id', found 'x a'"),
        ("1 a\n-1\n(A a)\n-2\n(A a)\n", 4, "expected 'n sentence-id', found '-2'"),
        ("1 a\nlikely\n(A a)\n", 2, "expected a log probability, found 'likely'"),
        ("1 a\nnan\n(A a)\n", 2, "found log probability nan; expected a number of at most 0"),
        ("1 a\n0.5\n(A a)\n", 2, "found log probability 0.5; expected a number of at most 0"),
        ("1 a\n-inf\n(A a)\n", 2, "log probability -inf"),
        ("2 a\n-1\n(A (B a)\n-2\n(A (B a))\n", 3, "expected one complete tree on this line"),
        ("2 a\n-1\n(A (B a)\n-2\n(A (B a)))\n", 3, "expected one complete tree on this line"),
        ("2 a\n-1\n(A (B a)))\n-2\n(A (B a))\n", 3, "without an opening bracket"),
        ("2 a\n-1\n(A a) (B b)\n-2\n(A (B a))\n", 3, "expected one complete tree on this line"),
        ("1 a\n-1\n(A a) (B b)\n", 3, "expected one complete tree on this line"),
        ("1 a\n-1\n(A a)\n\n1 b\n-1\n(A)\n", 7, "without words"),
        ("1 a\n-1\n(A (-NONE- a))\n", 3, "found a tree without words"),
        ("2 a\n-1\n(A a)\n-2\n(A (B a) (B b))\n", 5, "the number of words is 2, but 1 in the first parse of the list"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_lists.read(write(tmp_path, text))
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "some.nbest"), line)


def test_conllu_lists(tmp_path: Path) -> None:
    text = (
        conllu_parse("a", 0.5, (0, 1))
        + conllu_parse("a", 0.25, (2, 0))
        + conllu_parse("b", None, (0,))
        + conllu_parse(None, None, (0,))
        + conllu_parse(None, None, (0,))
        + "# sent_id = e\n\n"
    )
    lists = read_conllu(write(tmp_path, text))
    assert lists.names == ("a", "b", "3", "4", "e")
    assert lists.offsets.tolist() == [0, 2, 3, 4, 5, 5]
    assert lists.log_probabilities.tolist() == pytest.approx([math.log(0.5), math.log(0.25), 0, 0, 0])
    assert lists.weights().tolist() == pytest.approx([2 / 3, 1 / 3, 1, 1, 1])
    assert [tree.heads for tree in lists.trees] == [(-1, 0), (1, -1), (-1,), (-1,), (-1,)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (conllu_parse("a", 0.8, (0,)) + conllu_parse("a", 0.7, (0,)), 3, "sum to 1.5; expected more than 0, at most 1"),
        (conllu_parse("a", 0, (0,)) + conllu_parse("a", 0.0, (0,)), 3, "sum to 0"),
        (
            conllu_parse("a", 0.8, (0,)) + conllu_parse("a", None, (0,)),
            6,
            "one of several parses of sentence 'a' has no",
        ),
        (conllu_parse("a", 0.8, (0,)) + conllu_parse("a", "high", (0,)), 7, "parse_prob 'high'; expected a number"),
        (conllu_parse("a", 1.8, (0,)), 3, "parse_prob 1.8; expected a number from 0 to 1"),
        (conllu_parse("a", "nan", (0,)), 3, "parse_prob nan; expected a number from 0 to 1"),
        (
            conllu_parse("a", 0.5, (0,)) + conllu_parse("a", 0.5, (0, 1)),
            7,
            "the number of words is 2, but 1 in the first parse of the list",
        ),
        (conllu_parse("a", 0.5, (0,)) + conllu_parse("a", 0.5, (1,)), 7, "no word has head 0"),
    ],
)
def test_conllu_errors_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_conllu(write(tmp_path, text))
    assert caught.value.line == line


def test_every_format_gives_dependencies(tmp_path: Path) -> None:
    path = write(tmp_path, CHARNIAK)
    found = parse_lists.read_dependencies(path, format="nbest")
    assert [tree.heads for tree in found.trees] == [(1, -1), (1, -1), (-1,)]
    path = write(tmp_path, "(S (NP (NN time)) (VP (VBZ flies)))\n(INTJ (UH yes))\n")
    found = parse_lists.read_dependencies(path, format="brackets")
    assert [tree.labels for tree in found.trees] == [("S/NP", "ROOT/S"), ("ROOT/INTJ",)]
    assert found.weights().tolist() == [1, 1]
    path = write(tmp_path, conllu_parse("a", 0.5, (0, 1)))
    assert parse_lists.read_dependencies(path, format="conllu").names == ("a",)
    with pytest.raises(UsageError, match="unknown format of parses 'conll'; did you mean 'conllu'"):
        parse_lists.read_dependencies(path, format="conll")
    assert len(parse_lists.read(write(tmp_path, ""))) == 0


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (CHARNIAK, "nbest"),
        ("\n  (S (NN a))\n", "brackets"),
        ("# text = a\n\n", "conllu"),
        (conllu_parse(None, None, (0,)), "conllu"),
    ],
)
def test_the_format_is_seen_from_the_first_line(tmp_path: Path, text: str, format: str) -> None:
    assert parse_lists.guess_format(write(tmp_path, text)) == format
    assert len(parse_lists.read_dependencies(tmp_path / "some.nbest")) >= 1


@pytest.mark.parametrize("text", ["", "\n\n", "words without brackets\n", "-1.5\n"])
def test_what_are_no_parses(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="not a file of parses: expected '\\('"):
        parse_lists.guess_format(write(tmp_path, text))
    with pytest.raises(UsageError, match="standard input must be given"):
        parse_lists.guess_format("-")


@pytest.mark.parametrize("sentences", [1, 2, 3, 7])
def test_blocks_of_every_format_have_exactly_so_many_sentences(tmp_path: Path, sentences: int) -> None:
    trees = [f"(S (NP (NN w{i}))\n   (VP (VB x)))" for i in range(5)]
    texts = {
        "brackets": "\n".join([trees[0], f"{trees[1]} {trees[2]}", *trees[3:]]),  # no tree a line
        "nbest": "".join(f"1 {i}\n-1\n{tree}\n" for i, tree in enumerate(t.replace("\n", " ") for t in trees)),
        "conllu": "".join(conllu_parse(str(i), 0.5, (0,)) + conllu_parse(str(i), 0.25, (0,)) for i in range(5)),
    }
    for format, text in texts.items():
        path = write(tmp_path, text)
        parts = list(parse_lists.dependency_blocks(path, sentences=sentences))
        sizes = [len(part) for part in parts]
        assert sizes == [sentences] * (5 // sentences) + [5 % sentences] * (5 % sentences > 0)
        whole = parse_lists.read_dependencies(path, format=format)
        assert [tree for part in parts for tree in part.trees] == list(whole.trees)


def test_conllu_is_written_as_it_is_read(tmp_path: Path) -> None:
    text = conllu_parse("a", 0.5, (0, 1)) + conllu_parse("a", 0.25, (2, 0)) + conllu_parse("b", None, (0,))
    lists = read_conllu(write(tmp_path, text + "# sent_id = e\n\n"))
    copy = read_conllu(write(tmp_path, "".join(parse_lists.format_conllu(lists))))
    assert copy.names == ("a", "b", "e")
    assert list(copy.trees) == list(lists.trees)
    assert copy.offsets.tolist() == lists.offsets.tolist()
    assert copy.weights(gamma=0.25).tolist() == pytest.approx(lists.weights(gamma=0.25).tolist())
    assert np.exp(copy.log_probabilities).tolist() == pytest.approx([2 / 3, 1 / 3, 1])  # normalised over the list


def test_probabilities_too_small_for_a_number_are_written_as_shares(tmp_path: Path) -> None:
    """e^-2000 is no double; within the list the parses still differ."""
    lists = parse_lists.read(write(tmp_path, "2 a\n-3000\n(A a)\n-3001\n(B a)\n"))
    copy = read_conllu(write(tmp_path, "".join(parse_lists.format_conllu(to_dependency_lists(lists)))))
    assert copy.weights().tolist() == pytest.approx([2 / 3, 1 / 3])
    (tmp_path / "copy").write_text("".join(parse_lists.format_lists(lists)))
    assert parse_lists.read(tmp_path / "copy").weights().tolist() == pytest.approx([2 / 3, 1 / 3])


def test_no_minus_before_zero(tmp_path: Path) -> None:
    """A flat tree has probability 1."""
    lists = parse_lists.read(write(tmp_path, "1 a\n-0\n(A a)\n"))
    assert "".join(parse_lists.format_lists(lists)) == "1\ta\n0.000000\n(ROOT (A a))\n\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["1 a", "2 b", "-1", "0.5", "(A a)", "(A (B a)", ")", "", "x"]), max_size=8)
    .map("\n".join)
    .map(str.encode)
    | st.binary(max_size=40)
)
def test_any_bytes_are_lists_or_an_error(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content)
    for reader in (parse_lists.read, read_conllu, parse_lists.read_dependencies):
        with contextlib.suppress(WordorderError):
            assert len(reader(path).trees) >= 0


def test_an_empty_sentence_has_no_parse_even_with_a_probability(tmp_path: Path) -> None:
    row = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"
    text = f"# sent_id = 1\n# parse_prob = 1\n\n# sent_id = 2\n# parse_prob = 0.5\n{row}\n"
    lists, sentences = parse_lists.read_conllu_sentences(write(tmp_path, text))
    assert lists.offsets.tolist() == [0, 0, 1]
    assert [sentence.comment("sent_id") for sentence in sentences] == ["2"]


def test_parses_come_with_their_sentences(tmp_path: Path) -> None:
    row = "1\ta\tlemma\t_\t_\t_\t0\troot\t_\t_\n"
    nothing = "# sent_id = 1\n# parse_prob = 0.5\n\n"
    text = f"{nothing}{nothing}# sent_id = 2\n# text = a\n{row}\n# text =\n\n{row}\n"
    lists, sentences = parse_lists.read_conllu_sentences(write(tmp_path, text))
    assert lists.offsets.tolist() == [0, 2, 3, 3, 4]
    assert [len(sentence.rows) for sentence in sentences] == lists.trees.lengths.tolist() == [0, 0, 1, 1]
    assert sentences[2].rows[0][2] == "lemma"
