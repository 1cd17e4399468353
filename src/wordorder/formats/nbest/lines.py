"""Plain text with a fixed number of hypotheses per source sentence, one on each line (OpenNMT, eole, mbr-nmt).

A second file may have the scores of each line: one or more numbers, which become ``F0``, ``F1`` and so on. If there
is one number per line, it is also the total score.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.files import LineBlock, Path, display_name
from wordorder.formats import text
from wordorder.formats.lines import full_blocks
from wordorder.formats.nbest.features import FeatureReader
from wordorder.formats.nbest.hypotheses import Hypotheses
from wordorder.formats.sources import lockstep


def read_blocks(path: Path, *, count: int | None = None, scores: Path | None = None) -> Iterator[Hypotheses]:
    """Read ``count`` hypotheses for each sentence, optionally with scores from another file."""
    if count is None or count < 1:
        raise UsageError("plain lines do not show how many hypotheses each sentence has; give this number")
    reader = FeatureReader()
    seen = 0
    for columns in lockstep(_streams(path, scores)):
        size = len(columns[0])
        rows = np.arange(seen, seen + size, dtype=np.int64)
        features = np.zeros((0, size))
        if scores is not None:
            block: LineBlock = columns[1]
            features = reader.read(block, block.starts[:-1], block.starts[1:])
        total = features[0] if len(features) == 1 else None
        yield Hypotheses(rows // count, columns[0], tuple(reader.names), features, total, rows + 1)
        seen += size
    if seen % count:
        message = f"expected {count} lines per sentence, but the last one has {seen % count} ({seen} lines in all)"
        raise InputError(message, path=display_name(path), line=seen)


def _streams(path: Path, scores: Path | None) -> dict[str, Iterator[Any]]:
    streams: dict[str, Iterator[Any]] = {display_name(path): text.read_blocks(path)}
    if scores is not None:
        streams[f"scores {display_name(scores)}"] = full_blocks(scores, expected="scores, a line per hypothesis")
    return streams
