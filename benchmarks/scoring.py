"""Text scoring beside sacreBLEU and nltk: the same sentences, one run, one core, ratios.

Run: python benchmarks/scoring.py [--ref FILE --hyp FILE]. Without files, made-up sentences of about 25 words are
used: words by Zipf's law, hypotheses made from references by moving blocks and exchanging words.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from measure import rate, ratio, thousands

from wordorder.core.text import tokenise
from wordorder.linking.matching import Matching, match, match_by_context
from wordorder.scoring.shortcuts import score

ORDER_METRICS = "order"


def make_sentences(count: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(1)
    syllables = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("", "n", "r")]
    words = np.array([*syllables, *(one + two for one in syllables for two in syllables[::4])])
    share = 1.0 / np.arange(1, len(words) + 1)
    share /= share.sum()
    references, hypotheses = [], []
    for _ in range(count):
        reference = rng.choice(words, size=int(rng.integers(10, 40)), p=share)
        hypothesis = reference.copy()
        changed = rng.random(len(hypothesis)) < 0.3
        hypothesis[changed] = rng.choice(words, size=int(changed.sum()), p=share)
        for _ in range(int(rng.integers(0, 4))):
            a, b, c = np.sort(rng.integers(0, len(hypothesis) + 1, 3))
            hypothesis = np.concatenate([hypothesis[:a], hypothesis[b:c], hypothesis[a:b], hypothesis[c:]])
        references.append(" ".join(reference) + ".")
        hypotheses.append(" ".join(hypothesis) + ".")
    return references, hypotheses


def score_with_sacrebleu(ref: str, hyp: str) -> float:
    from sacrebleu.metrics.bleu import BLEU

    with open(ref, encoding="utf-8") as one, open(hyp, encoding="utf-8") as two:
        return float(BLEU().corpus_score([line.rstrip() for line in two], [[line.rstrip() for line in one]]).score)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ref")
    parser.add_argument("--hyp")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ref, hyp = options.ref, options.hyp
        if not ref:
            references, hypotheses = make_sentences(3000)
            ref, hyp = f"{folder}/ref.txt", f"{folder}/hyp.txt"
            Path(ref).write_text("\n".join(references) + "\n", encoding="utf-8")
            Path(hyp).write_text("\n".join(hypotheses) + "\n", encoding="utf-8")
        measure(ref, hyp)


def measure(ref: str, hyp: str) -> None:
    from nltk.translate.meteor_score import exact_match, stem_match
    from nltk.translate.ribes_score import sentence_ribes

    references = Path(ref).read_text(encoding="utf-8").splitlines()
    hypotheses = Path(hyp).read_text(encoding="utf-8").splitlines()
    count = len(references)
    one, two = tokenise([hypotheses, references])
    relations = Matching(("exact", "stem")).resources.relate(one.vocabulary)
    split = [(h.split(), r.split()) for h, r in zip(hypotheses[:200], references[:200], strict=True)]

    ours = {
        "matching, exact": rate(lambda: match(one, two), count),
        "matching, exact + stem": rate(lambda: match(one, two, relations=relations), count),
        "RIBES's matching": rate(lambda: match_by_context(one, two), count),
        "`score`, files to table, all order metrics": rate(
            lambda: str(score(hyp, Path(ref), metrics=ORDER_METRICS, samples=0)), count
        ),
        "`score`, files to table, defaults with intervals": rate(lambda: str(score(hyp, Path(ref))), count),
    }
    nltk_exact = rate(lambda: [exact_match(h, r) for h, r in split], len(split))
    nltk_stem = rate(lambda: [stem_match(h, r) for h, r in split], len(split))
    nltk_ribes = rate(lambda: [sentence_ribes([r], h) for h, r in split], len(split))
    sacrebleu = rate(lambda: score_with_sacrebleu(ref, hyp), count)
    peers = {
        "matching, exact": ("nltk exact_match (greedy)", nltk_exact),
        "matching, exact + stem": ("nltk stem_match (greedy)", nltk_stem),
        "RIBES's matching": ("nltk sentence_ribes", nltk_ribes),
        "`score`, files to table, all order metrics": ("sacreBLEU's BLEU, same files", sacrebleu),
        "`score`, files to table, defaults with intervals": ("sacreBLEU's BLEU, same files", sacrebleu),
    }
    print("| work, one core | segments a second | peer | peer's | ratio |")
    print("|---|--:|---|--:|--:|")
    for work, speed in ours.items():
        name, theirs = peers[work]
        print(f"| {work} | {thousands(speed)} | {name} | {thousands(theirs)} | {ratio(speed / theirs)} |")


if __name__ == "__main__":
    main()
