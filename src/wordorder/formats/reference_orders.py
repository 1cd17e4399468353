"""Reference orders that people can edit: one line per sentence, with the source words in target order.

Words whose relative order is free form a group in double braces, ``{{ Tax Deduction }}``, as in Talbot et al. (2011,
Table 2). Braces around one word have no effect. An empty line is a sentence without an order.

If a word occurs several times in the source, the word in the line refers to its leftmost occurrence that has not been
used yet. To refer to another occurrence, add the position in the source (from 1): ``the@7``; this is allowed for any
word. A token that is itself a word of the source refers to that word. So if the source has a word ``a@7``, the word
``a`` in position 7 is written ``a@07``. A space inside a word (``10 000`` in CoNLL-U) is written as a no-break space.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from wordorder.core.orders.projection import Places
from wordorder.core.runtime.errors import InputError, count_of, excerpt, located, reject
from wordorder.core.runtime.files import Path, display_name, line_blocks
from wordorder.core.text import Tokens
from wordorder.core.trees import DependencyTrees
from wordorder.formats.writing import Target, open_target

Sentences = Tokens | DependencyTrees | Sequence[Sequence[str]]

OPEN, CLOSE = "{{", "}}"
POLICY = "talbot"

_NO_ORDER = -1
_TOKEN = re.compile(r"[^ \t\n\v\f\r]+")
# A word must be written as one token on one line. U+FEFF, a no-break space, would look like a byte-order mark at the
# beginning of a file.
_WRITTEN = str.maketrans(dict.fromkeys(" \t\n\v\f\r\ufeff", "\u00a0"))


def read(path: Path, sentences: Sentences) -> Places:
    """Read the order of every source sentence from a file."""
    name = display_name(path)
    words = tokens_of(sentences)
    lines = [block.text(row) for block in line_blocks(path) for row in range(len(block))]
    if len(lines) != len(words):  # checked first, because after a missing line everything is wrong
        expected = f"expected {len(words)}, one per source sentence"
        raise InputError(f"found {count_of(len(lines), 'line')}; {expected}", path=name)
    places: list[int] = []
    for number, (line, forms) in enumerate(zip(lines, _written_forms(words), strict=True), start=1):
        with located(name, number):
            places += _parse(line, _Source(forms))
    return Places(np.array(places, dtype=np.int32), words.offsets, POLICY)


def write(target: Target, places: Places, sentences: Sentences) -> None:
    """Write the order of every source sentence, in the format of :func:`read`."""
    words = tokens_of(sentences)
    if len(places) != len(words):
        raise InputError(f"found {count_of(len(places), 'order')}; expected {len(words)}, one per source sentence")
    with open_target(target) as file:
        for row, forms in enumerate(_written_forms(words)):
            file.write(_format(places, row, forms) + "\n")


def tokens_of(sentences: Sentences) -> Tokens:
    """Return the words of sentences as a column of tokens.

    >>> tokens_of([["10 000", "cats"]]).words(0)
    ['10 000', 'cats']
    """
    if isinstance(sentences, DependencyTrees):
        return Tokens(sentences.words, sentences.offsets, sentences.strings)
    return sentences if isinstance(sentences, Tokens) else Tokens.of(sentences)


def _written_forms(sentences: Tokens) -> Iterator[list[str]]:
    """Yield the words of each sentence as they are written in the file, with no-break spaces for spaces."""
    names = [name.translate(_WRITTEN) for name in sentences.vocabulary.to_pylist()]
    words = [names[word] for word in sentences.ids.tolist()]
    return (words[start:stop] for start, stop in pairwise(sentences.offsets.tolist()))


class _Source:
    """The words of one source sentence, with a record of which have been used."""

    def __init__(self, forms: list[str]) -> None:
        self.forms = forms
        self.used = [False] * len(forms)
        self._unused: dict[str, list[int]] = {}  # positions from right to left
        for position in reversed(range(len(forms))):
            self._unused.setdefault(forms[position], []).append(position)

    def find(self, token: str) -> int | None:
        """Return the position of the unused word that a token refers to, or None."""
        waiting = self._unused.get(token, [])
        while waiting and self.used[waiting[-1]]:
            waiting.pop()
        if waiting:
            return waiting[-1]
        form, position = _split(token)
        if 0 < position <= len(self.forms) and self.forms[position - 1] == form and not self.used[position - 1]:
            return position - 1
        return None

    def take(self, token: str) -> int:
        """Mark the word that a token refers to as used, and return its position."""
        found = self.find(token)
        if found is None:
            raise InputError(self._error_message(token))
        self.used[found] = True
        return found

    def spell(self, position: int) -> str:
        """Mark a word as used, and return a token for it: the bare word or, if ambiguous, a form like ``the@7``."""
        form = self.forms[position]
        token = form
        zeros = ""
        while token in ("", OPEN, CLOSE) or self.find(token) != position:
            token = f"{form}@{zeros}{position + 1}"
            zeros += "0"  # this ends, because only finitely many words can look like the token
        self.used[position] = True
        return token

    def _error_message(self, token: str) -> str:
        if token in self._unused:
            return f"{excerpt(token)} occurs more often in this line than in the source ({self.forms.count(token)})"
        form, position = _split(token)
        if position > len(self.forms) and form in self._unused:
            return f"{excerpt(token)}: the source has only {count_of(len(self.forms), 'word')}"
        if position and form in self._unused:
            found = self.forms[position - 1]
            if found != form:
                return f"{excerpt(token)}: word {position} of the source is {excerpt(found)}"
            return f"{excerpt(token)}: this word is already in the line; add its position to every {excerpt(form)}"
        hint = "" if token.strip("{}") == token else f"; a group is written '{OPEN} one two {CLOSE}', with the spaces"
        return f"{excerpt(token)} is not a word of the source{hint}"


def _split(token: str) -> tuple[str, int]:
    """Split ``the@7`` into the word and its position, which is 0 if there is none."""
    form, mark, digits = token.rpartition("@")
    number = digits.lstrip("0")
    is_position = mark and number.isascii() and number.isdigit() and len(number) < 10
    return (form, int(number)) if is_position else (token, 0)


def _parse(line: str, source: _Source) -> list[int]:
    """Return the place of every source word in the order, as a number that increases from left to right.

    The number is odd for words in a group with free order, otherwise even; it is −1 if the line is empty.
    """
    places = [_NO_ORDER] * len(source.forms)
    group: list[int] | None = None
    tokens = _TOKEN.findall(line.replace("\ufeff", "\u00a0"))
    for number, token in enumerate(tokens):
        if token == OPEN:
            reject(group is not None, f"found '{OPEN}' inside a group; expected words or '{CLOSE}'")
            group = []
        elif token == CLOSE:
            if group is None:
                raise InputError(f"found '{CLOSE}' without '{OPEN}' before it")
            reject(not group, f"found a group without words: '{OPEN} {CLOSE}'")
            for word in group:
                places[word] = 2 * number + (len(group) > 1)
            group = None
        else:
            word = source.take(token)
            places[word] = 2 * number
            if group is not None:
                group.append(word)
    reject(group is not None, f"a group is not closed; expected '{CLOSE}'")
    if tokens and _NO_ORDER in places:
        word = places.index(_NO_ORDER)
        more = places.count(_NO_ORDER) - 1
        others = f", and {more} more" if more else ""
        raise InputError(f"word {word + 1} of the source, {excerpt(source.forms[word])}, is missing{others}")
    return places


def _format(places: Places, row: int, forms: list[str]) -> str:
    groups = places.groups(row)
    length = int(places.offsets[row + 1] - places.offsets[row])
    if length != len(forms):
        found = f"sentence {row + 1}: the order has {count_of(length, 'word')}"
        raise InputError(f"{found}; expected {len(forms)} as in the source")
    placed = sum(map(len, groups))
    if 0 < placed < length:
        raise InputError(f"sentence {row + 1}: no position for {length - placed} of {length} words; give all or none")
    source = _Source(forms)
    return places.written(row, {word: source.spell(word) for group in groups for word in group})
