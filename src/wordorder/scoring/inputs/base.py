"""The base classes of all inputs.

An inputs object holds the names of the systems, the data that metrics need, and the signature fields that describe
these data. It yields batches of segments, block by block. Its data are checked for consistency when it is created.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import LINES_PER_BLOCK, open_binary
from wordorder.core.runtime.libraries import pa
from wordorder.formats.text import file_behind
from wordorder.metrics import Batch, Metric, Need
from wordorder.scoring.inputs.drawing import Line

Blocks = Iterator[Sequence[Batch]]
"""Blocks of consecutive segments; each block has one batch per system."""


class Inputs(ABC):
    """The hypotheses of one or more systems for the same segments, and the data with which they are compared."""

    @property
    @abstractmethod
    def offers(self) -> frozenset[Need]:
        """The kinds of data that the batches provide to metrics."""

    @property
    @abstractmethod
    def defaults(self) -> tuple[Metric, ...]:
        """The metrics that are computed by default."""

    @property
    def ranked(self) -> bool:
        """Whether higher scores mean better systems; False for monotonicity, which is neither good nor bad."""
        return True

    @property
    def dk(self) -> float | None:
        """The mean ``kendall-sqrt`` score of the source word order in references, or None without alignments."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes, printed below tables, on how the word orders were obtained."""
        return ()

    @property
    def text_warning(self) -> str:
        """A warning about probable mistakes in the lines read so far, or an empty string if there are none."""
        return ""

    @property
    def given_scores(self) -> Mapping[str, Mapping[str, NDArray[np.float64]]]:
        """Segment scores computed by other programs, by metric name and system; empty if there are none."""
        return {}

    @property
    def without_scores(self) -> Inputs:
        """The same inputs without the scores computed by other programs."""
        return self

    @property
    def reference_count(self) -> int:
        """The number of references that are scored as systems; they come first in the list of systems."""
        return 0

    @property
    def baseline(self) -> str | None:
        """The default baseline: the first reference if references are scored as systems; otherwise None."""
        return self.systems[0] if self.reference_count else None

    @property
    @abstractmethod
    def systems(self) -> tuple[str, ...]:
        """The names of the systems; the batches of each block are in the same order."""

    @abstractmethod
    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature fields that say how word orders are obtained and which values the metrics assume."""

    @abstractmethod
    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks of at most ``lines`` segments with the data that the metrics need."""

    def count_blocks(self) -> int | None:
        """Return the number of blocks, for progress bars, or None if it cannot be determined quickly."""
        return None

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return lines that show what the metric ``by`` measures, for each of the segments ``rows`` (from 0)."""
        raise UsageError(f"the text of segments is not available for inputs of type {type(self).__name__}")

    def texts_of(self, system: str) -> dict[str, pa.LargeStringArray]:
        """Return the texts of a system by name: ``hypothesis``, ``source``, ``reference`` (or ``reference1`` …)."""
        raise UsageError("there is no text to show, because only word orders were given; give texts as well")

    def select(self, segments: NDArray[np.integer]) -> Inputs:
        """Return inputs that contain only the given segments (counted from 0)."""
        raise UsageError(f"segments cannot be selected from inputs of type {type(self).__name__}")

    def fingerprint(self) -> str:
        """Return a digest of everything that affects the scores, including settings and file contents."""
        digest = hashlib.blake2b(" ".join(sorted(need.name for need in self.offers)).encode(), digest_size=16)
        for piece in _content(self):
            digest.update(piece)
            digest.update(b"\0")
        return digest.hexdigest()


def _delegated(name: str) -> Any:
    """Return a property that forwards to the attribute ``name`` of the wrapped inputs."""
    return property(attrgetter(f"inner.{name}"))


class InputsWrapper(Inputs):
    """Inputs that add data to other inputs, to which everything that is not overridden is delegated."""

    @property
    @abstractmethod
    def inner(self) -> Inputs:
        """The wrapped inputs, without the additional data."""

    systems = _delegated("systems")
    ranked = _delegated("ranked")
    dk = _delegated("dk")
    notes = _delegated("notes")
    text_warning = _delegated("text_warning")
    reference_count = _delegated("reference_count")
    draw = _delegated("draw")
    texts_of = _delegated("texts_of")


def metric_signature(metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return the signature fields of all metrics, such as parameter values that are taken from the test set."""
    known: dict[str, Any] = {}
    for metric in metrics:
        for name, value in metric.signature_fields().items():
            known[name] = [*known.get(name, []), *value] if isinstance(value, list) else value
    return known


def check_names(given: Iterable[str], systems: Sequence[str], what: str) -> None:
    """Raise an error unless ``given`` names all scored systems and no others; ``what`` is, say, "alignments"."""
    if set(given) != set(systems):
        raise UsageError(
            f"{what} are given for {', '.join(given)}, but the systems are {', '.join(systems)}; "
            "give them for every system or for none"
        )


def check_rereadable(source: Any) -> Any:
    """Return the data source unchanged, or raise an error if it is a pipe, which cannot be read a second time."""
    if isinstance(source, (str, os.PathLike)) and not is_file(source):
        raise UsageError("the input cannot be read a second time; give a file instead of a pipe")
    return source


def is_file(source: Any) -> bool:
    """Return whether a data source is the path of a file, a folder, or a column of a table file."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    file = file_behind(source)
    return os.path.isfile(file) or os.path.isdir(file)


_WITHOUT_EFFECT = ("threads", "cache")


def _content(value: Any) -> Iterator[bytes]:
    """Yield the bytes that identify a value, including its fields or items and the content of files it names."""
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
            raise UsageError("this input is read twice, but standard input can be read only once; give a file")
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
    """Yield the content of a file, the modification times of all files in a folder, or the name if neither exists."""
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
