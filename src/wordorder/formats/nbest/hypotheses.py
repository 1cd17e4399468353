"""What every reader of n-best lists yields: blocks of hypotheses as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Int64s

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """Some hypotheses of a list, as they follow one another in the file.

    ``features`` are ``[features, hypotheses]``; ``totals`` are the decoder's own scores, None where there are none.
    ``lines`` are the lines of the file they stand in. A later block may have more features: what came before had 0.
    """

    sentences: Int64s
    texts: pa.LargeStringArray
    names: tuple[str, ...]
    features: Floats
    totals: Floats | None
    lines: Int64s
    alignments: Alignments | None = None

    def __len__(self) -> int:
        return len(self.sentences)
