"""Pack columns for the browser into one byte sequence, and describe where each column starts."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import Alignments
from wordorder.linking.matching.matches import Chunks
from wordorder.report.table import shorten_all, split_shared
from wordorder.show.explorer.segments import Segments

_ALIGNED = 8
_LEVEL = 6
_WIDTH = 18
Description = dict[str, Any]
"""A description that the browser reads as JSON; it gives a column as ``[type, first byte, number of values]``."""


def short_names(systems: Sequence[str]) -> list[str]:
    """Return the names of systems as a page shows them: without the part that all share, and not too long."""
    return shorten_all(split_shared(systems)[1], _WIDTH)


class Packer:
    """Collects columns; ``packed`` returns all of them in compressed form."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def packed(self) -> str:
        """Return all added columns, compressed and encoded as one base64 string."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), _LEVEL)).decode()

    @property
    def size(self) -> int:
        """The number of bytes of all added columns."""
        return self._size

    def add_bytes(self, data: bytes, kind: str = "u8", count: int | None = None) -> list[Any]:
        """Add a column of bytes and return its description, ``[type, first byte, number of values]``."""
        start = self._size
        padding = -len(data) % _ALIGNED
        self._parts += [data, bytes(padding)]
        self._size += len(data) + padding
        return [kind, start, len(data) if count is None else count]

    def add_numbers(self, values: NDArray[Any]) -> list[Any]:
        """Add non-negative integers in the smallest type that holds them, or floating-point numbers in 32 bits.

        >>> Packer().add_numbers(np.array([1, 300])), Packer().add_numbers(np.array([0.5]))
        (['u16', 0, 2], ['f32', 0, 1])
        """
        if values.dtype.kind == "f":
            kind, stored = "f32", values.astype("<f4")
        else:
            largest = int(values.max(initial=0))
            bits = 8 if largest < 1 << 8 else 16 if largest < 1 << 16 else 32
            kind, stored = f"u{bits}", values.astype(f"<u{bits // 8}")
        return self.add_bytes(stored.tobytes(), kind, values.size)

    def add_segments(self, segments: Segments) -> Description:
        """Add everything that the browser shows about ``segments``, and return its description."""
        texts = {"source": [segments.source] if segments.source is not None else []}
        texts |= {"references": list(segments.references), "systems": list(segments.hypotheses)}
        links = {"references": segments.reference_links, "systems": segments.system_links}
        return {
            "name": segments.name,
            "size": len(segments),
            "systems": list(segments.systems),
            "short": short_names(segments.systems),
            "order": [segments.systems.index(system) for system in segments.order or segments.systems],
            "metrics": list(segments.metrics),
            "main": segments.metrics.index(segments.main or segments.metrics[0]),
            "weighted": [name in segments.weighted for name in segments.metrics],
            "words": [self.add_numbers(column) for column in segments.order_words],
            "common": [self._add_pairs(segments.common.get(name, {})) for name in segments.metrics],
            "commonWords": self._add_pairs(segments.common_words),
            "directions": list(segments.directions),
            "counts": [name for name in segments.metrics if name in segments.counts],
            "scores": [[self.add_numbers(column) for column in metric] for metric in segments.scores],
            "lengths": self.add_numbers(segments.lengths),
            "matched": [self.add_numbers(column) for column in segments.matched]
            if segments.matched is not None
            else [],
            "texts": {name: [self.add_bytes(text) for text in each] for name, each in texts.items()},
            "matches": [[self._add_chunks(column) for column in row] for row in segments.matches],
            "orders": [[self._add_chunks(column) for column in row] for row in segments.orders],
            "links": {name: [self._add_links(column) for column in each] for name, each in links.items()},
            "groups": {name: self._add_names(names) for name, names in segments.groups.items()},
        }

    def _add_pairs(self, columns: Mapping[tuple[int, int], NDArray[Any]]) -> Description:
        return {f"{a} {b}": self.add_numbers(column) for (a, b), column in columns.items()}

    def _add_chunks(self, chunks: Chunks) -> Description:
        same = np.array_equal(chunks.hypothesis_size, chunks.reference_size)
        return {
            "counts": self.add_numbers(chunks.lengths),
            "first": self.add_numbers(chunks.hypothesis),
            "size": self.add_numbers(chunks.hypothesis_size),
            "second": self.add_numbers(chunks.reference),
            **({} if same else {"secondSize": self.add_numbers(chunks.reference_size)}),
        }

    def _add_links(self, links: Alignments) -> Description:
        return {
            "counts": self.add_numbers(links.lengths),
            "first": self.add_numbers(links.source),
            "second": self.add_numbers(links.target),
        }

    def _add_names(self, names: Any) -> Description:
        distinct = list(dict.fromkeys(names))
        number = {name: place for place, name in enumerate(distinct)}
        return {"names": distinct, "of": self.add_numbers(np.array([number[name] for name in names], dtype=np.int64))}
