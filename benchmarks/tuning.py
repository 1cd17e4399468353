"""Does tuning for LRscore cost BLEU? Tables 8.4, 8.9 and 8.10 of Birch (2011) with a small system.

    python benchmarks/tuning.py FOLDER [--work WORK] [--pairs 5000 --dev 100 --test 500 …]
    python benchmarks/tuning.py FOLDER --lists LISTS       without a decoder: val.nbest.gz, test_2016_flickr.nbest.gz
    python benchmarks/tuning.py FOLDER --loop              the loop of the acceptance table, timed

FOLDER has ``train``, ``val`` and ``test`` files of multi30k, German and English. What is in WORK is not made again,
so a run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import resource
import shlex
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import wordorder
from wordorder.report import Style
from wordorder.translation import NBest, optimise, rerank
from wordorder.translation.loop import Settings, tune_decoder, tune_runs
from wordorder.translation.smt import START, System, train

OBJECTIVES = ("bleu", "lr-hb4", "lr-kb4")
METRICS = "bleu,lr-hb4,lr-kb4,meteor,1-ter,hamming,kendall-sqrt"
LIMITS = (0, 3, 6)
PROBABILITIES = ("LM", "Jump", "SourceSegments", "TM_0", "TM_1")
"""Features that are logarithms of probabilities: a weight below 0 would ask for what is improbable."""


def cut_files(data: Path, work: Path, sizes: dict[str, int]) -> None:
    """Write the first lines of each text into the work folder, as ``train.de``, ``dev.en`` …"""
    stems = {"train": "train", "dev": "val", "test": "test_2016_flickr"}
    for name, size in sizes.items():
        for language in ("de", "en"):
            target = work / f"{name}.{language}"
            if not target.exists():
                with open(data / f"{stems[name]}.lc.norm.tok.{language}", encoding="utf-8") as source:
                    target.write_text("".join(line for _, line in zip(range(size), source, strict=False)))


def settings_of(work: Path, options: argparse.Namespace, objective: str) -> Settings:
    command = f"{shlex.quote(sys.executable)} -m wordorder smt translate {shlex.quote(str(work / 'system'))}"
    return Settings(
        decoder=f"{command} {{source}} --weights {{weights}} --nbest {{nbest}} --count {options.count}",
        source=str(work / "dev.de"),
        references=(str(work / "dev.en"),),
        start=dict(START),
        objective=objective,
        restarts=options.restarts,
        judging={"tokenizer": "none"},
        tuning={"fixed": {"SentenceLength": 0.0}, "positive": list(PROBABILITIES)},
        iterations=options.iterations,
    )


def translate(work: Path, target: Path, weights: dict[str, float], *, limit: int = 3) -> Path:
    if not target.exists():
        found = System(work / "system").translate(work / "test.de", weights=weights, limit=limit)
        target.write_text("".join(each[0].text + "\n" for each in found), encoding="utf-8")
    return target


def compare_objectives(work: Path, options: argparse.Namespace) -> dict[str, float]:
    """Print Table 8.4, and give the weights of the first run for BLEU."""
    outputs: dict[str, list[Path]] = {}
    first: dict[str, float] = {}
    for objective in OBJECTIVES:
        loops = tune_runs(settings_of(work, options, objective), work / objective, runs=options.runs)
        outputs[objective] = [
            translate(work, work / f"{objective}.{run}", loop.weights) for run, loop in enumerate(loops, start=1)
        ]
        first = first or loops[0].weights
        scores = " ".join(f"{loop.best.score:.4f}" for loop in loops)
        print(f"{objective}: decoded on the development set {scores}", flush=True)
    print_runs(outputs, work / "test.en")
    return first


def print_runs(outputs: dict[str, list[Any]], reference: Path) -> None:
    runs = wordorder.score_runs(outputs, reference, baseline="bleu", metrics=METRICS, tokenizer="none")
    print(runs.table(style=Style(percent=True)), flush=True)


def choose_from_lists(data: Path, lists: Path, options: argparse.Namespace) -> None:
    """Print Table 8.4 for weights that choose from lists of one system, without translating again."""
    dev, test = (NBest.read(lists / f"{name}.nbest.gz") for name in ("val", "test_2016_flickr"))
    judged = dev.judge(data / "val.lc.norm.tok.en", ",".join(OBJECTIVES), tokenizer="none")
    print(f"judged {len(dev.text)} hypotheses: {cpu_seconds():.0f} s of CPU time", flush=True)
    outputs: dict[str, list[Any]] = {"decoder": [rerank(test)] * options.runs}
    for objective in OBJECTIVES:
        tuned = optimise(judged, objective, runs=options.runs, restarts=options.restarts)
        outputs[objective] = [rerank(test, run.weights) for run in tuned.runs]
        scores = " ".join(f"{run.score:.4f}" for run in tuned.runs)
        print(f"{objective}: on the development set {scores}; {cpu_seconds():.0f} s of CPU time", flush=True)
    print_runs(outputs, data / "test_2016_flickr.lc.norm.tok.en")


def compare_limits(work: Path, weights: dict[str, float]) -> None:
    """Print Tables 8.9 and 8.10: each reordering limit against the one before it."""
    outputs = {f"limit {limit}": translate(work, work / f"limit.{limit}", weights, limit=limit) for limit in LIMITS}
    given: Any = {"tokenizer": "none", "test": "wilcoxon", "samples": 100}
    scores = wordorder.score(outputs, work / "test.en", metrics="bleu,lr-kb4,kendall-sqrt", **given)
    print(scores.versus().table(style=Style(percent=True)))
    aligning = wordorder.Aligning(train_source=work / "train.de", train_target=work / "train.en")
    amount: Any = {
        "source": work / "test.de",
        "order": "monotone",
        "metrics": "kendall-sqrt,hamming",
        "aligning": aligning,
    }
    found = wordorder.score(outputs, work / "test.en", **amount, **given)
    print(found.versus().table(style=Style(percent=True)))


def time_loop(data: Path, work: Path, options: argparse.Namespace) -> None:
    """Print the time of training and of a loop of three iterations."""
    cut_files(data, work, {"train": 2000, "dev": 60})
    started = cpu_seconds()
    train(work / "train.de", work / "train.en", work / "system")
    trained = cpu_seconds()
    loop = tune_decoder(replace(settings_of(work, options, "lr-kb4"), iterations=3), work / "loop")
    print(loop)
    print(f"CPU seconds: training {trained - started:.1f}, loop {cpu_seconds() - trained:.1f}")


def cpu_seconds() -> float:
    """Return the time this process and those it started have computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--loop", action="store_true")
    parser.add_argument("--lists", type=Path)
    for name, size in {"pairs": 5000, "dev": 100, "test": 500, "count": 50, "iterations": 8}.items():
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if options.lists:
        choose_from_lists(options.data, options.lists, options)
        return
    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or Path(scratch)
        work.mkdir(exist_ok=True)
        if options.loop:
            time_loop(options.data, work, options)
            return
        cut_files(options.data, work, {"train": options.pairs, "dev": options.dev, "test": options.test})
        if not (work / "system").exists():
            train(work / "train.de", work / "train.en", work / "system")
        print(f"trained: {cpu_seconds():.0f} s of CPU time", flush=True)
        compare_limits(work, compare_objectives(work, options))
        print(f"{cpu_seconds():.0f} s of CPU time", flush=True)


if __name__ == "__main__":
    main()
