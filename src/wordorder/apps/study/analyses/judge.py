"""Judged reorderings: how often people call them correct, whether the system reproduced them or not (Table 3.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from wordorder.apps.study.analyses.base import Analysis, share_cell
from wordorder.apps.study.analyses.scramble import draw_times
from wordorder.apps.study.folder import Study
from wordorder.apps.study.kinds.judge import CHOICES
from wordorder.apps.study.materials.judge import CONDITIONS
from wordorder.apps.study.responses import Response
from wordorder.core.runtime.errors import InputError
from wordorder.core.statistics.agreement import fleiss_kappa, krippendorff_alpha
from wordorder.report.table import Cell, Column, Table, Value


def analyse(study: Study, responses: Sequence[Response], *, seed: int, brief: bool = False) -> Analysis:
    """Count verdicts by condition; ``brief`` stops there."""
    judged = [one for one in responses if one.is_analysed]
    if not judged:
        raise InputError("nobody who was kept has judged an item", path=str(study.folder))
    tables = {"verdicts": verdict_table(judged)}
    if brief:
        return Analysis(tables, main="verdicts")
    tables["agreement"] = agreement_table(judged)
    charts: dict[str, Any] = {"time": partial(draw_times, responses)}
    return Analysis(tables, charts, main="verdicts")


def verdict_table(judged: Sequence[Response]) -> Table:
    """Show the verdicts of every person and of all (thesis, Table 3.4)."""
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
                shares = [share_cell(counts[choice], total) for choice in CHOICES]
                rows.append([condition, person, *shares, total])
    columns = [Column("reordering", "left"), Column("person", "left")]
    columns += [Column(name, number=".1%") for name in CHOICES.values()]
    correct = {condition: _correct(judged, condition) for condition in CONDITIONS}
    said = [f"{share:.0%} of those {condition}" for condition, share in correct.items() if share is not None]
    notes = [f"In words: judged correct: {' and '.join(said)}."] if said else []
    notes += ["shares with 95% intervals (Wilson); those of all people treat judgements as independent"]
    return Table.of("", [*columns, Column("n")], rows, notes=notes)


def _correct(judged: Sequence[Response], condition: str) -> float | None:
    choices = [one.answer["choice"] for one in judged if one.item.condition == condition]
    return choices.count("C") / len(choices) if choices else None


def agreement_table(judged: Sequence[Response]) -> Table:
    """Show Fleiss' κ over the items everybody judged, and α over all."""
    people = list(dict.fromkeys(one.person for one in judged))
    items = list(dict.fromkeys(one.item.id for one in judged))
    codes = np.full((len(people), len(items)), np.nan)
    for one in judged:
        codes[people.index(one.person), items.index(one.item.id)] = list(CHOICES).index(one.answer["choice"])
    whole = codes[:, ~np.isnan(codes).any(axis=0)]
    rows: list[list[Value]] = []
    if len(people) > 1 and whole.shape[1]:
        counts = np.stack([(whole == code).sum(axis=0) for code in range(len(CHOICES))], axis=1)
        agreeing, pairs = _agreeing(counts)
        rows.append(["Fleiss' κ", fleiss_kappa(counts), whole.shape[1]])
        rows.append(["agreeing pairs of judgements", agreeing / pairs, pairs])
    rows.append(["Krippendorff's α (nominal)", krippendorff_alpha(codes), len(items)])
    return Table.of("", [Column("agreement", "left"), Column("value"), Column("n")], rows)


def _agreeing(counts: np.ndarray) -> tuple[int, int]:
    total = counts.sum(axis=1)
    return int((counts * (counts - 1) // 2).sum()), int((total * (total - 1) // 2).sum())
