"""Parsers of growing quality against the fuzzy reordering score, after Talbot et al. (2011, Tables 4 and 8).

    python benchmarks/self_training.py FOLDER [--rules r5] [--folds 5] [--nbest 25] [--policy talbot] [--processes 1]

FOLDER is an aligned treebank (en.conllu, target.conllu, alignment.json). Of the sentences outside of a fold half have
gold trees; of the others only the reference orders are used. Parsers, all with tags of their own:

    P1  greedy
    P2  beam
    P3  beam, targeted self-training on half of the sentences with orders
    P4  beam, targeted self-training on all of them     P4-  the same sentences, but the likeliest parses
    P5  as P4, caseless
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from wordorder.formats import conllu, pud
from wordorder.orders import place
from wordorder.parsing.transition import DependencyParser, ParserOptions
from wordorder.preordering import (
    Reference,
    SelfTraining,
    evaluate_orders,
    load_rules,
    order_systems,
    parser_table,
    share_words,
)
from wordorder.scoring.comparison import pair_table
from wordorder.trees import DependencyTrees, best_trees


def learn_parsers(
    setting: SelfTraining, treebank: DependencyTrees, text: DependencyTrees, reference: Reference, rules: str
) -> dict[str, DependencyParser]:
    """Learn the parsers of one fold."""
    how, rule_set = setting.options, load_rules(rules)
    found = {
        "P1": DependencyParser.learn(treebank, replace(how, beam=1)),
        "P2": DependencyParser.learn(treebank, how),
    }
    chosen = setting.choose(found["P2"], text, reference, rule_set)
    added = {"P3": chosen[: len(text) // 2], "P4-": best_trees(found["P2"].parse(text)), "P4": chosen}
    for name, trees in added.items():
        found[name] = DependencyParser.learn(DependencyTrees.concatenate([treebank, trees]), how)
    caseless = replace(how, caseless=True)
    first = DependencyParser.learn(treebank, caseless)
    both = DependencyTrees.concatenate([treebank, setting.choose(first, text, reference, rule_set)])
    return found | {"P5": DependencyParser.learn(both, caseless)}


def parse_fold(
    setting: SelfTraining, trees: DependencyTrees, reference: Reference, rules: str, fold: int
) -> dict[str, DependencyTrees]:
    """Parse the sentences of one fold with each of the parsers."""
    held_out, known, other = setting.split(len(trees))[fold]
    text = trees.take(other)
    parsers = learn_parsers(setting, trees.take(known), text, reference.take(other, text), rules)
    return {name: best_trees(parser.parse(trees.take(held_out))) for name, parser in parsers.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("--rules", default="r5")
    arguments.add_argument("--folds", type=int, default=5)
    arguments.add_argument("--nbest", type=int, default=25)
    arguments.add_argument("--policy", default="talbot")
    arguments.add_argument("--processes", type=int, default=1, help="folds that are worked on at a time")
    chosen = arguments.parse_args()
    trees = conllu.read(f"{chosen.folder}/en.conllu")
    reference = Reference.of(place(pud.read(chosen.folder).alignments, policy=chosen.policy), trees)
    setting = SelfTraining(ParserOptions(), nbest=chosen.nbest, folds=chosen.folds)
    work = partial(parse_fold, setting, trees, reference, chosen.rules)
    with ProcessPoolExecutor(chosen.processes) as pool:
        found = list(pool.map(work, range(chosen.folds)))
    order = np.argsort(np.concatenate([held_out for held_out, _, _ in setting.split(len(trees))]))
    joined = {name: DependencyTrees.concatenate([part[name] for part in found]).take(order) for name in found[0]}
    parses = share_words({"gold": trees} | joined)
    rule_sets = {chosen.rules: load_rules(chosen.rules)}
    judged = Reference.of(reference.places, parses["gold"])
    scores = evaluate_orders(order_systems(parses, rule_sets, judged), judged, metrics="fuzzy,kendall,pef")
    print(scores.table())
    print(pair_table(scores, scores.metrics[0]))
    print(parser_table(parses, parses["gold"]))


if __name__ == "__main__":
    main()
