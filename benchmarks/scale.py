"""Corpora of any size: CPU time and memory of ``wordorder scale``, with one worker, with two, and through Dask.

    python benchmarks/scale.py --data ../shared/data [--pairs 2097152 --most 10000000]
    python benchmarks/scale.py --source a.de --target a.en --judged a.mt --steps plain score two dask

Real pairs are shuffled, and repeated until there are enough of them: those of WMT12, German to English, with the
translations of a system, or files that are named. The table is Markdown. CPU time is that of all processes, user and
system, also of those that outlive the command; the memory is the largest that a process had, in the first half of the
run and in all of it. ``plain`` is ``wordorder score`` of the same pairs; what more the others take is their overhead.
How much sooner two workers end than one says something only where two cores are free.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from wordorder.apps.scale.parts import ROWS_PER_PART, find_parts

METRICS = "kendall,pef,bleu,lr-kb4"
STEPS = ("plain", "score", "two", "dask", "align", "profile", "resume")
NEWS = {
    "source": "wmt12/newstest2012-ref.de",
    "target": "wmt12/newstest2012-ref.en",
    "judged": "wmt12/system-outputs/de-en/newstest2012.de-en.uedin-wmt12",
}
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
    return ["score", "--ref", str(folder / "target"), "--hyp", f"A={folder / 'judged'}", "--samples", "0", "--no-cache"]


def memory_of(process: int) -> int:
    """Return the memory of the largest of a process and those below it, in MB."""
    import psutil  # type: ignore[import-untyped]

    try:
        whole = psutil.Process(process)
        return max(int(each.memory_info().rss) for each in (whole, *whole.children(recursive=True))) >> 20
    except psutil.Error:
        return 0


def measure(name: str, *arguments: str, beside: tuple[float, float] | None = None) -> tuple[float, float]:
    """Run a command; print and return the CPU time of all its processes, and how long it took.

    ``beside`` are those of a run that it is compared with. Without a name nothing is printed.
    """
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
    if code:
        raise SystemExit(f"{' '.join(arguments)} ended with {code}")
    compared = f"{cpu / beside[0] - 1:+.1%} | {beside[1] / wall:.2f}×" if beside else " | "
    if name:
        print(f"| {name} | {cpu:,.1f} s | {half} MB, {max(seen, default=0)} MB | {compared} |", flush=True)
    return cpu, wall


def resume(folder: Path, parts: int) -> None:
    """Measure how long it takes to see that all of so many parts are done."""
    corpus = folder / "many"
    corpus.mkdir()
    table = pa.table({"ref": ["the cat sat"] * 2, "hyp": ["sat the cat"] * 2})
    pq.write_table(table, corpus / "part-00000.parquet")
    score = ["scale", "score", str(corpus), "--columns", "reference=ref", "A=hyp", "--metrics", METRICS]
    measure("", *score, "--out", str(folder / "many-scores"))
    for number in range(1, parts):
        for place in (corpus, folder / "many-scores"):
            os.link(place / "part-00000.parquet", place / f"part-{number:05d}.parquet")
    measure(f"`score` again, with {parts:,} parts finished", *score, "--out", str(folder / "many-scores"))


def measure_scores(folder: Path, corpus: Path, pairs: int, steps: Sequence[str]) -> None:
    """Score a corpus in all ways that are asked for; compare them with one worker, and that with plain ``score``."""
    score = ["scale", "score", str(corpus), "--columns", "reference=target", "A=judged", "--metrics", METRICS]
    measure("", *score[:2], str(corpus / "part-00000.parquet"), *score[3:], "--out", str(folder / "warm"))  # compiles
    how = {"score": [], "two": ["--workers", "2"], "dask": ["--dask", "local", "--workers", "2"]}
    base = None
    if "plain" in steps:
        base = measure(f"`wordorder score`, {pairs:,} pairs", *write_texts(corpus, folder), "--metrics", METRICS)
    for step, extra in how.items():
        if step in steps:
            name = " ".join(["scale score", *extra])
            found = measure(f"`{name}`, {pairs:,} pairs", *score, "--out", str(folder / step), *extra, beside=base)
            if step == "score":
                base = found


def measure_links(folder: Path, corpus: Path, pairs: int, steps: Sequence[str]) -> None:
    """Align a quarter of a corpus with a trained model and profile its links, with one worker and with two."""
    some = folder / "some"
    some.mkdir()
    parts = sorted(corpus.iterdir())
    for part in parts[: max(1, len(parts) // 4)]:
        os.link(part, some / part.name)
    corpus, pairs = some, min(pairs, len(list(some.iterdir())) * ROWS_PER_PART)
    model = str(folder / "model")
    measure("", "scale", "align", str(corpus), "--train-sample", "29000", "--save", model)
    for command in ("align", "profile"):
        if command not in steps:
            continue
        work = ["align", str(corpus), "--model", model] if command == "align" else ["profile", str(folder / "align1")]
        base = None
        for workers in ("1", "2")[: 1 + ("two" in steps)]:
            out = ["--out", str(folder / f"{command}{workers}"), "--workers", workers]
            name = f"`scale {command}{' --workers 2' if base else ''}`, {pairs:,} pairs"
            base = measure(name, "scale", *work, *out, beside=base)


def run(folder: Path, texts: dict[str, Path], pairs: int, steps: Sequence[str], parts: int) -> None:
    """Make a corpus and measure the steps."""
    corpus = folder / "corpus"
    make_corpus(corpus, texts, pairs)
    measure_scores(folder, corpus, pairs, steps)
    if "align" in steps:
        measure_links(folder, corpus, pairs, steps)
    if "resume" in steps:
        resume(folder, parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of real data: WMT12 is taken")
    parser.add_argument("--source", type=Path, help="real sentences, one per line")
    parser.add_argument("--target", type=Path, help="their translations")
    parser.add_argument("--judged", type=Path, help="translations by a system (default: the target in another order)")
    parser.add_argument("--pairs", type=int, default=2_097_152, metavar="N", help="sentence pairs (default 2097152)")
    parser.add_argument("--most", type=int, metavar="N", help="score also so many pairs, with one worker")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS, help="what is measured")
    parser.add_argument("--parts", type=int, default=10_000, metavar="N", help="finished parts to resume over")
    options = parser.parse_args()
    texts = {name: getattr(options, name) or (options.data and options.data / NEWS[name]) for name in NEWS}
    if texts["source"] is None or texts["target"] is None:
        parser.error("name --data, or --source and --target")
    texts = {name: path for name, path in texts.items() if path is not None}
    print("| work | CPU time | memory, half of the run and all | extra CPU time | speed-up |\n|---|--:|--:|--:|--:|")
    for pairs, steps in ((options.pairs, options.steps), (options.most, ("score",))):
        if pairs:
            with tempfile.TemporaryDirectory() as folder:
                run(Path(folder), texts, pairs, steps, options.parts)


if __name__ == "__main__":
    main()
