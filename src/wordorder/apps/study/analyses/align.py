"""Analyse manual word alignments: agreement between annotators, and breaches of the guidelines.

The links of two annotators can be compared only if they aligned the same target words. The *orders* of the source
words that follow from the links can be compared even if each annotator wrote a different translation.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from wordorder.apps.study.analyses.analyse import Parts
from wordorder.apps.study.answers import Response, group_responses, pair_annotators
from wordorder.apps.study.folder import Study
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.statistics import Resampling
from wordorder.report.table import Column, Table, Value
from wordorder.scoring.inputs import AlignedOrders
from wordorder.scoring.score import score

ORDER_METRICS = "fuzzy,kendall"
LINKS_F, ORDER = "links: F", "order of the source words: "
_SUMMARISED = (LINKS_F, f"{ORDER}kendall")


def build(study: Study, responses: Sequence[Response], seed: int) -> Parts:
    """Measure the agreement between annotators, and count their links and guideline breaches."""
    done = [one for one in responses if one.is_analysed]
    return Parts(
        {
            "agreement": partial(agreement_table, done),
            "work": partial(work_table, done),
            "guidelines": partial(guidelines_table, study, done),
        }
    )


def alignment_of(one: Response) -> Alignment:
    """Return the links of an answer, sure and possible, as an alignment."""
    links = {(s, t) for s, t in (*one.answer["links"], *one.answer["possible"])}
    return Alignment(tuple(sorted(links)), len(one.item.content["source"]), len(one.answer["target"]))


def alignments_of(done: Sequence[Response]) -> Alignments:
    """Return the alignments of several answers as one column, in which possible links are marked."""
    column = Alignments.of([alignment_of(one) for one in done])
    marks = [list(link) in one.answer["possible"] for one in done for link in alignment_of(one).links]
    return replace(column, possible=np.array(marks, dtype=np.bool_)) if any(marks) else column


def agreement_table(done: Sequence[Response]) -> Table:
    """Tabulate the agreement between all pairs of annotators who aligned the same item.

    Source word orders are compared for all pairs, links only for pairs with the same target words.
    """
    pairs = pair_annotators(done)
    shared = [(a, b) for a, b in pairs if a.answer["target"] == b.answer["target"]]
    rows: list[list[Value]] = []
    if shared:
        links = [(set(alignment_of(a).links), set(alignment_of(b).links)) for a, b in shared]
        both, first, second = (
            sum(map(len, sets)) for sets in ([a & b for a, b in links], [a for a, _ in links], [b for _, b in links])
        )
        rows.append(["links: precision (second against first)", both / second if second else None, len(shared)])
        rows.append(["links: recall", both / first if first else None, len(shared)])
        rows.append([LINKS_F, 2 * both / (first + second) if first + second else None, len(shared)])
    if pairs:
        sides = [Alignments.of([alignment_of(pair[side]) for pair in pairs]) for side in (0, 1)]
        inputs = AlignedOrders({"second": sides[1]}, sides[0])
        scores = score(inputs, metrics=ORDER_METRICS, resampling=Resampling(samples=0))
        for metric, value in zip(scores.metrics, scores.values[0].tolist(), strict=True):
            rows.append([f"{ORDER}{metric}", value, len(pairs)])
    said = [f"{what} {value:.3f}" for what, value, _ in rows if isinstance(value, float) and what in _SUMMARISED]
    notes = [f"In words: for two annotators of the same sentence, {' and '.join(said)}."] if said else []
    notes += ["pairs: two annotators on the same sentence"] if rows else ["no sentence was aligned by two annotators"]
    return Table.of("", [Column("agreement", "left"), Column("value"), Column("pairs")], rows, notes=notes)


def work_table(done: Sequence[Response]) -> Table:
    """Count the sentences and links that each person annotated."""
    rows: list[list[Value]] = []
    for person, own in group_responses(done, lambda one: one.person).items():
        links = sum(len(one.answer["links"]) for one in own)
        possible = sum(len(one.answer["possible"]) for one in own)
        words = sum(len(one.item.content["source"]) for one in own)
        rows.append([person, len(own), links, possible, links / words if words else None])
    columns = [Column("person", "left"), *map(Column, ("sentences", "links", "possible", "links a source word"))]
    return Table.of("", columns, rows)


def guidelines_table(study: Study, done: Sequence[Response]) -> Table:
    """Count the breaches of each guideline."""
    counts: Counter[str] = Counter()
    sentences: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in done:
        for finding in study.kind.findings(one.item, one.answer):
            counts[finding["rule"]] += 1
            sentences[finding["rule"]].add((one.item.id, one.person))
    rows: list[list[Value]] = [[rule, count, len(sentences[rule])] for rule, count in counts.most_common()]
    columns = [Column("guideline", "left"), Column("breaches"), Column("sentences")]
    return Table.of("", columns, rows, notes=[f"{len(done)} sentences; guidelines of Talbot et al. (2011)"])
