"""What is judged, as a value: the contract of every kind of input.

An input knows its systems, what it can offer to metrics, what the signature says of it, and how to give batches of
segments, block by block. What is wrong with it, it says itself, when it is made.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """What is judged: one or more systems on the same segments."""

    @property
    @abstractmethod
    def offers(self) -> frozenset[Need]:
        """What metrics can ask of the batches."""

    @property
    @abstractmethod
    def defaults(self) -> tuple[Metric, ...]:
        """The metrics that are computed where none are named."""

    @property
    def ranked(self) -> bool:
        """Whether one system can be better than another; being close to the source is neither good nor bad."""
        return True

    @property
    def dk(self) -> float | None:
        """Mean kendall-sqrt of source→reference against monotone, where there is an alignment to tell it."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What readers of the scores must know of how they came about; it stands under tables."""
        return ()

    @property
    def text_warning(self) -> str:
        """What is probably wrong with the text, as far as it has been read."""
        return ""

    @property
    def shown(self) -> Inputs:
        """What there is to look at: this input, without what merely stands beside it."""
        return self

    @property
    def given_scores(self) -> Mapping[str, Mapping[str, NDArray[np.float64]]]:
        """Scores of segments that others computed, by name and system; empty unless the inputs have some."""
        return {}

    @property
    def baseline(self) -> str | None:
        """The system all others are compared with unless another one is named."""
        return None

    @property
    def beside(self) -> int:
        """How many references stand among the systems, before all others."""
        return 0

    @property
    @abstractmethod
    def systems(self) -> tuple[str, ...]:
        """The names of what is judged, in the order of the batches of a block."""

    @abstractmethod
    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return what the signature says: how word orders came about under these metrics."""

    @abstractmethod
    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks of at most ``lines`` segments with what these metrics need."""

    def count_blocks(self) -> int | None:
        """Return how many blocks ``batches`` gives, where that is quickly found: for progress alone."""
        return None

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return lines that show some segments (counted from 0) of a system, and what a metric finds in them."""
        raise UsageError(f"segments of {type(self).__name__} cannot be shown")

    def texts_of(self, system: str) -> dict[str, pa.LargeStringArray]:
        """Return the lines of a system as ``hypothesis``, with ``source`` and ``reference`` (or ``reference1`` …)."""
        raise UsageError("there is no text beside these word orders")

    def select(self, segments: NDArray[np.integer]) -> Inputs:
        """Return an input with some of the segments only."""
        raise UsageError(f"segments cannot be picked out of {type(self).__name__}")

    def fingerprint(self) -> str:
        """Return a digest of everything the scores depend on: settings, and the content of every file."""
        digest = hashlib.blake2b(" ".join(sorted(need.name for need in self.offers)).encode(), digest_size=16)
        for piece in _content(self):
            digest.update(piece)
            digest.update(b"\0")
        return digest.hexdigest()


class Extended(Inputs):
    """An input with something beside it; all that is not said otherwise is as the input itself has it."""

    @property
    @abstractmethod
    def inner(self) -> Inputs:
        """The input without what stands beside it."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.inner.systems

    @property
    def ranked(self) -> bool:
        """Whether one system can be better than another."""
        return self.inner.ranked

    @property
    def dk(self) -> float | None:
        """The amount of reordering, as the input knows it."""
        return self.inner.dk

    @property
    def notes(self) -> tuple[str, ...]:
        """What the input says of itself."""
        return self.inner.notes

    @property
    def text_warning(self) -> str:
        """What is probably wrong with the text."""
        return self.inner.text_warning

    @property
    def baseline(self) -> str | None:
        """The system all others are compared with, if the input has one."""
        return self.inner.baseline

    @property
    def beside(self) -> int:
        """How many references stand among the systems."""
        return self.inner.beside

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Draw what there is to see of the input."""
        return self.inner.draw(system, rows, by)

    def texts_of(self, system: str) -> dict[str, pa.LargeStringArray]:
        """Return the lines of the input."""
        return self.inner.texts_of(system)


def metric_signature(metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return what the signature says of what metrics took from the test set or assumed."""
    known: dict[str, Any] = {}
    for metric in metrics:
        for name, value in metric.signature_fields().items():
            known[name] = [*known.get(name, []), *value] if isinstance(value, list) else value
    return known


def check_names(given: Iterable[str], systems: Sequence[str], what: str) -> None:
    """Refuse ``what`` of systems that are others than those to be scored."""
    if set(given) != set(systems):
        raise UsageError(
            f"{what} are given for {', '.join(given)}, but the systems are {', '.join(systems)}; "
            "give them for each system, or for none"
        )


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
    """Yield what identifies the content of a file, a column of a table or a folder; or a name that is no file."""
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
