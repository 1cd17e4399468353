"""Score a corpus of any size: write all segment scores, and compute corpus scores from sums over the parts."""

import base64
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn, Unpack

import numpy as np
from numpy.typing import NDArray

from wordorder.apps.scale.jobs import REASON, Job, RowBlock, Work
from wordorder.apps.scale.parts import Part, Report, of_reports, total_bad, write_bad
from wordorder.apps.scale.runner import RunOptions, run_job
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.libraries import pa
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.resampling import poisson_sums
from wordorder.core.statistics.settings import DEFAULT_SEED
from wordorder.core.text import DEFAULT_TOKENIZER
from wordorder.core.text.checks import check_texts, warn_about
from wordorder.linking.matching import Matching
from wordorder.metrics import Metric, metric
from wordorder.metrics.base import Array
from wordorder.metrics.lexical import Matched
from wordorder.metrics.registry import MetricSelection, choose_metrics
from wordorder.scoring.inputs import MatchedTexts
from wordorder.scoring.score import full_signature
from wordorder.scoring.score import run as measure
from wordorder.scoring.scores import Scores

REFERENCE = "reference"
_ADDED = ("statistics", "counts", "words", "defined")
UNTESTED = "differences between systems were not tested: tests need the scores of all segments at once"


@dataclass(frozen=True)
class ScoreJob(Job):
    """The job that scores systems against references; each system and each reference is a column of the corpus."""

    command = "score"

    texts: tuple[tuple[str, str], ...]
    """The role and the column of each text; roles are ``reference`` (or ``reference1`` …) and names of systems."""
    metrics: tuple[str, ...]
    tokenizer: str = DEFAULT_TOKENIZER
    lowercase: bool = False
    join_subwords: bool = False
    matching: Matching = field(default_factory=Matching)
    weight: str = "segments"
    reference_choice: str = "closest"
    samples: int = 0
    seed: int = DEFAULT_SEED

    @property
    def placed(self) -> bool:
        """Whether results depend on the positions of rows in the corpus, which is true for bootstrap samples."""
        return self.samples > 0

    @property
    def references(self) -> list[str]:
        """The roles of the references."""
        return [role for role, _ in self.texts if is_reference(role)]

    @property
    def systems(self) -> list[str]:
        """The names of the systems, which are also their roles."""
        return [role for role, _ in self.texts if not is_reference(role)]

    def inputs(self, texts: Mapping[str, Any]) -> MatchedTexts:
        """Return the scoring inputs for the given texts, which are columns by role."""
        return _Lines(
            {system: texts[system] for system in self.systems},
            [texts[reference] for reference in self.references],
            tokenize=self.tokenizer,
            lowercase=self.lowercase,
            join_subwords=self.join_subwords,
            matching=self.matching,
            weight=self.weight,
        )

    @cached_property
    def _empty(self) -> MatchedTexts:
        return self.inputs({role: [] for role, _ in self.texts})

    @cached_property
    def chosen(self) -> tuple[Metric, ...]:
        """The metrics; settings that depend on the inputs are filled in."""
        return tuple(metric(spec).bind(self._empty) for spec in self.metrics)

    @property
    def signature(self) -> dict[str, Any]:
        """The signature that the command ``wordorder score`` would print for the same texts."""
        known = full_signature(self._empty, self.chosen, self.reference_choice)
        return known | ({"bootstrap": "poisson"} if self.samples else {})

    @property
    def settings(self) -> dict[str, Any]:
        """The columns, the metrics, and the settings for tokenisation, matching and bootstrap samples."""
        drawn = {"samples": self.samples, "seed": self.seed} if self.samples else {}
        return {"columns": dict(self.texts), "metrics": list(self.metrics), **self.signature, **drawn}

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the result: columns for each system and metric, then the reason for missing scores."""
        return pa.schema([*((name, pa.float64()) for name in self._names()), (REASON, pa.string())])

    def _names(self) -> list[str]:
        """Return the names of the score columns: ``metric`` or, if there are several systems, ``system.metric``."""
        several = len(self.systems) > 1
        return [f"{system}.{spec}" if several else spec for system in self.systems for spec in self.metrics]

    def begin(self, part: Part) -> Work:
        """Return an object that scores the blocks of a part."""
        if self.samples and part.first_row is None:
            raise InputError(
                "bootstrap samples need the position of this part's rows in the corpus, which is unknown: an earlier "
                "part cannot be read, or the position was not filled in (place_parts)",
                path=part.path,
            )
        return _Scoring(self, part.first_row or 0)

    def warn(self, block: RowBlock) -> None:
        """Warn if the text does not look the way the chosen tokeniser expects its input."""
        warn_about(check_texts(block.texts, self.tokenizer, together=[list(block.texts)]))


class _Lines(MatchedTexts):
    """Texts of a single block, which are already in memory; reading them causes no warnings about the input."""

    def line_blocks(self, *, lines: int = LINES_PER_BLOCK) -> Iterator[tuple[pa.LargeStringArray, ...]]:
        """Yield the lines of all texts as a single block."""
        yield tuple(self._prepare(text) for _, text in self._sources())


def is_reference(role: str) -> bool:
    """Return whether the role of a column is that of a reference.

    >>> is_reference("reference"), is_reference("reference2"), is_reference("references-of-A")
    (True, True, False)
    """
    return role == REFERENCE or (role.startswith(REFERENCE) and role[len(REFERENCE) :].isdecimal())


class _Scoring(Work):
    def __init__(self, job: ScoreJob, first_row: int) -> None:
        self._job = job
        self._first_row = first_row
        self._ends = np.cumsum([0, *(len(each.columns) for each in job.chosen)]).tolist()
        systems = len(job.systems)
        self._statistics = np.zeros((systems, self._ends[-1]))
        self._counts = np.zeros((systems, len(Matched.columns)))
        self._words = [0] * systems
        self._defined = np.zeros((systems, len(job.chosen)), np.int64)
        self._samples = np.zeros((systems, job.samples, self._ends[-1]))

    def add(self, block: RowBlock) -> dict[str, Any]:
        values = np.empty((len(self._job.systems), len(self._job.chosen), len(block.rows)))
        if len(block.rows):
            inputs = self._job.inputs(block.texts)
            choice = self._job.reference_choice
            found = measure(
                inputs.batches(self._job.chosen),
                inputs.systems,
                self._job.chosen,
                reference_choice=choice,
                counted=inputs.offers,
            )
            assert found.counts is not None
            assert found.order_words is not None
            for s, rows in enumerate(found.statistics):
                self._statistics[s] += rows.sum()
                self._counts[s] += found.counts[s].sum()
                self._words[s] += int(found.order_words[s].sum())
                if self._job.samples:
                    places = self._first_row + block.first_row + block.rows
                    self._samples[s] += poisson_sums(rows, places, samples=self._job.samples, seed=self._job.seed)
                whole = rows[:]
                for m, each in enumerate(self._job.chosen):
                    values[s, m] = each.segment(whole[:, self._ends[m] : self._ends[m + 1]])
        self._defined += np.count_nonzero(~np.isnan(values), axis=2)
        columns = [block.spread_numbers(one) for system in values for one in system]
        return dict(zip([*self._job._names(), REASON], [*columns, block.reason_column()], strict=True))

    def sums(self) -> dict[str, Any]:
        return {
            "statistics": self._statistics.tolist(),
            "counts": self._counts.tolist(),
            "words": self._words,
            "defined": self._defined.tolist(),
            **({"samples": _pack(self._samples)} if self._job.samples else {}),
        }


def _pack(sums: Array) -> str:
    """Convert an array of numbers to compressed, base64-encoded text."""
    columns = np.ascontiguousarray(np.moveaxis(sums, -1, 0), "<f8")  # equal columns compress well
    return base64.b64encode(pa.compress(columns.tobytes(), codec="zstd", asbytes=True)).decode()


def _unpack(text: str, shape: tuple[int, int, int]) -> Array:
    data = pa.decompress(base64.b64decode(text), 8 * math.prod(shape), codec="zstd", asbytes=True)
    return np.moveaxis(np.frombuffer(data, "<f8").reshape(shape[2], *shape[:2]), 0, -1)


@dataclass(frozen=True, eq=False)
class TotalScores(Scores):
    """Corpus scores computed from sums over all parts.

    Everything in :class:`Scores` that does not need segment scores is available.
    """

    segments_scored: int = 0
    added: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """The sums over all parts: ``statistics``, ``counts``, ``words``, ``defined`` and, for bootstrap, ``samples``."""

    def __len__(self) -> int:
        return self.segments_scored

    @cached_property
    def sums(self) -> tuple[tuple[Array, ...], ...]:
        """The summed statistics of each system and metric."""
        ends = np.cumsum([len(each.columns) for each in self.metrics])[:-1]
        return tuple(tuple(np.split(row, ends)) for row in self.added["statistics"])

    @cached_property
    def defined(self) -> NDArray[np.int64]:
        """The number of segments with a score, ``[systems, metrics]``."""
        return self.added["defined"].astype(np.int64)

    @cached_property
    def matched(self) -> Array | None:
        """The share of reference words that were matched, for each system."""
        return Matched().corpus(self.added["counts"])

    @cached_property
    def words(self) -> list[int] | None:
        """The number of words in the word orders that were scored, for each system."""
        return [int(count) for count in self.added["words"]]

    @cached_property
    def comparisons(self) -> list[Any]:
        """An empty list, because paired tests need the scores of all segments at once."""
        return []

    @cached_property
    def resampled_sums(self) -> list[Array]:
        """The summed statistics of each system in every bootstrap sample."""
        return [np.asarray(sums) for sums in self.added["samples"]]

    def scores_at(self, s: int, m: int) -> NoReturn:
        """Raise an error, because segment scores are only stored in the result files."""
        raise UsageError("segment scores are unavailable here; read them from the Parquet files in the output folder")

    def subset(self, segments: NDArray[np.integer]) -> NoReturn:
        """Raise an error, because segment scores are only stored in the result files."""
        self.scores_at(0, 0)


def score(
    corpus: Any,
    *,
    columns: Mapping[str, str],
    out: str | os.PathLike[str],
    metrics: MetricSelection | None = None,
    tokenize: str = DEFAULT_TOKENIZER,
    lowercase: bool = False,
    join_subwords: bool = False,
    matching: Matching | None = None,
    weight: str = "segments",
    reference_choice: str = "closest",
    samples: int = 0,
    seed: int = DEFAULT_SEED,
    **options: Unpack[RunOptions],
) -> TotalScores:
    """Score the translations in a corpus of Parquet files; files that were already scored are skipped.

    ``columns`` maps ``reference`` (or ``reference1``, ``reference2`` …) and the name of each system to a column.
    Segment scores are written to the folder ``out``, one file per part. ``samples`` is the number of Poisson
    bootstrap samples. For ``options``, see :class:`wordorder.apps.scale.RunOptions`.
    """
    job = score_job(
        columns,
        metrics,
        tokenizer=tokenize,
        lowercase=lowercase,
        join_subwords=join_subwords,
        matching=matching or Matching(),
        weight=weight,
        reference_choice=reference_choice,
        samples=Resampling(samples=samples).samples,
        seed=seed,
    )
    return total_scores(run_job(job, corpus, out, **options).require())


def score_job(columns: Mapping[str, str], metrics: MetricSelection | None, **how: Any) -> ScoreJob:
    """Return the job that scores a corpus; raise an error if columns or metrics are invalid."""
    roles = [role for role in columns if role != "source"]
    if not any(map(is_reference, roles)) or all(map(is_reference, roles)):
        found = ", ".join(columns) or "none"
        raise UsageError(
            "scoring needs columns for a reference and at least one system (reference=COLUMN NAME=COLUMN); "
            f"found: {found}"
        )
    offers, usual = MatchedTexts.offers, MatchedTexts.defaults
    chosen = choose_metrics(usual if metrics is None else metrics, available=offers)
    return ScoreJob(tuple((role, columns[role]) for role in roles), tuple(map(str, chosen)), **how)


@of_reports
def total_scores(reports: Sequence[Report]) -> TotalScores:
    """Return the scores of the whole corpus from the reports on its parts."""
    first, settings = reports[0], reports[0].settings
    metrics = tuple(map(metric, settings["metrics"]))
    systems = tuple(role for role in settings["columns"] if not is_reference(role))
    resampling = Resampling(samples=settings.get("samples", 0), seed=settings.get("seed", DEFAULT_SEED))
    shape = len(systems), resampling.samples, sum(len(each.columns) for each in metrics)
    added = {name: np.array([report.sums[name] for report in reports], np.float64).sum(axis=0) for name in _ADDED}
    added["statistics"] = added["statistics"].reshape(shape[0], shape[2])
    if resampling.samples:
        added["samples"] = sum((_unpack(report.sums["samples"], shape) for report in reports), np.zeros(shape))
    bad = total_bad(reports)
    return TotalScores(
        systems=systems,
        metrics=metrics,
        statistics=(),
        inputs=dict(first.signature),
        resampling=resampling,
        notes=(*([write_bad(bad)] if bad else []), *([UNTESTED] if resampling.samples and len(systems) > 1 else [])),
        segments_scored=sum(report.rows for report in reports) - sum(bad.values()),
        added=added,
    )
