"""Order and latency: the words that a simultaneous translator guesses, and the waiting that word order costs.

A translator has read d_j source words when target word j is written. In a sentence pair with J source and I target
words, these numbers are means over target words:

* ``guessed``: the words that were written before the last source word linked to them was read, i > d_j
* ``lag``: max(0, d_j − j·J/I), the source words by which a word is behind a steady translator
* ``forced-lag``: the lag that this order makes necessary for a translator who guesses nothing
* ``policy-lag``: the rest of the lag, which is the policy's; it is negative where guessing saves waiting
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from wordorder.apps.monotone.latency import MEASURES, latency_of, measure_delays
from wordorder.apps.monotone.measures import Measure, mean_columns, mean_scores, score_columns, scores_of
from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Ints, offsets_from_lengths, positions, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, count_of, mention, refuse
from wordorder.core.runtime.files import Path
from wordorder.core.runtime.settings import accepts_options
from wordorder.core.statistics import Resampling
from wordorder.formats import delay_logs
from wordorder.formats.delay_logs import TimedOutput
from wordorder.formats.sources import TextSource, read_text
from wordorder.metrics.base import Array
from wordorder.metrics.monotonicity import words_read
from wordorder.report.charts import plot_curves
from wordorder.report.table import AS_IS, Cell, Column, Style, Table, Tabular
from wordorder.scoring.inputs import make_inputs
from wordorder.scoring.options import InputOptions
from wordorder.scoring.scores import Scores
from wordorder.scoring.tables import score_cells, score_notes, scores_document

ORDER = ("guessed", "lag", "forced-lag", "policy-lag")
"""The measures of order beside latency."""


def order_rows(alignments: Alignments, delays: Floats) -> Array:
    """Return the statistics of :data:`ORDER` for each sentence pair, ``[segments, 8]``.

    ``delays`` holds the number of source words that were read when each target word was written. Both sentence
    lengths must be known.
    """
    starts = offsets_from_lengths(alignments.target_lengths)
    rows, count = rows_of(starts), len(alignments)
    last = np.zeros(len(delays), dtype=np.int64)
    np.maximum.at(last, starts[rows_of(alignments.offsets)] + alignments.target, 1 + alignments.source)
    rate = alignments.source_lengths / np.maximum(alignments.target_lengths, 1)
    due = (1 + positions(starts)) * rate[rows]

    def total(values: Floats) -> Floats:
        return np.bincount(rows, weights=values, minlength=count).astype(np.float64)

    guessed = total((last > delays).astype(np.float64))
    lag, forced = (total(np.maximum(read - due, 0)) for read in (delays, words_read(alignments)))
    words = np.diff(starts).astype(np.float64)
    return np.stack([part for sums in (guessed, lag, forced, lag - forced) for part in (sums, words)], axis=-1)


def wait_k_delays(sources: Ints, targets: Ints, k: int) -> Floats:
    """Return the delays of wait-k with catch-up, for the words of all targets.

    When target word j of I is written, min(J, ⌈j·J/I⌉ + k − 1) of the J source words have been read. Under these
    delays, the words that are guessed are those that ``anticipation`` counts.

    >>> wait_k_delays(np.array([4, 3]), np.array([2, 3]), 2).tolist()
    [3.0, 4.0, 2.0, 3.0, 3.0]
    """
    starts = offsets_from_lengths(targets)
    source = np.asarray(sources, dtype=np.int64)[rows_of(starts)]
    target = np.asarray(targets, dtype=np.int64)[rows_of(starts)]
    due = -(-(1 + positions(starts)) * source // target)
    result: Floats = np.minimum(source, due + k - 1).astype(np.float64)
    return result


@accepts_options(InputOptions)
def simulate_waiting(
    hyp: Any = None,
    ref: Any = None,
    *,
    wait_k: Sequence[int] = (1, 3, 5, 9),
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
    **options: Unpack[InputOptions],
) -> "Waiting":
    """Simulate wait-k translators that write given translations: how many words of each text must they guess?

    All texts, systems and references (``ref``), are treated alike. For the other options, see
    :func:`wordorder.scoring.inputs.make_inputs`.

    >>> from wordorder import Alignment, Alignments
    >>> links = {"A": Alignments.of([Alignment.parse("2-0 0-1 1-2")])}
    >>> texts = {"hyp": {"A": ["c a b"]}, "source": ["x y z"], "hyp_align": links, "tokenize": "none"}
    >>> found = simulate_waiting(**texts, wait_k=[1, 3], samples=0)
    >>> found.scores["A k=1", "guessed"].value, found.scores["A k=3", "guessed"].value
    (0.3333333333333333, 0.0)
    """
    for k in wait_k:
        refuse(k < 1, f"{mention('wait_k')} must be 1 or more, not {k}")
    inputs = make_inputs(hyp, ref, threads=threads, seed=seed, **options | {"order": "monotone"})
    done: dict[str, list[Array]] = {f"{system} k={k}": [] for system in inputs.systems for k in wait_k}
    for block in inputs.batches(()):
        for system, batch in zip(inputs.systems, block, strict=True):
            links = batch.alignments
            if min(links.source_lengths.min(initial=0), links.target_lengths.min(initial=0)) < 0:
                raise UsageError("sentence lengths are unknown; give the texts as well as their alignments")
            sizes, words = links.source_lengths.astype(np.float64), links.target_lengths.astype(np.int64)
            for k in wait_k:
                delays = wait_k_delays(links.source_lengths, links.target_lengths, k)
                ends, long = np.full(len(links), np.inf), np.zeros(len(links), np.bool_)
                latency = measure_delays(delays, offsets_from_lengths(words), sizes, words, ends, long)
                al = latency[:, [MEASURES.index("al")]]
                done[f"{system} k={k}"].append(np.hstack([order_rows(links, delays), mean_columns(al)]))
    signature = {**inputs.signature(()), "policy_simulated": "wait-k with catch-up"}
    rows = {name: np.concatenate(parts) for name, parts in done.items()}
    scores = scores_of(rows, [Measure(name) for name in (*ORDER, "al")], signature, Resampling(samples, seed, threads))
    texts = {f"{system} k={k}": (system, k) for system in inputs.systems for k in wait_k}
    return Waiting(scores, texts, notes=(_STEADY, *inputs.notes))


_STEADY = "lags in source words per target word; wait-k with catch-up: d_j = min(J, ⌈j·J/I⌉ + k − 1)"


@accepts_options(InputOptions)
def measure_logs(
    logs: Mapping[str, Path | Sequence[TimedOutput]],
    ref: TextSource | None = None,
    *,
    segments: Path | None = None,
    characters: bool = False,
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
    **options: Unpack[InputOptions],
) -> "Waiting":
    """Measure the latency of simultaneous systems from their logs and, if these have source text, word order.

    ``ref`` replaces the references in the logs. With ``segments`` (a file with the segments of recordings), mweralign
    cuts outputs for whole recordings into the segments that ``ref`` translates. With ``characters``, delays belong to
    characters. ``given`` holds segment scores of other metrics by name and system. Other options are those for
    aligning the source with the outputs.
    """
    given = options.pop("given", None) or {}
    references = None if ref is None else read_text(ref).to_pylist()
    outputs = {name: _outputs(log, references, segments, characters) for name, log in logs.items()}
    counts = {name: len(found) for name, found in outputs.items()}
    if len(set(counts.values())) > 1:
        raise InputError(
            f"the logs differ in their numbers of outputs: {', '.join(f'{c} in {n}' for n, c in counts.items())}"
        )
    aware = (False, True)[: 1 + all(any(output.elapsed for output in found) for found in outputs.values())]
    names = [f"ca-{name}" if each else name for each in aware for name in MEASURES]
    rows = {
        name: mean_columns(np.hstack([latency_of(found, characters=characters, aware=each) for each in aware]))
        for name, found in outputs.items()
    }
    notes = ["ca-: delays that include computation time"] * (len(aware) - 1)
    signature: dict[str, Any] = {"delays": "logs", "unit": "characters" if characters else "words"}
    signature |= {"cut": "mweralign"} if segments else {}
    sources = next(iter(outputs.values()))
    if not characters and all(map(_has_words, outputs.values())):
        texts = [output.source or "" for output in sources]
        for name, found in outputs.items():
            if [output.source for output in found] != texts:
                raise InputError(f"{name} does not translate the same sources as {next(iter(outputs))}")
        hyp = {name: [" ".join(output.prediction.split()) for output in found] for name, found in outputs.items()}
        settings: Any = {"lowercase": False, **options, "order": "monotone", "tokenize": "none"}
        inputs = make_inputs(hyp, source=[" ".join(text.split()) for text in texts], threads=threads, **settings)
        done: dict[str, list[Array]] = {name: [] for name in hyp}
        for block in inputs.batches(()):
            for name, batch in zip(hyp, block, strict=True):
                start = sum(map(len, done[name]))
                read = [time for output in outputs[name][start : start + len(batch)] for time in output.delays]
                done[name].append(order_rows(batch.alignments, np.array(read, dtype=np.float64)))
        rows = {name: np.hstack([np.concatenate(done[name]), each]) for name, each in rows.items()}
        names, notes = [*ORDER, *names], [_STEADY.partition(";")[0], *notes, *inputs.notes]
        signature |= inputs.signature(())
    else:
        notes.append("the logs have no source words, so only latency is measured")
    scores = scores_of(rows, [Measure(name) for name in names], signature, Resampling(samples, seed, threads))
    return Waiting(scores, {name: (name, None) for name in logs}, mean_scores(given), tuple(notes))


def _outputs(
    log: Path | Sequence[TimedOutput], references: list[str] | None, segments: Path | None, characters: bool
) -> list[TimedOutput]:
    outputs = list(log) if isinstance(log, (list, tuple)) else delay_logs.read(log)  # type: ignore[arg-type]
    if segments is not None:
        from wordorder.apps.monotone.cutting import cut_recordings

        if references is None:
            raise UsageError(f"outputs are cut where the segments of a reference end; give {mention('ref')}")
        return cut_recordings(outputs, delay_logs.read_segments(segments), references, characters=characters)
    if references is None:
        return outputs
    if len(outputs) != len(references):
        raise InputError(f"found {count_of(len(references), 'reference')} for {count_of(len(outputs), 'output')}")
    return [replace(output, reference=text) for output, text in zip(outputs, references, strict=True)]


def _has_words(outputs: Sequence[TimedOutput]) -> bool:
    """Return whether delays count the words of source texts, and every word of the output has a delay."""
    return all(
        output.source is not None
        and output.source_length == len(output.source.split())
        and len(output.delays) == len(output.prediction.split())
        for output in outputs
    )


@dataclass(frozen=True, eq=False)
class Waiting(Tabular):
    """Latency and order of simultaneous translations; ``texts`` has the text and k of each simulated system."""

    scores: Scores
    texts: Mapping[str, tuple[str, int | None]]
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def simulated(self) -> bool:
        """Whether the delays are those of simulated wait-k translators."""
        return any(k is not None for _, k in self.texts.values())

    def table(self, *, style: Style = AS_IS) -> Table:
        """Return a table with a row for each system or, if simulated, for each text and k."""
        columns = [Column("system", "left"), *[Column("k")] * self.simulated, *score_columns(self.scores)]
        columns += [Column(f"given:{name}") for name in self.given]
        rows: list[list[Cell | str | int | None]] = []
        for name, (text, k) in self.texts.items():
            given = [Cell(means.get(name)) for means in self.given.values()]
            cells = score_cells(self.scores, self.scores.system_place(name))
            rows.append([text, *[k] * self.simulated, *cells, *given])
        return style.apply(Table.of("", columns, rows, notes=self._all_notes(), signature=self.signature))

    def _all_notes(self) -> list[str]:
        return [count_of(len(self.scores), "segment"), *score_notes(self.scores, tests=[])[1:], *self.notes]

    @property
    def signature(self) -> dict[str, Any]:
        """The settings and versions that are needed to reproduce the numbers."""
        return self.scores.signature_with(None)

    def plot(self) -> Any:
        """Return an Altair chart: guessed words and given scores against the lag, a curve for each text."""
        latency = "lag" if "lag" in self.scores.names else "yaal"
        records = []
        for panel in (*[each for each in ("guessed", "forced-lag") if each in self.scores.names], *self.given):
            for name, (text, k) in sorted(self.texts.items(), key=lambda one: float(self.scores[one[0], latency])):
                value = self.given[panel].get(name) if panel in self.given else float(self.scores[name, panel])
                series = text if self.simulated else "systems"
                point = {"text": series, "of": name if k is None else f"k={k}", "panel": panel, "value": value}
                records.append(point | {latency: float(self.scores[name, latency])})
        refuse(not records, "these logs have no source words and no other scores, so there is no curve to draw")
        return plot_curves(records, x=latency, y="value", series="text", panel="panel", labels=(latency, ""))

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data; numbers are not rounded, and undefined numbers are None."""
        found = scores_document(self.scores, tests=[], notes=self._all_notes(), signature=self.signature)
        for record in found["systems"]:
            text, k = self.texts[record["name"]]
            record |= {} if k is None else {"text": text, "k": k}
        return found | {"given": {name: dict(means) for name, means in self.given.items()}}
