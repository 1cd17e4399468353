"""Pre-ordering from files: seconds of processor time to evaluate a rule set, after start-up and compilation.

Run: python benchmarks/preordering.py [sentences]. There is no peer that does this; trees and links are made up.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from wordorder.apps.preorder import Blame, Learner, Reference, evaluate_orders, load_rules, reorder
from wordorder.apps.preorder.language import LABELS
from wordorder.core.orders import Alignments, place
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.trees import DependencyTree
from wordorder.formats import conllu, pharaoh
from wordorder.formats.conllu import TAGS

RULES = "r5"


def make_tree(rng: np.random.Generator) -> DependencyTree:
    """Make up a projective tree of about 25 words: each span has a head, what is left and right of it is cut up."""
    length = int(np.clip(rng.normal(25, 9), 3, 80))
    heads = [-1] * length
    spans = [(0, length, -1)]
    while spans:
        start, stop, above = spans.pop()
        head = int(rng.integers(start, stop))
        heads[head] = above
        for left, right in ((start, head), (head + 1, stop)):
            while left < right:
                middle = int(rng.integers(left, right)) + 1
                spans.append((left, middle, head))
                left = middle
    words = tuple(f"w{word}" for word in rng.zipf(1.3, length) % 20_000)
    labels = tuple(rng.choice(LABELS, length).tolist())
    return DependencyTree(words, tuple(heads), labels, tuple(rng.choice(TAGS, length).tolist()))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng = np.random.default_rng(1)
    trees = [make_tree(rng) for _ in range(count)]
    lengths = [len(tree) for tree in trees]
    source = np.concatenate([np.arange(length, dtype=np.int32) for length in lengths])
    target = np.concatenate([rng.permutation(length).astype(np.int32) for length in lengths])
    kept = rng.random(len(source)) < 0.8
    rows = np.repeat(np.arange(count), lengths)[kept]
    with tempfile.TemporaryDirectory() as folder:
        parsed, links = Path(folder) / "trees.conllu", Path(folder) / "links"
        conllu.write(parsed, trees)
        pharaoh.write(
            links, Alignments(source[kept], target[kept], offsets_from_lengths(np.bincount(rows, minlength=count)))
        )
        print("| work, one core | seconds |\n|---|--:|")
        for round_ in ("warm", "measured"):
            rules = load_rules(RULES)
            start = time.process_time()
            column = conllu.read(parsed)
            read = time.process_time()
            alignments = pharaoh.read(links, source_lengths=column.lengths.astype(np.int32))
            reference = Reference.of(place(alignments, policy="talbot"), column)
            scores = evaluate_orders({RULES: reorder(column, rules)}, reference, metrics="fuzzy,kendall,pef")
            scores.table()
            done = time.process_time()
            blame = Blame.of(column, rules, reference)
            blame.loss_table()
            blame.rule_table()
            blamed = time.process_time()
            Learner().learn(column, reference)
            learned = time.process_time()
            if round_ == "measured":
                print(f"| reading {count} trees | {read - start:.2f} |")
                print(f"| links, reordering, three metrics with intervals | {done - read:.2f} |")
                print(f"| blame: best order of every tree, every rule switched off | {blamed - done:.2f} |")
                print(f"| learning rules, once | {learned - blamed:.2f} |")


if __name__ == "__main__":
    main()
