"""Grammar files: a text format for the counts from which a grammar was learned.

The first line is ``wordorder-grammar 1``. The options follow, one per line, then the sections. Each section begins
with its name and its number of lines::

    categories 3                 kind label name, one per line; they are numbered from 0
    T DT DT^NP
    binary 1                     parent left right count
    unary 1                      top bottom count, then the labels in between
    stay 1                       category count
    words 1                      word, + if it begins a sentence or - if not, then tag:count
    the - 0:12
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from wordorder.core.runtime.errors import InputError, UsageError, excerpt
from wordorder.core.runtime.files import atomic_write, display_name, line_blocks
from wordorder.linking.parsing.counts import PHRASE, STEP, TAG, Category, GrammarOptions, RuleCounts, table
from wordorder.linking.parsing.grammar import Grammar

MAGIC = "wordorder-grammar"
VERSION = 1
_KINDS = {"T": TAG, "P": PHRASE, "S": STEP}
_LARGEST = 2**31 - 1

Row = TypeVar("Row")


def save(grammar: Grammar, path: str | os.PathLike[str]) -> None:
    """Write a grammar to a file, compressed if the name ends in ``.gz``."""
    counts, options = grammar.counts, grammar.counts.options
    _check_names(counts)
    letters = {kind: letter for letter, kind in _KINDS.items()}
    unary = zip(counts.unary.tolist(), counts.middles, strict=True)
    sections = {
        "categories": [
            f"{letters[category.kind]} {category.label} {category.name}" for category in counts.categories
        ],
        "binary": [" ".join(map(str, row)) for row in counts.binary.tolist()],
        "unary": [" ".join([*map(str, row), *middle]) for row, middle in unary],
        "stay": [f"{number} {count}" for number, count in enumerate(counts.stay.tolist()) if count],
        "words": [
            f"{word} {'+' if initial else '-'} {' '.join(f'{tag}:{count}' for tag, count in sorted(tags.items()))}"
            for (word, initial), tags in sorted(counts.words.items())
        ],
    }
    with atomic_write(path) as target:
        target.write(f"{MAGIC} {VERSION}\n")
        target.write(f"vertical {options.vertical}\nhorizontal {options.horizontal}\n")
        target.write(f"binarisation {options.binarisation}\nrare {options.rare}\n")
        target.write(f"splits {','.join(options.splits)}\n")
        for name, lines in sections.items():
            target.write(f"{name} {len(lines)}\n")
            target.writelines(f"{line}\n" for line in lines)


def _check_names(counts: RuleCounts) -> None:
    """Raise an error if a name is empty or contains a space or line break, which the file cannot represent."""
    names = [name for category in counts.categories for name in (category.label, category.name)]
    for name in (*names, *(word for word, _ in counts.words), *(label for part in counts.middles for label in part)):
        if not name or any(space in name for space in " \n\r"):
            raise InputError(f"cannot save {excerpt(name)}: names must not be empty or contain spaces or line breaks")


def load(path: str | os.PathLike[str]) -> Grammar:
    """Read a grammar from a file."""
    return _GrammarReader(path).read()


class _GrammarReader:
    """Reads a grammar file line by line, keeping track of the line number."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = display_name(path)
        self.line = 0
        self._lines = self._texts(path)

    def _texts(self, path: str | os.PathLike[str]) -> Iterator[str]:
        for block in line_blocks(path):
            for row in range(len(block)):
                self.line = block.first_line + row
                yield block.line(row)
        self.line += 1

    def error(self, message: str) -> InputError:
        return InputError(message, path=self.path, line=self.line)

    def read(self) -> Grammar:
        first = next(self._lines, "").split(" ")
        if first[0] != MAGIC or len(first) != 2:
            raise self.error(f"not a grammar file: expected '{MAGIC} {VERSION}', found {excerpt(' '.join(first))}")
        if first[1] != str(VERSION):
            raise self.error(f"expected a grammar file of version {VERSION}, found version {excerpt(first[1])}")
        try:
            options = GrammarOptions(
                vertical=self._count(self._named("vertical")),
                horizontal=self._count(self._named("horizontal")),
                binarisation=self._named("binarisation"),
                rare=self._count(self._named("rare")),
                splits=tuple(split for split in self._named("splits").split(",") if split),
            )
        except UsageError as error:
            raise self.error(str(error)) from None
        categories = self._section("categories", self._category)
        size = len(categories)
        binary = self._section("binary", lambda fields: self._numbers(fields, 3, size))
        unary = self._section("unary", lambda fields: (self._numbers(fields[:3], 2, size), tuple(fields[3:])))
        stay = np.zeros(size, dtype=np.int64)
        for number, count in self._section("stay", lambda fields: self._numbers(fields, 1, size)):
            stay[number] = count
        words = dict(self._section("words", lambda fields: self._word(fields, categories)))
        middles = tuple(middle for _, middle in unary)
        counts = RuleCounts(
            tuple(categories), table(binary, 4), table([row for row, _ in unary], 3), middles, stay, words, options
        )
        try:
            return Grammar(counts)
        except InputError as error:
            raise self.error(error.message) from None

    def _named(self, name: str) -> str:
        found, _, value = next(self._lines, "").partition(" ")
        if found != name:
            raise self.error(f"expected {name!r}, found {excerpt(found)}")
        return value

    def _section(self, name: str, parse: Callable[[list[str]], Row]) -> list[Row]:
        count = self._count(self._named(name))
        rows = []
        for _ in range(count):
            text = next(self._lines, None)
            if text is None:
                raise self.error(f"the file ends within the section {name!r}, which must have {count} lines")
            rows.append(parse(text.split(" ")))
        return rows

    def _count(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text[:11]) <= _LARGEST):
            raise self.error(f"expected a number, found {excerpt(text)}")
        return int(text)

    def _category(self, fields: list[str]) -> Category:
        if len(fields) != 3 or fields[0] not in _KINDS or not all(fields):
            raise self.error(f"expected T, P or S, then a label and a name, found {excerpt(' '.join(fields))}")
        return Category(_KINDS[fields[0]], fields[1], fields[2])

    def _numbers(self, fields: list[str], categories: int, size: int) -> tuple[int, ...]:
        """Parse a line of ``categories`` category numbers, each below ``size``, followed by a count of at least 1."""
        if len(fields) != categories + 1:
            raise self.error(f"expected {categories + 1} numbers, found {excerpt(' '.join(fields))}")
        numbers = tuple(map(self._count, fields))
        if any(number >= size for number in numbers[:-1]) or not numbers[-1]:
            found = excerpt(" ".join(fields))
            raise self.error(f"expected category numbers below {size} and a count above 0, found {found}")
        return numbers

    def _word(self, fields: list[str], categories: list[Category]) -> tuple[tuple[str, bool], Counter[int]]:
        if len(fields) < 3 or not fields[0] or fields[1] not in ("+", "-"):
            raise self.error(f"expected a word, then + or -, then tag:count pairs, found {excerpt(' '.join(fields))}")
        tags: Counter[int] = Counter()
        for field in fields[2:]:
            number, count = self._numbers(field.split(":"), 1, len(categories))
            if categories[number].kind != TAG:
                raise self.error(f"expected tag:count, but the category in {excerpt(field)} is not a tag")
            tags[number] = count
        return (fields[0], fields[1] == "+"), tags
