"""Corpora of any size: CPU time and memory of ``wordorder scale``, with one worker, with two, and through Dask.

    python benchmarks/scale.py --source train.de --target train.en --pairs 10000000 --folder scale-bench

Real pairs are repeated until there are enough of them. CPU time is that of all processes, user and system; the memory
is the largest that a worker had, first in the first half of the run and then in all of it.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from wordorder.scale.parts import ROWS_PER_PART, find_parts

METRICS = "kendall,pef,bleu,lr-kb4"
STEPS = ("score", "two", "dask", "align", "profile", "resume")


def make_corpus(folder: Path, source: Path, target: Path, pairs: int) -> None:
    """Repeat real pairs; the hypothesis of a pair is the target of the next one but for its first half."""
    lines = [path.read_text(encoding="utf-8").splitlines() for path in (source, target)]
    count = -(-pairs // len(lines[0])) if pairs > len(lines[0]) else 1
    words = [line.split() for line in lines[1]]
    judged = [" ".join([*line[len(line) // 3 :], *line[: len(line) // 3]]) for line in words]
    columns = {"source": lines[0], "target": lines[1], "judged": judged}
    size = len(lines[0])
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, pairs, ROWS_PER_PART)):
        rows = min(ROWS_PER_PART, pairs - start)
        first = start % size
        repeated = pa.concat_tables([table] * min(count, -(-(first + rows) // size)))
        pq.write_table(repeated.slice(first, rows), folder / f"part-{number:05d}.parquet", compression="zstd")


def memory_of(process: int) -> int:
    """Return the memory of the largest of a process and those below it, in MB."""
    import psutil  # type: ignore[import-untyped]

    try:
        whole = psutil.Process(process)
        return max(int(each.memory_info().rss) for each in (whole, *whole.children(recursive=True))) >> 20
    except psutil.Error:
        return 0


def measure(name: str, *arguments: str) -> float:
    """Run a command; print and return its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "wordorder", "scale", *arguments], stdout=subprocess.DEVNULL)
    seen: list[int] = []

    def watch() -> None:
        while process.poll() is None:
            seen.append(memory_of(process.pid))
            time.sleep(1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    half = max(seen[: max(1, len(seen) // 2)], default=0)
    print(
        f"{name:28} {cpu:8.1f} s CPU {time.perf_counter() - begun:8.1f} s wall"
        f" {half:6} MB {max(seen, default=0):6} MB  exit {code}",
        flush=True,
    )
    return cpu


def resume(folder: Path, parts: int) -> None:
    """Measure how long it takes to see that all of so many parts are done."""
    corpus = folder / "many"
    corpus.mkdir()
    table = pa.table({"ref": ["the cat sat"] * 2, "hyp": ["sat the cat"] * 2})
    pq.write_table(table, corpus / "part-00000.parquet")
    score = ["score", str(corpus), "--columns", "reference=ref", "A=hyp", "--metrics", METRICS]
    measure("one small part", *score, "--out", str(folder / "many-scores"))
    for number in range(1, parts):
        for place in (corpus, folder / "many-scores"):
            os.link(place / "part-00000.parquet", place / f"part-{number:05d}.parquet")
    measure(f"resume, {parts} parts done", *score, "--out", str(folder / "many-scores"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True, help="real sentences, one per line")
    parser.add_argument("--target", type=Path, required=True, help="their translations")
    parser.add_argument("--pairs", type=int, default=1_000_000, metavar="N", help="sentence pairs (default 1000000)")
    parser.add_argument("--folder", type=Path, required=True, help="where there is room; it is deleted afterwards")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS, help="what is measured")
    parser.add_argument("--parts", type=int, default=10_000, metavar="N", help="finished parts to resume over")
    options = parser.parse_args()
    folder: Path = options.folder
    shutil.rmtree(folder, ignore_errors=True)
    corpus = folder / "corpus"
    make_corpus(corpus, options.source, options.target, options.pairs)
    print(f"{options.pairs} pairs in {len(find_parts(corpus))} parts")
    score = ["score", str(corpus), "--columns", "reference=target", "A=judged", "--metrics", METRICS]
    how = {"score": [], "two": ["--workers", "2"], "dask": ["--dask", "local", "--workers", "2"]}
    measure("compiling", *score[:1], str(corpus / "part-00000.parquet"), *score[2:], "--out", str(folder / "warm"))
    for step, extra in how.items():
        if step in options.steps:
            measure(f"score {' '.join(extra)}", *score, "--out", str(folder / step), *extra)
    if "align" in options.steps:
        model = str(folder / "model")
        measure("train on 29,000 pairs", "align", str(corpus), "--train-sample", "29000", "--save", model)
        aligned = ["align", str(corpus), "--model", model]
        measure("align", *aligned, "--out", str(folder / "aligned"))
        if "profile" in options.steps:
            measure("profile", "profile", str(folder / "aligned"), "--out", str(folder / "profile"))
    if "resume" in options.steps:
        resume(folder, options.parts)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
