"""Find the causes of wrong orders: frequently misplaced words, tags and labels, harmful rules, and wrong parses.

A word is *misplaced* if it has to be moved. The smallest set of words to move is the complement of a longest
increasing subsequence of ranks (Ulam's distance).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.apps.preorder.evaluation import evaluate_orders
from wordorder.apps.preorder.language import RuleSet, format_head
from wordorder.apps.preorder.precedence import Reorderer, order_best, reorder
from wordorder.apps.preorder.reference import Reference
from wordorder.core.orders.ascending import mark_ascending
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Bools, Floats, Int64s, rows_of
from wordorder.core.runtime.errors import choices
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.resampling import interval
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.report.table import Cell, Column, Table
from wordorder.scoring.worst import worst_segments

KINDS = ("word", "tag", "label")
_RULES, _BEST = "rules", "best order of the tree"


@dataclass(frozen=True, eq=False)
class Blame:
    """The word orders that a rule set produces for parsed sentences, and the reference orders of these sentences."""

    trees: DependencyTrees
    rules: RuleSet
    reference: Reference
    orders: Permutations

    @classmethod
    def of(cls, trees: DependencyTrees, rules: RuleSet, reference: Reference) -> Blame:
        """Reorder the trees by the rules, and return the new orders together with the reference orders."""
        return cls(trees, rules, reference, reorder(trees, rules))

    def misplaced_table(self, kind: str, *, count: int = 20, least: int = 1) -> Table:
        """Return a table of the words, tags or labels (``kind``) that are most often misplaced.

        ``rate`` is the share of occurrences that are misplaced, and ``lift`` is this rate divided by the rate over
        all words. Entries that occur fewer than ``least`` times are left out. Repeated words, and words that may be
        in any order, are treated as in :meth:`Reference.compare`.
        """
        if kind not in KINDS:
            raise choices(kind, list(KINDS), what="kind of blame")
        words, wrong = self.misplaced()
        strings = self.trees.strings.to_pylist()
        column = {"word": self.trees.words, "tag": self.trees.tags, "label": self.trees.labels}[kind]
        names = [strings[number].lower() if kind == "word" else strings[number] for number in column[words].tolist()]
        found, group = np.unique(np.array(names, dtype=object), return_inverse=True)
        total, bad = np.bincount(group), np.bincount(group, weights=wrong).astype(np.int64)
        overall = wrong.mean() if len(wrong) else np.nan
        ranked = sorted(np.flatnonzero((total >= least) & (bad > 0)).tolist(), key=lambda g: (-bad[g], found[g]))
        top = ranked[:count]
        rows = [[str(found[g]), int(bad[g]), int(total[g]), rate := bad[g] / total[g], rate / overall] for g in top]
        columns: list[Column | str] = [
            Column(kind, "left"),
            "misplaced",
            "occurs",
            "rate",
            Column("lift", number=".2f"),
        ]
        share = f"{wrong.sum()} of {len(wrong)} words are misplaced ({100 * overall:.1f}%)"
        note = f"{share}: the fewest that have to be moved" if len(wrong) else "there are no words to judge"
        return Table.of(f"misplaced by {kind}", columns, rows, notes=[note])

    def misplaced(self) -> tuple[Int64s, Bools]:
        """Return the indices of all words with a position in the reference order, and whether each is misplaced."""
        starts = self.trees.offsets[rows_of(self.trees.offsets)]
        words = starts + self.orders.ranks
        words = words[self.reference.places.places[words] >= 0]
        return words, ~mark_ascending(self.reference.compare(self.orders))

    def rule_table(self, *, metric: str = "fuzzy", resampling: Resampling | None = None) -> Table:
        """Return a table of each rule's gain: the score of the rule set minus its score without the rule."""
        without = {str(number): self.rules.without(number) for number in range(len(self.rules))}
        orders = {_RULES: self.orders, **{name: reorder(self.trees, rules) for name, rules in without.items()}}
        scores = evaluate_orders(orders, self.reference, metrics=metric, resampling=resampling)
        heads, moved = self._work()
        rows: list[list[Cell | str | int]] = []
        for number, rule in enumerate(self.rules):
            gain = scores.values[0, 0] - scores.values[number + 1, 0]
            spread = _spread(scores.replicates[:, 0, 0] - scores.replicates[:, number + 1, 0])
            counts = int(heads[number]), int(moved[number])
            rows.append([rule.line or number + 1, format_head(rule), *counts, Cell(gain, spread)])
        columns: list[Column | str] = [
            "line",
            Column("rule for", "left"),
            "heads",
            "reordered",
            Column("gain", number=".4f"),
        ]
        whole = "undefined" if np.isnan(scores.values[0, 0]) else f"{scores.values[0, 0]:.3f}"
        against = "against the set without the rule, whose heads go to the next rule that fits"
        notes = [f"gain in {scores.metrics[0]} {against}; the whole set: {whole}"]
        title = f"rules of {self.rules.name}, each switched off in turn"
        return Table.of(title, columns, rows, notes=notes, signature=scores.signature)

    def _work(self) -> tuple[Int64s, Int64s]:
        """Return two counts for each rule: the heads to which it applies, and those of them that it reorders.

        Only heads with children are counted.
        """
        ready = Reorderer(self.trees, self.rules.named("forms"))
        trees, placed = ready.trees, ready.place(self.rules)
        children = np.flatnonzero(trees.heads >= 0)
        parents = (trees.offsets[rows_of(trees.offsets)] + trees.heads)[children]
        children = children[order := np.argsort(parents, kind="stable")]  # siblings are adjacent, in source order
        parents = parents[order]
        places = placed.places[children]
        sides = (places > placed.head_places[parents]) != (children > parents)
        siblings = parents[1:] == parents[:-1]
        turned = (places[1:] < places[:-1]) | ((places[1:] == places[:-1]) & placed.backwards[children[1:]])
        heads, moved = np.unique(parents), np.union1d(parents[sides], parents[1:][siblings & turned])
        # entry 0 counts the heads without a rule
        counts = [np.bincount(placed.rules[each] + 1, minlength=len(self.rules) + 1)[1:] for each in (heads, moved)]
        return counts[0], counts[1]

    def loss_table(self, *, metrics: str | None = None, resampling: Resampling | None = None) -> Table:
        """Return a table that splits the loss under each metric into the loss due to rules and that due to the parse.

        The loss due to the parse is what remains if the children of each head are in their best order, the one with
        the fewest pairs of words in the wrong order. Under metrics other than ``kendall``, an even better order may
        exist, so this loss is an upper bound.
        """
        orders = {_RULES: self.orders, _BEST: order_best(self.trees, self.reference.places)}
        scores = evaluate_orders(orders, self.reference, metrics=metrics, resampling=resampling)
        rows: list[list[Cell | str]] = []
        for m, metric in enumerate(scores.metrics):
            system, top = scores.values[:, m]
            by_rules = Cell(top - system, _spread(scores.replicates[:, 1, m] - scores.replicates[:, 0, m]))
            by_parse = Cell(1 - top, _spread(1 - scores.replicates[:, 1, m]))
            rows.append([str(metric), Cell(system), Cell(top), by_rules, by_parse])
        columns: list[Column | str] = [Column("metric", "left"), _RULES, _BEST, "lost to rules", "lost to the parse"]
        title = f"{self.rules.name}: rules or parse?"
        return Table.of(title, columns, rows, signature=scores.signature)

    def show_worst(self, *, count: int = 10, metric: str = "fuzzy") -> str:
        """Return a text that shows the worst sentences in three orders: source, after the rules, and reference."""
        scores = evaluate_orders({_RULES: self.orders}, self.reference, metrics=metric, resampling=Resampling(0))
        values = scores.segment_scores(_RULES, scores.metrics[0])
        lines = []
        for row in worst_segments(np.where(values < 1, values, np.nan), count):  # without perfect ones
            words = self.trees[row].words
            lines += [
                f"sentence {row + 1}  {scores.metrics[0]} {values[row]:.3f}",
                f"  source     {' '.join(words)}",
                f"  rules      {' '.join(words[word] for word in self.orders[row].ranks)}",
                f"  reference  {self.reference.places.written(row, words)}",
                "",
            ]
        return "\n".join(lines) + "\n" if lines else ""


def _spread(replicates: Floats) -> tuple[float, float]:
    low, high = interval(replicates)
    return float(low), float(high)
