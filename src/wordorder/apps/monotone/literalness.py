"""Compare how literally systems and people translate, measured by word order against the source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import Any, Unpack

import numpy as np

from wordorder.apps.monotone.measures import mean_scores
from wordorder.core.runtime.errors import UsageError, mention
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.settings import accepts_options
from wordorder.core.statistics import Resampling
from wordorder.metrics.base import Metric
from wordorder.metrics.monotonicity import UnalignedSource
from wordorder.metrics.registry import MetricSelection, choose_metrics, parse
from wordorder.report.charts import plot_intervals
from wordorder.report.table import AS_IS, Cell, Column, Mark, Style, Table, Tabular, write_p
from wordorder.scoring.comparison import RESAMPLED, Comparison, compare_each, correction_of
from wordorder.scoring.inputs import make_inputs
from wordorder.scoring.options import InputOptions
from wordorder.scoring.plots import score_record
from wordorder.scoring.score import score
from wordorder.scoring.scores import Scores, find_silent, find_unranked, metric_column
from wordorder.scoring.tables import score_notes, scores_document

UNALIGNED = UnalignedSource.name
"""The metric that is computed wherever lengths are known, because order is measured on linked words alone."""

METRICS = ("kendall-sqrt", "non-monotonicity", "crossing-rate", "anticipation", "jump", UNALIGNED)
"""The metrics that are computed by default, except those that need lengths if lengths are unknown."""

LITERAL, FREER, ALIKE, UNDECIDED = "more literal", "freer", "like people", "undecided"
"""The verdicts on a system; ``undecided`` means that with so little data, no difference could be significant."""

FEW_LINKS = "few links"
"""The verdict on a system of which too few source words are linked for a test of their order."""

_SHORT = {"non-monotonicity": "NM", UNALIGNED: "USW"}
_BAND = ("people min", "people max")

_UNLIKE = frozenset({Mark.UNLIKE})
_MARKS = {LITERAL: _UNLIKE, FREER: _UNLIKE, UNDECIDED: frozenset({Mark.UNDECIDED})}


@accepts_options(InputOptions)
def monotone(
    hyp: Any = None,
    ref: Any = None,
    *,
    metrics: MetricSelection | None = None,
    docs: Sequence[str] | None = None,
    test: str = "bootstrap",
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
    **options: Unpack[InputOptions],
) -> "Literalness":
    """Compare the word order of systems and of human references (``ref``) with that of the source.

    The first of the ``metrics`` decides whether a system is more literal than people or freer; by default, it is
    ``kendall-sqrt``. The share of source words without a link is always computed, because order is measured on the
    linked words alone. ``docs`` lists the document of each segment; documents are then resampled instead of segments.
    ``given`` holds segment scores of other metrics by name and system, whose means are shown next to the others. For
    the other options, see :func:`wordorder.scoring.inputs.make_inputs`.

    >>> from wordorder import Alignment, Alignments
    >>> links = {"A": Alignments.of([Alignment.parse("0-0 1-2 2-1")])}
    >>> found = monotone({"A": ["a b c"]}, source=["x y z"], hyp_align=links, tokenize="none")
    >>> float(found.scores["A", "crossing-rate"])
    0.3333333333333333
    """
    if options.setdefault("order", "monotone") != "monotone":
        raise UsageError(f"texts are always compared with their source; leave out {mention('order')}")
    given = options.pop("given", None) or {}
    inputs = make_inputs(hyp, ref, threads=threads, seed=seed, **options)
    if metrics is None:
        metrics = [one for one in METRICS if parse(one).requires <= inputs.offers]
    chosen = list(choose_metrics(metrics, available=inputs.offers))
    if UnalignedSource.needs <= inputs.offers and UNALIGNED not in map(str, chosen):
        chosen.append(UnalignedSource())
    resampling = Resampling(samples, seed, threads, "segments" if docs is None else "documents")
    scores = score(inputs, metrics=chosen, docs=docs, test=test, resampling=resampling)
    return Literalness(scores, inputs.reference_count, mean_scores(given), getattr(inputs, "nonsense", {}))


@dataclass(frozen=True, eq=False)
class Literalness(Tabular):
    """Scores of references and systems, the band of the references, and a verdict on every system.

    The references are the first systems of ``scores``; ``references`` is their number. ``given`` holds means of other
    scores by name and system, and ``nonsense`` what is wrong with systems that are hardly translations, which is their
    verdict. Any other system is called more literal or freer than people only if it differs significantly from *each*
    reference, in the same direction; p-values are corrected over all these tests.
    """

    scores: Scores
    references: int
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    nonsense: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def people(self) -> tuple[str, ...]:
        """The names of the references."""
        return self.scores.systems[: self.references]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, the most literal one first."""
        values = literal_sign(self.scores.metrics[0]) * self.scores.values[self.references :, 0]
        order = np.argsort(-values, kind="stable")
        return tuple(self.scores.systems[self.references + place] for place in order.tolist())

    def band(self, metric: str) -> tuple[float, float]:
        """Return the lowest and the highest score of the references under a metric; NaN without references."""
        values = self.scores.values[: self.references, self.scores.metric_place(metric)]
        return float(np.fmin.reduce(values, initial=nan)), float(np.fmax.reduce(values, initial=nan))

    @cached_property
    def untested(self) -> dict[str, tuple[str, str]]:
        """The systems that are not compared with people: the verdict that says why, and the reason."""
        found = {}
        if UNALIGNED in self.scores.names:
            linked = 1 - np.nan_to_num(self.scores.values[:, self.scores.names.index(UNALIGNED)], nan=1)
            few = find_unranked(self.scores.systems, linked, does="links", side="source")
            found = {**find_silent(self.scores, self.scores.names[:1]), **few}
        return {name: (FEW_LINKS, reason) for name, reason in found.items() if name in self.systems} | self.nonsense

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Paired tests of every system against every reference, under every metric."""
        tested = [system for system in self.systems if system not in self.untested]
        return self._compare([(system, person) for system in tested for person in self.people])

    @cached_property
    def between_people(self) -> list[Comparison]:
        """Paired tests of every reference against the first, under every metric."""
        return self._compare([(person, self.people[0]) for person in self.people[1:]])

    def _compare(self, pairs: list[tuple[str, str]]) -> list[Comparison]:
        tested = pairs and (self.scores.resampling.samples or self.scores.test not in RESAMPLED)
        return compare_each(self.scores, pairs, test=self.scores.test) if tested else []

    @cached_property
    def _verdicts(self) -> dict[tuple[str, str], tuple[str, float]]:
        signs = dict(zip(self.scores.names, map(literal_sign, self.scores.metrics), strict=True))
        tests: dict[tuple[str, str], list[Comparison]] = {}
        for found in self.comparisons:
            tests.setdefault((found.a, found.metric), []).append(found)
        odd = self.untested.items() if self.people else ()
        verdicts = {(system, name): (label, nan) for system, (label, _) in odd for name in signs}
        for (system, metric), several in tests.items():
            sides = {np.sign(found.difference) * signs[metric] * found.significant for found in several}
            named = {1: LITERAL, -1: FREER}.get(sides.pop() if len(sides) == 1 else 0, ALIKE)
            decided = any(found.decidable for found in several)
            verdicts[system, metric] = named if decided else UNDECIDED, max(found.p_corrected for found in several)
        return verdicts

    def verdict(self, system: str, metric: str | None = None) -> str | None:
        """Return the verdict on a system under a metric (by default the first), or None if nothing was tested."""
        return self._verdicts.get((system, metric or self.scores.names[0]), (None, 0.0))[0]

    @property
    def summary(self) -> str:
        """One sentence that says how many systems are more literal than all references, and how many are freer."""
        verdicts = [self.verdict(system) for system in self.systems]
        if not self.people:
            return "Without a human reference, nothing says which values are normal."
        if None in verdicts:
            return ""
        tested = set(verdicts) - {label for label, _ in self.untested.values()}
        if not tested:
            return "No system can be compared with people."
        if tested == {UNDECIDED}:
            return "There is too little data for any difference from people to be significant."
        people = {1: "the human reference", 2: "both human references"}.get(
            self.references, f"all {self.references} human references"
        )
        parts = []
        for named, phrase in ((LITERAL, "more literally"), (FREER, "more freely")):
            number, count = verdicts.count(named), len(verdicts)
            who = "the system" if count == 1 else f"{number} of {count} systems"
            if number:
                parts.append(f"{who} {'translates' if number == 1 else 'translate'} {phrase} than {people}")
        return f"By {self.scores.names[0]}, {'; '.join(parts) or f'no system differs significantly from {people}'}."

    def table(self, *, style: Style = AS_IS) -> Table:
        """Return a table: the band of the references, each reference, and the systems, the most literal one first."""
        scores, (low, high) = self.scores, self.scores.intervals
        columns = [Column("system", "left", shorten=True), *[Column("verdict", "left")] * bool(self.people)]
        measured = map(metric_column, scores.metrics)
        columns += [replace(column, heading=_SHORT.get(column.name, column.heading)) for column in measured]
        columns += [Column(f"given:{name}") for name in self.given]
        rows: list[list[Cell | str | float | None]] = []
        if self.references > 1:
            ends = zip(*map(self.band, scores.names), strict=True)
            unknown = [None] * len(self.given)
            rows += [[name, None, *found, *unknown] for name, found in zip(_BAND, ends, strict=True)]
        for system in (*self.people, *self.systems):
            s = scores.system_place(system)
            cells = []
            for m, metric in enumerate(scores.names):
                named, p = self._verdicts.get((system, metric), ("", None))
                marks = _MARKS.get(named, frozenset())
                facts = {"undefined": int(len(scores) - scores.defined[s, m])} | ({} if p is None else {"p": p})
                cells.append(Cell(scores.values[s, m], (low[s, m], high[s, m]), marks, facts))
            label = [self.verdict(system) or ("human" if system in self.people else None)] * bool(self.people)
            rows.append([system, *label, *cells, *(Cell(means.get(system)) for means in self.given.values())])
        table = Table.of(self.summary, columns, rows, notes=self._notes(style), signature=self.signature)
        return style.apply(replace(table, lean=True))

    def _notes(self, style: Style) -> list[str]:
        reasons = {name: reason for name, (_, reason) in self.untested.items() if name not in self.nonsense}
        tests = [f"{name} has no verdict: {reason}" for name, reason in reasons.items()]
        if self.comparisons:
            pairs = (len(self.systems) - len(self.untested)) * self.references
            unit = "" if self.scores.resampling.resample == "segments" else " of documents"
            corrected = f", corrected over {pairs} pairs {correction_of(self.scores.test)}" * (pairs > 1)
            tests.append(f"paired {self.scores.test} tests{unit}, each system against each reference{corrected}")
        for found in self.between_people[: self.references - 1]:
            differ = "differ" if found.significant else "do not differ significantly"
            tests.append(f"{found.b} and {found.a} {differ} in {found.metric} (p {write_p(found.p_corrected)})")
        if self.references > 1:
            tests.append("people: the lowest and the highest score of the references")
        if self.references == 1:
            tests.append("one reference shows the order of one person; with a second one, the range would be wider")
        short = [f"{heading}: {name}" for name, heading in _SHORT.items() if name in self.scores.names]
        tests += [", ".join(short)] * bool(short)
        return [*score_notes(self.scores, style=style, tests=tests)]

    @property
    def signature(self) -> dict[str, Any]:
        """The settings and versions that are needed to reproduce the scores and tests."""
        return self.scores.signature_with(self.scores.test if self.comparisons else None)

    def plot(self, metric: str | None = None) -> Any:
        """Return an Altair chart: systems and references with their intervals, and the band of the references."""
        records: list[dict[str, Any]] = []
        for name in self.scores.names if metric is None else [metric]:
            low, high = self.band(name)
            for system in (*self.people, *self.systems):
                people = dict(zip(_BAND, (low, high), strict=True)) if self.people else {}
                records.append(score_record(self.scores, system, name) | people)
        return plot_intervals(records, name="system", panel="metric", band=_BAND)

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data; numbers are not rounded, and undefined numbers are None."""
        bands = {name: self.band(name) for name in self.scores.names}
        tests = [*self.comparisons, *self.between_people]
        found = scores_document(self.scores, tests=tests, notes=self._notes(AS_IS), signature=self.signature)
        return found | {
            "summary": self.summary,
            "references": list(self.people),
            "people": {name: {"low": plain(low), "high": plain(high)} for name, (low, high) in bands.items()},
            "verdicts": [
                {"system": system, "metric": metric, "verdict": named, "p": plain(p)}
                for (system, metric), (named, p) in self._verdicts.items()
            ],
            "given": {name: dict(means) for name, means in self.given.items()},
        }


def literal_sign(metric: Metric) -> int:
    """Return 1 if higher scores under a metric mean a more literal translation, and −1 if lower scores do."""
    return 1 if metric.higher_is_better else -1
