"""Analyse order-only post-edits: how many moves each system needs, how severe they are, and how well people agree."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from wordorder.apps.study.analyses.analyse import Parts
from wordorder.apps.study.analyses.rate import bootstrap_means, describe_test, find_ratings
from wordorder.apps.study.answers import Response, pair_annotators
from wordorder.apps.study.folder import Study
from wordorder.apps.study.kinds.editing import SEVERITIES, apply_moves
from wordorder.core.orders import Permutation
from wordorder.core.statistics import Resampling
from wordorder.report.table import Cell, Column, Table, Value
from wordorder.scoring.inputs import GivenOrders
from wordorder.scoring.score import score


def build(study: Study, responses: Sequence[Response], seed: int) -> Parts:
    """Count the moves that each system needs, and measure the agreement between annotators."""
    done = [one for one in responses if one.is_analysed]
    return Parts({"moves": partial(moves_table, study, done, seed), "agreement": partial(agreement_table, done)})


def output_order(one: Response) -> Permutation:
    """Return the permutation that gives the rank of each output word in the corrected text.

    >>> from wordorder.apps.study.folder import Item
    >>> move = {"words": [3], "before": 1, "severity": "minor"}
    >>> str(output_order(Response("p", Item("i", "g", content={"words": list("abcd")}), {"moves": [move]})))
    '1 3 4 2'
    """
    corrected = apply_moves(len(one.item.content["words"]), one.answer["moves"])
    return Permutation(tuple(corrected)).inverse()


def moves_table(study: Study, done: Sequence[Response], seed: int) -> Table:
    """Tabulate the moves per sentence, the share of sentences without moves and the fuzzy score of each system."""
    rows: list[list[Cell | Value]] = []
    found = find_ratings(study, done, "moves")
    for system, mean in zip(found.ratings.systems, bootstrap_means(found.ratings, seed), strict=True):
        own = [one for one in done if one.item.condition == system]
        severities = Counter(move["severity"] for one in own for move in one.answer["moves"])
        moved = sum(len({word for move in one.answer["moves"] for word in move["words"]}) for one in own)
        words = sum(len(one.item.content["words"]) for one in own)
        right = sum(not one.answer["moves"] for one in own) / len(own)
        orders = [str(output_order(one)) for one in own]
        scores = score(GivenOrders({"s": orders}), metrics="fuzzy", resampling=Resampling(samples=0))
        graded = [severities[severity] for severity in SEVERITIES]
        rows.append([system, mean, *graded, moved / words, right, float(scores.values[0][0]), len(own)])
    columns = [Column("system", "left"), Column("moves"), *map(Column, SEVERITIES)]
    columns += [Column("words moved", number=".1%"), Column("in order", number=".1%"), Column("fuzzy"), Column("n")]
    notes = [
        *([describe_test(found, "system")] if len(rows) > 1 else []),
        "moves: per sentence, with 95% bootstrap intervals: for other segments, marked by the same people",
        "test: mixed model with random effects of person, item, stimulus and person × system",
        "fuzzy: the output's order against the corrected one",
    ]
    return Table.of("", columns, rows, notes=notes)


def agreement_table(done: Sequence[Response]) -> Table:
    """Compare the corrections that two people made to the same output."""
    pairs = pair_annotators(done)
    rows: list[list[Value]] = []
    if pairs:
        relative = [str(output_order(a).relative_to(output_order(b))) for a, b in pairs]
        scores = score(GivenOrders({"s": relative}), metrics="fuzzy,kendall", resampling=Resampling(samples=0))
        for metric, value in zip(scores.metrics, scores.values[0].tolist(), strict=True):
            rows.append([f"order: {metric}", value, len(pairs)])
        same = sum((not a.answer["moves"]) == (not b.answer["moves"]) for a, b in pairs)
        rows.append(["whether anything has to move", same / len(pairs), len(pairs)])
    notes = ["pairs: two people on the same output"] if rows else ["no output was corrected by two people"]
    return Table.of("", [Column("agreement", "left"), Column("value"), Column("pairs")], rows, notes=notes)
