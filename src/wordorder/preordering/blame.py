"""What goes wrong, and whose fault is it? Words, tags and labels out of place; rules that do harm; rules or parse.

A word is *misplaced* if it has to be moved: the fewest words whose moving makes the order right are those outside a
longest ascending run of ranks (Ulam's distance).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.orders.permutation import Permutations
from wordorder.preordering.evaluation import evaluate_orders
from wordorder.preordering.language import format_head
from wordorder.preordering.precedence import order_best
from wordorder.preordering.reference import Reference
from wordorder.preordering.reorder import Reorderer, reorder
from wordorder.preordering.rules import RuleSet
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.errors import choices
from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import rows_of
from wordorder.scoring.scores import Resampling
from wordorder.scoring.worst import worst_segments
from wordorder.statistics.resampling import interval
from wordorder.trees.dependency import DependencyTrees

KINDS = ("word", "tag", "label")
_RULES, _BEST = "rules", "best order of the tree"


@dataclass(frozen=True, eq=False)
class Blame:
    """The orders a rule set makes of some trees, beside the reference."""

    trees: DependencyTrees
    rules: RuleSet
    reference: Reference
    orders: Permutations

    @classmethod
    def of(cls, trees: DependencyTrees, rules: RuleSet, reference: Reference) -> Blame:
        """Reorder the trees and be ready for questions."""
        return cls(trees, rules, reference, reorder(trees, rules))

    def misplaced_table(self, kind: str, *, count: int = 20, least: int = 1) -> Table:
        """List the words, tags or labels that are most often misplaced, beside how often they occur.

        ``lift`` is the rate of being misplaced divided by that of all words. Words in free groups and instances of
        one word are judged as the reference judges them.
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
        rows = [
            [
                str(found[g]),
                int(bad[g]),
                int(total[g]),
                bad[g] / total[g],
                bad[g] / total[g] / overall if overall else None,
            ]
            for g in ranked[:count]
        ]
        columns = [
            Column(kind, "left"),
            Column("misplaced"),
            Column("occurs"),
            Column("rate"),
            Column("lift", number=".2f"),
        ]
        share = (
            f"{int(wrong.sum())} of {len(wrong)} words are misplaced ({overall:.1%})" if len(wrong) else "no words"
        )
        return Table.of(f"misplaced by {kind}", columns, rows, notes=[f"{share}: the fewest that have to be moved"])

    def misplaced(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Give all judged words (as places in the column of words), and which of them are misplaced."""
        starts = self.trees.offsets[rows_of(self.trees.offsets)]
        words = starts + self.orders.ranks
        words = words[self.reference.places.places[words] >= 0]
        judged = self.reference.judge(self.orders)
        return words, ~_ascending(judged.ranks, judged.offsets)

    def rule_table(self, *, metric: str = "fuzzy", resampling: Resampling | None = None) -> Table:
        """Switch each rule off in turn: what is its gain, with a 95 % interval?"""
        resampling = resampling or Resampling()
        orders = {_RULES: self.orders}
        for number in range(len(self.rules)):
            orders[f"{number}"] = reorder(self.trees, self.rules.without(number))
        scores = evaluate_orders(orders, self.reference, metrics=metric, resampling=resampling)
        heads, moved = self._work()
        rows: list[list[Cell | str | int]] = []
        for number, rule in enumerate(self.rules):
            gain = float(scores.values[0, 0] - scores.values[number + 1, 0])
            spread = _spread(scores.replicates[:, 0, 0] - scores.replicates[:, number + 1, 0])
            rows.append(
                [
                    rule.line or number + 1,
                    format_head(rule),
                    int(heads[number]),
                    int(moved[number]),
                    Cell(gain, spread),
                ]
            )
        columns = [
            Column("line"),
            Column("rule for", "left"),
            Column("heads"),
            Column("reordered"),
            Column("gain", number=".4f"),
        ]
        whole = "undefined" if np.isnan(scores.values[0, 0]) else f"{scores.values[0, 0]:.3f}"
        notes = [
            f"gain in {scores.metrics[0]} against the set without the rule, whose heads go to the next rule that "
            f"fits; the whole set: {whole}",
            scores.signature_text(),
        ]
        return Table.of(f"rules of {self.rules.name}, each switched off in turn", columns, rows, notes=notes)

    def _work(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count for each rule the heads with children it applies to, and those whose children it really moves."""
        ready = Reorderer(self.trees, self.rules.forms)
        trees, placed = ready.trees, ready.place(self.rules)
        children = np.flatnonzero(trees.heads >= 0)
        parents = (trees.offsets[rows_of(trees.offsets)] + trees.heads)[children]
        children = children[order := np.argsort(parents, kind="stable")]  # siblings side by side, in source order
        parents = parents[order]
        places = placed.places[children]
        sides = (places > placed.head_places[parents]) != (children > parents)
        siblings = parents[1:] == parents[:-1]
        turned = (places[1:] < places[:-1]) | ((places[1:] == places[:-1]) & placed.backwards[children[1:]])
        moved = np.union1d(parents[sides], parents[1:][siblings & turned])
        size = len(self.rules)
        heads = placed.rules[np.unique(parents)]
        work = placed.rules[moved]
        return np.bincount(heads[heads >= 0], minlength=size), np.bincount(work[work >= 0], minlength=size)

    def loss_table(self, *, metrics: str | None = None, resampling: Resampling | None = None) -> Table:
        """Say how much is lost to the rules, and how much to the parse: what no order of children can mend.

        The best order of a tree has the fewest pairs of words in the wrong order; under another metric than
        ``kendall`` a still better one may exist, so the loss to the parse is at most what stands here.
        """
        best = order_best(self.trees, self.reference.places)
        orders = {_RULES: self.orders, _BEST: best}
        scores = evaluate_orders(orders, self.reference, metrics=metrics, resampling=resampling)
        rows: list[list[Cell | str]] = []
        for m, metric in enumerate(scores.metrics):
            system, top = (float(value) for value in scores.values[:, m])
            gap = scores.replicates[:, 1, m] - scores.replicates[:, 0, m]
            rest = 1 - scores.replicates[:, 1, m]
            rows.append(
                [str(metric), Cell(system), Cell(top), Cell(top - system, _spread(gap)), Cell(1 - top, _spread(rest))]
            )
        names = ["rules", "best order of the tree", "lost to rules", "lost to the parse"]
        title = f"{self.rules.name}: rules or parse?"
        return Table.of(title, [Column("metric", "left"), *map(Column, names)], rows, notes=[scores.signature_text()])

    def show_worst(self, *, count: int = 10, metric: str = "fuzzy") -> str:
        """Write the worst sentences: source, the order of the rules and the reference order one under the other."""
        scores = evaluate_orders(
            {_RULES: self.orders}, self.reference, metrics=metric, resampling=Resampling(samples=0)
        )
        values = scores.segment_scores(_RULES, scores.metrics[0])
        lines = []
        for row in worst_segments(np.where(values < 1, values, np.nan), count):  # none that is perfect
            tree = self.trees[row]
            order = self.orders[row].ranks
            lines += [
                f"sentence {row + 1}  {scores.metrics[0]} {values[row]:.3f}",
                f"  source     {' '.join(tree.words)}",
                f"  rules      {' '.join(tree.words[word] for word in order)}",
                f"  reference  {self.reference.places.written(row, tree.words)}",
                "",
            ]
        return "\n".join(lines) + "\n" if lines else ""


def _spread(replicates: NDArray[np.float64]) -> tuple[float, float] | None:
    if not len(replicates):
        return None
    low, high = interval(replicates)
    return float(low), float(high)


@kernel
def _ascending(ranks: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the members of a longest ascending subsequence of each row; of several, the one that ends lowest."""
    marked = np.zeros(len(ranks), dtype=np.bool_)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        length = offsets[row + 1] - start
        tails = np.empty(length, dtype=np.int64)  # where the lowest end of an ascending run of each length stands
        before = np.full(length, -1, dtype=np.int64)
        longest = 0
        for word in range(length):
            low, high = 0, longest
            while low < high:
                middle = (low + high) // 2
                if ranks[start + tails[middle]] < ranks[start + word]:
                    low = middle + 1
                else:
                    high = middle
            if low:
                before[word] = tails[low - 1]
            tails[low] = word
            longest = max(longest, low + 1)
        word = tails[longest - 1] if longest else -1
        while word >= 0:
            marked[start + word] = True
            word = before[word]
    return marked
