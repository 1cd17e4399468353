"""Comparisons of each system with the previous one, or of given pairs (Birch 2011, Tables 8.9 to 8.13)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.report.table import AS_IS, Cell, Column, Mark, Style, Table, Tabular
from wordorder.scoring.comparison import Comparison, compare_each, correction_of
from wordorder.scoring.scores import Scores, metric_column
from wordorder.scoring.tables import score_notes, scores_document

PREVIOUS = "previous"

Against = str | Mapping[str, str] | Sequence[tuple[str, str]]
"""``"previous"``, a string such as ``"A=B,C=D"`` (A against B, C against D), a mapping, or pairs of names."""

_STARS = ((0.001, Mark.P_001), (0.01, Mark.P_01), (0.05, Mark.P_05))


@dataclass(frozen=True, eq=False)
class Versus(Tabular):
    """Scores of all systems, with significance tests for given pairs of systems."""

    scores: Scores
    pairs: tuple[tuple[str, str], ...]
    test: str = "bootstrap"

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Paired tests of all pairs of systems under every metric; p-values are corrected over the pairs."""
        return compare_each(self.scores, self.pairs, test=self.test)

    def table(self, *, style: Style = AS_IS) -> Table:
        """Return a table of scores and of differences between paired systems; stars mark significant differences."""
        scores = self.scores
        tested = {(found.metric, found.a, found.b): found for found in self.comparisons}
        common = {found.metric for found in self.comparisons if found.common is not None}
        columns = [Column("system", "left"), Column("versus", "left")]
        for metric in scores.metrics:
            parts = ["change", *["common"] * (str(metric) in common)]
            columns += [metric_column(metric), *(replace(metric_column(metric, part), number="+.3f") for part in parts)]
        rows: list[list[Cell | str | None]] = []
        for s, system in enumerate(scores.systems):
            others: list[str | None] = [b for a, b in self.pairs if a == system]
            for other in others or [None]:
                row: list[Cell | str | None] = [system, other]
                for m, name in enumerate(scores.names):
                    found = None if other is None else tested.get((name, system, other))
                    row += [Cell(scores.values[s, m]), self._change(s, m, other, found)]
                    row += [_common_change(found)] if name in common else []
                rows.append(row)
        return style.apply(Table.of("", columns, rows, notes=self._notes(style), signature=self.signature))

    def _change(self, s: int, m: int, other: str | None, found: Comparison | None) -> Cell:
        """Return a table cell with the score difference of a pair and, if tested, its stars and its p-value."""
        if other is None:
            return Cell(None)
        values = self.scores.values
        change = values[s, m] - values[self.scores.system_place(other), m]
        if found is None:
            return Cell(change, marks=frozenset({Mark.UNRANKED}))
        return Cell(change, marks=_stars(found), facts={"p": found.p_corrected})

    def _notes(self, style: Style) -> list[str]:
        tested = len({(found.a, found.b) for found in self.comparisons})
        corrected = f", corrected over {tested} pairs {correction_of(self.test)}" * (tested > 1)
        notes = [f"change: from the system under 'versus'; paired {self.test} tests{corrected}"]
        if any(found.common is not None for found in self.comparisons):
            by_holm = ", corrected by Holm's method" * (tested > 1)
            notes.append(f"common: the same on the reference words that both systems match; tested alike{by_holm}")
        doubtful = [f"{found.metric} of {found.a}" for found in self.comparisons if found.may_come_from_matching]
        notes += [f"may come from which words match: the change of {', '.join(doubtful)}"] if doubtful else []
        return score_notes(self.scores, style=style, tests=notes)

    @property
    def signature(self) -> dict[str, Any]:
        """The settings and versions that are needed to reproduce the table."""
        return self.scores.signature_with(self.test)

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data; numbers are not rounded, and undefined numbers are None."""
        notes = self._notes(AS_IS)
        return scores_document(self.scores, tests=self.comparisons, notes=notes, signature=self.signature)


def _stars(found: Comparison) -> frozenset[Mark]:
    """Return the stars of a significant difference, or the mark of one that cannot be tested."""
    if not found.decidable:
        return frozenset({Mark.UNDECIDED})
    return frozenset([mark for level, mark in _STARS if found.p_corrected < level][:1])


def _common_change(found: Comparison | None) -> Cell:
    """Return a table cell with the difference on common words, its stars and its p-value."""
    if found is None or found.common is None:
        return Cell(None)
    return Cell(found.common.difference, marks=_stars(found.common), facts={"p": found.common.p_corrected})


def read_pairs(scores: Scores, against: Against) -> tuple[tuple[str, str], ...]:
    """Return the pairs of systems to compare; for ``previous``, references that are scored as systems are skipped."""
    if against == PREVIOUS:
        references = 0 if scores.scored_inputs is None else scores.scored_inputs.reference_count
        found = [(later, earlier) for earlier, later in pairwise(scores.systems[references:])]
        refuse(not found, "comparing each system with the previous one requires two or more systems; found only one")
        return tuple(found)
    if isinstance(against, str):
        found = [_read_pair(pair) for pair in against.split(",")]
    else:
        found = list(against.items()) if isinstance(against, Mapping) else [(a, b) for a, b in against]
    refuse(not found, "expected at least one pair of systems to compare, found none")
    found = [(scores.systems[scores.system_place(a)], scores.systems[scores.system_place(b)]) for a, b in found]
    for pair in found:
        refuse(pair[0] == pair[1], f"the system {pair[0]!r} cannot be compared with itself; give two different ones")
        refuse(found.count(pair) > 1, f"the pair {pair[0]}={pair[1]} is given twice; give it only once")
    return tuple(found)


def _read_pair(text: str) -> tuple[str, str]:
    one, equals, other = (part.strip() for part in text.partition("="))
    if not (one and equals and other):
        raise UsageError(f"expected 'previous' or pairs of systems such as A=B,C=D (A against B), found {text!r}")
    return one, other
