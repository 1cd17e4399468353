"""How time and memory grow with the number of sentence pairs.

    python benchmarks/growth.py                                   10,000, 100,000 and 1,000,000 pairs, all commands
    python benchmarks/growth.py --pairs 10000 30000 --commands score align
    python benchmarks/growth.py --pairs 10000000 --commands profile

A command is one line of ``COMMANDS``: add one, and it is measured like the others. Time is processor time of the
whole command, from files to table, after a run that compiles; memory is the most it ever held. The table is Markdown.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from corpora import write_corpus

COMMANDS = {
    "score": "score --ref target.txt --hyp a.txt",
    "score, two systems": "score --ref target.txt --hyp a.txt b.txt",
    "align": "align --source source.txt --target target.txt -o made.align",
    "score --order source": "score --source source.txt --ref target.txt --hyp a.txt --order source",
    "profile": "profile links.align --source source.txt --target target.txt",
    "metaeval": "metaeval --form ratings --judgements ratings.tsv --ref target.txt --hyp a.txt b.txt",
}
"""What is measured, in a folder with the files of ``corpora.write_corpus``."""

PAIRS = (10_000, 100_000, 1_000_000)
WARM = 200
"""Pairs of the run that compiles."""


@dataclass(frozen=True)
class Measured:
    """Processor time in seconds and memory in MB."""

    seconds: float
    memory: float

    def __str__(self) -> str:
        return f"{self.seconds:,.1f} s, {self.memory:,.0f} MB"


def measure(folder: Path, command: str) -> Measured:
    """Run a command and return what it took."""
    process = subprocess.Popen(
        [sys.executable, "-m", "wordorder", *command.split()],
        cwd=folder,
        env={**os.environ, "WORDORDER_CACHE": str(folder / "cache")},
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return Measured(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=PAIRS)
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS), metavar="NAME")
    options = parser.parse_args()
    found: dict[str, list[Measured]] = {name: [] for name in options.commands}
    for pairs in (WARM, *options.pairs):
        with tempfile.TemporaryDirectory() as name:
            write_corpus(Path(name), pairs=pairs)
            for label in found:
                measured = measure(Path(name), COMMANDS[label])
                if pairs != WARM:
                    found[label].append(measured)
                    print(f"{label}, {pairs:,} pairs: {measured}", file=sys.stderr, flush=True)
    print("| sentence pairs | " + " | ".join(f"{pairs:,}" for pairs in options.pairs) + " |")
    print("|---|" + "--:|" * len(options.pairs))
    for label, row in found.items():
        print(f"| `{label}` | " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    main()
