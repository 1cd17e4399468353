"""Help: ``-h`` fits on a screen, ``--help`` has everything, and settings are explained as they are declared."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from inspect import signature
from typing import Any

import pytest

import wordorder
from running import run
from wordorder.cli.main import build_parser
from wordorder.cli.parser import SHORT_HELP_LINES, CommandParser
from wordorder.core.runtime.settings import Setting, settings_of
from wordorder.scoring.inputs.make_inputs import VALUES
from wordorder.scoring.options import InputOptions, ScoreOptions

Capture = pytest.CaptureFixture[str]


def walk(parser: CommandParser) -> Iterator[CommandParser]:
    """Yield a parser and those of all commands below it."""
    parser.load()
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from walk(below)


PARSERS = {parser.prog: parser for parser in walk(build_parser())}
LEAVES = [name for name, parser in PARSERS.items() if parser.get_default("run")]


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def options_of(parser: CommandParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS]


# --- short and long ------------------------------------------------------------------------------------------------


def test_every_command_is_looked_at() -> None:
    assert {"wordorder score", "wordorder preorder evaluate", "wordorder study analyse"} <= set(LEAVES)
    assert len(PARSERS) > len(LEAVES) > 35


@pytest.mark.parametrize("name", PARSERS)
def test_the_short_help_fits_on_a_screen(name: str) -> None:
    assert SHORT_HELP_LINES == 45
    lines = PARSERS[name].format_short_help().splitlines()
    assert len(lines) <= 45
    assert lines[0].startswith(f"usage: {name}")


@pytest.mark.parametrize("name", LEAVES)
def test_common_options_are_options_and_are_shown(name: str) -> None:
    parser = PARSERS[name]
    known = {action.dest: action for action in reversed(parser._actions)}
    assert set(parser.common) <= set(known)
    assert len(set(parser.common)) == len(parser.common)
    shown = parser.format_short_help()
    for common in parser.common:
        names = known[common].option_strings or [str(known[common].metavar or common.upper())]
        assert any(one in shown for one in names), common


@pytest.mark.parametrize("name", PARSERS)
def test_the_long_help_lists_every_option(name: str) -> None:
    parser = PARSERS[name]
    words = set(parser.format_help().replace(",", " ").replace("[", " ").split())
    for action in options_of(parser):
        assert set(action.option_strings) <= words
        assert action.help


@pytest.mark.parametrize("name", LEAVES)
def test_a_short_help_that_leaves_something_out_says_so(name: str) -> None:
    parser = PARSERS[name]
    short, whole = parser.format_short_help(), parser.format_help()
    if short != whole:
        count = sum(bool(action.option_strings) for action in parser._actions)
        assert short.endswith(f"{count} options in all: {name} --help\n")
        assert len(short) < len(whole)


def test_both_are_printed(capsys: Capture) -> None:
    short, whole = run(capsys, "score", "-h"), run(capsys, "score", "--help")
    assert (short.code, short.err, whole.code, whole.err) == (0, "", 0, "")
    assert short.out.endswith("options in all: wordorder score --help\n")
    assert "--paraphrases" not in short.out
    assert "--paraphrases" in whole.out


# --- one name, one declaration -------------------------------------------------------------------------------------


def declared() -> Mapping[str, Setting]:
    """Every setting of inputs, scores and resampling."""
    owners: tuple[Any, ...] = (InputOptions, ScoreOptions, wordorder.Resampling)
    values = (wordorder.Matching, wordorder.Aligning, wordorder.Parsing)
    return {name: known for owner in (*owners, *values) for name, known in settings_of(owner).items()}


SETTINGS = declared()


def keywords_of(function: Any) -> list[str]:
    """Every keyword of a function that is a setting, those of its options, too."""
    parameters = signature(function).parameters.values()
    found = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    if len(found) < len(parameters):
        found += InputOptions.__annotations__
    return [name for name in dict.fromkeys(found) if name in SETTINGS]


def test_shortcuts_are_the_settings_of_the_three_values() -> None:
    values = {"matching": wordorder.Matching, "aligning": wordorder.Aligning, "parsing": wordorder.Parsing}
    assert set(VALUES) == set(values)
    beside = [name for name in InputOptions.__annotations__ if name not in settings_of(InputOptions)]
    shortcuts = [name for name in beside if name not in values]
    assert sorted(shortcuts) == sorted(name for value in values.values() for name in settings_of(value))
    assert sorted(beside) == sorted([*shortcuts, *values])


def test_no_two_classes_declare_a_setting_of_the_same_name() -> None:
    owners = (InputOptions, ScoreOptions, wordorder.Resampling, wordorder.Matching, wordorder.Aligning)
    names = [name for owner in (*owners, wordorder.Parsing) for name in settings_of(owner)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "keyword"),
    [(name, each) for name in ("score", "find", "profile") for each in keywords_of(getattr(wordorder, name))],
)
def test_a_setting_in_python_is_an_option_of_the_command(name: str, keyword: str) -> None:
    options = PARSERS[f"wordorder {name}"]._option_string_actions
    flag = keyword.replace("_", "-")
    action = options.get(f"--{flag}") or options.get(f"--no-{flag}")
    if action is None:
        assert name == "find"  # which refuses what has no meaning for it
        with pytest.raises(wordorder.UsageError, match=f"{keyword} cannot be used to find order errors"):
            wordorder.find(["a"], ["a"], **{keyword: "x"})  # type: ignore[arg-type]
        return
    assert action.dest == keyword
    known = SETTINGS[keyword]
    assert action.help is not None
    assert known.help.removesuffix(")") in action.help.replace("%%", "%")
    if (name, keyword) != ("find", "lowercase"):  # text is lower-cased there, unless it is told not to
        assert known.default is None or action.default in (None, known.default)
    assert set(action.choices or ()) <= set(known.choices)


def test_what_can_be_passed_to_score_can_be_typed() -> None:
    """Of all settings of inputs and scores none is for Python alone."""
    assert set(keywords_of(wordorder.score)) == set(SETTINGS)
