"""Align the words of a corpus of any size: train a model once on a sample, then align every part with it."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Unpack

import numpy as np

from wordorder.apps.scale import jobs
from wordorder.apps.scale.folders import Folder, absolute, open_file
from wordorder.apps.scale.parts import (
    Part,
    Report,
    count_rows,
    digest,
    find_parts,
    hash_file,
    of_reports,
    read_each,
    total_bad,
    write_bad,
)
from wordorder.apps.scale.runner import ADVICE, RunOptions, discard, run_job
from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, strings
from wordorder.core.runtime.errors import UsageError, count_of, mention, refuse
from wordorder.core.runtime.files import atomic_write
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.own_inputs import note_input
from wordorder.core.runtime.plain import load_json
from wordorder.core.runtime.threads import progress
from wordorder.core.text.checks import check_texts, warn_about
from wordorder.core.text.tokens import lower
from wordorder.formats import pharaoh
from wordorder.linking.aligning import Aligner, Aligning, load, train
from wordorder.linking.aligning.cooccurrence import LARGEST_PAIR
from wordorder.report.table import Table

MODEL_FILE = "_model"
"""The default name of the model file in the output folder."""

SAMPLE = 2_000_000
"""Default number of pairs for training a model; more pairs take more memory and improve the model little."""

TOO_LARGE = "pair too long to align"

_CHECKSUM = "checksum"  # of the model file, in its description
_READ = 4  # parts are read until they contain this many times the pairs of the sample


@dataclass(frozen=True)
class AlignJob(jobs.Job):
    """The job that adds word links, as text (``0-0 1-2``), to every sentence pair of a corpus."""

    command = "align"
    whole = True

    texts: tuple[tuple[str, str], ...]
    model: str
    fingerprint: str
    symmetrise: str
    tokenizer: str = jobs.AT_SPACES
    keep_case: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The columns, the hash of the model file, and the settings for splitting text into words."""
        return {
            "columns": self.columns,
            "model": self.fingerprint,
            "symmetrise": self.symmetrise,
            "tokenizer": self.tokenizer,
            "case": "mixed" if self.keep_case else "lower",
        }

    @property
    def signature(self) -> dict[str, Any]:
        """The aligner, the hash of the model file and the tokeniser."""
        aligner = f"model+{self.symmetrise}"
        return {"aligner": aligner, "model": self.fingerprint[:12], "tokenizer": self.tokenizer}

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the result: the columns of the part, plus the links or the reason for having none."""
        kept = jobs.without(given, (jobs.LINKS, jobs.REASON))
        return pa.schema([*kept, (jobs.LINKS, pa.string()), (jobs.REASON, pa.string())])

    def begin(self, part: Part) -> jobs.Work:
        """Return an object that aligns the blocks of a part."""
        return _Aligning(self)

    def warn(self, block: jobs.RowBlock) -> None:
        """Warn if the text does not look the way the chosen tokeniser expects its input."""
        warn_about(check_texts(block.texts, self.tokenizer))


@lru_cache(maxsize=2)
def _load(path: str, fingerprint: str) -> Aligner:
    """Load a model once per process; raise an error if the file is not the one that the main process uses."""
    if model_fingerprint(path) != fingerprint:
        raise UsageError(
            f"{path}: this file differs from the model of the same name on the driver's machine; give all "
            "machines the same file"
        )
    return load(path)


def model_fingerprint(path: str) -> str:
    """Return a hash of the file of a saved model."""
    note_input(path)
    content = Folder(os.path.dirname(path) or ".").read(os.path.basename(path))
    if content is None:
        raise UsageError(f"{path}: no such file")
    return digest(content)


class _Aligning(jobs.Work):
    def __init__(self, job: AlignJob) -> None:
        self._job = job
        self._aligner = _load(job.model, job.fingerprint)
        self._counts = {"pairs": 0, "links": 0, "source_words": 0, "target_words": 0}

    def add(self, block: jobs.RowBlock) -> dict[str, Any]:
        words = self._words(block)
        large = words[0].lengths * words[1].lengths > LARGEST_PAIR
        if large.any():
            block.refuse(large, TOO_LARGE)
            words = self._words(block)
        links = self._aligner.align(*words, symmetrise=self._job.symmetrise) if len(block.rows) else Alignments.of([])
        written = strings(pharaoh.format_rows(replace(links, probability=None), base=0, possible="?"))
        counted = (len(links), len(links.source), len(words[0].ids), len(words[1].ids))
        self._counts = {name: self._counts[name] + more for name, more in zip(self._counts, counted, strict=True)}
        made = {jobs.LINKS: block.spread(written).cast("string"), jobs.REASON: block.reason_column()}
        return jobs.other_columns(block, (jobs.LINKS, jobs.REASON)) | made

    def _words(self, block: jobs.RowBlock) -> tuple[Any, ...]:
        words = jobs.cut_words([block.texts[jobs.SOURCE], block.texts[jobs.TARGET]], self._job.tokenizer)
        return words if self._job.keep_case else lower(words)

    def sums(self) -> dict[str, Any]:
        return dict(self._counts)


@dataclass(frozen=True)
class Aligned:
    """The outcome of aligning a corpus: total counts, and the number of unaligned pairs for each reason."""

    counts: Mapping[str, int]
    bad: Mapping[str, int]
    signature: Mapping[str, Any]

    def table(self) -> Table:
        """Return the counts as a table."""
        notes = [write_bad(self.bad)] if self.bad else []
        columns = [name.replace("_", " ") for name in self.counts]
        return Table.of("", columns, [list(self.counts.values())], notes=notes, signature=self.signature)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {**self.counts, "unusable": dict(self.bad), "signature": dict(self.signature)}


@of_reports
def total_alignments(reports: Sequence[Report]) -> Aligned:
    """Return the outcome for the whole corpus from the reports on its parts."""
    counts = {name: sum(report.sums[name] for report in reports) for name in reports[0].sums}
    return Aligned(counts, total_bad(reports), reports[0].signature)


def align(
    corpus: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    model: str | os.PathLike[str] | None = None,
    train_sample: int = SAMPLE,
    save: str | os.PathLike[str] | None = None,
    aligning: Aligning | None = None,
    tokenize: str = jobs.AT_SPACES,
    keep_case: bool = False,
    threads: int = 1,
    **options: Unpack[RunOptions],
) -> Aligned | None:
    """Align the words of a corpus; write all its columns and a new column ``links`` to the folder ``out``.

    ``model`` is a saved model. Without it, a model is trained on about ``train_sample`` pairs and saved to ``save``
    or, by default, in the output folder. Without ``out``, a model is trained and saved, but nothing is aligned.
    """
    texts = {jobs.SOURCE: jobs.SOURCE, jobs.TARGET: jobs.TARGET} | dict(columns or {})
    aligning = aligning or Aligning()
    if out is None and (save is None or model is not None):
        raise UsageError("nothing to do; give an output folder (out) for the links or a file (save) for a new model")
    if model is None:
        where = os.fspath(save) if save is not None else Folder(os.fspath(out or "")).path_of(MODEL_FILE)
        if options.get("shard"):
            raise UsageError("all shards need the same model; train it first and give the saved model to every shard")
        about = {"aligner": aligning.aligner, "sample": train_sample, "tokenizer": tokenize, "keep_case": keep_case}
        parts = find_parts(corpus)
        for part in parts:
            jobs.check_columns(part, texts)
        drawn = _drawn_parts(parts, train_sample)
        if save is None:
            about["corpus"] = _contents(parts, drawn, texts)
        if save is not None or options.get("overwrite") or not _is_trained(where, about):
            sides = _sample(parts, drawn, texts, train_sample, tokenize, keep_case=keep_case)
            os.makedirs(os.path.dirname(where) or ".", exist_ok=True)
            train(*sides, model=aligning.aligner, threads=threads).save(where)
            if save is None:
                with atomic_write(f"{where}.json") as target:
                    target.write(json.dumps(about | {_CHECKSUM: _checksum(where)}))
        model = where
    if out is None:
        return None
    path = absolute(os.fspath(model))
    how = aligning.symmetrise, tokenize, keep_case
    job = AlignJob(tuple(texts.items()), path, model_fingerprint(path), *how)
    return total_alignments(run_job(job, corpus, out, **options).require())


def _is_trained(path: str, about: Mapping[str, Any]) -> bool:
    """Return whether the model file already exists; raise an error if it was trained with other settings.

    A model that was changed after it was saved, or that comes from version 0.2.0, is deleted, with a warning.
    """
    folder, name = Folder(os.path.dirname(path)), os.path.basename(path)
    text = folder.read(f"{name}.json")
    try:
        known = {} if text is None else dict(load_json(text))
        checksum, reason = known.pop(_CHECKSUM, None), "damaged, or without a checksum"
    except (TypeError, ValueError):
        known, checksum, reason = {}, None, "its description is damaged"
    for key in known:
        if known[key] != about.get(key):
            if key == "corpus":
                raise UsageError(
                    f"{path}: the model was trained on pairs that differ from those in the corpus; use it anyway "
                    f"({mention('model', path)}), {ADVICE}"
                )
            raise UsageError(f"{path}: the model was trained with {key} {known[key]}, not {about.get(key)}; {ADVICE}")
    if text is None or name not in folder.names():
        return False
    if checksum != _checksum(path):
        discard(folder, {name: reason})
        return False
    return True


def _checksum(path: str) -> str:
    with open_file(path) as file:
        return str(hash_file(file).hexdigest())


def _drawn_parts(parts: Sequence[Part], count: int) -> list[int]:
    """Return the numbers of the parts from which a sample of ``count`` pairs is drawn.

    The choice depends only on row numbers, so it is reproducible. Only some parts of a large corpus are read.
    """
    refuse(count < 1, f"the number of pairs to train on must be 1 or more, not {count}")
    sizes = count_rows(parts)
    chosen: list[int] = []
    for number in np.argsort(mix(np.arange(len(parts), dtype=np.uint64)), kind="stable").tolist():
        chosen.append(number)
        if sum(sizes[each] for each in chosen) >= _READ * count:
            break
    return sorted(chosen)


def _contents(parts: Sequence[Part], chosen: Sequence[int], columns: Mapping[str, str]) -> str:
    """Return a hash of the pairs from which a sample is drawn."""
    places = [str((len(parts), *chosen)).encode()]
    found = read_each(lambda number: parts[number].fingerprint(columns.values()).encode(), chosen)
    for each in found:
        if isinstance(each, Exception):
            raise each
        places.append(each)
    return digest(*places)


def _sample(
    parts: Sequence[Part],
    chosen: Sequence[int],
    columns: Mapping[str, str],
    count: int,
    tokenizer: str,
    *,
    keep_case: bool,
) -> tuple[Any, Any]:
    """Return the source and target words of about ``count`` pairs, drawn pseudo-randomly from the chosen parts."""
    sizes = count_rows(parts)
    share = count / max(1, sum(sizes[number] for number in chosen))
    lines: tuple[list[str], list[str]] = ([], [])
    for number in progress(chosen, label="sampling", total=len(chosen), unit=" parts"):
        first = sum(sizes[:number])
        for batch in parts[number].batches(list(columns.values())):
            block = jobs.RowBlock(batch, columns)
            drawn = _drawn(first + block.rows, share)
            for side, role in zip(lines, (jobs.SOURCE, jobs.TARGET), strict=True):
                side += block.texts[role].filter(drawn).to_pylist()
            first += len(block)
    refuse(not lines[0], f"found no sentence pair to train on in {count_of(len(parts), 'part')} of the corpus")
    words = jobs.cut_words(lines, tokenizer)
    source, target = words if keep_case else lower(words)
    return source, target


def _drawn(places: Any, share: float) -> Any:
    marks: Bools = mix(np.asarray(places, np.uint64)) < np.uint64(min(share, 1.0) * (2**64 - 2**11))
    return pa.array(marks | (share >= 1))


def mix(numbers: Any) -> Any:
    """Hash 64-bit numbers with the output function of the generator splitmix64 (Steele, Lea & Flood 2014)."""
    state = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
