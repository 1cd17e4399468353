"""The pages of the documentation: their fenced blocks, and a small shell that runs what the blocks show.

The language of a block says what becomes of it. ``sh`` has commands; ``console`` has commands after ``$ `` and
what they print, where a last line ``…`` stands for the rest; ``python`` is executed, ``pycon`` compared as doctests
are; anything else, such as ``text``, is not run. Of other programs only those in ``TOOLS`` are run, by the shell.

``python tests/docs/pages.py`` writes what the commands print now into the ``console`` blocks; of some pages only, if
they are named (``stories/tables``).
"""

from __future__ import annotations

import contextlib
import doctest
import glob
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputWarning

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
RUN = ("sh", "console", "python", "pycon")
NOT_RUN = ("text", "conllu", "json", "yaml")
TOOLS = ("cat", "cut", "diff", "grep", "head", "paste", "sed")
REST = "…"

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FULL = re.compile(r"\d*\.\d{13,}")  # a number that nobody has rounded
_FILE_CONTENT = re.compile(r"\$\(cat ([^)\s]+)\)")
ENVIRONMENT = {"TERM": "dumb", "COLUMNS": "80"}  # a terminal without colours


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text and the line of the page where its text begins."""

    language: str
    text: str
    line: int


def page_name(page: Path) -> str:
    """Return the name of a page, such as ``score`` or ``stories/tables``."""
    return page.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/")


def read_blocks(page: str) -> list[Block]:
    """Find the fenced blocks of a page."""
    return [
        Block(found["language"], found["text"], page[: found.start("text")].count("\n") + 1)
        for found in _FENCE.finditer(page)
    ]


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Read the commands of a ``sh`` or ``console`` block, each with the output shown below it."""
    lines = block.text.replace("\\\n", " ").splitlines(keepends=True)
    if block.language == "sh":
        yield from ((line.strip(), "") for line in lines if line.strip() and not line.startswith("#"))
        return
    assert lines[0].startswith("$ "), f"line {block.line}: a console block begins with a command"
    places = [place for place, line in enumerate(lines) if line.startswith("$ ")]
    for place, end in zip(places, [*places[1:], len(lines)], strict=True):
        yield lines[place].removeprefix("$ ").strip(), "".join(lines[place + 1 : end])


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Shell:
    """Runs commands and Python blocks one after the other in the current folder."""

    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})

    def run(self, command: str) -> str:
        """Run one command as on a terminal and return what it prints; a failure is an error."""
        expanded = _FILE_CONTENT.sub(lambda found: Path(found[1]).read_text().strip(), command)
        words = [word for part in shlex.split(expanded, comments=True) for word in _expand(part)]
        if words[0] == "cd":
            os.chdir(words[1])
            return ""
        if words[0] in TOOLS:
            return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout
        assert words[0] == "wordorder", f"{command}: only wordorder, cd and TOOLS are run; mark the block as text"
        together = "2>&1" in words  # what goes to standard error is not shown unless a page asks for it
        words = [word for word in words if word != "2>&1"]
        target = words[words.index(">") + 1] if ">" in words else None
        arguments = words[1 : words.index(">")] if ">" in words else words[1:]
        out: io.StringIO = io.StringIO() if target or together else _Terminal()
        err = out if together else io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            if together:  # the page shows the warnings, which are errors in the tests
                warnings.simplefilter("default", InputWarning)
            try:
                code = main(arguments)
            except SystemExit as end:  # argparse ends the process itself
                code = end.code if isinstance(end.code, int) else 1
        assert code == 0, f"{command}: exit code {code}\n{err.getvalue()}"
        if target:
            Path(target).write_text(out.getvalue())
            return ""
        return out.getvalue()

    def execute(self, block: Block, page: str) -> None:
        """Execute a ``python`` block, or compare the values of a ``pycon`` block."""
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), self.names)
            return
        test = doctest.DocTestParser().get_doctest(block.text, self.names, page, page, block.line - 1)
        runner = doctest.DocTestRunner(verbose=False)
        found = io.StringIO()
        runner.run(test, out=found.write, clear_globs=False)
        self.names = test.globs
        assert not runner.failures, found.getvalue()


def agrees(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; a last line ``…`` stands for the rest.

    Numbers in full may differ in their last digits, which depend on the processor.
    """
    shown_lines, lines = _round(shown).splitlines(), [line.rstrip() for line in _round(printed).splitlines()]
    if shown_lines[-1:] == [REST]:
        return shown_lines[:-1] == lines[: len(shown_lines) - 1]
    return shown_lines == lines


def _round(text: str) -> str:
    return _FULL.sub(lambda number: f"{float(number[0]):.12g}", text.rstrip())


def _expand(word: str) -> list[str]:
    return sorted(glob.glob(word)) if "*" in word and glob.glob(word) else [word]


def _refresh(page: Path) -> None:
    """Write what the commands of a page print into the page."""
    text = page.read_text(encoding="utf-8")
    shell = Shell()
    for block in read_blocks(text):
        if block.language in ("python", "pycon"):
            shell.execute(block, page.name)
        elif block.language in RUN:
            for command, shown in commands(block):
                printed = shell.run(command)
                if block.language == "console" and not agrees(shown, printed):
                    lines = [line.rstrip() + "\n" for line in printed.rstrip().splitlines()]
                    if shown.rstrip().endswith(REST):
                        lines = [*lines[: len(shown.rstrip().splitlines()) - 1], REST + "\n"]
                    assert text.count(shown) == 1 or not shown, f"{page.name}: {command}: shown twice"
                    text = text.replace(shown, "".join(lines)) if shown else text
                    print(f"{page.name}: {command}")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ.update(ENVIRONMENT)
    asked = [name.removesuffix(".md").removeprefix("docs/") for name in sys.argv[1:]]
    unknown = set(asked) - set(map(page_name, PAGES))
    if unknown:
        sys.exit(f"no such page: {', '.join(sorted(unknown))}")
    for one in [page for page in PAGES if not asked or page_name(page) in asked]:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["WORDORDER_CACHE"] = os.path.join(folder, "cache")
            Shell().run(f"wordorder demo --files {folder}/demo")
            os.chdir(os.path.join(folder, "demo"))
            _refresh(one)
            os.chdir(ROOT)
