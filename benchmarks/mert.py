"""MERT: the BLEU that Moses' own runs recorded and what we find from there; what restarts and directions are worth.

    python benchmarks/mert.py --data ../shared/data [--restarts 100]   n-best lists of Moses' recorded runs
    python benchmarks/mert.py defaults --data ../shared/data           other lists, on which defaults are chosen

In a recorded run, each iteration starts where Moses started, and random starts come from the ranges that Moses used;
all else is a default. The time is processor time; of Moses, only the wall clock of one of its runs is recorded.

For the defaults, each list is climbed from many random starts. A search with 50 restarts is the best of 50 of them, so
all searches with the same number of directions share their climbs, but no two with the same number of restarts do.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
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

HELD_OUT = {
    "moses-fr-en/nbest.out": "nbest/moses-fr-en/reference.txt",
    "thot-de-en/val.nbest.gz": "multi30k/val.lc.norm.tok.en",
    "thot-de-en/test_2016_flickr.nbest.gz": "multi30k/test_2016_flickr.lc.norm.tok.en",
    "neural-de-en/val.sample.nbest.gz": "multi30k/val.lc.norm.tok.en",
    "neural-de-en/test_2016_flickr.beam.nbest.gz": "multi30k/test_2016_flickr.lc.norm.tok.en",
}
"""Lists that the recorded runs do not have, and their references."""

SENTENCES = 100
"""The most sentences of a held-out list."""

RESTARTS = (20, 50, 100, 200)
CLIMBS = 2 * max(RESTARTS)
DIRECTIONS = {"0": 0, "the number of weights": 1, "three times as many": 3}
"""How the numbers of random directions are called, and how often the number of weights is in them."""

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


def held_out(data: Path, name: str) -> ScoredLists:
    """Read the first sentences of a list and score their hypotheses."""
    whole = NBest.read(data / "nbest" / name)
    lines = (data / HELD_OUT[name]).read_text(encoding="utf-8").split("\n")[: min(SENTENCES, len(whole))]
    size = int(whole.offsets[len(lines)])
    first = replace(
        whole,
        ids=whole.ids[: len(lines)],
        offsets=whole.offsets[: len(lines) + 1],
        text=whole.text[:size],
        features=whole.features[:, :size],
        totals=None,
        lines=None,
    )
    return first.score([lines], "bleu", tokenize="none", lowercase=True)


def defaults(data: Path) -> None:
    rows: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for file in HELD_OUT:
        lists = held_out(data, file)
        optimise(lists, restarts=1)  # compiles
        scores, seconds = {}, {}
        for name, times in DIRECTIONS.items():
            begin = time.process_time()
            found = optimise(lists, restarts=1, runs=CLIMBS, directions=times * len(lists.lists.names)).runs
            seconds[name] = (time.process_time() - begin) / CLIMBS
            scores[name] = np.array([run.score for run in found])
        best = max(map(np.max, scores.values()))
        for name, each in scores.items():
            for restarts in RESTARTS:
                short = best - each.reshape(-1, restarts).max(axis=1)
                rows.setdefault((name, restarts), []).extend((value, restarts * seconds[name]) for value in short)
        print(f"{file}: {lists.lists!r}, best {best:.4f}", file=sys.stderr, flush=True)
    print("| random directions | restarts | searches | mean BLEU below the best | worst | seconds a search |")
    print("|---|--:|--:|--:|--:|--:|")
    for (name, restarts), values in rows.items():
        below, taken = np.array(values).T
        cells = f"{len(below)} | {below.mean():.4f} | {below.max():.4f} | {taken.mean():.1f}"
        print(f"| {name} | {restarts} | {cells} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=["records", "defaults"], default="records")
    parser.add_argument("--data", type=Path, required=True, help="the folder of real data")
    parser.add_argument("--restarts", type=int, help="random starts (records; default: the default of optimise)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.part == "defaults":
        defaults(options.data)
    else:
        records(options.data / "nbest", {} if options.restarts is None else {"restarts": options.restarts})


def records(folder: Path, settings: dict[str, Any]) -> None:
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
