"""Alignments by people: breaches of the guidelines, and how far two people agree.

Where both have the same words, their links are compared. Where each translated, the *orders* of the source words are,
which is what alignments are for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from wordorder.apps.study.analyses.base import Analysis
from wordorder.apps.study.analyses.scramble import draw_times
from wordorder.apps.study.folder import Study
from wordorder.apps.study.responses import Response
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError
from wordorder.core.statistics import Resampling
from wordorder.report.table import Column, Table, Value
from wordorder.scoring import score
from wordorder.scoring.inputs import AlignedOrders

ORDER_METRICS = "fuzzy,kendall"
LINKS_F, ORDER = "links: F", "order of the source words: "
_SAID = (LINKS_F, f"{ORDER}kendall")


def analyse(study: Study, responses: Sequence[Response], *, seed: int, brief: bool = False) -> Analysis:
    """Count what was aligned and how far people agree; ``brief`` stops at the agreement."""
    done = [one for one in responses if one.is_analysed]
    if not done:
        raise InputError("nobody who was kept has aligned a sentence", path=str(study.folder))
    tables = {"agreement": agreement_table(done)}
    if brief:
        return Analysis(tables, main="agreement")
    tables |= {"work": work_table(done), "guidelines": guidelines_table(study, done)}
    charts: dict[str, Any] = {"time": partial(draw_times, responses)}
    return Analysis(tables, charts, main="agreement")


def alignment_of(one: Response) -> Alignment:
    """Return the links of an answer, possible ones too."""
    links = {(s, t) for s, t in (*one.answer["links"], *one.answer["possible"])}
    return Alignment(tuple(sorted(links)), len(one.item.content["source"]), len(one.answer["target"]))


def alignments_of(done: Sequence[Response]) -> Alignments:
    """Return the links of answers as a column, with marks on those that are possible."""
    column = Alignments.of([alignment_of(one) for one in done])
    marks = [list(link) in one.answer["possible"] for one in done for link in alignment_of(one).links]
    return replace(column, possible=np.array(marks, dtype=np.bool_)) if any(marks) else column


def pairs_of(done: Sequence[Response]) -> list[tuple[Response, Response]]:
    """Return every two people's work on one item."""
    groups: dict[str, list[Response]] = defaultdict(list)
    for one in done:
        groups[one.item.id].append(one)
    return [pair for group in groups.values() for pair in combinations(group, 2)]


def agreement_table(done: Sequence[Response]) -> Table:
    """Compare links of shared words, and orders of the source."""
    pairs = pairs_of(done)
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
    said = [f"{what} {value:.3f}" for what, value, _ in rows if isinstance(value, float) and what in _SAID]
    notes = [f"In words: for two annotators of the same sentence, {' and '.join(said)}."] if said else []
    notes += ["pairs: two annotators on the same sentence"] if rows else ["no sentence was aligned by two annotators"]
    return Table.of("", [Column("agreement", "left"), Column("value"), Column("pairs")], rows, notes=notes)


def work_table(done: Sequence[Response]) -> Table:
    """Count sentences and links by person."""
    rows: list[list[Value]] = []
    for person in dict.fromkeys(one.person for one in done):
        own = [one for one in done if one.person == person]
        links = sum(len(one.answer["links"]) for one in own)
        possible = sum(len(one.answer["possible"]) for one in own)
        words = sum(len(one.item.content["source"]) for one in own)
        rows.append([person, len(own), links, possible, links / words if words else None])
    columns = [Column("person", "left"), *map(Column, ("sentences", "links", "possible", "links a source word"))]
    return Table.of("", columns, rows)


def guidelines_table(study: Study, done: Sequence[Response]) -> Table:
    """Count breaches of the guidelines."""
    counts: Counter[str] = Counter()
    sentences: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in done:
        for finding in study.kind.findings(one.item, one.answer):
            counts[finding["rule"]] += 1
            sentences[finding["rule"]].add((one.item.id, one.person))
    rows: list[list[Value]] = [[rule, count, len(sentences[rule])] for rule, count in counts.most_common()]
    columns = [Column("guideline", "left"), Column("breaches"), Column("sentences")]
    return Table.of("", columns, rows, notes=[f"{len(done)} sentences; guidelines of Talbot et al. (2011)"])
