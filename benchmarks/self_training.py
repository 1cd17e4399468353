"""Parsers of growing quality against the fuzzy reordering score, after Talbot et al. (2011, Tables 4 and 8).

    python benchmarks/self_training.py FOLDER [--rules r5] [--folds 5] [--nbest 25] [--policy talbot]

FOLDER is an aligned treebank (en.conllu, target.conllu, alignment.json). Of the sentences outside of a fold half have
gold trees; of the others only the reference orders are used. Parsers, all with tags of their own:

    P1  greedy                                          P1-  greedy, learned from half of the trees
    P2  beam
    P3  beam, targeted self-training on half of the sentences with orders
    P4  beam, targeted self-training on all of them     P4-  the same sentences, but the likeliest parses
    P5  as P4, caseless
"""

from __future__ import annotations

import argparse
from dataclasses import replace

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
        "P1-": DependencyParser.learn(treebank[: len(treebank) // 2], replace(how, beam=1)),
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


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("--rules", default="r5")
    arguments.add_argument("--folds", type=int, default=5)
    arguments.add_argument("--nbest", type=int, default=25)
    arguments.add_argument("--policy", default="talbot")
    chosen = arguments.parse_args()
    trees = conllu.read(f"{chosen.folder}/en.conllu")
    reference = Reference.of(place(pud.read(chosen.folder).alignments, policy=chosen.policy), trees)
    setting = SelfTraining(ParserOptions(), nbest=chosen.nbest, folds=chosen.folds)
    parts = setting.split(len(trees))
    found: dict[str, list[DependencyTrees]] = {}
    for number, (held_out, known, other) in enumerate(parts, start=1):
        text = trees.take(other)
        parsers = learn_parsers(setting, trees.take(known), text, reference.take(other, text), chosen.rules)
        for name, parser in parsers.items():
            found.setdefault(name, []).append(best_trees(parser.parse(trees.take(held_out))))
        print(f"fold {number} of {len(parts)} done", flush=True)
    order = np.argsort(np.concatenate([held_out for held_out, _, _ in parts]))
    joined = {name: DependencyTrees.concatenate(each).take(order) for name, each in found.items()}
    parses = share_words({"gold": trees} | joined)
    rule_sets = {chosen.rules: load_rules(chosen.rules)}
    judged = Reference.of(reference.places, parses["gold"])
    scores = evaluate_orders(order_systems(parses, rule_sets, judged), judged, metrics="fuzzy,kendall,pef")
    print(scores.table())
    print(pair_table(scores, scores.metrics[0]))
    print(parser_table(parses, parses["gold"]))


if __name__ == "__main__":
    main()
