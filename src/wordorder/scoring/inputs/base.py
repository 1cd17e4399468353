"""The base classes of all inputs.

Inputs know their systems, what they offer to metrics and their part of the signature, and they yield batches of
segments, block by block. They check themselves when they are made.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import LINES_PER_BLOCK, open_binary
from wordorder.formats.text import file_behind
from wordorder.metrics import Batch, Metric, Need
from wordorder.scoring.inputs.drawing import Line

if TYPE_CHECKING:
    import pyarrow as pa

Blocks = Iterator[Sequence[Batch]]
"""Blocks of consecutive segments, one batch per system in each."""


class Inputs(ABC):
    """The hypotheses of one or more systems on the same segments, with everything they are compared with."""

    @property
    @abstractmethod
    def offers(self) -> frozenset[Need]:
        """What the batches hold for metrics."""

    @property
    @abstractmethod
    def defaults(self) -> tuple[Metric, ...]:
        """The metrics that are computed by default."""

    @property
    def ranked(self) -> bool:
        """Whether one system can be better than another; being close to the source is neither good nor bad."""
        return True

    @property
    def dk(self) -> float | None:
        """Mean kendall-sqrt of source→reference against monotone, or None if there is no alignment to compute it."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on how the word orders were obtained, which are printed under tables."""
        return ()

    @property
    def text_warning(self) -> str:
        """The warning about the lines that have been read so far, if something is probably wrong with them."""
        return ""

    @property
    def given_scores(self) -> Mapping[str, Mapping[str, NDArray[np.float64]]]:
        """Scores of segments under other metrics, by name and system; empty unless the inputs have some."""
        return {}

    @property
    def without_scores(self) -> Inputs:
        """These inputs without given scores."""
        return self

    @property
    def reference_count(self) -> int:
        """Number of references at the start of the list of systems."""
        return 0

    @property
    def baseline(self) -> str | None:
        """The system that all others are compared with by default: the first reference among the systems."""
        return self.systems[0] if self.reference_count else None

    @property
    @abstractmethod
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in the order of the batches of a block."""

    @abstractmethod
    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the part of the signature that says how word orders are obtained, and what these metrics assume."""

    @abstractmethod
    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks of at most ``lines`` segments with what these metrics need."""

    def count_blocks(self) -> int | None:
        """Return the number of blocks for progress bars, or None if it cannot be found quickly."""
        return None

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return lines of text that show some segments (counted from 0) of a system and what a metric finds there."""
        raise UsageError(f"segments of {type(self).__name__} cannot be shown")

    def texts_of(self, system: str) -> dict[str, pa.LargeStringArray]:
        """Return the lines of a system as ``hypothesis``, with ``source`` and ``reference`` (or ``reference1`` …)."""
        raise UsageError("these word orders were given without text")

    def select(self, segments: NDArray[np.integer]) -> Inputs:
        """Return inputs with only some of the segments."""
        raise UsageError(f"segments cannot be picked out of {type(self).__name__}")

    def fingerprint(self) -> str:
        """Return a digest of everything that the scores depend on: settings, and the content of every file."""
        digest = hashlib.blake2b(" ".join(sorted(need.name for need in self.offers)).encode(), digest_size=16)
        for piece in _content(self):
            digest.update(piece)
            digest.update(b"\0")
        return digest.hexdigest()


def _delegated(name: str) -> Any:
    """Return a property that has the value of this attribute of the wrapped inputs."""
    return property(attrgetter(f"inner.{name}"))


class InputsWrapper(Inputs):
    """Inputs with additional columns. Delegates everything that is not overridden."""

    @property
    @abstractmethod
    def inner(self) -> Inputs:
        """The wrapped inputs, without the additional columns."""

    systems = _delegated("systems")
    ranked = _delegated("ranked")
    dk = _delegated("dk")
    notes = _delegated("notes")
    text_warning = _delegated("text_warning")
    reference_count = _delegated("reference_count")
    draw = _delegated("draw")
    texts_of = _delegated("texts_of")


def metric_signature(metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return the part of the signature about metrics: what they took from the test set, and what they assume."""
    known: dict[str, Any] = {}
    for metric in metrics:
        for name, value in metric.signature_fields().items():
            known[name] = [*known.get(name, []), *value] if isinstance(value, list) else value
    return known


def check_names(given: Iterable[str], systems: Sequence[str], what: str) -> None:
    """Refuse ``what``, such as alignments, if they are given for other systems than those that are scored."""
    if set(given) != set(systems):
        raise UsageError(
            f"{what} are given for {', '.join(given)}, but the systems are {', '.join(systems)}; "
            "give them for each system, or for none"
        )


def check_rereadable(source: Any) -> Any:
    """Return the source of some data if it can be read a second time; a pipe is refused."""
    if isinstance(source, (str, os.PathLike)) and not is_file(source):
        raise UsageError("the input cannot be read a second time; give files, not a pipe")
    return source


def is_file(source: Any) -> bool:
    """Return whether a source of data is the path of a file, a folder or a column of a table."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    file = file_behind(source)
    return os.path.isfile(file) or os.path.isdir(file)


_WITHOUT_EFFECT = ("threads", "cache")


def _content(value: Any) -> Iterator[bytes]:
    """Yield the bytes that identify a value: fields, items, columns, and the bytes of files."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):  # the class may be renamed, so its name is left out
            if field.name not in _WITHOUT_EFFECT:
                yield field.name.encode()
                yield from _content(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key).encode()
            yield from _content(item)
    elif isinstance(value, (str, os.PathLike)):
        if os.fspath(value) == "-":
            raise UsageError("standard input can be read only once, and here it would be read twice; give a file")
        yield from _file_content(os.fspath(value))
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, Iterable):
        items = value.to_pylist() if hasattr(value, "to_pylist") else list(value)
        if items and all(isinstance(item, str) for item in items):
            yield "\n".join(items).encode("utf-8", "replace")
        else:
            for item in items:
                yield from _content(item)
    else:
        yield repr(value).encode()


def _file_content(name: str) -> Iterator[bytes]:
    """Yield the bytes of a file, the modification times in a folder, or the name if there is no such file."""
    file = file_behind(name)
    if file != name or not os.path.exists(file):
        yield name.encode("utf-8", "surrogateescape")
    if os.path.isfile(file):
        with open_binary(file) as stream:
            while piece := stream.read(1 << 22):
                yield piece
    elif os.path.isdir(file):
        for folder, _, names in sorted(os.walk(file)):
            yield "".join(f"{each} {os.path.getmtime(os.path.join(folder, each))} " for each in sorted(names)).encode(
                "utf-8", "surrogateescape"
            )
    elif os.path.exists(file):
        yield f"{file} {os.path.getmtime(file)}".encode()
