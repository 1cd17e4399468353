"""The entries of a dictionary as training pairs of an aligner.

An entry fits a text if all words of one side occur in the text, and if those of the other side occur there or have
the same stem as a word that does: a text may have *finished* where a dictionary has *finish*. Through the
translations of stems, which an aligner learns as well, an entry helps with all forms of a word.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from wordorder.core.runtime.columns import to_column
from wordorder.core.runtime.errors import UsageError
from wordorder.core.text import Tokens
from wordorder.formats import lexicons
from wordorder.linking.aligning.cooccurrence import SentencePairs
from wordorder.linking.aligning.translation_tables import stem


def with_entries(parts: Sequence[SentencePairs], lexicon: str) -> list[SentencePairs]:
    """Return sentence pairs, followed by the entries of a dictionary that fit them; all share their vocabularies."""
    sides = list(zip(*parts, strict=True))
    words = [_words_of(side) for side in sides]
    stems = [set(map(stem, known)) for known in words]
    entries = []
    for entry in lexicons.read(lexicon):
        pair = [side.lower().split() for side in entry]
        same = [known.issuperset(side) for known, side in zip(words, pair, strict=True)]
        alike = [known.issuperset(map(stem, side)) for known, side in zip(stems, pair, strict=True)]
        if any(same) and all(alike):
            entries.append(pair)
    if not entries:
        advice = "is it a dictionary of these two languages, in this order?"
        raise UsageError(f"no entry of the dictionary {lexicon} has words that occur in the text; {advice}")
    return list(zip(*map(_join, sides, zip(*entries, strict=True)), strict=True))


def _words_of(side: Sequence[Tokens]) -> set[str]:
    used = np.unique(np.concatenate([column.ids for column in side]))
    return set(side[0].vocabulary.take(to_column(used)).to_pylist())


def _join(side: Sequence[Tokens], entries: Sequence[list[str]]) -> list[Tokens]:
    """Return columns with a shared vocabulary and one more column with the words of entries."""
    added = Tokens.of(entries)
    shared = pa.concat_arrays([side[0].vocabulary.cast(pa.large_string()), added.vocabulary.cast(pa.large_string())])
    columns = [replace(column, vocabulary=shared) for column in side]
    return [*columns, Tokens(added.ids + np.int32(len(side[0].vocabulary)), added.offsets, shared)]
