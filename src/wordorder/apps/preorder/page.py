"""Make HTML pages with the scores of rule sets, and with every sentence as each rule set reorders it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from wordorder.apps.preorder import Blame, Reference, evaluate_orders
from wordorder.apps.preorder.precedence import order_best
from wordorder.core.orders import Permutations
from wordorder.core.runtime.columns import Bools, offsets_from_lengths, rows_of, sum_rows
from wordorder.core.text import Tokens
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.report.table import Table
from wordorder.scoring.scores import Scores
from wordorder.show.explorer.gathering import gather_segments
from wordorder.show.explorer.page import Page
from wordorder.show.explorer.segments import write_lines

BEST = "best order of the tree"


def preordering_page(
    scores: Scores,
    orders: Mapping[str, Permutations],
    reference: Reference,
    trees: DependencyTrees,
    *,
    tables: Sequence[Table] = (),
    title: str = "Pre-ordering",
    command: str = "",
) -> Page:
    """Make a page with tables, and with every sentence as each rule set reorders it.

    ``scores`` compares ``orders`` with ``reference``, and ``trees`` provides the words. Words without a position
    in the reference order are left out, as in scoring.
    """
    placed = reference.places.places >= 0
    shown = replace(
        gather_segments(scores),
        lengths=trees.lengths,
        source=write_lines(Tokens(trees.words, trees.offsets, trees.strings)),
        references=(write_lines(_ordered(trees, _reference_order(reference), placed)),),
        hypotheses=tuple(write_lines(_ordered(trees, orders[system], placed)) for system in scores.systems),
    )
    return Page(title, tuple(tables) or (scores.table(),), (shown,), command)


def blame_page(blame: Blame, tables: Sequence[Table], *, metrics: str | None = None, command: str = "") -> Page:
    """Make a page with tables of errors, and with every sentence in two orders: by the rules, and the best possible.

    The best possible order is the best one that the parse of the sentence allows.
    """
    orders = {blame.rules.name: blame.orders, BEST: order_best(blame.trees, blame.reference.places)}
    scores = evaluate_orders(orders, blame.reference, metrics=metrics)
    title = f"{blame.rules.name}: what goes wrong"
    return preordering_page(scores, orders, blame.reference, blame.trees, tables=tables, title=title, command=command)


def _reference_order(reference: Reference) -> Permutations:
    """Return the reference order of each sentence; words that may be in any order are in source order."""
    offsets = reference.places.offsets
    rows = rows_of(offsets)
    order = np.lexsort((reference.places.places, rows))
    return Permutations((order - offsets[rows]).astype(np.int32), offsets)


def _ordered(trees: DependencyTrees, order: Permutations, placed: Bools) -> Tokens:
    """Return the words in a new order, without those that have no position in the reference order."""
    words = trees.offsets[rows_of(trees.offsets)] + order.ranks
    kept = placed[words]
    return Tokens(trees.words[words[kept]], offsets_from_lengths(sum_rows(kept, trees.offsets)), trees.strings)
