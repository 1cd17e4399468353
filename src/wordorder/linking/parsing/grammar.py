"""A probabilistic context-free grammar with a lexicon, learned from a treebank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Floats, Ints, offsets_from_lengths
from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import ROOT_LABEL, ConstituencyTrees, HeadRules
from wordorder.core.trees.head_runs import RunTables, run_tables
from wordorder.linking.parsing.cky import Level, Refinement
from wordorder.linking.parsing.counts import PHRASE, STEP, TAG, Category, GrammarOptions, RuleCounts, count_treebank
from wordorder.linking.parsing.rule_tables import RuleTables, estimate, project
from wordorder.linking.parsing.tag_lexicon import TagLexicon


@dataclass(frozen=True, eq=False)
class WordScores:
    """The possible tags of a word, with log P(word | tag) for each, in the fine and in the coarse grammar."""

    tags: Ints
    scores: Floats
    coarse_tags: Ints
    coarse_scores: Floats


class Grammar:
    """A grammar that is ready for parsing, with a fine level, a coarse level and a lexicon.

    In the coarse level, categories are plain labels without refinements, and all binarisation steps of constituents
    with the same label form one category. The coarse level prunes the search with the fine level, and replaces it if
    no tree is found.
    """

    def __init__(self, counts: RuleCounts) -> None:
        _check(counts)
        self.counts = counts
        kinds = np.array([category.kind for category in counts.categories], dtype=np.int64)
        used = {category.label for category in counts.categories}
        self.labels: list[str] = sorted(used.union(*counts.middles))
        number = {label: place for place, label in enumerate(self.labels)}
        labels = np.array([number[category.label] for category in counts.categories], dtype=np.int64)
        keys, coarse = np.unique(kinds * len(self.labels) + labels, return_inverse=True)
        root = next(place for place, category in enumerate(counts.categories) if _is_root(category))
        rules, origin = estimate(len(kinds), counts.binary, counts.unary, counts.stay)
        stay = np.bincount(coarse, counts.stay).astype(np.int64)
        binary, unary = project(counts.binary, coarse), project(counts.unary, coarse)
        coarse_rules, coarse_origin = estimate(len(keys), binary, unary, stay)
        middles = [counts.middles[row] for row in origin]
        between = np.array([number[label] for middle in middles for label in middle], dtype=np.int32)
        own = labels.astype(np.int32), kinds == STEP
        refinement = refine(coarse, len(keys), rules, coarse_rules)
        self.fine = Level(rules, refinement, *own, between, offsets_from_lengths(map(len, middles)), root)
        own = (keys % len(self.labels)).astype(np.int32), keys // len(self.labels) == STEP
        refinement = refine(np.arange(len(keys)), len(keys), coarse_rules, coarse_rules)
        nothing = np.zeros(0, dtype=np.int32), np.zeros(len(coarse_origin) + 1, dtype=np.int64)
        self.coarse = Level(coarse_rules, refinement, *own, *nothing, int(coarse[root]))
        for level in (self.fine, self.coarse):
            for array in (*level.refinement, level.labels, level.is_step, level.chain_labels, level.chain_offsets):
                array.setflags(write=False)
        self._known: dict[tuple[str, bool], WordScores] = {}

    @classmethod
    def learn(
        cls, trees: ConstituencyTrees, options: GrammarOptions | None = None, *, head_rules: HeadRules | None = None
    ) -> Grammar:
        """Learn a grammar from a treebank."""
        return cls(count_treebank(trees, options, head_rules=head_rules))

    @cached_property
    def lexicon(self) -> TagLexicon:
        """The lexicon, in which tags that differ only in the added parent count as refinements of one tag."""
        groups: dict[str, int] = {}
        names = [category.name.partition("^")[0] for category in self.counts.categories if category.kind == TAG]
        return TagLexicon(self.counts.words, [groups.setdefault(name, len(groups)) for name in names])

    @cached_property
    def head_runs(self) -> RunTables:
        """Tables for applying the English head rules while the children of a constituent are joined one by one."""
        categories = self.counts.categories
        for parent, *children in self.counts.binary[:, :3].tolist():
            steps = [categories[child] for child in children if categories[child].kind == STEP]
            if len(steps) > 1 or any(step.label != categories[parent].label for step in steps):
                raise InputError(
                    "every binary rule must join two children, or a child and a binarisation step of the same phrase"
                    f"; a rule for {categories[parent].name} does not"
                )
        constituents = {int(label) for label in self.fine.labels[np.unique(self.counts.binary[:, 0])]}
        return run_tables(HeadRules.english(), self.labels, sorted(constituents))

    @cached_property
    def _coarse_tags(self) -> dict[int, int]:
        """For each coarse tag, the number of words in the treebank that have this tag."""
        totals: dict[int, int] = {}
        for tag, count in self.lexicon.tags.items():
            coarse = int(self.fine.refinement.coarse[tag])
            totals[coarse] = totals.get(coarse, 0) + count
        return totals

    def word_scores(self, word: str, *, initial: bool) -> WordScores:
        """Return the possible tags of a word with their scores, which are cached because words recur."""
        found = self._known.get((word, initial))
        if found is None:
            fine = self.lexicon.scores(word, initial=initial)
            coarse: dict[int, float] = {}
            for tag, score in fine.items():
                group = int(self.fine.refinement.coarse[tag])
                share = self.lexicon.tags[tag] / self._coarse_tags[group]
                coarse[group] = coarse.get(group, 0.0) + math.exp(score) * share
            found = WordScores(
                np.array(list(fine), dtype=np.int32),
                np.array(list(fine.values())),
                np.array(list(coarse), dtype=np.int32),
                np.array([math.log(share) for share in coarse.values()]),
            )
            self._known[word, initial] = found
        return found

    def best_tag(self, word: str, *, initial: bool) -> str:
        """Return the most likely tag of a word, regardless of its context."""
        found = self.word_scores(word, initial=initial)
        tags = found.coarse_tags.tolist()
        joint = [math.log(self._coarse_tags[tag]) for tag in tags] + found.coarse_scores
        return str(self.labels[self.coarse.labels[tags[int(np.argmax(joint))]]])


def refine(coarse: NDArray[np.integer], categories: int, rules: RuleTables, coarse_rules: RuleTables) -> Refinement:
    """Return the mapping between two grammars, given their rules and the coarse category of each fine category."""
    known = np.column_stack((coarse_rules.parent, coarse_rules.left, coarse_rules.right)).tolist()
    place = {tuple(rule): number for number, rule in enumerate(known)}
    projected = coarse[np.column_stack((rules.parent, rules.left, rules.right))].tolist()
    groups = np.array([place[tuple(rule)] for rule in projected], dtype=np.int64)
    return Refinement(
        coarse.astype(np.int32),
        np.argsort(coarse, kind="stable").astype(np.int32),
        offsets_from_lengths(np.bincount(coarse, minlength=categories)),
        np.lexsort((rules.parent, groups)).astype(np.int32),
        offsets_from_lengths(np.bincount(groups, minlength=len(place))),
    )


def _is_root(category: Category) -> bool:
    return category.kind == PHRASE and category.label == ROOT_LABEL


def _check(counts: RuleCounts) -> None:
    """Raise an error if the counts do not form a valid grammar; counts made from a treebank always do."""
    kinds = [category.kind for category in counts.categories]
    if kinds != sorted(kinds):
        raise InputError("the categories are out of order; expected tags, then phrases, then binarisation steps")
    roots = sum(map(_is_root, counts.categories))
    if roots != 1:
        raise InputError(f"expected exactly one root category, found {roots}")
    if any(kinds[parent] == TAG for parent in counts.binary[:, 0]):
        raise InputError("the parent of every binary rule must be a phrase or a binarisation step, but one is a tag")
    if any(kinds[top] != PHRASE or kinds[bottom] == STEP for top, bottom, _ in counts.unary):
        raise InputError("every unary chain must lead from a phrase to a phrase or a tag")
    if not counts.words:
        raise InputError("the grammar has no words")
