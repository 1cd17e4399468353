"""MERT on the n-best lists of Moses' own runs: the BLEU that Moses recorded, what we find from there, and the time.

    python benchmarks/mert.py --data ../shared/data [--restarts 100]

Each iteration starts where Moses started, and random starts come from the ranges that Moses used; all else is a
default. The time is processor time; of Moses, only the wall clock of one of its runs is recorded.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measure import ratio

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "apps" / "nbest"))

from moses_record import read_statistics, read_truth

from wordorder.apps.nbest import NBest, ScoredLists, optimise

FIRST = {"d_0": 0.4, "lm": 0.5, "w": -1.0} | {f"d_{n}": 0.15 for n in range(1, 7)} | {f"tm_{n}": 0.2 for n in range(5)}
RANGES = {"d": (0.0, 2.0), "lm": (0.0, 2.0), "tm": (0.0, 2.0), "tm_4": (-1.0, 1.0), "w": (-1.0, 1.0)}
RECORDED_SECONDS = 3 / 2
"""The wall clock that Moses recorded for two runs of ``mert`` on the statistics of ``moses-mert-record``."""

Iteration = tuple[ScoredLists, dict[str, float], Any, float]
"""All lists so far, where the search starts, the ranges of random starts, and the BLEU that Moses found."""


def loop(folder: Path) -> Iterator[Iteration]:
    references = [folder / f"reference.{number}" for number in range(3)]
    lists: list[NBest] = []
    start = FIRST
    for number, (weights, bleu) in enumerate(read_truth(folder / "truth" / "results.dat"), start=1):
        lists.append(NBest.read(folder / "data" / f"run{number}.NBEST.out.gz"))
        known = NBest.union(lists).score(references, "bleu", tokenize="none", lowercase=folder.name.endswith("nocase"))
        yield known, start, RANGES, bleu
        start = dict(zip(known.lists.names, weights, strict=True))


def record(folder: Path) -> Iterator[Iteration]:
    lists = read_statistics(folder)
    start = [float(token) for token in (folder / "INIT").read_text().splitlines()[0].split()]
    found = float((folder / "mert.results.txt").read_text().splitlines()[0].split()[-1])
    yield lists, dict(zip(lists.lists.names, start, strict=True)), (0, 1), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of real data")
    parser.add_argument("--restarts", type=int, help="random starts (default: the default of optimise)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = options.data / "nbest"
    settings: dict[str, Any] = {} if options.restarts is None else {"restarts": options.restarts}
    runs = {
        "mert-moses-new": loop(folder / "moses-it-en-loop" / "mert-moses-new"),
        "mert-moses-new-nocase": loop(folder / "moses-it-en-loop" / "mert-moses-new-nocase"),
        "moses-mert-record": record(folder / "moses-mert-record"),
    }
    print("| Moses' run | iterations | mean difference of BLEU | worst | below Moses | seconds an iteration |")
    print("|---|--:|--:|--:|--:|--:|")
    every = []
    for name, iterations in runs.items():
        differences, seconds = [], []
        for lists, start, ranges, bleu in iterations:
            optimise(lists, start=start, ranges=ranges, restarts=1)  # compiles
            begin = time.process_time()
            best = optimise(lists, start=start, ranges=ranges, **settings).best.score
            seconds.append(time.process_time() - begin)
            differences.append(round(best, 6) - bleu)
        every += differences
        beside = f" (Moses {RECORDED_SECONDS:.1f}, {ratio(RECORDED_SECONDS / seconds[0])})" if "record" in name else ""
        print_row(name, differences, f"{np.mean(seconds):.2f}{beside}")
    print_row("all", every, "")


def print_row(name: str, differences: list[float], seconds: str) -> None:
    below = sum(difference < -5e-5 for difference in differences)
    worst = min(differences)
    print(
        f"| {name} | {len(differences)} | {np.mean(differences):+.4f} | {worst:+.4f} | {below} | {seconds} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
