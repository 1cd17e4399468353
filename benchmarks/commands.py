"""Whole commands, as people run them: scores beside sacreBLEU, and the first run of each command on a machine.

Run: python benchmarks/commands.py [--lines 48000]. Processor time of fresh processes, the best of several; texts are
made up. For the first run, numba's cache is an empty folder; for later ones, it holds what the first has compiled.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from measure import ratio
from texts import make_pairs

from scoring import make_sentences

SIZES = (2, 100, 3000)
COMMANDS = {
    "`score`": "score --ref ref{n} --hyp hyp{n}",
    "`score`, BLEU": "score --ref ref{n} --hyp hyp{n} --metrics bleu",
    "`score`, permutations": "score --permutations orders{n}",
    "`score`, alignments": "score --hyp-align links{n} --ref-align links{n} --source ref{n}",
    "`find`": "find --ref ref{n} --hyp hyp{n}",
    "`profile`": "profile links{n} --source ref{n} --target ref{n}",
    "`metaeval --probe`": "metaeval --ref ref{n} --probe move --metrics kendall,bleu --samples 100",
    "`nbest oracle`": "nbest oracle lists{n} --ref ref{n}",
    "`inspect`": 'inspect "2 4 5 6 1 3"',
    "`metrics`": "metrics",
    "`demo`": "demo",
}


def seconds(command: list[str], *, times: int = 1, **environment: str) -> float:
    """Return the least processor time of a command in several runs."""
    found = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def write(path: str, lines: list[str]) -> None:
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def ours(line: str) -> list[str]:
    return [sys.executable, "-m", "wordorder", *shlex.split(line), "-q"]


def beside_sacrebleu(lines: int) -> None:
    references, hypotheses = make_sentences(3003)
    long = [*make_pairs(200)] * 4
    times = -(-lines // 3003)
    shapes = {
        "3,003 lines": (references, hypotheses),
        f"{times * 3003:,} lines": (references * times, hypotheses * times),
        "2,000 lines of 200 words": ([r for _, r in long], [h for h, _ in long]),
    }
    print("| whole command | " + " | ".join(f"{name}: wordorder, sacreBLEU, ratio" for name in shapes) + " |")
    print("|---|" + "--:|" * len(shapes))
    for metric in ("bleu", "chrf"):
        cells = []
        for ref, hyp in shapes.values():
            write("r", ref)
            write("h", hyp)
            mine = seconds(ours(f"score --ref r --hyp h --metrics {metric} --samples 0"), times=3)
            theirs = seconds([sys.executable, "-m", "sacrebleu", "r", "-i", "h", "-m", metric, "-b"], times=2)
            cells.append(f"{mine:.2f} s, {theirs:.2f} s, {ratio(theirs / mine)}")
        print(f"| {metric} | " + " | ".join(cells) + " |", flush=True)


def first_runs() -> None:
    references, hypotheses = make_sentences(max(SIZES))
    draw = np.random.default_rng(1)
    for n in SIZES:
        orders = [draw.permutation(len(line.split())) for line in references[:n]]
        write(f"ref{n}", references[:n])
        write(f"hyp{n}", hypotheses[:n])
        write(f"orders{n}", [" ".join(map(str, order + 1)) for order in orders])
        write(f"links{n}", [" ".join(f"{i}-{j}" for i, j in enumerate(order)) for order in orders])
        lists = [f"{i} ||| {text} ||| lm: -1 ||| -1" for i in range(n) for text in (hypotheses[i], references[i])]
        write(f"lists{n}", lists)
    print("\n| seconds, first run and later | " + " | ".join(f"{n:,} lines" for n in SIZES) + " |")
    print("|---|" + "--:|" * len(SIZES))
    for name, line in COMMANDS.items():
        cells = []
        for n in SIZES if "{n}" in line else SIZES[:1]:
            with tempfile.TemporaryDirectory() as cache:
                command = ours(line.format(n=n))
                cold = seconds(command, NUMBA_CACHE_DIR=cache)
                cells.append(f"{cold:.2f}, {seconds(command, times=2, NUMBA_CACHE_DIR=cache):.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=48_000, help="lines of the longest text (default 48,000)")
    options = parser.parse_args()
    for name in ("PYTHONDONTWRITEBYTECODE", "NUMBA_DISABLE_JIT"):  # installed packages have their bytecode
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        beside_sacrebleu(options.lines)
        first_runs()


if __name__ == "__main__":
    main()
