"""CoNLL-U: words, ranges, empty nodes, comments; errors with their lines."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, WordorderError
from wordorder.core.trees import DependencyTree
from wordorder.formats import conllu

FRENCH = """\
# newdoc id = d
# sent_id = d-1
# text = il va au bois
1\til\til\tPRON\tPRO\t_\t2\tnsubj\t_\t_
2\tva\taller\tVERB\tV\t_\t0\troot\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\tà\tADP\tP\t_\t5\tcase\t_\t_
4\tle\tle\tDET\tD\t_\t5\tdet\t_\t_
4.1\tgrand\tgrand\tADJ\tA\t_\t_\t_\t5:amod\t_
5\tbois\tbois\tNOUN\tN\t_\t2\tobl\t_\t_

# sent_id = d-2
1\toui\toui\tINTJ\tI\t_\t0\troot\t_\t_
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "some.conllu"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def row(identity: object, head: object, *, form: str = "w", columns: int = 10) -> str:
    return "\t".join([str(identity), form, "_", "X", "x", "_", str(head), "dep", "_", "_"][:columns]) + "\n"


def test_ranges_and_empty_nodes_are_no_words(tmp_path: Path) -> None:
    trees = conllu.read(write(tmp_path, FRENCH))
    assert trees[0] == DependencyTree(
        ("il", "va", "à", "le", "bois"),
        (1, -1, 4, 4, 1),
        ("nsubj", "root", "case", "det", "obl"),
        ("PRON", "VERB", "ADP", "DET", "NOUN"),
        ("PRO", "V", "P", "D", "N"),
    )
    assert trees[1].words == ("oui",)


def test_sentences_are_written_as_they_were_read(tmp_path: Path) -> None:
    path = write(tmp_path, FRENCH)
    sentences = list(conllu.read_sentences(path))
    assert [sentence.comment("sent_id") for sentence in sentences] == ["d-1", "d-2"]
    assert sentences[0].tree == conllu.read(path)[0]
    conllu.write(tmp_path / "copy.conllu", sentences)
    assert (tmp_path / "copy.conllu").read_text(encoding="utf-8") == FRENCH + "\n"


def test_a_carriage_return_and_a_mark_are_tolerated(tmp_path: Path) -> None:
    plain = list(conllu.read(write(tmp_path, FRENCH)))
    marked = b"\xef\xbb\xbf" + FRENCH.replace("\n", "\r\n").encode()
    assert list(conllu.read(write(tmp_path, marked))) == plain


def test_non_projective_trees_are_read_and_told(tmp_path: Path) -> None:
    text = row(1, 3) + row(2, 4) + row(3, 0) + row(4, 3) + "\n" + row(1, 0) + "\n"
    assert conllu.read(write(tmp_path, text)).projective().tolist() == [False, True]


def test_empty_sentences(tmp_path: Path) -> None:
    text = "# a remark of its own\n\n# sent_id = 1\n# text =\n\n" + row(1, 0) + "\n\n\n"
    trees = conllu.read(write(tmp_path, text))
    assert trees.lengths.tolist() == [0, 1]
    conllu.write(tmp_path / "copy.conllu", trees)
    assert list(conllu.read(tmp_path / "copy.conllu")) == list(trees)
    assert len(conllu.read(write(tmp_path, ""))) == 0


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (row(1, 0) + "\n" + row(1, 2) + row(2, 1), 3, "no word has head 0; expected exactly one root"),
        (row(1, 0) + "\n" + row(1, 0) + row("2-3", "_") + row(2, 3) + row(3, 2), 5, "cycle at word 2 'w'"),
        (row(1, 0) + row(2, 0), 2, "second root"),
        (row(1, 0) + row(2, 3), 2, "head '3'; expected 0 .root. to 2"),
        (row(1, "x"), 1, "head 'x'"),
        (row(1, "_"), 1, "head '_'"),
        (row(1, "²"), 1, "head '²'"),
        (row(1, "9" * 30), 1, "head '99"),
        (row(1, -1), 1, "head '-1'"),
        (row(2, 0), 1, "found word ID '2'; expected 1"),
        (row(1, 0) + row("1-2", "_"), 2, "found word ID '1-2'; expected 2"),
        (row(1, 0) + row("3.1", "_"), 2, "found word ID '3.1'; expected 2"),
        (row("one", 0), 1, "found word ID 'one'"),
        (row(1, 0, columns=9), 1, "expected 10 columns separated by tabs, found 9 columns: '1'"),
        ("just text\n", 1, "found 1 column: 'just text'"),
        (row(1, 0, form=""), 1, "word 1 has an empty form"),
        (row(1, 0) + "# late remark\n", 2, "found 1 column: '# late remark'"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        conllu.read(write(tmp_path, text))
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "some.conllu"), line)


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not UTF-8") as caught:
        conllu.read(write(tmp_path, row(1, 0).encode() + b"\n\xff\n"))
    assert caught.value.line == 3


cells = st.sampled_from(["1", "2", "0", "1-2", "1.1", "_", "", "a", "-1", "#"])
fuzz = st.lists(st.lists(cells, min_size=1, max_size=10).map("\t".join), max_size=5).map("\n".join)
columns = st.lists(st.tuples(cells, cells).map(lambda pair: row(*pair)), max_size=4).map("".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fuzz.map(str.encode) | columns.map(str.encode) | st.binary(max_size=60))
def test_any_bytes_are_trees_or_an_error(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content)
    with contextlib.suppress(WordorderError):
        assert list(conllu.read(path)) == [sentence.tree for sentence in conllu.read_sentences(path)]


@pytest.mark.realdata
def test_real_treebanks(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "pud-aligned" / "en-fr"
    english, french = conllu.read(folder / "en.conllu"), conllu.read(folder / "target.conllu")
    assert len(english) == len(french)
    assert 0 < (~french.projective()).sum() < 100
    copy = tmp_path / "copy.conllu"
    conllu.write(copy, conllu.read_sentences(folder / "target.conllu"))
    assert copy.read_bytes().strip() == (folder / "target.conllu").read_bytes().strip()
