"""Measure how reliably order errors are found: swap blocks of words in references, and try to find the swaps."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from wordorder.apps.find.find import find
from wordorder.apps.find.findings import Findings
from wordorder.core.runtime.columns import strings
from wordorder.core.runtime.errors import count_of, reject
from wordorder.core.runtime.settings import settings_of
from wordorder.core.text import DEFAULT_TOKENIZER, tokenise
from wordorder.core.text.tokens import is_punctuation
from wordorder.formats.sources import read_text
from wordorder.linking.settings import AligningSettings
from wordorder.report.table import Column, Table

SHORTEST = 6
"""References with fewer words than this are left unchanged."""

CONFIDENCES = (0.0, 0.5, 0.8)
"""Minimum confidences for which recall and precision are reported."""


@dataclass(frozen=True)
class SwappedSentence:
    """A sentence in which two adjacent blocks of words were swapped, with the new positions of both blocks."""

    words: tuple[str, ...]
    blocks: tuple[frozenset[int], frozenset[int]]

    @property
    def moved(self) -> tuple[frozenset[int], frozenset[int]]:
        """The positions of the words in each block, without punctuation, which never moves by itself."""
        one, two = (
            frozenset(place for place in block if not is_punctuation(self.words[place])) for block in self.blocks
        )
        return one, two


def swap_blocks(words: Sequence[str], chance: random.Random) -> SwappedSentence:
    """Swap a random block of up to four words with an adjacent block of up to eight; the last word stays in place."""
    room = len(words) - 1
    one = chance.randint(1, min(4, room - 1))
    two = chance.randint(1, min(8, room - one))
    start = chance.randint(0, room - one - two)
    if chance.random() < 0.5:
        one, two = two, one
    end = start + one + two
    made = (*words[:start], *words[start + one : end], *words[start : start + one], *words[end:])
    return SwappedSentence(made, (frozenset(range(start, start + two)), frozenset(range(start + two, end))))


def measure(ref: Any, *, source: Any = None, seed: int = 12345, **given: Any) -> Table:
    """Swap two blocks of words in every second reference, and measure how reliably the moved words are found.

    Without a source, only matched words are compared. With a source, three methods are measured: matched words
    together with source words, matched words only, and source words only, without a reference. All other arguments
    are those of :func:`wordorder.find`.
    """
    gold = read_text(ref)
    lines, moved = _swap_all(gold, given.get("tokenize") or DEFAULT_TOKENIZER, seed)
    reject(not moved, f"no blocks could be swapped; an odd-numbered reference needs at least {SHORTEST} words")
    alone = {name: given[name] for name in given.keys() - {"aligning", *settings_of(AligningSettings)}}
    tried = {"matched words": find(lines, gold, worst=None, confidence=0.0, **alone)}
    if source is not None:
        tried = {
            "both": find(lines, gold, source=source, worst=None, confidence=0.0, **given),
            **tried,
            "no reference": find(lines, source=source, worst=None, confidence=0.0, **given),
        }
    columns = [Column("views", "left"), Column("confidence", number=".1f"), Column("recall")]
    columns += [Column("precision of words"), Column("precision of segments")]
    rows: list[list[Any]] = [
        [views, sure, *_evaluate(found, moved, sure)] for views, found in tried.items() for sure in CONFIDENCES
    ]
    notes = [
        f"two neighbouring blocks were swapped in {len(moved)} of {count_of(len(gold), 'reference')}",
        "recall: swaps with all words of either block marked; precision: marked words that are in a block, "
        "marked segments that have one; confidence: minimum confidence of marks",
        "translations differ from references in more than order: expect lower figures",
    ]
    signature = {**next(iter(tried.values())).signature, "seed": seed}
    return Table.of("", columns, rows, notes=notes, signature=signature)


def _swap_all(gold: pa.LargeStringArray, tokenizer: str, seed: int) -> tuple[list[str], dict[int, SwappedSentence]]:
    """Swap blocks in every second reference; return all references, and the changed ones by segment number (from 1).

    A sentence is left unchanged if it is too short or if the tokeniser would split it differently after the swap.
    """
    (tokens,) = tokenise([gold], tokenizer=tokenizer)
    chance = random.Random(seed)
    lines: list[str] = gold.to_pylist()
    moved: dict[int, SwappedSentence] = {}
    for row in range(0, len(tokens), 2):
        words = tokens.words(row)
        if len(words) >= SHORTEST:
            made = swap_blocks(words, chance)
            if made.words != tuple(words) and all(made.moved):
                moved[row + 1] = made
    (cut,) = tokenise([strings(" ".join(made.words) for made in moved.values())], tokenizer=tokenizer)
    moved = {segment: made for i, (segment, made) in enumerate(moved.items()) if tuple(cut.words(i)) == made.words}
    for segment, made in moved.items():
        lines[segment - 1] = " ".join(made.words)
    return lines, moved


def _evaluate(found: Findings, moved: dict[int, SwappedSentence], sure: float) -> tuple[float, float, float]:
    """Compute the recall and precision of moves with at least the confidence ``sure``, given the swapped blocks.

    Precision is that of the marked words and that of the segments with marks.
    """
    hits = inside = words = segments = right = 0
    for one in found:
        marked = {word for move in one.moves if move.confidence >= sure for word in range(move.first, move.end)}
        if not marked:
            continue
        blocks = moved[one.segment].blocks if one.segment in moved else ()
        hits += one.segment in moved and any(block <= marked for block in moved[one.segment].moved)
        words += len(marked)
        inside += len(marked & frozenset().union(*blocks))
        segments += 1
        right += one.segment in moved
    return hits / len(moved), inside / words if words else np.nan, right / segments if segments else np.nan
