"""The folder of a study: settings and items, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_folders import TOML, make_study

from wordorder.apps.study import Study
from wordorder.apps.study.settings import read_settings, write_value
from wordorder.core.runtime.errors import InputError, WordorderError


def test_a_folder_is_read(tmp_path: Path) -> None:
    study = Study.read(make_study(tmp_path / "s"))
    assert study.settings.questions[0].values == range(1, 8)
    assert len(study.items) == 9
    assert study.item("1x0#2").group == "g1"
    assert study.settings.people.per_item == 3


def test_the_digest_sees_items_questions_and_seed_but_not_pages(tmp_path: Path) -> None:
    first = Study.read(make_study(tmp_path / "a")).digest
    assert Study.read(make_study(tmp_path / "b", TOML + '[pages]\nthanks = "Bye"\n')).digest == first
    for wrong in (TOML.replace("fluent?", "good?"), TOML.replace("seed = 5", "seed = 6"), TOML.replace("7]", "5]")):
        assert Study.read(make_study(tmp_path / "c", wrong)).digest != first
    assert Study.read(make_study(tmp_path / "d", groups=5)).digest != first


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('"scramble"', '"scrambel"', 1, "found 'scrambel'; kind must be one of"),
        ("seed = 5", 'seed = "x"', 3, "a whole number"),
        ("share = 1.0", "share = 1.5", 10, "a share from 0 to 1"),
        ("share", "shaer", 10, "unknown setting 'shaer' in [people]"),
        ("scale = [1, 7]", "scale = [1, 99]", 7, "2 to 11"),
        ("[checks]", "[checks", 11, "invalid TOML"),
        ("title", "titel", 2, "unknown setting"),
        ("practice = 1", "practice = -1", 12, "0 or more"),
    ],
)
def test_mistakes_in_settings_have_their_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    with pytest.raises(InputError) as error:
        Study.read(make_study(tmp_path / "s", TOML.replace(old, new)))
    assert error.value.line == line
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "expected a JSON object, found '{'"),
        ("[]", "expected a JSON object"),
        ('{"id": "0x0", "group": "g"}', "is already used on line 2"),
        ('{"id": "n", "group": "g", "role": "boss"}', "role is 'boss'"),
        ('{"id": "n#2", "group": "g"}', "marks repeats"),
        ('{"id": "n", "group": "g", "text": "a b", "order": [1, 1]}', "every number from 1"),
        ('{"id": "n", "group": "g", "text": 3}', "expected text"),
        (
            '{"id": "n", "group": "g", "role": "attention", "text": "a", "expected": {"fluency": 9}}',
            "must be {question",
        ),
    ],
)
def test_mistakes_in_items_have_their_line(tmp_path: Path, text: str, said: str) -> None:
    folder = make_study(tmp_path / "s")
    with open(folder / "items.jsonl", "a", encoding="utf-8") as stream:
        stream.write(text + "\n")
    with pytest.raises(InputError) as error:
        Study.read(folder)
    assert error.value.line == 10
    assert said in str(error.value)


def test_a_folder_without_a_study_is_named(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(WordorderError, match="wordorder study new"):
            Study.read(folder)


def test_any_text_can_be_written_as_toml(tmp_path: Path) -> None:
    for text in ('a "b" \\c', 'two\nlines """ of', "tab\tand \x7f", "日本\x01"):
        path = tmp_path / "study.toml"
        path.write_text(f'kind = "judge"\ntitle = {write_value(text)}\n', encoding="utf-8")
        assert read_settings(path).title == text
