"""Word alignment of a corpus of any size: a model is trained on a sample, once, and then maps every part."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from wordorder.apps.scale.folders import Folder, absolute
from wordorder.apps.scale.jobs import REASON, Block, Job, Work
from wordorder.apps.scale.parts import Part, Report, count_rows, digest, find_parts, write_bad
from wordorder.apps.scale.runner import Running, run_job
from wordorder.apps.scale.words import AT_SPACES, LINKS, SOURCE, TARGET, cut_words, other_columns, without
from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, strings
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import atomic_write
from wordorder.core.runtime.plain import count_of
from wordorder.core.runtime.progress import progress
from wordorder.core.text.checks import check_texts, warn_about
from wordorder.core.text.tokens import lower
from wordorder.formats import pharaoh
from wordorder.linking.aligning import Aligner, Aligning, load, train
from wordorder.linking.aligning.cooccurrence import LARGEST_PAIR
from wordorder.report.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

MODEL_FILE = "_model"
"""The model in the folder of the links that it made, where none was named."""

SAMPLE = 2_000_000
"""Pairs that a model is trained on; more takes memory and helps little."""

TOO_LARGE = "pair too long to align"

_READ = 4  # a sample is spread over parts with so many times as many pairs


@dataclass(frozen=True)
class AlignJob(Job):
    """Add links, as text (``0-0 1-2``), to every pair of a corpus."""

    command = "align"

    texts: tuple[tuple[str, str], ...]
    model: str
    fingerprint: str
    symmetrise: str
    tokenizer: str = AT_SPACES
    keep_case: bool = False

    @property
    def whole(self) -> bool:
        """All columns are kept."""
        return True

    @property
    def settings(self) -> dict[str, Any]:
        """The columns, the model by its content, and how words are cut."""
        return {
            "columns": self.columns,
            "model": self.fingerprint,
            "symmetrise": self.symmetrise,
            "tokenizer": self.tokenizer,
            "case": "mixed" if self.keep_case else "lower",
        }

    @property
    def signature(self) -> dict[str, Any]:
        """What a profile of the links says of them."""
        known = {"aligner": f"model+{self.symmetrise}", "model": self.fingerprint[:12]}
        return known | {"tokenizer": self.tokenizer}

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return what was there, the links, and the reason where there are none."""
        import pyarrow as pa

        kept = without(given, (LINKS, REASON))
        return pa.schema([*kept, (LINKS, pa.string()), (REASON, pa.string())])

    def begin(self, part: Part) -> Work:
        """Begin with no links."""
        return _Aligning(self)

    def doubt(self, block: Block) -> None:
        """Warn of text that is cut otherwise than the tokeniser does."""
        warn_about(check_texts(block.texts, self.tokenizer))


@lru_cache(maxsize=2)
def _load(path: str, fingerprint: str) -> Aligner:
    """Load a model once in a process; it must be the one that the driver saw."""
    if model_fingerprint(path) != fingerprint:
        raise UsageError(f"{path}: is not the model that the driver has under this name")
    return load(path)


def model_fingerprint(path: str) -> str:
    """Return what identifies a saved model."""
    content = Folder(os.path.dirname(path) or ".").read(os.path.basename(path))
    if content is None:
        raise UsageError(f"{path}: no such file")
    return digest(content)


class _Aligning(Work):
    def __init__(self, job: AlignJob) -> None:
        self._job = job
        self._aligner = _load(job.model, job.fingerprint)
        self._counts = {"pairs": 0, "links": 0, "source_words": 0, "target_words": 0}

    def add(self, block: Block) -> dict[str, Any]:
        words = self._words(block)
        large = words[0].lengths * words[1].lengths > LARGEST_PAIR
        if large.any():
            block.refuse(large, TOO_LARGE)
            words = self._words(block)
        links = self._aligner.align(*words, symmetrise=self._job.symmetrise) if len(block.rows) else Alignments.of([])
        written = strings(pharaoh.format_rows(replace(links, probability=None), base=0, possible="?"))
        counted = (len(links), len(links.source), len(words[0].ids), len(words[1].ids))
        self._counts = {name: self._counts[name] + more for name, more in zip(self._counts, counted, strict=True)}
        made = {LINKS: block.spread_texts(written).cast("string"), REASON: block.reason_column()}
        return other_columns(block, (LINKS, REASON)) | made

    def _words(self, block: Block) -> tuple[Any, ...]:
        words = cut_words([block.texts[SOURCE], block.texts[TARGET]], self._job.tokenizer)
        return words if self._job.keep_case else lower(words)

    def sums(self) -> dict[str, Any]:
        return dict(self._counts)


@dataclass(frozen=True)
class Aligned:
    """What was aligned: the sums over all parts, and how many pairs could not be, by reason."""

    counts: Mapping[str, int]
    bad: Mapping[str, int]
    signature: Mapping[str, Any]

    def table(self) -> Table:
        """Return it as a table."""
        notes = [write_bad(self.bad)] if self.bad else []
        columns = [name.replace("_", " ") for name in self.counts]
        return Table.of("", columns, [list(self.counts.values())], notes=notes, signature=self.signature)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**self.counts, "unusable": dict(self.bad), "signature": dict(self.signature)}


def total_alignments(reports: Sequence[Report]) -> Aligned:
    """Add up what all parts say."""
    counts = sum((Counter(report.sums) for report in reports), Counter[str]())
    bad = sum((Counter(report.bad) for report in reports), Counter[str]())
    return Aligned({name: counts[name] for name in reports[0].sums}, bad, reports[0].signature)


def align(
    corpus: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    model: str | os.PathLike[str] | None = None,
    train_sample: int = SAMPLE,
    save: str | os.PathLike[str] | None = None,
    aligning: Aligning | None = None,
    tokenizer: str = AT_SPACES,
    keep_case: bool = False,
    threads: int = 1,
    **running: Unpack[Running],
) -> Aligned | None:
    """Align the words of a corpus: what is there, with a column ``links``, is written into ``out``.

    ``model`` is a saved one. Otherwise one is trained here on about ``train_sample`` pairs, and saved as ``save`` or
    in the folder of the results. Without ``out`` a model is trained and saved, and that is all.
    """
    texts = {SOURCE: SOURCE, TARGET: TARGET} | dict(columns or {})
    aligning = aligning or Aligning()
    if out is None and (save is None or model is not None):
        raise UsageError("there is nothing to do: name a folder for the links, or a file for a new model")
    if model is None:
        where = os.fspath(save) if save is not None else Folder(os.fspath(out or "")).path_of(MODEL_FILE)
        if running.get("shard"):
            raise UsageError("all shards need the same model: train it first, and give it to every shard")
        about = {"aligner": aligning.aligner, "sample": train_sample, "tokenizer": tokenizer, "keep_case": keep_case}
        if save is not None or running.get("overwrite") or not _is_trained(where, about):
            sides = _sample(find_parts(corpus), texts, train_sample, tokenizer, keep_case=keep_case)
            os.makedirs(os.path.dirname(where) or ".", exist_ok=True)
            train(*sides, model=aligning.aligner, threads=threads).save(where)
            if save is None:
                with atomic_write(f"{where}.json") as target:
                    target.write(json.dumps(about))
        model = where
    if out is None:
        return None
    path = absolute(os.fspath(model))
    how = aligning.symmetrise, tokenizer, keep_case
    job = AlignJob(tuple(texts.items()), path, model_fingerprint(path), *how)
    return total_alignments(run_job(job, corpus, out, **running).require())


def _is_trained(path: str, about: Mapping[str, Any]) -> bool:
    """Whether the model of a folder is there; one that was trained otherwise is an error."""
    folder, name = Folder(os.path.dirname(path)), os.path.basename(path)
    text = folder.read(f"{name}.json")
    known = {} if text is None else json.loads(text)
    for key in known:
        if known[key] != about.get(key):
            raise UsageError(
                f"{path}: was trained with {key} {known[key]}, not {about.get(key)}; choose another folder, or "
                "overwrite what is there"
            )
    return bool(known) and name in folder.names()


def _sample(
    parts: Sequence[Part], columns: Mapping[str, str], count: int, tokenizer: str, *, keep_case: bool
) -> tuple[Any, Any]:
    """Return the words of about so many pairs: which ones depends on their places alone, so it is always the same.

    Of a large corpus only some parts are read.
    """
    if count < 1:
        raise UsageError(f"the number of pairs to train on must be 1 or more, not {count}")
    sizes = count_rows(parts)
    chosen: list[int] = []
    for number in np.argsort(mix(np.arange(len(parts), dtype=np.uint64)), kind="stable").tolist():
        chosen.append(number)
        if sum(sizes[each] for each in chosen) >= _READ * count:
            break
    share = count / max(1, sum(sizes[number] for number in chosen))
    lines: tuple[list[str], list[str]] = ([], [])
    for number in progress(sorted(chosen), label="sampling", total=len(chosen), unit=" parts"):
        first = sum(sizes[:number])
        for batch in parts[number].batches(list(columns.values())):
            block = Block(batch, columns)
            drawn = _drawn(first + block.rows, share)
            for side, role in zip(lines, (SOURCE, TARGET), strict=True):
                side += block.texts[role].filter(drawn).to_pylist()
            first += len(block)
    if not lines[0]:
        raise UsageError(f"there is nothing to train on in {count_of(len(parts), 'part')}")
    words = cut_words(lines, tokenizer)
    source, target = words if keep_case else lower(words)
    return source, target


def _drawn(places: Any, share: float) -> Any:
    import pyarrow as pa

    marks: Bools = mix(np.asarray(places, np.uint64)) < np.uint64(min(share, 1.0) * (2**64 - 2**11))
    return pa.array(marks | (share >= 1))


def mix(numbers: Any) -> Any:
    """Scramble numbers of 64 bits: the output function of splitmix64 (Steele, Lea & Flood 2014)."""
    state = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
