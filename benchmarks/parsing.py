"""How good and how fast the parser is: labelled F1 on held-out documents, milliseconds for lists and for forests.

    python benchmarks/parsing.py TREEBANK_FOLDER [--nbest 50] [--longest 40] [--limit N]

The files of the folder are sorted by name; every tenth one (the 10th, 20th, …) is held out, the grammar is learned
from the others. Sentences of up to ``--longest`` words, punctuation included, are parsed from their words alone:
tags are the parser's own. F1 is that of ``wordorder.core.trees.score_brackets``. Times are of one thread, compilation
left out. Lists are timed with their conversion to dependencies, because a forest gives dependencies.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from wordorder.core.trees import ConstituencyTrees, score_brackets, to_dependency_lists
from wordorder.formats import brackets
from wordorder.linking.parsing import Grammar, Parser, is_flat


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--nbest", type=int, default=50)
    arguments.add_argument("--longest", type=int, default=40)
    arguments.add_argument("--limit", type=int, default=None, help="only the first so many held-out sentences")
    chosen = arguments.parse_args()

    paths = sorted(path for path in chosen.folder.iterdir() if path.is_file())
    trees = [brackets.read(path) for path in paths]
    train = ConstituencyTrees.concatenate([part for place, part in enumerate(trees) if place % 10 != 9])
    held_out = ConstituencyTrees.concatenate([part for place, part in enumerate(trees) if place % 10 == 9])
    gold = ConstituencyTrees.of([tree for tree in held_out if len(tree) <= chosen.longest][: chosen.limit])
    sentences = [tree.words for tree in gold]
    print(f"learned from {len(train)} trees of {len(paths) - len(paths) // 10} files, {len(gold)} sentences held out")

    start = time.perf_counter()
    grammar = Grammar.learn(train)
    counts = grammar.counts
    print(
        f"grammar: {len(counts.categories)} categories, {len(counts.binary)} binary rules, "
        f"{len(counts.unary)} unary chains; learned in {time.perf_counter() - start:.1f} s"
    )
    parser = Parser(grammar)
    to_dependency_lists(parser.parse([["a", "word"]], n=2))
    parser.expect([["a", "word"]], chains=True)

    for n in (1, chosen.nbest):
        wall, own = time.perf_counter(), time.process_time()
        lists = parser.parse(sentences, n=n)
        to_dependency_lists(lists)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        best = ConstituencyTrees.of([lists.trees[int(place)] for place in lists.offsets[:-1]])
        score = score_brackets(gold, best)
        print(
            f"{n}-best: {1000 * wall / len(gold):.1f} ms a sentence ({1000 * own / len(gold):.1f} ms of processor), "
            f"{np.diff(lists.offsets).mean():.1f} trees a sentence, {int(is_flat(best).sum())} flat"
        )
    for chains in (False, True):
        wall, own = time.perf_counter(), time.process_time()
        (found,) = parser.expect(sentences, gammas=[0.25], chains=chains)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        print(
            f"forest{' with chains' if chains else ''}: {1000 * wall / len(gold):.1f} ms a sentence "
            f"({1000 * own / len(gold):.1f} ms of processor), {len(found.arcs.weights) / len(gold):.0f} arcs"
            + f" and {len(found.chains.weights) / len(gold):.0f} chains" * chains
            + " a sentence"
        )
    print(
        f"labelled F1 {score.f1:.4f} (precision {score.precision:.4f}, recall {score.recall:.4f}), "
        f"exact {score.exact / score.sentences:.3f}, tags {score.tag_accuracy:.4f}"
    )


if __name__ == "__main__":
    main()
