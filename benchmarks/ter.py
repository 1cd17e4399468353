"""TER beside sacreBLEU's: the same lines, one run, one core, ratios; and a check that both count the same edits.

Run: python benchmarks/ter.py [--ref FILE --hyp FILE ...] [--check]. Without files, made-up sentences of about 25
words are used. Speed is measured on some of the lines. With --check edits and lengths of all lines are compared, with
every combination of options; for 3,000 lines sacreBLEU takes ten minutes.
"""

from __future__ import annotations

import argparse
import sys
from functools import cache, partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

from measure import rate, ratio, thousands

from scoring import make_sentences
from wordorder.core.text import encode, lines_of
from wordorder.linking.matching import Matching
from wordorder.metrics import Batch, Text
from wordorder.metrics.ter import OneMinusTer

OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")
LINES = 300
"""How many lines speed is measured on."""

peer: Any = import_module("sacrebleu.metrics.ter")


def count(metric: OneMinusTer, lines: list[str], gold: list[str]) -> NDArray[np.float64]:
    columns = lines_of(lines), lines_of(gold)
    one, two = encode(*columns)
    text = Text(one, (two,), columns[0], (columns[1],), Matching().over(one.vocabulary))
    return metric.statistics(Batch(text=text))[:, 0]


def read_lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def measure(lines: list[str], gold: list[str]) -> None:
    print("| TER of lines, one core | segments a second | peer | peer's | ratio |")
    print("|---|--:|---|--:|--:|")
    every = max(1, len(lines) // LINES)
    lines, gold = lines[::every], gold[::every]
    for normalized in (False, True):
        metric, scorer = OneMinusTer(normalized), peer.TER(normalized)
        ours = rate(partial(count, metric, lines, gold), len(lines))
        theirs = rate(partial(scorer.corpus_score, lines, [gold]), len(lines))
        cells = f"`{metric}`", thousands(ours), "sacreBLEU's TER", thousands(theirs), ratio(ours / theirs)
        print(f"| {' | '.join(cells)} |", flush=True)


def check(lines: list[str], gold: list[str]) -> bool:
    """Compare all options; edits between the same words, whatever the options, are searched by sacreBLEU once."""
    search = peer.translation_edit_rate
    once = cache(lambda *words: search(*map(list, words)))
    peer.translation_edit_rate = lambda *words: once(*map(tuple, words))
    wrong = 0
    for options in product((False, True), repeat=4):
        named = dict(zip(OPTIONS, options, strict=True))
        theirs = peer.TER(**named)._extract_corpus_statistics(lines, [gold])
        different = (count(OneMinusTer(**named), lines, gold) != np.array(theirs)).any(axis=1).sum()
        print(f"{OneMinusTer(**named)}: {len(lines)} lines, {different} differ", flush=True)
        wrong += different
    peer.translation_edit_rate = search
    return wrong == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ref")
    parser.add_argument("--hyp", nargs="+")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if (options.ref is None) != (options.hyp is None):
        parser.error("--ref and --hyp go together")
    if options.ref:
        gold = read_lines(options.ref)
        texts = {name: read_lines(name) for name in options.hyp}
    else:
        gold, made = make_sentences(3000)
        texts = {"Made-up sentences": made}
    for name, lines in texts.items():
        print(f"{name}\n")
        measure(lines, gold)
        if options.check and not check(lines, gold):
            sys.exit("edits or lengths differ")


if __name__ == "__main__":
    main()
