"""The entries of a dictionary as training pairs of an aligner.

An entry fits a text if all words of one side occur in the text, and if those of the other side occur there or have
the same stem as a word that does: a text may have *finished* where a dictionary has *finish*. Through the
translations of stems, which an aligner learns as well, an entry helps with all forms of a word.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from warnings import warn

import numpy as np
import pyarrow as pa

from wordorder.core.runtime.columns import to_column
from wordorder.core.runtime.errors import InputWarning, refuse
from wordorder.core.text import Tokens
from wordorder.formats import lexicons
from wordorder.linking.aligning.cooccurrence import SentencePairs
from wordorder.linking.aligning.translation_tables import stem

Pair = list[list[str]]
"""The words of the two sides of an entry."""


def with_entries(parts: Sequence[SentencePairs], lexicon: str) -> list[SentencePairs]:
    """Return sentence pairs, followed by the entries of a dictionary that fit them; all share their vocabularies.

    A note says how many fit. There is a warning if more would fit in the other direction, or if fewer than a tenth of
    those with one side in the text do: of a dictionary of the two languages, at least a sixth fitted three sentences.
    """
    sides = list(zip(*parts, strict=True))
    words = [_words_of(side) for side in sides]
    stems = [set(map(stem, known)) for known in words]
    read = lexicons.read(lexicon)
    near, entries = _fitting(read, words, stems)
    turned = len(_fitting(read, words[::-1], stems[::-1])[1])
    advice = "is it a dictionary of these two languages, in this order?"
    refuse(not entries, f"no entry of the dictionary {lexicon} has words that occur in the text; {advice}")
    found = f"{len(entries):,} of {len(read):,} entries of the dictionary {lexicon} fit the text"
    if turned > len(entries) or len(entries) < near / 10:
        warn(f"{found} ({turned:,} in the other direction); {advice}", InputWarning, stacklevel=3)
    else:
        print(f"wordorder: note: {found}", file=sys.stderr)
    return list(zip(*map(_join, sides, zip(*entries, strict=True)), strict=True))


def _fitting(read: list[lexicons.Entry], words: list[set[str]], stems: list[set[str]]) -> tuple[int, list[Pair]]:
    """Return the number of entries of which one side occurs in the text, and the entries that fit it."""
    pairs = ([side.lower().split() for side in entry] for entry in read)
    near = [pair for pair in pairs if any(map(set.issuperset, words, pair))]
    return len(near), [pair for pair in near if all(map(set.issuperset, stems, (map(stem, side) for side in pair)))]


def _words_of(side: Sequence[Tokens]) -> set[str]:
    used = np.unique(np.concatenate([column.ids for column in side]))
    return set(side[0].vocabulary.take(to_column(used)).to_pylist())


def _join(side: Sequence[Tokens], entries: Sequence[list[str]]) -> list[Tokens]:
    """Return columns with a shared vocabulary and one more column with the words of entries."""
    added = Tokens.of(entries)
    shared = pa.concat_arrays([side[0].vocabulary.cast(pa.large_string()), added.vocabulary.cast(pa.large_string())])
    columns = [replace(column, vocabulary=shared) for column in side]
    return [*columns, Tokens(added.ids + np.int32(len(side[0].vocabulary)), added.offsets, shared)]
