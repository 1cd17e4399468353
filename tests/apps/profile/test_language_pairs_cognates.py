"""Similarity of languages from cognate classes (Birch 2011, §4.4.2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import Cognates, LanguageMatrix, read_cognates
from wordorder.core.runtime.errors import InputError, WordorderError

# The classes of the words of Table 4.4 for "animal" and "black"
TABLE_4_4 = {
    "French": "1 1",
    "Italian": "1 1",
    "Spanish": "1 1",
    "English": "1 2",
    "German": "2 3",
    "Swedish": "2 3",
    "Danish": "2 3",
    "Dutch": "2 3",
}


@pytest.mark.parametrize("long", [False, True])
def test_section_4_4_2_the_similarities_of_table_4_4(tmp_path: Path, long: bool) -> None:
    path = tmp_path / "classes.tsv"
    lines = ["language\tanimal\tblack", *(f"{name}\t{row.replace(' ', chr(9))}" for name, row in TABLE_4_4.items())]
    if long:
        words = [(name, *row.split()) for name, row in TABLE_4_4.items()]
        lines = ["class,language,form,meaning"]
        lines += [f"{animal},{name},x,animal\n{black},{name},y,black" for name, animal, black in words]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    matrix = LanguageMatrix.of(read_cognates(path).pairs(), "similarity")
    found = {
        (one, two): matrix.values[matrix.sources.index(one), matrix.targets.index(two)]
        for one in TABLE_4_4
        for two in TABLE_4_4
        if one != two
    }
    romance = ("French", "Italian", "Spanish")
    for (one, two), share in found.items():
        assert share == found[two, one]
        if one in romance:
            assert share == (1 if two in romance else 0.5 if two == "English" else 0)
        elif one == "English" and two not in romance:
            assert share == 0


classes = st.frozensets(st.sampled_from("xyz"), min_size=1, max_size=2)
languages = st.dictionaries(st.sampled_from("abcd"), st.dictionaries(st.sampled_from("123"), classes), min_size=2)


@given(languages)
def test_what_nobody_can_tell_is_not_compared(words: dict[str, dict[str, frozenset[str]]]) -> None:
    cognates = Cognates(words)
    for one in words:
        for two in words:
            common = [meaning for meaning in "123" if meaning in words[one] and meaning in words[two]]
            shared = [meaning for meaning in common if words[one][meaning] & words[two][meaning]]
            assert cognates.compare(one, two) == (len(shared), len(common))


def test_entries_and_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "classes.tsv"
    path.write_text("Language\ta\tb\tc\nx\t1/2\t?\t\ny\t2\t-\t4\n", encoding="utf-8")
    assert read_cognates(path).classes == {"x": {"a": {"1", "2"}}, "y": {"a": {"2"}, "c": {"4"}}}
    for text, message in (
        ("a\tb\nx\t1\n", "no column 'language'"),
        ("language\nx\n", "expected a header 'language …' with a column for each meaning, found 'language'"),
        ("language\ta\ta\nx\t1\t1\n", "expected a header 'language …'"),
        ("language\ta\nx\t1\nx\t1\n", "classes.tsv:3: the language 'x' occurs twice"),
        ("language\ta\nx\n", "classes.tsv:2: found 1 field; expected 2"),
        ("language\ta\n\t1\n", "classes.tsv:2: expected a language, found an empty field"),
        ("language\ta\nx\t1\n", "expected at least two languages, found 1"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as error:
            read_cognates(path)
        assert message in str(error.value)
    path.write_text("language\ta\tb\nx\t1\t?\ny\t?\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match="no two languages have words with a known class for the same meaning"):
        read_cognates(path).pairs()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_are_a_table_or_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fuzz.tsv"
    path.write_bytes(b"language\ta\tb\n" + content)
    try:
        found = read_cognates(path)
    except WordorderError:
        return
    assert len(found.classes) >= 2
