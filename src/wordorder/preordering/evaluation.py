"""Evaluate rule sets and parsers: any number of both, one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from wordorder.metrics import Need, parse_metrics
from wordorder.orders.permutation import Permutations
from wordorder.preordering.learning import CrossValidation
from wordorder.preordering.reference import Reference
from wordorder.preordering.reorder import reorder
from wordorder.preordering.rules import RuleSet
from wordorder.report.table import Column, Table
from wordorder.runtime.errors import UsageError
from wordorder.runtime.files import LINES_PER_BLOCK
from wordorder.runtime.threads import spans
from wordorder.scoring.batch import Batch
from wordorder.scoring.evaluate import evaluate
from wordorder.scoring.scores import Resampling, Scores
from wordorder.trees.accuracy import attachment
from wordorder.trees.dependency import DependencyTrees
from wordorder.trees.projectivity import lift

DEFAULT_METRICS = "fuzzy,kendall,kendall-sqrt,pef"


def order_systems(
    parses: Mapping[str, DependencyTrees],
    rule_sets: Mapping[str, RuleSet | CrossValidation],
    reference: Reference,
) -> dict[str, Permutations]:
    """Order every sentence under every parser and rule set.

    A system is called after its rules; where there are several parsers, ``parser+rules``.
    """
    if not parses or not rule_sets:
        raise UsageError("there is nothing to evaluate: give parses and rule sets")
    found = {}
    for parser, trees in parses.items():
        for name, rules in rule_sets.items():
            system = f"{parser}+{name}" if len(parses) > 1 else name
            if isinstance(rules, CrossValidation):
                found[system] = rules.reorder(trees, reference)
            else:
                found[system] = reorder(trees, rules)
    return found


def evaluate_orders(
    orders: Mapping[str, Permutations],
    reference: Reference,
    *,
    metrics: str | None = None,
    resampling: Resampling | None = None,
    baseline: str | None = None,
    test: str = "bootstrap",
) -> Scores:
    """Score new orders of the same sentences against their reference orders, with intervals and comparisons.

    >>> from wordorder.orders import Alignment, place
    >>> from wordorder.trees import DependencyTree
    >>> tree = DependencyTree(("I", "eat", "fish"), (1, -1, 1), ("nsubj", "root", "obj"), ("PRON", "VERB", "NOUN"))
    >>> wanted = place(Alignment(((0, 0), (1, 2), (2, 1)), 3).column(), policy="talbot")
    >>> orders = {"none": Permutations.of(["1 2 3"]), "ours": Permutations.of(["1 3 2"])}
    >>> scores = evaluate_orders(orders, Reference.of(wanted, tree.column()), metrics="fuzzy,kendall")
    >>> scores.values.round(3).tolist()
    [[0.0, 0.667], [1.0, 1.0]]
    """
    chosen = parse_metrics(metrics or DEFAULT_METRICS, available=frozenset({Need.ORDER}))
    judged = [reference.judge(order) for order in orders.values()]

    def blocks() -> Iterator[Sequence[Batch]]:
        for start, stop in spans(len(reference), LINES_PER_BLOCK):
            yield [Batch([column[start:stop]]) for column in judged]

    inputs = {"order": "preordered", "policy": reference.places.policy, "instances": reference.instances}
    return evaluate(
        blocks(), list(orders), chosen, inputs=inputs, resampling=resampling, baseline=baseline, test=test
    )


def parser_table(parses: Mapping[str, DependencyTrees], gold: DependencyTrees | None = None) -> Table:
    """Say how good parses are in themselves (Talbot et al. 2011, Table 8), and how many trees have crossing arcs.

    Words whose arcs cross are attached higher before anything is reordered.
    """
    columns = [Column("parser", "left"), *accuracy_columns(gold), Column("crossing trees"), Column("words moved up")]
    rows: list[list[str | int | float | None]] = []
    for parser, trees in parses.items():
        lifted = lift(trees)[1]
        rows.append([parser, *accuracy(trees, gold), int(np.count_nonzero(lifted)), int(lifted.sum())])
    return Table.of("parsers", columns, rows)


def accuracy_columns(gold: DependencyTrees | None) -> list[Column]:
    """Give the columns for :func:`accuracy`, none without gold trees."""
    return [] if gold is None else [Column(name) for name in ("UAS", "LAS", "LAS without subtypes", "part of speech")]


def accuracy(trees: DependencyTrees, gold: DependencyTrees | None) -> list[float | None]:
    """Compare parses with gold trees; labels or tags that never agree are of another scheme, and say nothing."""
    if gold is None:
        return []
    found = attachment(trees, gold)
    return [found.uas, *(value or None for value in (found.las, found.universal_las, found.pos))]


def find_cautions(
    rule_sets: Mapping[str, RuleSet | CrossValidation], parses: Mapping[str, DependencyTrees]
) -> Iterator[str]:
    """Find crossing arcs, and rules that name nothing these trees have: they are of another scheme."""
    for parser, trees in parses.items():
        lifted = lift(trees)[1]
        if lifted.any():
            told = f"{np.count_nonzero(lifted)} of {len(trees)} trees of {parser} have crossing arcs"
            yield f"{told}; {lifted.sum()} words are attached higher"
        labels = set(trees.strings.take(np.unique(trees.labels)).to_pylist())
        labels |= {label.partition(":")[0] for label in labels}
        tags = set(trees.strings.take(np.unique(np.concatenate((trees.tags, trees.fine_tags)))).to_pylist())
        for name, rules in rule_sets.items():
            if not isinstance(rules, RuleSet):
                continue
            for what, named, found in (("label", rules.named_labels, labels), ("tag", rules.named_tags, tags)):
                if named and found and named.isdisjoint(found):
                    told = f"{name} names no {what} that {parser} has ({', '.join(sorted(found)[:3])} …)"
                    yield f"warning: {told}; much of it does not apply"
