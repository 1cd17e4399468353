"""Find out where each word of a translation belongs: read the texts, match their words, and follow their links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc

from wordorder.apps.find.marking import NOWHERE, WordPlaces, linked_places, matched_places
from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints
from wordorder.core.text import Tokens, tokenise
from wordorder.core.text.tokens import PUNCTUATION, lines_of
from wordorder.scoring.inputs.texts import TextInputs


def place_words(
    texts: TextInputs, order: str, s: int, references: Int64s, rows: Sequence[int]
) -> tuple[Tokens, list[WordPlaces]]:
    """Return the words of the segments ``rows`` of system number ``s``, and where they belong in each view.

    ``references`` has the index of the reference with which each of these segments is compared. Punctuation has no
    place, because its order does not matter.
    """
    hypothesis, gold = read_lines(texts, texts.systems[s], references, rows)
    tokens = tokenise([lines_of(text) for text in (hypothesis, gold) if text is not None], tokenizer=texts.tokenize)
    words = tokens[0]
    views: list[WordPlaces] = []
    if gold is not None:
        matches = texts.matching.over(words.vocabulary)(words, tokens[1], None)
        views.append(matched_places(words, tokens[1], matches))
    if order != "matched":
        views.append(_place_through_source(texts, s, references, rows, words))
    return words, silence(words, views)


def silence(words: Tokens, views: list[WordPlaces]) -> list[WordPlaces]:
    """Mark punctuation as words without a place, because its order does not matter."""
    is_silent: Bools = pc.match_substring_regex(words.vocabulary, PUNCTUATION).to_numpy(zero_copy_only=False)
    for view in views:
        view.at[is_silent[words.ids]] = NOWHERE
    return views


def joint_views(views: Sequence[WordPlaces]) -> tuple[Ints, Ints, Floats]:
    """Return the places of words in two views (none in a missing second view), and the higher certainty."""
    nowhere = np.full(len(views[0].at), NOWHERE, dtype=np.int32)
    first, second = (*(view.at for view in views), nowhere)[:2]
    sure: Floats = np.max([np.where(view.at == NOWHERE, 0.0, view.sure) for view in views], axis=0)
    return first, second, sure


def read_lines(
    texts: TextInputs, system: str, references: Int64s, rows: Sequence[int]
) -> tuple[list[str], list[str] | None]:
    """Return the lines ``rows`` of a system, and the lines of the references that they are compared with.

    The reference lines are None if there is no reference.
    """
    (hypothesis,), golds = texts.pick([system], rows)
    if not golds:
        return hypothesis, None
    return hypothesis, [golds[int(reference)][place] for place, reference in enumerate(references)]


def _place_through_source(texts: Any, s: int, references: Int64s, rows: Sequence[int], words: Tokens) -> WordPlaces:
    """Find the position in which each word of the segments ``rows`` belongs, through its links to the source."""
    golds, systems = texts.likely_links
    links = Alignments.concatenate([systems[s][row : row + 1] for row in rows])
    gold = None
    if golds:
        pairs = zip(references.tolist(), rows, strict=True)
        gold = Alignments.concatenate([golds[reference][row : row + 1] for reference, row in pairs])
    return linked_places(words.offsets, links, gold)
