"""How good and how fast the transition parser is: ten folds of a treebank, greedy and with a beam, gold and own tags.

    python benchmarks/transition_parsing.py NAME=TREEBANK.conllu … [--folds 10] [--beam 8] [--spacy NAME=MODEL]

Sentence i is in fold i mod 10. Each fold is parsed by a parser learned from the other nine; scores are over all
sentences, against the trees as they are, crossing arcs and punctuation included. Words a second are those of tagging
and parsing alone, in processor time on one core, with compilation left out. ``--spacy`` parses the same words with a
pipeline, which was trained on other data.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from wordorder.formats import conllu
from wordorder.parsing.transition import DependencyParser, ParserOptions
from wordorder.trees import DependencyTrees, attachment, best_trees, lift


def parse_fold(
    trees: DependencyTrees, options: ParserOptions, folds: int, fold: int
) -> tuple[DependencyTrees, float, float]:
    """Parse a fold by a parser learned from the others; also the processor seconds of learning and of parsing."""
    rows = np.arange(len(trees))
    warm = DependencyParser.learn(trees[:8], options)
    warm.parse(trees[:2], given_tags=options.tags == "given")
    held_out = trees.take(rows[rows % folds == fold])
    text = held_out if options.tags == "given" else [tree.words for tree in held_out]
    start = time.process_time()
    parser = DependencyParser.learn(trees.take(rows[rows % folds != fold]), options)
    learned = time.process_time()
    found = best_trees(parser.parse(text))
    return found, learned - start, time.process_time() - learned


def parse_folds(
    trees: DependencyTrees, options: ParserOptions, folds: int, processes: int
) -> tuple[DependencyTrees, float, float]:
    """Parse every sentence by a parser that has not seen it; also seconds a fold to learn, and words a second."""
    with ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(partial(parse_fold, trees, options, folds), range(folds)))
    rows = np.arange(len(trees))
    order = np.argsort(np.concatenate([rows[rows % folds == fold] for fold in range(folds)]))
    learning, parsing = sum(each[1] for each in found), sum(each[2] for each in found)
    parses = DependencyTrees.concatenate([each[0] for each in found]).take(order)
    return parses, learning / folds, len(trees.words) / parsing


def row(name: str, found: DependencyTrees, gold: DependencyTrees, *rest: str) -> str:
    scores = attachment(found, gold)
    right = (scores.uas, scores.las, scores.universal_las, scores.pos)
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in right)} | {' | '.join(rest)} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("treebanks", nargs="+", metavar="NAME=FILE")
    arguments.add_argument("--folds", type=int, default=10)
    arguments.add_argument("--beam", type=int, default=8)
    arguments.add_argument("--spacy", metavar="NAME=MODEL")
    arguments.add_argument("--processes", type=int, default=1, help="folds that are worked on at a time")
    chosen = arguments.parse_args()
    treebanks = {name: conllu.read(path) for name, _, path in (each.partition("=") for each in chosen.treebanks)}
    pipeline = dict([chosen.spacy.split("=")]) if chosen.spacy else {}
    for name, trees in treebanks.items():
        lifted = lift(trees)[1]
        moved = f"{np.count_nonzero(lifted)} with crossing arcs, {lifted.sum()} words lifted"
        print(f"\n{name}: {len(trees)} sentences, {len(trees.words)} words; {moved}")
        print("| parser, tags | UAS | LAS | LAS without subtypes | tags | learning, s | words/s |")
        print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
        for tags in ("given", "own"):
            for beam in (1, chosen.beam):
                options = ParserOptions(beam=beam, tags=tags)
                found, learning, speed = parse_folds(trees, options, chosen.folds, chosen.processes)
                title = f"{'greedy' if beam == 1 else f'beam {beam}'}, {'gold' if tags == 'given' else 'own'} tags"
                print(row(title, found, trees, f"{learning:.1f}", f"{speed:,.0f}"), flush=True)
        if name in pipeline:
            from wordorder.parsing import load_spacy, parse_with_spacy

            model = load_spacy(pipeline[name])
            words = [tree.words for tree in trees]
            parse_with_spacy(words[:2], model=model)
            start = time.process_time()
            found = best_trees(parse_with_spacy(words, model=model))
            speed = len(trees.words) / (time.process_time() - start)
            print(row(pipeline[name], found, trees, "–", f"{speed:,.0f}"), flush=True)


if __name__ == "__main__":
    main()
