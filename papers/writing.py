"""A page of results: commands that are run and shown, tables with the paper's values beside ours, figures."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import wordorder

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
DATA = Path(os.environ.get("WORDORDER_DATA", ROOT.parent / "shared" / "data"))
Cell = str | float | int | None


@dataclass
class Page:
    """The page of one paper, in the making; what is not there yet is added at its end."""

    name: str
    title: str
    blocks: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add a paragraph or a heading."""
        self.blocks.append(text)

    def conclude(self, text: str, *holds: bool) -> None:
        """Add what follows from the numbers; stop where they do not say so any more."""
        if not all(holds):
            raise SystemExit(f"{self.name}: the numbers no longer say what the page says: {text}")
        self.say(text)

    def run(self, command: str, *, folder: Path = DATA, rows: bool = False) -> Any:
        """Run a command of wordorder in the folder of data, or another one, show it, and return what it says.

        ``*`` stands for files. The answer is that of ``--format json``; with ``rows``, the rows of its table.
        """
        self.blocks.append("```text\n" + wrap(f"wordorder {command}") + "\n```")
        words = [path for word in shlex.split(command) for path in expand(word, folder)]
        made = subprocess.run(
            [sys.executable, "-m", "wordorder", *words, "--format", "tsv" if rows else "json", "--quiet"],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if made.returncode:
            raise SystemExit(f"wordorder {command}\n{made.stderr}")
        if rows:
            return list(csv.DictReader(made.stdout.splitlines(), delimiter="\t"))
        return json.loads(made.stdout)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[Cell]], *, digits: int = 3) -> None:
        """Add a table; the first column has names, the others numbers."""
        lines = ["| " + " | ".join(header) + " |", "|---|" + "--:|" * (len(header) - 1)]
        lines += ["| " + " | ".join(write_cell(cell, digits) for cell in row) + " |" for row in rows]
        self.blocks.append("\n".join(lines))

    def figure(self, chart: Any, caption: str) -> None:
        """Draw a chart beside the page."""
        from wordorder.charts import save_chart

        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{self.name}-{sum('![' in block for block in self.blocks) + 1}.svg"
        save_chart(chart, path)
        self.blocks.append(f"![{caption}]({path.name})\n\n*{caption}*")

    def cannot(self, reasons: dict[str, str]) -> None:
        """List what cannot be reproduced, and why."""
        self.say("## What cannot be reproduced")
        self.blocks.append("\n".join(f"* {what}: {why}" for what, why in reasons.items()))

    def write(self) -> Path:
        """Write the page."""
        RESULTS.mkdir(exist_ok=True)
        how = (
            f"`python -m papers {self.name}` computes this page anew; commands are run in the folder of [real"
            " data](../results.md#the-data)."
        )
        path = RESULTS / f"{self.name}.md"
        path.write_text("\n\n".join([f"# {self.title}", how, *self.blocks]) + "\n", encoding="utf-8")
        return path


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
