"""How time and memory grow: with sentence pairs, systems, references and the length of sentences.

    python benchmarks/growth.py                                   every axis; pairs up to 1,000,000
    python benchmarks/growth.py pairs --sizes 10000 10000000 --commands profile
    python benchmarks/growth.py length --sizes 10 100 1000
    python benchmarks/growth.py --keep growth.tsv                 hours of work: a run that was stopped goes on

An axis is one entry of ``AXES``, a command one line of it: add one, and it is measured like the others. Time is
processor time of the whole command, from files to table, after a run that compiles; memory is the most it ever held.
The table is Markdown; ``^`` is the exponent of growth since the size before, without what the smallest size took: 1
is linear, 2 quadratic.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corpora import write_corpus, write_long_sentences, write_systems
from measure import Measured, run_whole

SCORE = "score --ref target.txt --hyp a.txt"


@dataclass(frozen=True)
class Axis:
    """What grows: how files of a size are written, the sizes, the smallest one that compiles all, the commands.

    ``largest`` has the largest size of commands that would take hours or more memory than is usual.
    """

    what: str
    write: Callable[[Path, int], None]
    sizes: tuple[int, ...]
    warm: int
    commands: dict[str, str]
    largest: dict[str, int] = field(default_factory=dict)

    def measures(self, command: str, size: int) -> bool:
        """Whether a command is measured at a size."""
        return size <= self.largest.get(command, size)


AXES = {
    "pairs": Axis(
        "sentence pairs",
        lambda folder, size: write_corpus(folder, pairs=size),
        (10_000, 100_000, 1_000_000),
        5_000,
        {
            "score": SCORE,
            "score, two systems": "score --ref target.txt --hyp a.txt b.txt",
            "align": "align --source source.txt --target target.txt -o made.align",
            "score --order source": "score --source source.txt --ref target.txt --hyp a.txt --order source",
            "profile": "profile links.align --source source.txt --target target.txt",
            "metaeval": "metaeval --form ratings --judgements ratings.tsv --ref target.txt --hyp a.txt b.txt",
        },
        {"align": 1_000_000, "score --order source": 1_000_000, "metaeval": 1_000_000},
    ),
    "systems": Axis(
        "systems, 3,000 segments each",
        lambda folder, size: write_systems(folder, systems=size),
        (1, 4, 16, 64),
        2,
        {
            "score": "score --ref ref1.txt --hyp hyp*.txt",
            "score, all order metrics": "score --ref ref1.txt --hyp hyp*.txt --metrics order --samples 0",
        },
    ),
    "references": Axis(
        "references, 3,000 segments",
        lambda folder, size: write_systems(folder, references=size),
        (1, 2, 4, 8),
        2,
        {
            "score": "score --ref ref*.txt --hyp hyp1.txt",
            "score, TER and chrF": "score --ref ref*.txt --hyp hyp1.txt --metrics 1-ter,chrf --samples 0",
        },
    ),
    "length": Axis(
        "words per sentence, 100,000 words in all",
        lambda folder, size: write_long_sentences(folder, length=size),
        (10, 100, 1_000, 10_000),
        10,
        {
            "score": "score --ref target.txt --hyp a.txt --samples 0",
            "score, all order metrics": "score --ref target.txt --hyp a.txt --samples 0 --metrics order",
            "score, TER": "score --ref target.txt --hyp a.txt --samples 0 --metrics 1-ter",
        },
    ),
}
"""What is measured; the files are those of ``corpora``."""


LEAST = 0.5
"""Seconds that a size must take beyond the smallest one before its growth means anything."""


def measure(folder: Path, command: str) -> Measured:
    """Run a command and return what it took."""
    words = [name for word in command.split() for name in expand(folder, word)]
    return run_whole([sys.executable, "-m", "wordorder", *words], folder)


def expand(folder: Path, word: str) -> list[str]:
    """The files that a word of a command stands for."""
    return sorted(path.name for path in folder.glob(word)) if "*" in word else [word]


def exponents(sizes: list[int], seconds: list[float]) -> list[float | None]:
    """The exponent of growth from each size to the next; what the smallest takes is the start of the program.

    >>> exponents([10, 100, 1000], [1.0, 2.0, 11.0])
    [None, None, 1.0]
    """
    found: list[float | None] = [None] * len(sizes)
    for place in range(2, len(sizes)):
        before, now = seconds[place - 1] - seconds[0], seconds[place] - seconds[0]
        if before > LEAST and now > 0:
            found[place] = math.log(now / before) / math.log(sizes[place] / sizes[place - 1])
    return found


@dataclass(frozen=True)
class Kept:
    """What has been measured along an axis, in a file: axis, size, command, seconds and MB of each."""

    path: Path | None
    axis: str

    def read(self) -> dict[tuple[int, str], Measured]:
        if self.path is None or not self.path.exists():
            return {}
        rows = (line.split("\t") for line in self.path.read_text(encoding="utf-8").splitlines())
        return {(int(row[1]), row[2]): Measured(float(row[3]), float(row[4])) for row in rows if row[0] == self.axis}

    def add(self, size: int, command: str, found: Measured) -> None:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                print(self.axis, size, command, f"{found.seconds:.2f}", f"{found.memory:.0f}", sep="\t", file=file)


def measure_all(axis: Axis, size: int, labels: list[str]) -> Iterator[tuple[str, Measured]]:
    """Measure commands at a size."""
    with tempfile.TemporaryDirectory() as name:
        if labels:
            axis.write(Path(name), size)
        for label in labels:
            found = measure(Path(name), axis.commands[label])
            print(f"{label}, {size:,} {axis.what}: {found}", file=sys.stderr, flush=True)
            yield label, found


def grow(axis: Axis, sizes: list[int], commands: list[str], kept: Kept) -> list[str]:
    """Measure commands at every size; return the lines of a table."""
    known = kept.read()
    missing = {
        size: [label for label in commands if axis.measures(label, size) and (size, axis.commands[label]) not in known]
        for size in sizes
    }
    first = sorted({label for labels in missing.values() for label in labels})
    list(measure_all(axis, axis.warm, first))  # compiles
    for size, labels in missing.items():
        for label, found in measure_all(axis, size, labels):
            known[size, axis.commands[label]] = found
            kept.add(size, axis.commands[label], found)
    lines = [f"| {axis.what} | " + " | ".join(f"{size:,}" for size in sizes) + " |", "|---|" + "--:|" * len(sizes)]
    for label in commands:
        row = [known[size, axis.commands[label]] for size in sizes if axis.measures(label, size)]
        growth = exponents(sizes[: len(row)], [each.seconds for each in row])
        cells = [f"{each}" + (f", ^{power:.2f}" if power else "") for each, power in zip(row, growth, strict=True)]
        cells += ["–"] * (len(sizes) - len(row))
        lines.append(f"| `{label}` | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axes", nargs="*", metavar="AXIS", help=f"some of {', '.join(AXES)} (default: all)")
    parser.add_argument("--sizes", type=int, nargs="+", help="sizes of one axis")
    parser.add_argument("--commands", nargs="+", metavar="NAME", help="some of the commands of one axis")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep here what is measured, and do not measure it again"
    )
    options = parser.parse_args()
    names = options.axes or list(AXES)
    if unknown := [name for name in names if name not in AXES]:
        parser.error(f"there is no axis {unknown[0]!r}; choose from {', '.join(AXES)}")
    if len(names) > 1 and (options.sizes or options.commands):
        parser.error("--sizes and --commands belong to one axis; name it")
    for name in names:
        axis = AXES[name]
        commands = options.commands or list(axis.commands)
        if wrong := [command for command in commands if command not in axis.commands]:
            parser.error(f"{name} has no command {wrong[0]!r}; choose from {', '.join(axis.commands)}")
        lines = grow(axis, list(options.sizes or axis.sizes), commands, Kept(options.keep, name))
        print("\n".join(lines) + "\n", flush=True)


if __name__ == "__main__":
    main()
