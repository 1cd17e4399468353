"""Running the command line in this process, for the tests of this room."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wordorder.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """What a command left: its exit code, its output and its complaints."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The output as one JSON document; NaN is no JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))

    def tsv(self) -> list[dict[str, str]]:
        """The output as one record per row."""
        assert self.code == 0, self.err
        heading, *rows = [line.split("\t") for line in self.out.splitlines()]
        return [dict(zip(heading, row, strict=True)) for row in rows]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    """Run ``wordorder`` with these arguments."""
    capsys.readouterr()
    try:
        code = main(list(arguments))
    except SystemExit as end:  # argparse ends the process itself
        code = end.code if isinstance(end.code, int) else 1
    found = capsys.readouterr()
    return Outcome(code, found.out, found.err)


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, str]]:
    """Run ``wordorder`` with these arguments and read its table as data."""
    return run(capsys, *arguments, "--format", "tsv").tsv()


def write_files(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
