"""Whole commands, as people run them: scores beside sacreBLEU, and the first run of each command on a machine.

Run: python benchmarks/commands.py sacrebleu | moses | first. Processor time of fresh processes, the best of several;
texts are made up. For the first run, numba's cache is an empty folder; for later ones, it holds what the first has
compiled.

Kendall and Hamming of a million alignments stand beside Moses if ``MOSES_PERMUTATION`` names a program made of Moses'
class ``Permutation``. It reads a source, reference links and hypothesis links, each line once, and prints both means.
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
from profiles import make_pairs as make_links
from texts import make_pairs

from scoring import make_sentences

SIZES = (2, 100, 3000)
COMMANDS = {
    "`--version`": "--version",
    "`score`": "score --ref ref{n} --hyp hyp{n}",
    "`score`, BLEU": "score --ref ref{n} --hyp hyp{n} --metrics bleu",
    "`score`, permutations": "score --permutations orders{n}",
    "`score`, alignments": "score --hyp-align links{n} --ref-align links{n} --source ref{n}",
    "`find`": "find --ref ref{n} --hyp hyp{n}",
    "`patterns`": "patterns --ref ref{n} --hyp hyp{n}",
    "`monotone`": "monotone --hyp-align links{n} --ref-align links{n} --source ref{n}",
    "`align`": "align --source ref{n} --target hyp{n}",
    "`profile`": "profile links{n} --source ref{n} --target ref{n}",
    "`metaeval --probe`": "metaeval --ref ref{n} --probe move --metrics kendall,bleu --samples 100",
    "`nbest oracle`": "nbest oracle lists{n} --ref ref{n}",
    "`preorder rules`": "preorder rules r5",
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


def beside_sacrebleu(lines: int = 48_000) -> None:
    references, hypotheses = make_sentences(3003)
    long = [*make_pairs(200)] * 4
    times = -(-lines // 3003)
    shapes = {
        "2 lines": (references[:2], hypotheses[:2]),
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
            seconds(ours(f"score --ref r --hyp h --metrics {metric} --samples 0"))  # compiles
            mine = seconds(ours(f"score --ref r --hyp h --metrics {metric} --samples 0"), times=3)
            theirs = seconds([sys.executable, "-m", "sacrebleu", "r", "-i", "h", "-m", metric, "-b"])
            cells.append(f"{mine:.2f} s, {theirs:.2f} s, {ratio(theirs / mine)}")
        print(f"| {metric} | " + " | ".join(cells) + " |", flush=True)


def beside_moses(lines: int = 1_000_000) -> None:
    by_length: dict[int, list[tuple[str, str]]] = {}
    pairs = make_links()
    for links, text in pairs:
        by_length.setdefault(text.count(" "), []).append((links, text))
    draw = np.random.default_rng(7)
    with open("source", "w") as source, open("gold", "w") as gold, open("found", "w") as found:
        for kind in draw.integers(0, len(pairs), lines).tolist():
            links, text = pairs[kind]
            same = by_length[text.count(" ")]
            source.write(f"{text}\n")
            gold.write(f"{links}\n")
            found.write(f"{same[int(draw.integers(0, len(same)))][0]}\n")
    line = "score --hyp-align found --ref-align gold --source source --metrics kendall-sqrt,hamming --samples 0"
    mine = seconds(ours(line), times=3)
    program = os.environ.get("MOSES_PERMUTATION")
    theirs = seconds([program, "source", "gold", "found"]) if program else None
    print("| Kendall and Hamming from alignment files | wordorder | Moses, one parse | ratio |\n|---|--:|--:|--:|")
    beside = f"{theirs:.2f} s | {ratio(theirs / mine)}" if theirs else "– | –"
    print(f"| {lines:,} lines of 25 words | {mine:.2f} s | {beside} |", flush=True)


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
    print("| seconds, first run and later | " + " | ".join(f"{n:,} lines" for n in SIZES) + " |")
    print("|---|" + "--:|" * len(SIZES))
    for name, line in COMMANDS.items():
        cells = []
        for n in SIZES if "{n}" in line else SIZES[:1]:
            with tempfile.TemporaryDirectory() as cache:
                command = ours(line.format(n=n))
                cold = seconds(command, NUMBA_CACHE_DIR=cache)
                cells.append(f"{cold:.2f}, {seconds(command, times=2, NUMBA_CACHE_DIR=cache):.2f}")
        print(f"| {name} | " + " | ".join([*cells, *["–"] * (len(SIZES) - len(cells))]) + " |", flush=True)


PARTS = {"sacrebleu": beside_sacrebleu, "moses": beside_moses, "first": first_runs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=PARTS, help="the tables to measure")
    options = parser.parse_args()
    for name in ("PYTHONDONTWRITEBYTECODE", "NUMBA_DISABLE_JIT"):  # installed packages have their bytecode
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in options.parts:
            PARTS[part]()


if __name__ == "__main__":
    main()
