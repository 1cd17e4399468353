"""A package of somebody else's adds a command and a metric; one that is broken costs one line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import wordorder

Run = Callable[..., "subprocess.CompletedProcess[str]"]

MODULES = {
    "shouting/__init__.py": "",
    "shouting/command.py": '''
"""Print words in capital letters.

examples:
  wordorder shout hello
"""


def add_arguments(parser):
    parser.add_argument("words", nargs="+", help="what to shout")
    parser.add_argument("--mark", default="!", help="what to end with")


def run(options):
    if options.words == ["nothing"]:
        from wordorder import InputError

        raise InputError("there is nothing to shout")
    print(" ".join(options.words).upper() + options.mark)
''',
    "shouting/metric.py": '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder import OrderMetric


@dataclass(frozen=True)
class FirstWord(OrderMetric):
    """Is the first word the first one of the reference?"""

    name: ClassVar[str] = "first-word"
    formula: ClassVar[str] = "[π_1 = 1]"
    paper: ClassVar[str] = "nobody 2020"

    def values(self, orders):
        return np.array([float(row.ranks[0] == 0) if len(row) else np.nan for row in orders.permutations])
''',
    "shouting/broken.py": "import no_such_library\n",
    "shouting/empty.py": "",
    "shouting-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n",
    "shouting-1.0.dist-info/entry_points.txt": """
[wordorder.commands]
shout = shouting.command
break = shouting.broken
empty = shouting.empty
absent = shouting.absent
score = shouting.broken

[wordorder.metrics]
first-word = shouting.metric:FirstWord
""",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run ``wordorder`` in a folder that has the package on its path and two small texts."""
    folder = tmp_path_factory.mktemp("plugin")
    for name, text in MODULES.items():
        path = folder / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "ref.txt").write_text("a b c\nd e f\n")
    (folder / "A.txt").write_text("a c b\ne d f\n")
    source = Path(wordorder.__file__).parents[1]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder / "site"), str(source)]),
        "WORDORDER_CACHE": str(folder / "cache"),
        "NUMBA_DISABLE_JIT": "1",
        "COLUMNS": "120",
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wordorder", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.slow
def test_a_package_adds_a_command(run: Run) -> None:
    overview = run("--help")
    assert (overview.returncode, overview.stderr) == (0, "")
    assert "    shout     from the package shouting\n" in overview.stdout
    assert "from the package" not in next(line for line in overview.stdout.splitlines() if line.startswith("  score "))

    manual = run("shout", "--help").stdout
    for part in ("usage: wordorder shout ", "Print words in capital letters.", "what to end with", "shout hello"):
        assert part in manual

    found = run("shout", "word", "order", "--mark", "?", "-q")
    assert (found.returncode, found.stdout, found.stderr) == (0, "WORD ORDER?\n", "")
    found = run("shout", "nothing")
    assert (found.returncode, found.stdout, found.stderr) == (1, "", "wordorder: there is nothing to shout\n")
    found = run("shout", "--marks", "?", "word")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == (
        "wordorder shout: unknown option --marks; did you mean --mark? (see wordorder shout --help)\n"
    )


@pytest.mark.slow
def test_a_package_adds_a_metric(run: Run) -> None:
    found = run("score", "--ref", "ref.txt", "--hyp", "A.txt", "--metrics", "first-word", "--samples", "0")
    assert (found.returncode, found.stderr) == (0, "")
    heading, row = [line.split() for line in found.stdout.splitlines() if line.startswith(("system", "A "))]
    assert (heading[1], float(row[1])) == ("first-word", 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "module", "reason"),
    [
        ("break", "shouting.broken", "No module named 'no_such_library'"),
        ("absent", "shouting.absent", "No module named 'shouting.absent'"),
        ("empty", "shouting.empty", "module 'shouting.empty' has no attribute 'add_arguments'"),
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--help",), ("--option", "value")])
def test_a_broken_command_costs_one_line(
    command: str, module: str, reason: str, arguments: tuple[str, ...], run: Run
) -> None:
    found = run(command, *arguments)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == f"wordorder: the command 'wordorder {command}' ({module}) cannot be loaded: {reason}\n"


@pytest.mark.slow
def test_completion_leaves_out_the_options_of_a_broken_command(run: Run) -> None:
    found = run("completion", "bash")
    assert found.returncode == 0
    assert found.stderr.count("cannot be loaded") == found.stderr.count("\n") == 3
    assert '" break") offered="--help"' in found.stdout
    assert '" shout") offered="--help --mark --quiet"' in found.stdout
    assert "--metrics" in found.stdout
