"""A page of results: commands that are run and shown, tables with the paper's values beside ours, figures."""

from __future__ import annotations

import atexit
import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import wordorder

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
DATA = Path(os.environ.get("WORDORDER_DATA", ROOT.parent / "shared" / "data"))
Cell = str | float | int | None
_BEGIN, _END = "```text\n", "```"


@dataclass
class Page:
    """A page in the making; what is not there yet is added at its end.

    Commands are run in a temporary folder that has everything of the folder of data, so what they write can be used
    by later ones, just as the page shows them.
    """

    name: str
    title: str
    blocks: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    computed: bool = True
    """Whether the page runs commands; if not, it reads the numbers of other pages."""

    def say(self, text: str) -> None:
        """Add a paragraph or a heading."""
        self.blocks.append(text)

    def conclude(self, text: str, *holds: bool) -> None:
        """Add what follows from the numbers; stop where they do not say so any more."""
        self._check(text, holds)
        self.say(text)

    def sum_up(self, text: str, *holds: bool) -> None:
        """Add a sentence to those with which the page begins: what was found, in short."""
        self._check(text, holds)
        self.findings.append(text)

    def _check(self, text: str, holds: Sequence[bool]) -> None:
        if not all(holds):
            raise SystemExit(f"{self.name}: the numbers no longer say what the page says: {text}")

    @cached_property
    def folder(self) -> Path:
        """Where commands are run."""
        folder = Path(tempfile.mkdtemp(prefix="wordorder-papers-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        for path in DATA.iterdir():
            (folder / path.name).symlink_to(path.resolve())
        return folder

    def shell(self, *commands: str) -> str:
        """Run commands of the shell, show them, and return what they print."""
        self._show("\n".join(commands))
        return self._finish(["sh", "-ec", "\n".join(commands)])

    def run(self, command: str, *, rows: bool = False) -> Any:
        """Run a command of wordorder, show it, and return what it says.

        ``*`` stands for files. The answer is that of ``--format json``; with ``rows``, the rows of its table.
        """
        self._show(wrap(f"wordorder {command}"))
        words = [path for word in shlex.split(command) for path in expand(word, self.folder)]
        asked = [sys.executable, "-m", "wordorder", *words, "--format", "tsv" if rows else "json", "--quiet"]
        made = self._finish(asked)
        if rows:
            return list(csv.DictReader(made.splitlines(), delimiter="\t"))
        return json.loads(made)

    def screen(self, command: str) -> list[str]:
        """Run a command of wordorder, show it with what it prints on 80 columns, and return the lines."""
        words = [path for word in shlex.split(command) for path in expand(word, self.folder)]
        made = self._finish([sys.executable, "-m", "wordorder", *words, "--quiet"], columns=80)
        self._show(f"$ wordorder {command}\n{made.rstrip()}")
        return made.splitlines()

    def _show(self, commands: str) -> None:
        self.blocks.append(f"{_BEGIN}{commands}\n{_END}")

    def _finish(self, program: list[str], *, columns: int = 110) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        changed = {"PATH": path, "WORDORDER_CACHE": str(self.folder / "cache"), "COLUMNS": str(columns)}
        made = subprocess.run(program, cwd=self.folder, env={**os.environ, **changed}, capture_output=True, text=True)
        if made.returncode:
            raise SystemExit(f"{shlex.join(program)}\n{made.stderr}")
        return made.stdout

    def table(self, header: Sequence[str], rows: Iterable[Sequence[Cell]], *, digits: int = 3) -> None:
        """Add a table; columns of numbers are aligned at the right."""
        written = [[write_cell(cell, digits) for cell in row] for row in rows]
        marks = ["--:" if all(map(_is_number, column)) else "---" for column in zip(*written, strict=True)]
        lines = ["| " + " | ".join(header) + " |", "|" + "|".join(["---", *marks[1:]]) + "|"]
        self.blocks.append("\n".join([*lines, *("| " + " | ".join(row) + " |" for row in written)]))

    def figure(self, chart: Any, caption: str) -> None:
        """Add a figure: a chart, or the name of the file that a command has drawn."""
        from wordorder.report.charts import save_chart

        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{self.name}-{sum('![' in block for block in self.blocks) + 1}.svg"
        if isinstance(chart, str):
            shutil.copy(self.folder / chart, path)
        else:
            save_chart(chart, path)
        self.blocks.append(f"![{caption}]({path.name})\n\n*{caption}*")

    def cannot(self, reasons: dict[str, str]) -> None:
        """List what cannot be reproduced, and why."""
        self.say("## What cannot be reproduced")
        self.blocks.append("\n".join(f"* {what}: {why}" for what, why in reasons.items()))

    def write(self) -> Path:
        """Write the page."""
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{self.name}.md"
        path.write_text(self.text, encoding="utf-8")
        return path

    @property
    def text(self) -> str:
        """The page in Markdown."""
        how = f"`python -m papers {self.name}` recomputes this page (`papers/{self.name}.py`)."
        if self.computed:
            how += " The commands are run in the [data folder](../results.md#the-data)."
        found = f"**In short.** {' '.join(self.findings)}"
        text = "\n\n".join([f"# {self.title}", found, how, *self.blocks]) + "\n"
        return text.replace(f"{_END}\n\n{_BEGIN}", "")  # commands that follow each other


def write_cell(cell: Cell, digits: int = 3) -> str:
    """A cell as text: numbers without the leading zero, nothing where there is nothing.

    >>> write_cell(0.25), write_cell(-0.5, 2), write_cell(None), write_cell(12)
    ('.250', '−.50', '–', '12')
    """
    if cell is None:
        return "–"
    if isinstance(cell, float):
        text = f"{cell:.{digits}f}"
        return text.replace("-", "−").replace("0.", ".", 1) if abs(cell) < 1 else text.replace("-", "−")
    return str(cell)


def enumerate_words(words: Sequence[str]) -> str:
    """Words as one part of a sentence.

    >>> enumerate_words(["one"]), enumerate_words(["one", "two", "three"])
    ('one', 'one, two and three')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _is_number(cell: str) -> bool:
    return not cell or cell[0] in "0123456789.−–"


def write_p(p: float) -> str:
    """A p value with three digits."""
    return "< .001" if p < 0.001 else write_cell(p)


def expand(word: str, folder: Path) -> list[str]:
    """The files that a word of a command stands for."""
    if "*" not in word:
        return [word]
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word))


def wrap(command: str, width: int = 110) -> str:
    """A long command in several lines, as a shell would read it.

    >>> print(wrap("wordorder score --ref a --hyp b", 22))
    wordorder score --ref a \\
      --hyp b
    """
    lines, line = [], ""
    for word in command.split():
        if line and len(line) + len(word) > width:
            lines.append(f"{line} \\")
            line = "  " + word
        else:
            line = f"{line} {word}" if line else word
        while len(line) > width and "," in line[:width]:  # a list of metrics
            cut = line.rindex(",", 0, width) + 1
            lines.append(f"{line[:cut]}\\")
            line = line[cut:]
    return "\n".join([*lines, line])


def finding(made: Any, metric: str, *, place: int = 0, level: str = "segment", coefficient: str = "") -> Any:
    """What ``metaeval`` found for a metric, in one of its sets; the metric may be written in any way."""
    metric = str(wordorder.metric(metric))
    found = [
        each
        for each in made["sets"][place]["findings"]
        if each["metric"] == metric and each["level"] == level and coefficient in ("", each["coefficient"])
    ]
    return found[0]


def interval(found: Any) -> str:
    """A value with half the width of its interval."""
    return f"{write_cell(found['value'])} ±{write_cell((found['high'] - found['low']) / 2)}"
