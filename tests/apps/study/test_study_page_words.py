"""The words of the page: every one that is used exists, in every language, and the documentation lists them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from study_folders import TOML, make_study

from wordorder.apps.study import Study
from wordorder.apps.study.words import read_words
from wordorder.core.runtime.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
STUDY = ROOT / "src" / "wordorder" / "apps" / "study"
ENGLISH = read_words("en")
LANGUAGES = sorted(path.stem for path in (STUDY / "languages").glob("*.toml"))


def test_every_word_that_is_used_exists() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (STUDY / "browser").rglob("*.js"))
    used = set(re.findall(r'\bword\("(\w+)"', code))
    assert len(used) > 50
    assert used - set(ENGLISH) == set()


def test_the_documentation_lists_every_word_as_it_is() -> None:
    page = (ROOT / "docs" / "study-reference.md").read_text(encoding="utf-8")
    words = {name: text for name, text in ENGLISH.items() if name != "reviewed"}
    assert [name for name, text in words.items() if f'\n{name} = "{text}"\n' not in page] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_word_with_what_is_filled_in(language: str) -> None:
    words = read_words(language)
    assert words["lang"] == language
    assert list(words) == list(ENGLISH)
    assert all(words.values())
    for name, text in words.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", ENGLISH[name])), name
    assert (words["reviewed"] == "yes") == (language == "en")
    comments = (STUDY / "languages" / f"{language}.toml").read_text("utf-8").splitlines()[0]
    assert ("Not yet reviewed by a native speaker" in comments) == (language != "en")


@pytest.mark.parametrize(
    ("words", "line", "said"),
    [
        ('nxet = "Weiter"', 14, "unknown word 'nxet' in [words]; did you mean 'next'?"),
        ('qqqqqqqq = "Weiter"', 14, "unknown word 'qqqqqqqq' in [words]"),
        ('next = "Weiter {n}"', 14, "next in [words] has {n}, which the English words do not have"),
        ("next = 3", 14, "must be text"),
    ],
)
def test_mistakes_in_words_have_their_line(tmp_path: Path, words: str, line: int, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as error:
        Study.read(make_study(tmp_path / "s", f"{TOML}[words]\n{words}\n"))
    assert error.value.line == line


def test_the_language_of_the_page_is_that_of_the_sentences_or_the_one_in_words(tmp_path: Path) -> None:
    def words_of(more: str, language: str = "de-AT") -> dict[str, str]:
        toml = TOML.replace("seed = 5", f'seed = 5\nlanguage = "{language}"')
        return Study.read(make_study(tmp_path / "s", toml + more)).settings.page_words

    assert words_of("")["lang"] == "de"
    assert words_of('[words]\nlang = "en"\n')["next"] == "Next"
    own = words_of('[words]\nnext = "Und weiter"\n')
    assert (own["next"], own["back"]) == ("Und weiter", read_words("de")["back"])
    assert words_of("", "la")["lang"] == "en"
