"""Evaluate targeted self-training of parsers (Katz-Brown et al. 2011; Talbot et al. 2011, §4.1).

A parser is trained on a treebank and makes several parses of each sentence in another text. For each sentence, the
parse with the best reordering is added to the treebank, and the parser is trained again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.apps.preorder.reference import Reference
from wordorder.apps.preorder.rule_sets import RuleSet
from wordorder.apps.preorder.selection import select_parses
from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics import Resampling
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.parse_lists import best_trees
from wordorder.linking.parsing.transition import DependencyParser, ParserOptions

BEFORE, UNTARGETED, TARGETED = "before", "self-trained", "targeted"


@dataclass(frozen=True)
class SelfTraining:
    """Settings for training parsers on their own parses, and for evaluating them by cross-validation.

    The parser makes ``nbest`` parses of each sentence, and the one whose reordering scores best under ``metric`` is
    chosen. Each of the ``folds`` is parsed by parsers that were not trained on it. Of the other sentences, the
    proportion ``share`` forms the treebank; of the rest, only the words and reference orders are used.
    """

    options: ParserOptions = ParserOptions()
    nbest: int = 50
    metric: str = "fuzzy"
    folds: int = 10
    share: float = 0.5

    def __post_init__(self) -> None:
        if self.folds < 2 or self.nbest < 1:
            raise UsageError(f"expected at least 2 folds and 1 parse per sentence, not {self.folds} and {self.nbest}")
        if not 0 < self.share < 1:
            raise UsageError(f"the share of sentences in the treebank must be between 0 and 1, not {self.share}")

    def choose(
        self, parser: DependencyParser, text: DependencyTrees, reference: Reference, rules: RuleSet
    ) -> DependencyTrees:
        """Parse the sentences of ``text``, ignoring its trees, and return the parses with the best reordering."""
        lists = parser.parse(text, n=self.nbest)
        scores = Resampling(samples=0)
        return select_parses(lists, rules, reference, metric=self.metric, resampling=scores).chosen

    def try_folds(self, trees: DependencyTrees, reference: Reference, rules: RuleSet) -> dict[str, DependencyTrees]:
        """Return the parses of all sentences by three parsers, which are trained anew for each fold.

        The first is trained only on the treebank. For the second, its likeliest parses of other sentences are added
        to the training trees; for the third, those of its parses with the best reordering are added.
        """
        if len(trees) < 2 * self.folds:
            raise InputError(f"{self.folds} folds need at least {2 * self.folds} sentences, found {len(trees)}")
        found: dict[str, list[DependencyTrees]] = {BEFORE: [], UNTARGETED: [], TARGETED: []}
        parts = self.split(len(trees))
        for held_out, known, other in progress(parts, label="self-training", total=len(parts), unit=" folds"):
            treebank, text = trees.take(known), trees.take(other)
            first = DependencyParser.learn(treebank, self.options)
            likeliest = best_trees(first.parse(text))
            chosen = self.choose(first, text, reference.take(other, text), rules)
            parsers = {BEFORE: first}
            for name, added in ((UNTARGETED, likeliest), (TARGETED, chosen)):
                both = DependencyTrees.concatenate([treebank, added])
                parsers[name] = DependencyParser.learn(both, self.options)
            for name, parser in parsers.items():
                found[name].append(best_trees(parser.parse(trees.take(held_out))))
        order = np.argsort(np.concatenate([held_out for held_out, _, _ in parts]))
        return {name: DependencyTrees.concatenate(each).take(order) for name, each in found.items()}

    def split(self, count: int) -> list[tuple[Int64s, Int64s, Int64s]]:
        """Return, for each fold, the row indices of the test sentences, the treebank, and the remaining sentences."""
        rng = np.random.default_rng(self.options.seed)
        rows = np.arange(count)
        parts = []
        for fold in range(self.folds):
            rest = rng.permutation(rows[rows % self.folds != fold])
            cut = min(max(1, round(self.share * len(rest))), len(rest) - 1)
            parts.append((rows[rows % self.folds == fold], np.sort(rest[:cut]), np.sort(rest[cut:])))
        return parts
