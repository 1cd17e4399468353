"""Reading WordNet's files: a small one written here, damaged ones, and the real one where it is installed."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.linking.matching import Matching, WordNet
from wordorder.linking.matching.relations import DEFAULT_FOLDER

FILES = {
    "index.noun": "  1 licence, set in\nbook n 2 1 @ 2 1 00000100 00000200\nred_tape n 1 0 1 0 00000300\n",
    "index.verb": "book v 1 2 @ ~ 1 1 00000100\nreserve v 1 0 1 0 00000100\n",
    "index.adj": "quick a 1 0 1 0 00000700\n",
    "index.adv": "quick r 1 0 1 0 00000700\n",
    "noun.exc": "geese goose\n",
    "verb.exc": "",
    "adj.exc": "best good well\n",
    "adv.exc": "best well\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def test_synsets_are_told_apart_by_part_of_speech(folder: Path) -> None:
    network = WordNet.read(folder)
    assert len(network.synsets("book")) == 3
    assert network.synsets("booking") == network.synsets("book")
    assert len(network.synsets("book") & network.synsets("reserved")) == 1
    assert len(network.synsets("quick")) == 2
    assert "red_tape" not in network.lemmas
    assert network.exceptions["best"] == ("good", "well", "well")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("index.noun", "book n two 1 @ 2 1 00000100\n", "index.noun:1: expected an entry .* found 'book n two"),
        (
            "index.noun",
            "a n 1 0 1 0 00000100\nbook n 2 1 @ 2 1 00000100\n",
            "index.noun:2: expected an entry .* found 'book n 2 1",
        ),
        ("index.adv", "book\n", "index.adv:1: expected an entry .* found 'book'"),
        ("verb.exc", "went\n", "verb.exc:1: expected base forms after the irregular form 'went'"),
    ],
)
def test_a_damaged_file_names_its_line(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(InputError, match=message):
        WordNet.read(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "adj.exc").unlink()
    with pytest.raises(UsageError, match=r"adj\.exc: no such file"):
        WordNet.read(folder)


@given(content=st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    place = tmp_path_factory.mktemp("wordnet")
    for name, text in FILES.items():
        (place / name).write_text(text)
    for name in ("index.noun", "verb.exc"):
        (place / name).write_bytes(content)
        with contextlib.suppress(WordorderError):
            WordNet.read(place)


@pytest.mark.skipif(not Path(DEFAULT_FOLDER).is_dir(), reason="WordNet is not installed")
def test_the_installed_database() -> None:
    network = WordNet.read()
    for one, other in [("cars", "automobile"), ("children", "kids"), ("bought", "purchased"), ("quick", "fast")]:
        assert network.synsets(one) & network.synsets(other), (one, other)
    assert not network.synsets("cars") & network.synsets("bananas")
    # The index alone must say what the data files say: synset members by byte offset.
    with open(Path(DEFAULT_FOLDER) / "data.adv", encoding="ascii") as source:
        for line in source:
            if not line.startswith(" "):
                fields = line.split()
                for member in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
                    lemma = member.lower().split("(")[0]
                    if "_" not in lemma:
                        assert 3_000_000_000 + int(fields[0]) in network.lemmas[lemma]


def test_a_language_that_wordnet_does_not_have_is_an_error() -> None:
    with pytest.raises(UsageError, match="WordNet has no synonyms for language='german', only English ones"):
        Matching("exact+stem+synonym", language="german")
    assert Matching("exact+stem+synonym", language="porter").language == "porter"
    assert Matching("exact+synonym", language="german", wordnet="a-german-wordnet").wordnet == "a-german-wordnet"
    assert Matching("exact+stem", language="german").language == "german"
