"""Splitting of clitics as in treebanks, which have ``do n't``; evaluation tokenisers keep ``don't`` whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_APOSTROPHES = "'’"


def cut_clitics(words: Sequence[str], count: Callable[[str], int]) -> list[str]:
    """Split words at an apostrophe if the clitic occurs more often in the treebank than the whole word.

    The treebank determines which clitics exist: ``'s`` and ``n't`` for an English grammar, ``l'`` for a French one.
    ``count`` returns the number of occurrences of a word in the treebank.

    >>> counts = {"n't": 9, "'s": 9, "it's": 1, "o'clock": 2}
    >>> cut_clitics(["They", "don't", "say", "it's", "Rosa's", "o'clock"], lambda word: counts.get(word, 0))
    ['They', 'do', "n't", 'say', 'it', "'s", 'Rosa', "'s", "o'clock"]
    >>> cut_clitics(["We", "'ve", "’ve", "'so"], lambda word: {"'": 9, "'ve": 3}.get(word, 0))
    ['We', "'ve", '’ve', "'", 'so']
    >>> cut_clitics(["l'homme", "aujourd'hui"], lambda word: int(word == "l'"))
    ["l'", 'homme', "aujourd'hui"]
    """
    found: list[str] = []
    for word in words:
        found += _cut(word, count) if any(mark in word for mark in _APOSTROPHES) else [word]
    return found


def _cut(word: str, count: Callable[[str], int]) -> list[str]:
    marks = [place for place, letter in enumerate(word) if letter in _APOSTROPHES]
    if not marks:
        return [word]
    first, last = marks[0], marks[-1]
    if first == 0 and _is_known(word, count):  # a clitic that was already split off, not a quotation mark
        return [word]
    if word[last - 1 : last].lower() == "n" and word[last + 1 :].lower() == "t":
        last -= 1
    if last > 0 and _is_clitic(word[last:], word, count):
        return [*_cut(word[:last], count), word[last:]]
    if first + 1 < len(word) and _is_clitic(word[: first + 1], word, count):
        return [word[: first + 1], *_cut(word[first + 1 :], count)]
    return [word]


def _is_clitic(piece: str, word: str, count: Callable[[str], int]) -> bool:
    return max(count(piece), count(piece.lower())) > count(word)


def _is_known(word: str, count: Callable[[str], int]) -> bool:
    plain = word.lower().replace("’", "'")
    return max(count(word), count(plain)) > 0
