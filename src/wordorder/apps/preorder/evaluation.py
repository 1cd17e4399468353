"""Evaluate rule sets and parsers against reference orders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from wordorder.apps.preorder.learning import CrossValidation
from wordorder.apps.preorder.reference import Reference
from wordorder.apps.preorder.reorder import reorder
from wordorder.apps.preorder.rule_sets import RuleSet
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import to_column
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling
from wordorder.core.trees.attachment_scores import attachment
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.projectivity import lift
from wordorder.report.table import Column, Table
from wordorder.scoring.inputs import GivenOrders
from wordorder.scoring.score import score
from wordorder.scoring.scores import Scores

DEFAULT_METRICS = "fuzzy,kendall,kendall-sqrt,pef"


def order_systems(
    parses: Mapping[str, DependencyTrees], rule_sets: Mapping[str, RuleSet | CrossValidation], reference: Reference
) -> dict[str, Permutations]:
    """Reorder every sentence with every combination of parser and rule set.

    The result is keyed by the name of the rule set or, if there are several parsers, ``parser+rules``.
    """
    if not parses or not rule_sets:
        raise UsageError("nothing to evaluate was given; expected at least one parser and one rule set")
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
    learned: CrossValidation | None = None,
) -> Scores:
    """Score new orders of the same sentences against their reference orders, with confidence intervals and tests.

    ``learned`` says how rules were learned, if any were; it becomes part of the signature.

    >>> from wordorder.core.orders import Alignment, place
    >>> from wordorder.core.trees import DependencyTree
    >>> tree = DependencyTree(("I", "eat", "fish"), (1, -1, 1), ("nsubj", "root", "obj"), ("PRON", "VERB", "NOUN"))
    >>> wanted = place(Alignment(((0, 0), (1, 2), (2, 1)), 3).column(), policy="talbot")
    >>> orders = {"none": Permutations.of(["1 2 3"]), "ours": Permutations.of(["1 3 2"])}
    >>> scores = evaluate_orders(orders, Reference.of(wanted, tree.column()), metrics="fuzzy,kendall")
    >>> scores.values.round(3).tolist()
    [[0.0, 0.667], [1.0, 1.0]]
    """
    compared = {name: reference.compare(order) for name, order in orders.items()}
    origin = {"order": "preordered", "policy": reference.places.policy, "instances": reference.instances}
    if learned is not None:
        rule = learned.learner
        origin |= {"learned": f"{rule.metric}:folds={learned.folds}:least={rule.least}:parts={rule.parts}"}
    return score(
        GivenOrders(compared, origin=origin),
        metrics=metrics or DEFAULT_METRICS,
        resampling=resampling,
        baseline=baseline,
        test=test,
    )


def parser_table(parses: Mapping[str, DependencyTrees], gold: DependencyTrees | None = None) -> Table:
    """Return a table of parsing accuracy (Talbot et al. 2011, Table 8) and of the number of trees with crossing arcs.

    It also counts the words that are attached to a higher head before reordering, to remove crossing arcs.
    """
    columns: list[Column | str] = []
    rows = []
    for parser, trees in parses.items():
        lifted, found = lift(trees)[1], accuracy(trees, gold)
        columns = [Column("parser", "left"), *found, "crossing trees", "words moved up"]
        rows.append([parser, *found.values(), int(np.count_nonzero(lifted)), int(lifted.sum())])
    return Table.of("parsers", columns, rows)


def accuracy(trees: DependencyTrees, gold: DependencyTrees | None) -> dict[str, float | None]:
    """Return the accuracy of parses compared with gold trees; without gold trees, the result is empty.

    The accuracy for labels or tags is None if none of them agrees with the gold trees.
    """
    if gold is None:
        return {}
    found = attachment(trees, gold)
    return {
        "UAS": found.uas,
        "LAS": found.las or None,
        "LAS without subtypes": found.universal_las or None,
        "part of speech": found.pos or None,
    }


def find_cautions(
    rule_sets: Mapping[str, RuleSet | CrossValidation], parses: Mapping[str, DependencyTrees]
) -> Iterator[str]:
    """Yield warnings about crossing arcs, and about rule sets whose labels or tags do not occur in the trees."""
    for parser, trees in parses.items():
        lifted = lift(trees)[1]
        if lifted.any():
            crossing = f"{parser}: {np.count_nonzero(lifted)} of {len(trees)} trees have crossing arcs"
            verb = "word is" if lifted.sum() == 1 else "words are"
            yield f"{crossing}; {lifted.sum()} {verb} attached higher"
        labels = set(trees.strings.take(to_column(np.unique(trees.labels))).to_pylist())
        labels |= {label.partition(":")[0] for label in labels}
        tags = set(trees.strings.take(to_column(np.union1d(trees.tags, trees.fine_tags))).to_pylist())
        for name, rules in rule_sets.items():
            if not isinstance(rules, RuleSet):
                continue
            for what, named, found in (("label", rules.named("labels"), labels), ("tag", rules.named("tags"), tags)):
                if named and found and named.isdisjoint(found):
                    caution = f"{name} names no {what} that {parser} has ({', '.join(sorted(found)[:3])} …)"
                    yield f"warning: {caution}; much of it does not apply"
