"""Marian n-best lists: ``sentence ||| hypothesis [||| alignment] [||| WordScores= …] ||| features ||| total``.

The alignment is hard (``0-0 1-2``: source-target) or soft (the weights of all source words for each target word,
separated by commas; the source word with the largest weight is used). Both kinds include an end-of-sentence mark on
each side. Links of the target mark are left out; in soft alignments, so are links of the source mark. ``F0`` is the
sum of the log probabilities, while the total may be normalised.
"""

from collections.abc import Iterator

import numpy as np

from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LONGEST_SENTENCE, Path
from wordorder.formats.alignment_rows import SURE, AlignmentRow
from wordorder.formats.lines import excerpt_of, natural
from wordorder.formats.nbest.bars import Layout
from wordorder.formats.nbest.features import number_of
from wordorder.formats.nbest.hypotheses import Hypotheses

_WORD_SCORES = b"WordScores="

LAYOUT = Layout(
    "'sentence ||| hypothesis ||| features ||| total'",
    features=lambda counts: np.where(counts > 3, counts - 2, -1),
    total=lambda counts: counts - 1,
    beside=lambda fields: [field for field in fields[2:-2] if not field.startswith(_WORD_SCORES)],
)


def read_blocks(path: Path, *, alignments: bool = False) -> Iterator[Hypotheses]:
    """Read hypotheses in blocks, with their alignments if requested."""
    return LAYOUT.read_blocks(path, link=_link if alignments else None)


def _link(text: bytes, fields: list[bytes]) -> AlignmentRow | None:
    if not fields:
        return None
    row = AlignmentRow(target_length=len(text.split()))
    tokens = fields[0].split()
    if any(b"," in token for token in tokens):
        weights = [[number_of(weight) for weight in token.split(b",")] for token in tokens]
        if len({len(each) for each in weights}) > 1 or any(weight is None for each in weights for weight in each):
            raise InputError(f"expected a soft alignment like '0.9,0.1 0.2,0.8', found {excerpt_of(fields[0])}")
        row.source_length = len(weights[0]) - 1
        best = np.argmax(np.array(weights, dtype=np.float64)[: row.target_length], axis=1).tolist()
        links = [(source, target) for target, source in enumerate(best) if source < row.source_length]
    else:
        links = [pair for pair in map(_pair, tokens) if pair[1] < row.target_length]
    row.links = {source << 32 | target: SURE for source, target in links}
    return row


def _pair(token: bytes) -> tuple[int, int]:
    one, _, two = token.partition(b"-")
    source, target = natural(one), natural(two)
    if source is None or target is None or max(source, target) >= LONGEST_SENTENCE:
        raise InputError(f"expected links like '0-0 1-2', found {excerpt_of(token)}")
    return source, target
