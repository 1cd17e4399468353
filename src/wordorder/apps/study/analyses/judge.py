"""Analyse human verdicts: how often people find reproduced and unreproduced reorderings correct."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np

from wordorder.apps.metaeval.agreement import count_agreeing
from wordorder.apps.study.analyses.analyse import Parts, share_cell
from wordorder.apps.study.answers import Response
from wordorder.apps.study.folder import Study
from wordorder.apps.study.kinds.choosing import VERDICTS
from wordorder.apps.study.materials.texts import CONDITIONS
from wordorder.core.statistics.agreement import fleiss_kappa, krippendorff_alpha
from wordorder.report.table import Cell, Column, Table, Value


def build(study: Study, responses: Sequence[Response], seed: int) -> Parts:
    """Count the verdicts by condition, and measure the agreement between judges."""
    verdicts = [one for one in responses if one.is_analysed]
    return Parts({"verdicts": partial(verdict_table, verdicts), "agreement": partial(agreement_table, verdicts)})


def verdict_table(judged: Sequence[Response]) -> Table:
    """Tabulate the verdicts of each person and of all people together (Birch 2011, Table 3.4)."""
    people = list(dict.fromkeys(one.person for one in judged))
    rows: list[list[Cell | Value]] = []
    for condition in (*CONDITIONS, "all"):
        for person in (*people, "all"):
            counts = Counter(
                one.answer["choice"]
                for one in judged
                if condition in (one.item.condition, "all") and person in (one.person, "all")
            )
            total = counts.total()
            if total:
                shares = [share_cell(counts[choice], total) for choice in VERDICTS]
                rows.append([condition, person, *shares, total])
    columns = [Column("reordering", "left"), Column("person", "left")]
    columns += [Column(name, number=".1%") for name in VERDICTS.values()]
    said = []
    for condition in CONDITIONS:
        if choices := [one.answer["choice"] for one in judged if one.item.condition == condition]:
            said.append(f"{choices.count('C') / len(choices):.0%} of those {condition}")
    notes = [f"In words: judged correct: {' and '.join(said)}."] if said else []
    notes += ["shares with 95% intervals (Wilson); those of all people treat judgements as independent"]
    return Table.of("", [*columns, Column("n")], rows, notes=notes)


def agreement_table(judged: Sequence[Response]) -> Table:
    """Show Fleiss' κ over the items that everybody judged, and Krippendorff's α over all items."""
    people = list(dict.fromkeys(one.person for one in judged))
    items = list(dict.fromkeys(one.item.id for one in judged))
    codes = np.full((len(people), len(items)), np.nan)
    for one in judged:
        codes[people.index(one.person), items.index(one.item.id)] = list(VERDICTS).index(one.answer["choice"])
    whole = codes[:, ~np.isnan(codes).any(axis=0)]
    rows: list[list[Value]] = []
    if len(people) > 1 and whole.shape[1]:
        counts = np.stack([(whole == code).sum(axis=0) for code in range(len(VERDICTS))], axis=1)
        agreeing, pairs = count_agreeing(counts)
        rows.append(["Fleiss' κ", fleiss_kappa(counts), whole.shape[1]])
        rows.append(["agreeing pairs of judgements", agreeing / pairs, pairs])
    rows.append(["Krippendorff's α (nominal)", krippendorff_alpha(codes), len(items)])
    return Table.of("", [Column("agreement", "left"), Column("value"), Column("n")], rows)
