"""How fast tokenising, matching and RIBES are, beside sacreBLEU and NLTK, on one core in one run.

Run ``python benchmarks/matching.py`` for invented sentences of about 25 words, or name two files of your own:
``python benchmarks/matching.py --hyp system.txt --ref reference.txt``. ``--wordnet`` names WordNet's folder.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from nltk.stem.snowball import EnglishStemmer
from nltk.translate.meteor_score import exact_match, stem_match
from nltk.translate.ribes_score import sentence_ribes
from sacrebleu.metrics.bleu import BLEU

from wordorder.core.text import Tokens, encode, tokenise
from wordorder.linking.matching import Matching, match, match_by_context
from wordorder.linking.matching.relations import DEFAULT_FOLDER

FUNCTION_WORDS = ["the", ",", "of", "and", "to", "in", "a", "is", "for", "that"]
PEER_PAIRS = 1000  # the peers are slow: they get this many pairs


def invent(pairs: int, words: list[str]) -> tuple[list[str], list[str]]:
    """Make references of about 25 words, a third of them function words, and hypotheses that differ from them."""
    rng = random.Random(12345)
    hypotheses, references = [], []
    for _ in range(pairs):
        reference = [
            rng.choice(FUNCTION_WORDS) if rng.random() < 0.35 else words[int(len(words) * rng.random() ** 3)]
            for _ in range(rng.randint(10, 40))
        ]
        hypothesis = [word if rng.random() < 0.7 else rng.choice(words) for word in reference if rng.random() < 0.95]
        for _ in range(2):
            start = rng.randrange(len(hypothesis))
            moved = [hypothesis.pop(start) for _ in range(min(3, len(hypothesis) - start))]
            place = rng.randint(0, len(hypothesis))
            hypothesis[place:place] = moved
        hypotheses.append(" ".join(hypothesis) + ".")
        references.append(" ".join(reference) + ".")
    return hypotheses, references


def known_words(folder: Path) -> list[str]:
    """Give words for the invented sentences: WordNet's verbs in two forms if it is there, else letters."""
    index = folder / "index.verb"
    if not index.is_file():
        return [f"{stem}{ending}" for stem in range(2000) for ending in ("", "s", "ed")]
    lemmas = [line.split()[0] for line in index.read_text().splitlines() if line[:1].isalpha()]
    return [form for lemma in lemmas if "_" not in lemma for form in (lemma, lemma + "s")]


def rate(work: Callable[[], object], pairs: int, *, times: int = 3) -> float:
    """Give pairs per second of processor time, the best of a few runs."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return pairs / best


def report(work: str, ours: float, peer: float | None = None, name: str = "") -> None:
    beside = f"{peer:12,.0f}/s  {ours / peer:7.1f} ×  {name}" if peer else ""
    print(f"{work:28}{ours:12,.0f}/s{beside}")


def first_pairs(column: Tokens) -> list[list[str]]:
    return [column.words(row) for row in range(min(PEER_PAIRS, len(column)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hyp", type=Path)
    parser.add_argument("--ref", type=Path)
    parser.add_argument("--wordnet", type=Path, default=Path(DEFAULT_FOLDER))
    parser.add_argument("--pairs", type=int, default=20_000, help="how many to invent")
    options = parser.parse_args()
    if options.hyp and options.ref:
        hypotheses, references = (path.read_text().split("\n")[:-1] for path in (options.hyp, options.ref))
    else:
        hypotheses, references = invent(options.pairs, known_words(options.wordnet))
    pairs = len(hypotheses)

    lines = list(dict.fromkeys(hypotheses + references))[: 2 * PEER_PAIRS]  # sacreBLEU remembers lines it has seen
    tokenizer = BLEU(tokenize="13a").tokenizer
    peer = rate(lambda: [tokenizer(line).split() for line in lines], len(lines), times=1)
    ours = rate(lambda: tokenise([hypotheses, references]), 2 * pairs)
    print(f"{pairs} pairs, one core\n{'work':28}{'wordorder':>14}{'peer':>14}")
    report("tokenise 13a (lines)", ours, peer, "sacreBLEU")

    columns = tokenise([hypotheses, references], lowercase=True)
    print(f"({columns[0].lengths.mean():.1f} and {columns[1].lengths.mean():.1f} words)")
    peers = list(zip(first_pairs(columns[0]), first_pairs(columns[1]), strict=True))
    stemmer = EnglishStemmer()
    stages: list[tuple[str, ...]] = [("exact",), ("exact", "stem")]
    if (options.wordnet / "index.noun").is_file():
        stages.append(("exact", "stem", "synonym"))
    for names in stages:
        resources = Matching(tuple(names), wordnet=options.wordnet).resources
        start = time.process_time()
        relations = resources.relate(columns[0].vocabulary)
        once = time.process_time() - start
        found = match(*columns, relations=relations)  # compiles
        ours = rate(partial(match, *columns, relations=relations), pairs)
        if names == ("exact",):
            report(
                "match exact", ours, rate(lambda: [exact_match(h, r) for h, r in peers], len(peers)), "NLTK (no chunks)"
            )
        elif names == ("exact", "stem"):
            peer = rate(lambda: [stem_match(h, r, stemmer) for h, r in peers], len(peers), times=1)
            report("match exact+stem", ours, peer, "NLTK (no chunks)")
        else:
            report("match exact+stem+synonym", ours)
        inexact = int((~found.proven).sum())
        print(f"{'':28}{inexact} of {pairs} not proven the best; once per vocabulary {once:.2f} s")

    match_by_context(*encode(["a"], ["a"]))
    ours = rate(lambda: match_by_context(*columns), pairs)
    report("RIBES", ours, rate(lambda: [sentence_ribes([r], h) for h, r in peers], len(peers), times=1), "NLTK")


if __name__ == "__main__":
    main()
