"""Find the words that must move: the smallest set of words whose removal leaves the other words in order.

The positions of words are determined in one or two views: by matching words with the reference, and through word
links to the source. The words that stay must be in order in every view.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.apps.find.findings import Move
from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, Offsets, from_column, rows_of
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.core.runtime.libraries import pc
from wordorder.core.text import Tokens, tokenise
from wordorder.core.text.tokens import PUNCTUATION, lines_of
from wordorder.linking.matching import Matches
from wordorder.scoring.inputs.texts import TextInputs

NOWHERE = -1

SURE = 0.5
"""Links with a probability lower than this are ignored."""

MOST_WORDS = 200
"""The number of words up to which the exact solution is computed for a sentence.

In longer sentences, the words to keep are chosen in one view after the other, so more words than necessary may move.
"""

ONE_WORD, MOST_SURE = 1 << 32, 1000
"""What keeping a word adds to the value of a set; certainty, in thousandths, only decides between equal sizes."""


@dataclass(frozen=True, eq=False)
class WordPlaces:
    """Where each word of some segments belongs in one view (or ``NOWHERE``), and with which certainty (0 to 1).

    In one view, places are found by matching words with the reference; in another, through links to the source.
    """

    at: Ints
    sure: Floats


def matched_places(tokens: Tokens, gold: Tokens, matches: Matches) -> WordPlaces:
    """Return the position in the reference that each word of the translation is matched with, if any.

    The certainty of a word that occurs k times in the translation or in the reference is 1/k, because the wrong
    occurrence may have been matched.
    """
    at, sure = np.full(len(tokens.ids), NOWHERE, dtype=np.int32), np.zeros(len(tokens.ids))
    rows = rows_of(matches.offsets)
    sizes = matches.hypothesis_size.astype(np.int64)
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    words = np.repeat(tokens.offsets[rows] + matches.hypothesis, sizes) + within
    place = np.repeat(matches.reference, sizes) + np.minimum(within, np.repeat(matches.reference_size - 1, sizes))
    at[words] = place
    times = np.maximum(_times(tokens)[words], _times(gold)[np.repeat(gold.offsets[rows], sizes) + place])
    sure[words] = 1.0 / times
    return WordPlaces(at, sure)


def _times(tokens: Tokens) -> Ints:
    """Return, for each word, how often it occurs in its sentence."""
    keys = rows_of(tokens.offsets) * (len(tokens.vocabulary) + 1) + tokens.ids
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    times: Ints = counts[place].astype(np.int32)
    return times


def linked_places(offsets: Offsets, links: Alignments, gold: Alignments | None) -> WordPlaces:
    """Return the position of each word of the translations, found through its likeliest link to a source word.

    The position is that of the reference word to which ``gold`` most likely links this source word; without ``gold``,
    it is the position of the source word itself. ``offsets`` are the offsets of the sentences.
    """
    at, sure = np.full(int(offsets[-1]), NOWHERE, dtype=np.int32), np.zeros(int(offsets[-1]))
    rows, source, target, likely = _likely(links)
    if gold is None:
        found, place, share = np.ones(len(rows), dtype=np.bool_), source, likely
    else:
        gold_rows, gold_source, gold_target, gold_likely = _likely(gold)
        width = 1 + max(source.max(initial=0), gold_source.max(initial=0))
        keys = gold_rows * width + gold_source
        order = np.lexsort((-gold_likely, keys))
        known, first = np.unique(keys[order], return_index=True)
        best = order[first]
        wanted = rows * width + source
        spot = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
        found = known[spot] == wanted if len(known) else np.zeros(len(wanted), dtype=np.bool_)
        spot = spot[found]
        place, share = gold_target[best[spot]], likely[found] * gold_likely[best[spot]]
    words = offsets[rows[found]] + target[found]
    at[words], sure[words] = place, share
    return WordPlaces(at, sure)


def _likely(links: Alignments) -> tuple[Offsets, Ints, Ints, Floats]:
    """Return the sentence, source word, target word and probability of every likely link, sorted by probability."""
    likely = np.ones(len(links.source)) if links.probability is None else links.probability
    chosen = np.flatnonzero(likely >= SURE)
    chosen = chosen[np.argsort(likely[chosen], kind="stable")]
    return rows_of(links.offsets)[chosen], links.source[chosen], links.target[chosen], likely[chosen]


@kernel
def keep_words(first: Ints, second: Ints, sure: Floats, offsets: Offsets, last: bool = False) -> Bools:
    """Mark a largest set of words in each sentence whose positions ascend in two views (such as matches and links).

    ``first`` and ``second`` hold the positions of the words in the two views, and ``sure`` their certainty; words
    without a position are always kept. Of several largest sets, one with the lowest total certainty is marked, so
    that the words that must move are those whose places are the most certain; and of several such sets one that
    keeps words further left or, if ``last`` is true, further right. The result is exact and takes O(n³) time for n
    words: from left to right, whether a word can be kept depends only on the last kept words that have a position in
    each view. With only one view, it takes O(n²) time. For very long sentences in two views, it is approximate.

    >>> places = np.array([2, 3, 0, 1, 4], dtype=np.int32)
    >>> nowhere, sure, offsets = np.full(5, -1, dtype=np.int32), np.ones(5), np.array([0, 5])
    >>> keep_words(places, nowhere, sure, offsets).astype(int).tolist()
    [1, 1, 0, 0, 1]
    >>> keep_words(places, nowhere, sure, offsets, True).astype(int).tolist()
    [0, 0, 1, 1, 1]
    """
    kept = np.ones(len(first), dtype=np.bool_)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        places = np.empty(offsets[row + 1] - start + 1, dtype=np.int64)
        gains = np.zeros(len(places), dtype=np.int64)
        size = 0
        views = 0
        for word in range(start, offsets[row + 1]):
            if first[word] != NOWHERE or second[word] != NOWHERE:
                size += 1
                places[size] = word
                gains[size] = ONE_WORD - int(sure[word] * MOST_SURE + 0.5)
                views |= (1 if first[word] != NOWHERE else 0) | (2 if second[word] != NOWHERE else 0)
        if size <= MOST_WORDS and views == 3:
            _keep_both(first, second, places, gains, size, last, kept)
        else:
            _keep_one(first, places, gains, size, last, kept)
            _keep_one(second, places, gains, size, last, kept)
    return kept


@inner_kernel
def _keep_both(first: Ints, second: Ints, places: Offsets, gains: Offsets, size: int, last: bool, kept: Bools) -> None:
    """Find the set of words to keep in one sentence, by dynamic programming.

    ``best[i, j]`` is the highest sum of gains of the words that can be kept if the last kept words with a position in
    the first and the second view are i and j, respectively.
    """
    best = np.full((size + 1, size + 1), -1, dtype=np.int64)
    before = np.zeros((size + 1, size + 1, 2), dtype=np.int32)
    best[0, 0] = 0
    tie = 1 if last else 0
    for word in range(1, size + 1):
        one, two = first[places[word]], second[places[word]]
        for i in range(word):
            if i > 0 and one != NOWHERE and first[places[i]] > one:
                continue
            for j in range(word):
                if best[i, j] < 0 or (j > 0 and two != NOWHERE and second[places[j]] > two):
                    continue
                to_i = word if one != NOWHERE else i
                to_j = word if two != NOWHERE else j
                if best[i, j] + gains[word] + tie > best[to_i, to_j]:
                    best[to_i, to_j] = best[i, j] + gains[word]
                    before[to_i, to_j, 0], before[to_i, to_j, 1] = i, j
    for word in range(1, size + 1):
        kept[places[word]] = False
    i = j = 0
    for end_i in range(size + 1):
        for end_j in range(size + 1):
            if best[end_i, end_j] + tie > best[i, j]:
                i, j = end_i, end_j
    while i > 0 or j > 0:
        kept[places[max(i, j)]] = True
        i, j = before[i, j, 0], before[i, j, 1]


@inner_kernel
def _keep_one(view: Ints, places: Offsets, gains: Offsets, size: int, last: bool, kept: Bools) -> None:
    """Keep only the best subsequence of words whose positions ascend in one view, in O(n²) time.

    Words without a position in this view stay as they are.
    """
    best = np.zeros(size + 1, dtype=np.int64)
    before = np.zeros(size + 1, dtype=np.int64)
    end = 0
    tie = 1 if last else 0
    for word in range(1, size + 1):
        if not kept[places[word]] or view[places[word]] == NOWHERE:
            continue
        for i in range(1, word):
            if best[i] > 0 and best[i] + tie > best[word] and view[places[i]] <= view[places[word]]:
                best[word] = best[i]
                before[word] = i
        best[word] += gains[word]
        if best[word] + tie > best[end]:
            end = word
    for word in range(1, size + 1):
        if best[word] > 0:
            kept[places[word]] = False
    while end > 0:
        kept[places[end]] = True
        end = before[end]


def find_moves(kept: Bools, views: Sequence[WordPlaces]) -> list[Move]:
    """Join the words that are not kept into spans that move together, and return a move for each span.

    A span moves to the position after the last kept word that should precede it. A word that has no position in any
    view moves with a span if it is between two words of the span.
    """
    moves: list[Move] = []
    end = NOWHERE
    for word in np.flatnonzero(~kept).tolist():
        after, place, sure = _destination(word, kept, views)
        if after is None:
            continue
        joined = moves and all(
            kept[between] and all(view.at[between] == NOWHERE for view in views)
            for between in range(moves[-1].end, word)
        )
        if joined and moves[-1].after == after and place >= end:
            last = moves[-1]
            count = last.end - last.first
            sure = (last.confidence * count + sure) / (count + 1)
            moves[-1] = Move(last.first, word + 1, after, sure, last.place)
        else:
            moves.append(Move(word, word + 1, after, sure, place))
        end = place
    return moves


def _destination(word: int, kept: Bools, views: Sequence[WordPlaces]) -> tuple[int | None, int, float]:
    """Return the kept word that should precede a word, the position of the word in a view, and a confidence.

    The preceding word is −1 if the word belongs at the beginning, and None if it need not move. The position is taken
    from the first view in which the word is out of order. The confidence is 1 − Π(1 − c) over all such views, where c
    is the certainty of the position of the word in the view; it is halved if the word is in order in another view.
    """
    after, place, doubt, in_order = None, NOWHERE, 1.0, False
    others = np.flatnonzero(kept)
    for view in views:
        here = int(view.at[word])
        if here == NOWHERE:
            continue
        known = others[view.at[others] != NOWHERE]
        lower = view.at[known] <= here
        if ((known > word) & lower).any() or ((known < word) & ~lower).any():
            doubt *= 1.0 - float(view.sure[word])
            if after is None:
                after, place = int(known[lower].max(initial=-1)), here
        else:
            in_order = True
    return after, place, (1.0 - doubt) * (0.5 if in_order else 1.0)


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
    silent = find_punctuation(words)
    for view in views:
        view.at[silent] = NOWHERE
    return views


def find_punctuation(words: Tokens) -> Bools:
    """Return whether each word of a text is punctuation."""
    return from_column(pc.match_substring_regex(words.vocabulary, PUNCTUATION))[words.ids]


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
