"""Corpora of any size: CPU time and memory of ``wordorder scale``, with one worker, with two, and through Dask.

    python benchmarks/scale.py --source train.de --target train.en --pairs 10000000 --folder scale-bench
    python benchmarks/scale.py --source a.de --target a.en --judged a.mt --steps plain score two dask --folder s

Real pairs are shuffled, and repeated until there are enough of them. CPU time is that of all processes, user and
system, also of those that outlive the command; the memory is the largest that a process had, first in the first half
of the run and then in all of it. ``plain`` is ``wordorder score`` of the same pairs; what more the others take is
their overhead. How much sooner two workers end than one says something only where two cores are free.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from wordorder.scale.parts import ROWS_PER_PART, find_parts

METRICS = "kendall,pef,bleu,lr-kb4"
STEPS = ("plain", "score", "two", "dask", "align", "profile", "resume")
SEED = 1
_SUBREAPER = 36  # of prctl: processes whose parents have ended become children of this one


def make_corpus(folder: Path, texts: dict[str, Path], pairs: int) -> None:
    """Shuffle and repeat real pairs; what is judged, if not given, is the target with its first third at the end."""
    columns = {name: path.read_text(encoding="utf-8").rstrip("\n").split("\n") for name, path in texts.items()}
    if "judged" not in columns:
        words = [line.split() for line in columns["target"]]
        columns["judged"] = [" ".join([*line[len(line) // 3 :], *line[: len(line) // 3]]) for line in words]
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    draw = np.random.default_rng(SEED)
    rest = table.slice(0, 0)
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, pairs, ROWS_PER_PART)):
        rows = min(ROWS_PER_PART, pairs - start)
        while rest.num_rows < rows:
            rest = pa.concat_tables([rest, table.take(draw.permutation(table.num_rows))])
        pq.write_table(rest.slice(0, rows), folder / f"part-{number:05d}.parquet", compression="zstd")
        rest = rest.slice(rows)


def write_texts(corpus: Path, folder: Path) -> list[str]:
    """Write references and what is judged as text; return the arguments of the plain command."""
    for column in ("target", "judged"):
        with open(folder / column, "w", encoding="utf-8") as file:
            for part in find_parts(corpus):
                for batch in part.batches([column]):
                    file.writelines(f"{line}\n" for line in batch.column(0).to_pylist())
    return [
        "score",
        "--ref",
        str(folder / "target"),
        "--hyp",
        f"A={folder / 'judged'}",
        "--samples",
        "0",
        "--no-cache",
    ]


def memory_of(process: int) -> int:
    """Return the memory of the largest of a process and those below it, in MB."""
    import psutil  # type: ignore[import-untyped]

    try:
        whole = psutil.Process(process)
        return max(int(each.memory_info().rss) for each in (whole, *whole.children(recursive=True))) >> 20
    except psutil.Error:
        return 0


def measure(name: str, *arguments: str) -> tuple[float, float]:
    """Run a command; print and return the CPU time of all its processes, and how long it took."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "wordorder", *arguments], stdout=subprocess.DEVNULL)
    seen: list[int] = []

    def watch() -> None:
        while process.poll() is None:
            seen.append(memory_of(process.pid))
            time.sleep(1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    wall = time.perf_counter() - begun
    watcher.join()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    half = max(seen[: max(1, len(seen) // 2)], default=0)
    print(
        f"{name:28} {cpu:8.1f} s CPU {wall:8.1f} s wall {half:6} MB {max(seen, default=0):6} MB  exit {code}",
        flush=True,
    )
    return cpu, wall


def resume(folder: Path, parts: int) -> None:
    """Measure how long it takes to see that all of so many parts are done."""
    corpus = folder / "many"
    corpus.mkdir()
    table = pa.table({"ref": ["the cat sat"] * 2, "hyp": ["sat the cat"] * 2})
    pq.write_table(table, corpus / "part-00000.parquet")
    score = ["scale", "score", str(corpus), "--columns", "reference=ref", "A=hyp", "--metrics", METRICS]
    measure("one small part", *score, "--out", str(folder / "many-scores"))
    for number in range(1, parts):
        for place in (corpus, folder / "many-scores"):
            os.link(place / "part-00000.parquet", place / f"part-{number:05d}.parquet")
    measure(f"resume, {parts} parts done", *score, "--out", str(folder / "many-scores"))


def measure_scores(folder: Path, corpus: Path, steps: Sequence[str]) -> None:
    """Score a corpus in all ways that are asked for; compare them with the first."""
    score = ["scale", "score", str(corpus), "--columns", "reference=target", "A=judged", "--metrics", METRICS]
    first = [*score[:2], str(corpus / "part-00000.parquet"), *score[3:]]
    measure("compiling", *first, "--out", str(folder / "warm"))
    how = {"score": [], "two": ["--workers", "2"], "dask": ["--dask", "local", "--workers", "2"]}
    found = {}
    if "plain" in steps:
        found["plain"] = measure("plain score", *write_texts(corpus, folder), "--metrics", METRICS)
    for step, extra in how.items():
        if step in steps:
            found[step] = measure(f"score {' '.join(extra)}", *score, "--out", str(folder / step), *extra)
    (name, base), *others = found.items() or [("", (0.0, 0.0))]
    for other, (cpu, wall) in others:
        print(f"{other} against {name}: {cpu / base[0] - 1:+.1%} CPU, {base[1] / wall:.2f} times as fast")
    if {"score", "two"} <= set(found):
        print(f"two workers against one: {found['score'][1] / found['two'][1]:.2f} times as fast")


def measure_links(folder: Path, corpus: Path, steps: Sequence[str]) -> None:
    """Align a corpus with a trained model and profile its links, with one worker and, if asked for, with two."""
    model = str(folder / "model")
    measure("train on 29,000 pairs", "scale", "align", str(corpus), "--train-sample", "29000", "--save", model)
    for command in ("align", "profile"):
        if command not in steps:
            continue
        wall = []
        for workers in ("1", "2")[: 1 + ("two" in steps)]:
            work = (
                ["align", str(corpus), "--model", model]
                if command == "align"
                else ["profile", str(folder / "align1")]
            )
            out = ["--out", str(folder / f"{command}{workers}"), "--workers", workers]
            wall.append(measure(f"{command} --workers {workers}", "scale", *work, *out)[1])
        if len(wall) > 1:
            print(f"two workers against one: {wall[0] / wall[1]:.2f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True, help="real sentences, one per line")
    parser.add_argument("--target", type=Path, required=True, help="their translations")
    parser.add_argument("--judged", type=Path, help="translations by a system (default: the target in another order)")
    parser.add_argument("--pairs", type=int, default=1_000_000, metavar="N", help="sentence pairs (default 1000000)")
    parser.add_argument("--folder", type=Path, required=True, help="where there is room; it is deleted afterwards")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS, help="what is measured")
    parser.add_argument("--parts", type=int, default=10_000, metavar="N", help="finished parts to resume over")
    options = parser.parse_args()
    folder: Path = options.folder
    shutil.rmtree(folder, ignore_errors=True)
    corpus = folder / "corpus"
    texts = {name: getattr(options, name) for name in ("source", "target", "judged")}
    make_corpus(corpus, {name: path for name, path in texts.items() if path is not None}, options.pairs)
    print(f"{options.pairs} pairs in {len(find_parts(corpus))} parts; load {os.getloadavg()[0]:.1f}")
    measure_scores(folder, corpus, options.steps)
    if "align" in options.steps:
        measure_links(folder, corpus, options.steps)
    if "resume" in options.steps:
        resume(folder, options.parts)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
