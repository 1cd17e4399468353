"""Choose the parse of each sentence that leads to the best reordering, for targeted self-training of a parser.

The chosen parses form a treebank for training (Katz-Brown et al. 2011; Talbot et al. 2011, §4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.apps.preorder.evaluation import accuracy, evaluate_orders
from wordorder.apps.preorder.reference import Reference, order_metric
from wordorder.apps.preorder.reorder import reorder
from wordorder.apps.preorder.rule_sets import RuleSet
from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.errors import InputError, count_of
from wordorder.core.statistics import Resampling
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.parse_lists import ParseLists
from wordorder.metrics import Batch
from wordorder.report.table import Cell, Column, Table
from wordorder.scoring.scores import Scores

FIRST, CHOSEN = "likeliest parse", "chosen parse"


@dataclass(frozen=True, eq=False)
class Selection:
    """The parses that were chosen, one for each sentence that has parses.

    ``parses`` are their indices among all parses of all sentences, and ``ranks`` says how many parses of the same
    sentence are likelier. ``likeliest`` and ``chosen`` are the trees of the likeliest and the chosen parses;
    ``scores`` compares the orders to which they lead.
    """

    parses: Int64s
    ranks: Int64s
    likeliest: DependencyTrees
    chosen: DependencyTrees
    scores: Scores

    def table(self, gold: DependencyTrees | None = None) -> Table:
        """Return a table of the scores of likeliest and chosen parses and, given gold trees, their accuracy."""
        low, high = self.scores.intervals
        columns: list[Column | str] = []
        rows: list[list[Cell | str | float | None]] = []
        for s, (name, trees) in enumerate(((FIRST, self.likeliest), (CHOSEN, self.chosen))):
            values, found = zip(self.scores.values[s], low[s], high[s], strict=True), accuracy(trees, gold)
            columns = [Column("parse", "left"), *map(str, self.scores.metrics), *found]
            rows.append([name, *(Cell(value, (a, b)) for value, a, b in values), *found.values()])
        other = int(np.count_nonzero(self.ranks))
        note = f"{other} of {len(self.parses)} sentences get a parse other than the likeliest"
        if other:
            note += f" (on average, number {1 + self.ranks[self.ranks > 0].mean():.1f} in the list)"
        return Table.of("", columns, rows, notes=[note], signature=self.scores.signature)


def select_parses(
    parses: ParseLists[DependencyTrees],
    rules: RuleSet,
    reference: Reference,
    *,
    metric: str = "fuzzy",
    metrics: str | None = None,
    resampling: Resampling | None = None,
) -> Selection:
    """Choose, for each sentence, the parse whose reordering scores best under ``metric``.

    Of several equally good parses, the likeliest is chosen; a sentence without a reference order keeps its likeliest
    parse. ``metrics`` are the metrics in the table of scores.
    """
    counts = np.diff(parses.offsets)
    if len(parses) != len(reference):
        raise InputError(
            f"expected a list of parses for each reference order, found {count_of(len(parses), 'list')} for "
            f"{count_of(len(reference), 'reference order')}"
        )
    missing = np.flatnonzero((counts == 0) & (np.diff(reference.places.offsets) > 0))
    if len(missing):
        raise InputError(f"sentence {missing[0] + 1} has no parses; expected at least one")
    rows = np.repeat(np.arange(len(parses)), counts)
    compared = reference.take(rows, parses.trees).compare(reorder(parses.trees, rules))
    scorer = order_metric(metric)
    values = scorer.segment(scorer.statistics(Batch([compared]))[:, 0])
    values = np.where(np.isnan(values), -np.inf, values)
    # In each sentence the best score comes first, then the likeliest parse, then the earlier one.
    by_score = np.lexsort((-parses.log_probabilities, -values, rows))
    by_chance = np.lexsort((-parses.log_probabilities, rows))
    firsts = parses.offsets[:-1][counts > 0]
    chosen, likeliest = by_score[firsts], by_chance[firsts]
    place = np.empty(len(rows), dtype=np.int64)
    place[by_chance] = np.arange(len(rows)) - parses.offsets[rows]
    trees = {FIRST: parses.trees.take(likeliest), CHOSEN: parses.trees.take(chosen)}
    known = reference.take(np.flatnonzero(counts), trees[FIRST])
    orders = {name: reorder(each, rules) for name, each in trees.items()}
    chosen_metrics = metrics or ",".join(dict.fromkeys([metric, "fuzzy", "kendall"]))
    scores = evaluate_orders(orders, known, metrics=chosen_metrics, resampling=resampling, baseline=FIRST)
    return Selection(chosen, place[chosen], trees[FIRST], trees[CHOSEN], scores)
