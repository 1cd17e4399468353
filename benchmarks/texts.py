"""Scores of translations beside other tools, by the length of sentences: one run, one core, ratios.

Run: python benchmarks/texts.py. Sentences are made up; a peer that is not installed is left out and named.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from measure import rate, ratio

import wordorder

LENGTHS = (10, 25, 60, 200)
PAIRS = 500
WORDS_OF_PEERS = 2_000
"""The peers are slow: they get sentences of about this many words in all, and their rate is that of these."""

Pairs = list[tuple[str, str]]


def make_pairs(length: int) -> Pairs:
    """Make hypotheses and references of one length: words by Zipf's law, some exchanged, a block moved."""
    draw = np.random.default_rng(length)
    words = np.array([f"w{number}" for number in range(5_000)], dtype=object)
    steps = np.cumsum(1 / np.arange(1, len(words) + 1))
    pairs = []
    for _ in range(PAIRS):
        reference = words[np.searchsorted(steps, draw.random(length) * steps[-1])]
        hypothesis = np.where(draw.random(length) < 0.2, draw.choice(words, length), reference)
        one, two, three = np.sort(draw.integers(0, length + 1, 3))
        moved = [hypothesis[:one], hypothesis[two:three], hypothesis[one:two], hypothesis[three:]]
        pairs.append((" ".join(np.concatenate(moved)), " ".join(reference)))
    return pairs


def peers() -> dict[str, tuple[str, Callable[[Pairs], object]]]:
    """Name the peers that are installed, our metric, and how they score."""
    found: dict[str, tuple[str, Callable[[Pairs], object]]] = {}
    for title, metric, module, score in (
        ("sacreBLEU BLEU", "bleu", "sacrebleu.metrics.bleu", partial(score_corpus, "BLEU")),
        ("sacreBLEU chrF", "chrf", "sacrebleu.metrics.chrf", partial(score_corpus, "CHRF")),
        ("sacreBLEU TER", "1-ter", "sacrebleu.metrics.ter", partial(score_corpus, "TER")),
        ("nltk RIBES", "ribes", "nltk.translate.ribes_score", score_nltk),
        ("compare-mt RIBES", "ribes", "compare_mt.scorers", score_compare_mt),
    ):
        try:
            found[title] = metric, partial(score, import_module(module))
        except ImportError:
            print(f"{module} is not installed; `make bench` installs it", file=sys.stderr)
    return found


def score_corpus(name: str, module: Any, pairs: Pairs) -> object:
    """Score a corpus with a metric of sacreBLEU."""
    return getattr(module, name)().corpus_score([h for h, _ in pairs], [[r for _, r in pairs]])


def score_nltk(module: Any, pairs: Pairs) -> object:
    """Score segments with nltk."""
    return [module.sentence_ribes([r.split()], h.split()) for h, r in pairs]


def score_compare_mt(module: Any, pairs: Pairs) -> object:
    """Score segments with compare-mt."""
    scorer = module.RibesScorer()
    return [scorer.score_sentence(r.split(), h.split()) for h, r in pairs]


def rate_once(work: Callable[[], object], items: int) -> float:
    """Give items per second of one run: sacreBLEU remembers lines that it has seen."""
    start = time.process_time()
    work()
    return items / (time.process_time() - start)


def main() -> None:
    """Print the table."""
    print("| wordorder's speed-up over | " + " | ".join(f"n = {n}" for n in LENGTHS) + " |")
    print("|---|" + "--:|" * len(LENGTHS))
    texts = {length: make_pairs(length) for length in LENGTHS}
    for title, (metric, work) in peers().items():
        cells = []
        for length, pairs in texts.items():
            few = pairs[: max(2, WORDS_OF_PEERS // length)]
            sides = [h for h, _ in pairs], [r for _, r in pairs]
            ours = rate(partial(wordorder.score, *sides, metrics=metric, samples=0), len(pairs), seconds=0.2)
            cells.append(ratio(ours / rate_once(partial(work, few), len(few))))
        print(f"| {title} (`{metric}`) | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
