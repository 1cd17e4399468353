"""Scores by system, metric and segment; ``tables.py`` turns them into tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import strings, to_column
from wordorder.core.runtime.errors import InputError, UnknownNameError, UsageError, count_of, mention, mistyped, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.threads import spans
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.resampling import interval
from wordorder.core.statistics.rows import CompactRows
from wordorder.core.statistics.settings import DEFAULT_TRIALS
from wordorder.metrics.base import Array, Metric
from wordorder.metrics.lexical import Matched
from wordorder.metrics.registry import parse
from wordorder.report.table import Column, TableList, find_name
from wordorder.scoring.comparison import RESAMPLED, Comparison, choose_pairs, compare, compared_table
from wordorder.scoring.ranking import Ranking, rank_systems
from wordorder.version import __version__

FEW_MATCHED = 0.2
"""The smallest share of matched reference words that is ranked; even poor systems match twice as many."""

FEW_OF_BEST = 0.5
"""The smallest share that is ranked of the words that the system with most matched words matches."""

FEW_DEFINED = 2 / 3
"""The smallest share that is ranked of the segments in which the system with most scores has one."""

ENOUGH_WORDS = 100
_ENOUGH_SEGMENTS = 10
"""With fewer segments, a few without a score are no reason not to rank a system."""

if TYPE_CHECKING:
    import pandas as pd

    from wordorder.report import Table
    from wordorder.scoring.common_words import MatchedOrders
    from wordorder.scoring.inputs import Inputs
    from wordorder.scoring.versus import Against, Versus
    from wordorder.scoring.worst import Examples


def find_silent(scores: Scores, metrics: Iterable[str]) -> dict[str, str]:
    """Return the systems that have scores in too few segments under any of the metrics, each with the reason."""
    found = {}
    for metric in metrics:
        counts = scores.defined[:, scores.metric_place(metric)]
        least = FEW_DEFINED * counts.max() if len(scores) >= _ENOUGH_SEGMENTS else 0
        for s in np.flatnonzero(counts < least):
            found[scores.systems[s]] = f"{metric} is defined in only {counts[s]} of its {len(scores)} segments"
    return found


def metric_column(metric: Metric, part: str = "") -> Column:
    """Return the table column of a metric or of one of its parts, marked if it can be shown in percent."""
    name, heading = (f"{each} {part}".strip() for each in (metric, metric.label))
    return Column(name, share=metric.direction.startswith(("0 to 1", "at most 1")), heading=heading)


class Score(float):
    """The corpus score of one system under one metric: a number with a 95% confidence interval.

    >>> score = Score(0.5, 0.4, 0.6)
    >>> score + 1, score.low, score.high
    (1.5, 0.4, 0.6)
    """

    low: float
    high: float

    def __new__(cls, value: float, low: float = float("nan"), high: float = float("nan")) -> Score:
        """Create a score with the two ends of its confidence interval."""
        made = super().__new__(cls, value)
        made.low, made.high = float(low), float(high)
        return made

    @property
    def value(self) -> float:
        """The score as a plain number."""
        return float(self)


@dataclass(frozen=True, eq=False)
class MetricRows(Sequence[Array]):
    """The statistics of one system; those of metric m are in the columns from ``ends[m]`` to ``ends[m + 1] − 1``."""

    statistics: Array | CompactRows
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, m: int) -> Array: ...
    @overload
    def __getitem__(self, m: slice) -> Sequence[Array]: ...
    def __getitem__(self, m: int | slice) -> Array | Sequence[Array]:
        if isinstance(m, slice):
            return [self[place] for place in range(*m.indices(len(self)))]
        if not -len(self) <= m < len(self):
            raise IndexError(f"no metric {m} among {len(self)}")
        return self.block(m % len(self), slice(None))

    def columns(self, m: int) -> CompactRows:
        """Return the statistics of metric m as compact rows."""
        return CompactRows.of(self.statistics).between(*self.ends[m : m + 2])

    def sum(self, m: int) -> Array:
        """Return the statistics of metric m, summed over all segments."""
        if isinstance(self.statistics, CompactRows):
            return self.statistics.between(*self.ends[m : m + 2]).sum()
        sums: Array = self[m].sum(axis=0)
        return sums

    def block(self, m: int, rows: slice | NDArray[np.integer]) -> Array:
        """Return the given rows of the statistics of metric m."""
        if isinstance(self.statistics, CompactRows):
            return self.statistics.between(*self.ends[m : m + 2])[rows]
        return self.statistics[rows, self.ends[m] : self.ends[m + 1]]


def find_unranked(
    systems: Sequence[str], shares: Array, *, does: str = "matches", side: str = "reference"
) -> dict[str, str]:
    """Return the systems that match too few reference words to be compared with others, each with the reason.

    ``shares`` has the share of the reference words that each system matches; ``does`` and ``side`` name other shares.
    """
    most = int(shares.argmax())
    found = {}
    for system, share in zip(systems, shares.tolist(), strict=True):
        reason = f"it {does} only {share:.1%} of the {side} words"
        if share < FEW_MATCHED:
            found[system] = reason
        elif share < FEW_OF_BEST * shares[most]:
            found[system] = f"{reason}, less than half of what {systems[most]} {does} ({shares[most]:.1%})"
    return found


@dataclass(frozen=True, eq=False)
class Scores:
    """Segment statistics of every system and metric, from which scores, intervals and comparisons are computed.

    ``statistics[s]`` has one row per segment of system s, with the columns of all metrics, after the choice of
    reference; ``rows[s][m]`` has only the columns of metric m. ``inputs`` is the part of the signature that describes
    the inputs, and ``scored_inputs`` are the inputs themselves. ``documents`` and ``buckets`` list the name of the
    document and of the bucket of each segment. For texts, ``counts[s]`` has the columns of ``Matched`` or, if chunks
    were counted, of ``MatchCounts``. ``order_words[s]`` holds the number of words in the order of each segment. If
    scores are means over sampled alignments (expected scores), ``draws[s]`` holds the sums of the statistics in each
    sample. ``ranked`` is False for comparisons with the order of the source, since being close to it is neither good
    nor bad. ``notes`` are notes on the inputs. ``matched_orders`` hold the words that the systems matched, if there
    are several systems and a metric of order alone.

    ``scores["A", "pef"]`` is the score of system A under PEF: a number with the attributes ``low`` and ``high``.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    statistics: tuple[Array | CompactRows, ...]
    inputs: dict[str, Any]
    resampling: Resampling = Resampling()
    documents: Sequence[str] | None = None
    buckets: Sequence[str] | None = None
    baseline: str | None = None
    test: str = "bootstrap"
    counts: tuple[Array | CompactRows, ...] | None = None
    order_words: tuple[NDArray[np.int32], ...] | None = None
    matched_orders: MatchedOrders | None = None
    draws: tuple[Array, ...] | None = None
    scored_inputs: Inputs | None = None
    ranked: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for argument, field, what in (("docs", "documents", "document id"), ("buckets", "buckets", "bucket")):
            names = getattr(self, field)
            if names is None:
                continue
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise mistyped(argument, names, expected="names, one for each segment")
            object.__setattr__(self, field, tuple(names))
            if len(getattr(self, field)) != len(self):
                found, wanted = count_of(len(getattr(self, field)), what), count_of(len(self), "segment")
                raise InputError(f"{mention(argument)}: expected one {what} per segment, found {found} for {wanted}")
        if self.resampling.resample == "documents" and self.documents is None:
            raise UsageError(f"resampling documents needs the document name of each segment; give {mention('docs')}")
        self.resampling.check_unit("segments", "documents")

    def __len__(self) -> int:
        return len(self.statistics[0])

    def __getitem__(self, key: str | tuple[str, str | Metric]) -> Any:
        """Return the score of a system under a metric or, given only a system, a dictionary of scores by metric."""
        if isinstance(key, str):
            return {name: self[key, name] for name in self.names}
        refuse(len(key) != 2, f"expected two names (of a system and of a metric), found {len(key)}")
        s, m = self.system_place(key[0]), self.metric_place(key[1])
        low, high = self.intervals
        return Score(self.values[s, m], low[s, m], high[s, m])

    @property
    def names(self) -> list[str]:
        """The specs of the metrics."""
        return [str(metric) for metric in self.metrics]

    @property
    def labels(self) -> list[str]:
        """The specs of the metrics as they were requested, without values taken from the test set."""
        return [metric.label for metric in self.metrics]

    @cached_property
    def rows(self) -> tuple[MetricRows, ...]:
        """The statistics ``rows[s][m]`` of each system s and metric m, decompressed on access."""
        ends = tuple(np.cumsum([0, *(len(metric.columns) for metric in self.metrics)]).tolist())
        return tuple(MetricRows(statistics, ends) for statistics in self.statistics)

    @cached_property
    def sums(self) -> tuple[tuple[Array, ...], ...]:
        """The statistics of each system and metric, summed over all segments."""
        return tuple(tuple(rows.sum(m) for m in range(len(self.metrics))) for rows in self.rows)

    @cached_property
    def values(self) -> Array:
        """The corpus scores, ``[systems, metrics]``."""
        rows = (zip(self.metrics, sums, strict=True) for sums in self.sums)
        return np.array([[float(metric.corpus(sums)) for metric, sums in row] for row in rows])

    @cached_property
    def defined(self) -> NDArray[np.int64]:
        """The number of segments that have a score, for each system and metric."""
        places = range(len(self.metrics))
        return np.array(
            [[np.count_nonzero(~np.isnan(self.scores_at(s, m))) for m in places] for s in range(len(self.systems))]
        )

    @cached_property
    def spread(self) -> Array | None:
        """The standard deviation, over the sampled alignments, of each system's score under each metric.

        It is exactly 0 for scores that are equal in all samples. Without sampling, it is None.
        """
        if self.draws is None:
            return None
        ends = self.rows[0].ends
        values = np.array(
            [
                [metric.corpus(sums[:, ends[m] : ends[m + 1]]) for m, metric in enumerate(self.metrics)]
                for sums in self.draws
            ]
        )
        found: Array = (values - values[..., :1]).std(axis=-1)
        return found

    @cached_property
    def matched(self) -> Array | None:
        """The proportion of reference words that each system matches, or None if there are no texts."""
        if self.counts is None:
            return None
        ends = (0, len(Matched.columns))
        return Matched().corpus(np.array([MetricRows(counts, ends).sum(0) for counts in self.counts]))

    @cached_property
    def unranked(self) -> dict[str, str]:
        """The systems that match too few reference words to be ranked or tested, each with the reason.

        Scores of word order cover only matched words, and a single matched word is always in order. A mean leaves out
        segments without a score, so a system with many of these, such as empty lines, is not ranked either.
        """
        if self.matched is None or not self.ranked:
            return {}
        few = find_unranked(self.systems, np.nan_to_num(self.matched))
        return {**find_silent(self, self.names), **few}

    @cached_property
    def words(self) -> list[int] | None:
        """The total number of words in the orders of each system, or None if there are no orders."""
        return None if self.order_words is None else [int(words.sum()) for words in self.order_words]

    def segment_scores(self, system: str, metric: str | Metric) -> Array:
        """Return the score of each segment; undefined scores are NaN."""
        m = self.metric_place(metric)
        return self.scores_at(self.system_place(system), m)

    def scores_at(self, s: int, m: int) -> Array:
        """Return the score of each segment of system s under metric m."""
        blocks = (self.rows[s].block(m, slice(*span)) for span in spans(len(self), LINES_PER_BLOCK))
        return np.concatenate([self.metrics[m].segment(rows) for rows in blocks])

    @cached_property
    def resampled_groups(self) -> NDArray[np.int64] | None:
        """The index of the document to which each segment belongs, or None unless documents are resampled."""
        if self.resampling.resample != "documents":
            return None
        return np.unique(np.array(self.documents), return_inverse=True)[1].astype(np.int64)

    @cached_property
    def resampled_sums(self) -> list[Array]:
        """The sums of all statistics of each system in the bootstrap samples that all systems share."""
        return [self.resampling.sums(rows, groups=self.resampled_groups) for rows in self.statistics]

    @cached_property
    def replicates(self) -> Array:
        """The corpus scores in the bootstrap samples that all systems share, ``[samples, systems, metrics]``."""
        result = np.empty((self.resampling.samples, len(self.systems), len(self.metrics)))
        for s in range(len(self.systems) if self.resampling.samples else 0):
            sums, ends = self.resampled_sums[s], np.cumsum([0, *(len(metric.columns) for metric in self.metrics)])
            for m, metric in enumerate(self.metrics):
                result[:, s, m] = metric.corpus(sums[:, ends[m] : ends[m + 1]])
        return result

    @cached_property
    def intervals(self) -> tuple[Array, Array]:
        """The lower and the upper ends of the 95% bootstrap intervals, each ``[systems, metrics]``.

        They are NaN where there is no interval, for instance, because a single segment cannot be resampled.
        """
        units = len(self) if self.resampled_groups is None else len(np.unique(self.resampled_groups))
        if not self.resampling.samples or units < 2:
            nothing = np.full_like(self.values, np.nan)
            return nothing, nothing
        low, high = interval(self.replicates)
        alone = self.defined < 2
        return np.where(alone, np.nan, low), np.where(alone, np.nan, high)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Paired tests of each system against the baseline or, by default, the best system under each metric."""
        return self.compare(baseline=self.baseline, test=self.test) if self.is_tested else []

    @property
    def is_tested(self) -> bool:
        """Whether there are systems to compare, and samples if the test needs them."""
        sampled = self.resampling.samples or self.test not in RESAMPLED
        return len(self.systems) > 1 and bool(sampled) and any(choose_pairs(self, self.baseline))

    def compare(
        self, *, baseline: str | None = None, test: str = "bootstrap", common: bool | None = None
    ) -> TableList[Comparison]:
        """Test each system against ``baseline`` or, if it is None, against the best system under each metric.

        If ``common`` is true, the systems are also compared on the reference words that both match (``common`` of a
        comparison). By default, this is done only for two systems, because it takes time for each pair.
        """
        return TableList(compare(self, baseline=baseline, test=test, common=common), compared_table)

    @cached_property
    def rankings(self) -> tuple[Ranking | None, ...]:
        """The ranks of the systems under each metric, or None where systems cannot be ranked."""
        return rank_systems(self)

    def versus(self, against: Against = "previous", *, test: str | None = None) -> Versus:
        """Test each system against the previous one, or only given pairs: ``"A=B,C=D"``, a mapping or a list."""
        from wordorder.scoring.versus import Versus, read_pairs

        return Versus(self, read_pairs(self, against), test or self.test)

    def on_common_words(self, a: str, b: str) -> Scores:
        """Return the scores of two systems on the reference words that both matched: their common words.

        They contain only metrics that depend on order alone. On common words, a difference is one of order, whereas
        other differences may come from which words match.
        """
        from wordorder.scoring.common_words import common_scores

        return common_scores(self, a, b)

    def subset(self, segments: NDArray[np.integer]) -> Scores:
        """Return the scores of a subset of the segments, which are not scored again."""
        members = segments.tolist()
        return replace(
            self,
            statistics=tuple(statistics[segments] for statistics in self.statistics),
            documents=None if self.documents is None else tuple(self.documents[member] for member in members),
            buckets=None if self.buckets is None else tuple(self.buckets[member] for member in members),
            counts=None if self.counts is None else tuple(counts[segments] for counts in self.counts),
            order_words=None if self.order_words is None else tuple(words[segments] for words in self.order_words),
            matched_orders=None if self.matched_orders is None else self.matched_orders.take(segments),
            draws=None,
            scored_inputs=None,
        )

    @property
    def signature(self) -> dict[str, Any]:
        """The settings and versions that are needed to reproduce the scores."""
        return self.signature_with(self.test if self.is_tested else None)

    def signature_with(self, test: str | None) -> dict[str, Any]:
        """Return the signature of these scores for the significance test ``test``, or for no test if it is None."""
        return {
            "metrics": self.names,
            **self.inputs,
            "samples": self.resampling.samples,
            **({"resampled": self.resampling.resample} if self.resampling.resample != "segments" else {}),
            **({"test": test} if test else {}),
            **({"trials": DEFAULT_TRIALS} if test == "randomisation" else {}),
            "seed": self.resampling.seed,
            "version": __version__,
        }

    def segments(self, *, text: bool = False) -> pa.Table:
        """Return the segment scores as an Arrow table with the columns system, segment (from 1) and all metrics.

        If ``text`` is true, the table also contains the source, hypothesis and reference lines that were scored.
        """
        count = len(self)
        columns: dict[str, Any] = {
            "system": strings(system for system in self.systems for _ in range(count)).cast(pa.string()),
            "segment": to_column(np.tile(np.arange(1, count + 1), len(self.systems))),
        }
        for name in self.names:
            scores = np.concatenate([self.segment_scores(system, name) for system in self.systems])
            columns[name] = to_column(scores)
        if self.counts is not None and "matched" not in columns:
            columns["matched"] = to_column(Matched().segment(np.concatenate(self.counts)))
        if text:
            lines = [self.lines(system) for system in self.systems]
            columns |= {name: pa.chunked_array([each[name] for each in lines]) for name in lines[0]}
        return pa.table(columns)

    def lines(self, system: str) -> dict[str, pa.LargeStringArray]:
        """Return the texts of a system by name: the hypothesis and, if available, the source and the references."""
        if self.scored_inputs is None:
            raise UsageError("subsets of scores have no inputs, so there is no text to return; use the full scores")
        return self.scored_inputs.texts_of(self.systems[self.system_place(system)])

    def worst(
        self,
        count: int = 10,
        *,
        by: str | Metric | None = None,
        of: str | Sequence[str] | None = None,
        between: tuple[str, str] | None = None,
    ) -> Examples:
        """Return the worst segments of each system or those where two systems differ most; see :func:`find_worst`."""
        from wordorder.scoring.worst import Examples, find_worst

        return Examples(find_worst(self, count=count, by=by, of=of, between=between))

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data; numbers are not rounded, and undefined numbers are None."""
        from wordorder.scoring.tables import scores_document

        return scores_document(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return the corpus scores as a data frame with one row per system and one column per metric."""
        try:
            import pandas as pd
        except ImportError:
            raise UsageError("data frames require pandas; install it with: pip install pandas") from None
        return pd.DataFrame(self.values, index=pd.Index(self.systems, name="system"), columns=self.names)

    def summary(self, *, sort: str | None = None, digits: int | None = None, percent: bool = False) -> Table:
        """Return the table that ``print`` shows: the systems, best first, and a sentence that says which one is best.

        ``sort`` is a metric (by default the first one), ``name`` or ``given``. ``digits`` is the number of digits
        after the decimal point. If ``percent`` is true, scores are shown from 0 to 100.
        """
        from wordorder.report import Style
        from wordorder.scoring.tables import summary_table

        return summary_table(self, sort=sort, style=Style(digits, percent))

    def table(self, *, sort: str | None = None, digits: int | None = None, percent: bool = False) -> Table:
        """Return everything in one table: also parts of metrics, significance marks and p-values; see ``summary``."""
        from wordorder.report import Style
        from wordorder.scoring.tables import scores_table

        return scores_table(self, sort=sort, style=Style(digits, percent))

    def plot(
        self, kind: str = "scores", *, metric: str | Metric | None = None, systems: Sequence[str] | None = None
    ) -> Any:
        """Return an Altair chart; Altair is installed with the optional extra ``pictures``.

        The kind ``scores`` shows the systems with their intervals, in one panel per metric; ``histogram`` shows the
        distribution of segment scores; ``segments`` compares two systems segment by segment under one metric;
        ``buckets`` and ``documents`` show scores by group of segments; ``correlation`` shows the correlations between
        metrics. ``metric`` and ``systems`` restrict the chart to one metric and to some systems.
        """
        from wordorder.scoring.plots import plot_scores

        return plot_scores(self, kind, metric=metric, systems=systems)

    def __repr__(self) -> str:
        counts = (len(self.systems), "system"), (len(self.metrics), "metric"), (len(self), "segment")
        return f"Scores({' × '.join(count_of(*each) for each in counts)})"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def system_place(self, system: str) -> int:
        """Return the index of a system, whose name may be written as in tables; see :func:`find_name`."""
        return find_name(system, self.systems)

    def metric_place(self, metric: str | Metric) -> int:
        """Return the index of a metric, however it is written, or raise an error that lists the valid metrics."""
        places = {name: m for names in (self.labels, self.names) for m, name in enumerate(names)}
        name = str(metric)
        if name not in places:
            with suppress(UsageError):
                name = str(parse(name))
        if name not in places:
            raise UnknownNameError(f"these scores have no metric {str(metric)!r} (available: {', '.join(self.labels)})")
        return places[name]
