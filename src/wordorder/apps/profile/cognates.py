"""Measure the similarity of languages by the share of meanings expressed by cognates (Birch 2011, §4.4.2)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.formats.delimited import DelimitedTable

UNKNOWN = ("", "?", "-", "–")
"""Table entries for a missing word or an unknown cognate class."""

_LONG = ("language", "meaning", "class")


@dataclass(frozen=True, eq=False)
class Cognates:
    """The cognate classes of the words of each language: ``classes[language][meaning]`` is a set of classes.

    Words in the same class are cognates. A language may have several words for a meaning and so several classes.
    Meanings that have no word or only words of unknown class are left out.
    """

    classes: dict[str, dict[str, frozenset[str]]]

    def compare(self, one: str, two: str) -> tuple[int, int]:
        """Return how many meanings have cognates in both languages, and how many have words in both languages."""
        first, second = self.classes[one], self.classes[two]
        both = first.keys() & second.keys()
        return sum(bool(first[meaning] & second[meaning]) for meaning in both), len(both)

    def pairs(self) -> LanguagePairs:
        """Return a table of all language pairs in both directions.

        Its columns are ``meanings``, the number of meanings with words in both languages, and ``similarity``, the
        share of these that have cognates. Pairs without a common meaning are left out.

        >>> words = {"fr": {"animal": "A", "black": "N"}, "en": {"animal": "A", "black": "B"}}
        >>> found = Cognates({name: {m: frozenset(c) for m, c in each.items()} for name, each in words.items()})
        >>> found.pairs().named(), found.pairs().column("similarity").tolist()
        ([('fr', 'en'), ('en', 'fr')], [0.5, 0.5])
        """
        known = [(pair, *self.compare(*pair)) for pair in permutations(self.classes, 2)]
        known = [each for each in known if each[2]]
        if not known:
            raise InputError("no two languages have words with a known class for the same meaning; check the table")
        shares = np.array([shared / meanings for _, shared, meanings in known])
        columns = {"similarity": shares, "meanings": np.array([meanings for *_, meanings in known], np.float64)}
        return LanguagePairs(tuple(pair[0] for pair, *_ in known), tuple(pair[1] for pair, *_ in known), columns)


def read_cognates(path: str | os.PathLike[str]) -> Cognates:
    """Read a table of cognate classes from a file whose columns are separated by tabs, commas or semicolons.

    The table has either a row for each language and a column for each meaning (with the header
    ``language animal black …``), or a row for each word and the columns ``language``, ``meaning`` and ``class``. In
    the first form, a cell contains the cognate class of a word, or several classes separated by ``/``. An empty cell,
    ``?`` or ``-`` means that the class is unknown.
    """
    table = DelimitedTable(path)
    found: dict[str, dict[str, frozenset[str]]] = {}
    if all(map(table.has, _LONG)):
        places = [table.place(name) for name in _LONG]
        for line, fields in table:
            language, meaning, entry = (fields[place].strip() for place in places)
            _check(table, line, language, "language")
            _check(table, line, meaning, "meaning")
            known = found.setdefault(language, {})
            _add(known, meaning, entry)
    else:
        first = table.place("language")
        meanings = [name for place, name in enumerate(table.names) if place != first]
        if not meanings or len(set(meanings)) < len(meanings):
            expected = "a header 'language …' with a column for each meaning"
            raise InputError(f"expected {expected}, found {excerpt(', '.join(table.names))}", path=table.path, line=1)
        for line, fields in table:
            language = fields.pop(first).strip()
            _check(table, line, language, "language")
            if language in found:
                raise InputError(
                    f"the language {excerpt(language)} occurs twice; give each language one row",
                    path=table.path,
                    line=line,
                )
            known = found.setdefault(language, {})
            for meaning, entry in zip(meanings, fields, strict=False):
                _add(known, meaning, entry)
    if len(found) < 2:
        raise InputError(f"expected at least two languages, found {len(found)}", path=table.path)
    return Cognates(found)


def _add(known: dict[str, frozenset[str]], meaning: str, entry: str) -> None:
    classes = {part.strip() for part in entry.split("/")} - set(UNKNOWN)
    if classes:
        known[meaning] = known.get(meaning, frozenset()) | classes


def _check(table: DelimitedTable, line: int, name: str, what: str) -> None:
    if not name:
        raise InputError(f"expected a {what}, found an empty field", path=table.path, line=line)
