"""What scripts rely on: public Python names, options, metrics, defaults, and the keys and columns of output.

``python tests/stable_names.py`` writes those of today into ``stable_names.json``. What leaves that file breaks
the promise of docs/promises.md; what enters it is promised from then on.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import wordorder
from wordorder.cli.main import build_parser, main
from wordorder.cli.parser import CommandParser

FILE = Path(__file__).with_name("stable_names.json")
ROOT = Path(__file__).resolve().parents[1]
DEMO = Path(str(files("wordorder"))) / "data" / "demo"
OLDER = ROOT / "tests" / "whole" / "older"

_TEXT = "--ref reference.txt --hyp good.txt monotone.txt"
_THREE = "--ref reference.txt --hyp good.txt monotone.txt scrambled.txt"
_LINKED = "--source source.txt --aligner model1"
PRINTING = (
    f"score {_THREE} -m kendall pef bleu lr-kb4 --baseline good",
    f"score {_TEXT} {_LINKED} --order source -m kendall",
    "score --permutations good.orders monotone.orders -m kendall ulam",
    f"find {_TEXT}",
    f"patterns {_TEXT}",
    f"monotone {_LINKED} --ref reference.txt reference2.txt --hyp good.txt monotone.txt",
    f"profile {_LINKED} --target reference.txt",
    f"metaeval {_THREE} --judgements rankings.csv --pair de-en -m kendall bleu --samples 100",
    f"tune lr-kb4 --vary alpha=0:1 {_THREE} --judgements rankings.csv --pair de-en --samples 10 --restarts 1",
    "preorder evaluate --parses source.conllu --align reference.align --rules r1 r5 --samples 100",
    "align --source source.txt --target reference.txt --aligner model1 --gold gold.talp",
    "nbest oracle dev.nbest.gz --ref reference.txt",
    "nbest tune dev.nbest.gz --ref reference.txt --restarts 1",
    "study analyse PREFER --simulated",
)
"""Commands that print a table, to be run in the folder of the demo data; PREFER is a study made by version 0.2.0."""

NO_TABLES = ("inspect '2 4 5 6 1 3'", "metrics")


SETTINGS = ("Aligning", "Matching", "Parsing")
"""Classes whose arguments ``score`` and other functions take as their own."""


def keys(found: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every key; elements of lists are not numbered."""
    for key, value in found.items() if isinstance(found, dict) else ():
        yield f"{path}/{key}"
        yield from keys(value, f"{path}/{key}")
    for value in found if isinstance(found, list) else ():
        yield from keys(value, f"{path}[]")


def leaves(parser: CommandParser) -> Iterator[CommandParser]:
    """Yield every command that has no commands of its own."""
    parser.load()
    below = [sub for action in parser._actions if isinstance(action.choices, dict) for sub in action.choices.values()]
    for sub in below:
        yield from leaves(sub)
    if not below:
        yield parser


def value_of(default: Any) -> str:
    """Write a default if it says something."""
    return f"={default}" if isinstance(default, str | int | float | tuple | list) and default != "==SUPPRESS==" else ""


def python_names() -> Iterator[str]:
    """Yield every public name with its arguments, and the attributes of classes that the documentation uses or used."""
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))]
    pages = "\n".join([*texts, *json.loads(FILE.read_text(encoding="utf-8"))["python"]])
    for name in wordorder.__all__:
        value = getattr(wordorder, name)
        members = {name: value}
        if inspect.isclass(value) and not issubclass(value, Exception):
            used = {one for one in dir(value) if one[0] != "_" and re.search(rf"(\w\)?\.|def |\n    ){one}\b", pages)}
            members |= {f"{name}.{one}": getattr(value, one) for one in used}
        for full, member in members.items():
            yield full
            made = inspect.isclass(member) and (name in SETTINGS or re.search(rf"\b{name}\((?!\d)", pages))
            if inspect.isfunction(member) or inspect.ismethod(member) or made:
                for one in inspect.signature(member).parameters.values():
                    if one.name != "self":
                        yield f"{full}({one.name}{value_of(one.default)})"


def metric_names() -> Iterator[str]:
    """Yield every metric and its settings with their defaults."""
    for name in wordorder.METRICS:
        yield name
        yield from (f"{name}:{one['name']}{value_of(one['default'])}" for one in wordorder.describe(name)["parameters"])


def options(command: CommandParser) -> Iterator[str]:
    """Yield the options of a command with their defaults, and the values of those that offer a choice."""
    for action in command._actions:
        for option in action.option_strings:
            yield option + value_of(action.default)
            yield from (f"{option} {value}" for value in action.choices or ())


def printed(command: str) -> tuple[set[str], set[str]]:
    """Return the keys of JSON and the columns of TSV that a command prints in the folder of the demo data."""

    def run(*more: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            code = main([*shlex.split(command.replace("PREFER", str(OLDER / "prefer"))), "-q", *more])
        assert code == 0, f"{command} {' '.join(more)}"
        return out.getvalue()

    columns = [] if command in NO_TABLES else run("--format", "tsv").partition("\n")[0].split("\t")
    return set(keys(json.loads(run("--json")))), set(columns)


def declared() -> dict[str, set[str]]:
    """Return the names that can be listed without running a command, by what they belong to."""
    commands = {leaf.prog: set(options(leaf)) for leaf in leaves(build_parser())}
    return {"python": set(python_names()), "metrics": set(metric_names()), **commands}


def write() -> None:
    """Write the names of today."""
    os.environ["WORDORDER_CACHE"] = tempfile.mkdtemp()
    os.chdir(DEMO)
    found = declared()
    for command in (*PRINTING, *NO_TABLES):
        found[f"{command}: JSON"], found[f"{command}: TSV"] = printed(command)
    text = json.dumps({group: sorted(names) for group, names in found.items()}, indent=0, ensure_ascii=False)
    FILE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
