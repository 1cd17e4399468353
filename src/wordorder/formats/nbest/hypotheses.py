"""Blocks of hypotheses: the common output of all readers of n-best lists."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Int64s, Strings, strings
from wordorder.formats.alignment_rows import AlignmentRow


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """A block of hypotheses, in the order of the file.

    ``features`` is an array ``[features, hypotheses]``; ``totals`` has the total scores of the decoder, if any.
    ``lines`` has the line number of each hypothesis. A later block may have more features; hypotheses in earlier
    blocks have the value 0 for these.
    """

    sentences: Int64s
    texts: Strings
    names: tuple[str, ...]
    features: Floats
    totals: Floats | None
    lines: Int64s
    alignments: Alignments | None = None

    def __len__(self) -> int:
        return len(self.sentences)


@dataclass
class Hypothesis:
    """One hypothesis, as read from a list, with its line number, its total score and its features."""

    line: int
    sentence: int
    text: str
    score: float | None
    features: dict[str, float]
    links: AlignmentRow | None = None


def gather_hypotheses(rows: list[Hypothesis], names: Iterable[str], *, scored: bool) -> Hypotheses:
    """Build a block from hypotheses; ``names`` are the features of the list, which are 0 where missing."""
    columns = tuple(names)
    return Hypotheses(
        np.array([row.sentence for row in rows], dtype=np.int64),
        strings(row.text for row in rows),
        columns,
        np.array([[row.features.get(name, 0.0) for row in rows] for name in columns]).reshape(len(columns), len(rows)),
        np.array([row.score for row in rows], dtype=np.float64) if scored else None,
        np.array([row.line for row in rows], dtype=np.int64),
    )
