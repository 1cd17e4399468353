"""Moses n-best lists: ``sentence ||| hypothesis ||| features [||| total] [||| phrases] [||| word alignment]``.

Joshua and Z-MERT use the same format. For features see :mod:`wordorder.formats.nbest.features`. ``phrases`` (``0-1=0
2=1-2``: source span = target span) and ``word alignment`` (``0-0 1-1``) are optional outputs of Moses; for the links
derived from them, see :mod:`wordorder.formats.moses`.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from wordorder.core.runtime.files import Path
from wordorder.formats import moses
from wordorder.formats.nbest.bars import Layout
from wordorder.formats.nbest.hypotheses import Hypotheses

LAYOUT = Layout(
    "'sentence ||| hypothesis ||| features ||| total'",
    features=lambda counts: np.where(counts > 2, 2, -1),
    total=lambda counts: np.where(counts > 3, 3, -1),
    beside=lambda fields: fields[4:6],
)


def read_blocks(path: Path, *, alignments: bool = False, base: int = 0) -> Iterator[Hypotheses]:
    """Read hypotheses in blocks, with alignments if requested; word alignments count from ``base``."""
    return LAYOUT.read_blocks(path, link=partial(moses.align, base=base) if alignments else None)
