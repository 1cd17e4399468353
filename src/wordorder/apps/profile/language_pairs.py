"""Tables of language pairs with their translation quality and possible predictors of it (Birch 2011, chapter 4).

A characteristic can be shown as a source × target matrix, with its mean for every language (Birch 2011, Figures 4.1,
4.3, 4.4, 4.7, 4.9 and 4.10). The similarity of languages is also measured by the share of meanings that are expressed
by cognates (Birch 2011, §4.4.2).
"""

import math
import os
from dataclasses import dataclass
from importlib import resources
from itertools import permutations
from typing import Any

import numpy as np

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError, check_choice, excerpt, reject
from wordorder.core.runtime.files import atomic_write, display_name, line_blocks
from wordorder.core.runtime.plain import plain, to_number
from wordorder.formats.delimited import DelimitedTable
from wordorder.report.table import Column, Table

_FIRST_COLUMNS = ("source", "target")


@dataclass(frozen=True, eq=False)
class LanguagePairs:
    """A table of language pairs; ``columns`` has a column of numbers for each characteristic, by name."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    columns: dict[str, Floats]

    def __post_init__(self) -> None:
        for column in self.columns.values():
            column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.sources)

    def named(self) -> list[tuple[str, str]]:
        """Return the source and target language of every pair."""
        return list(zip(self.sources, self.targets, strict=True))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table in the format that :func:`read_pairs` reads."""
        with atomic_write(path) as file:
            file.write("\t".join([*_FIRST_COLUMNS, *self.columns]) + "\n")
            for pair, *values in zip(self.named(), *(each.tolist() for each in self.columns.values()), strict=True):
                file.write("\t".join([*pair, *map(repr, values)]) + "\n")

    def column(self, name: str) -> Floats:
        """Return the column with the given name; if it is unknown, raise an error that lists the valid names."""
        check_choice(name, self.columns, "column")
        return self.columns[name]

    def plot(self, column: str) -> Any:
        """Plot a column as a source × target matrix in an Altair chart.

        This needs the extra ``pictures``.
        """
        from wordorder.report.charts import plot_matrix

        values = self.column(column).tolist()
        found = sorted(zip(self.sources, self.targets, values, strict=True))
        records = [{"source": source, "target": target, column: value} for source, target, value in found]
        return plot_matrix(records, row="source", column="target", value=column)


def read_pairs(path: str | os.PathLike[str]) -> LanguagePairs:
    """Read a tab-separated table whose first two columns are ``source`` and ``target``.

    The first line is the header. All other columns must contain numbers. Empty lines and lines that begin with ``#``
    are skipped.
    """
    header: list[str] = []
    rows: list[list[str]] = []
    values: list[list[float]] = []
    for block in line_blocks(path):
        for row in range(len(block)):
            line = block.line(row)
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split("\t")]
            if not header:
                header = fields
                if tuple(header[:2]) != _FIRST_COLUMNS or len(header) < 3 or len(set(header)) < len(header):
                    raise block.error(row, f"expected a header with source and target first, found {excerpt(line)}")
                continue
            if len(fields) != len(header):
                raise block.error(row, f"expected {len(header)} fields separated by tabs, found {len(fields)}")
            rows.append(fields[:2])
            values.append([])
            for name, field in zip(header[2:], fields[2:], strict=True):
                number = to_number(field)
                if not math.isfinite(number):
                    raise block.error(row, f"expected a number in column {name}, found {excerpt(field)}")
                values[-1].append(number)
    reject(not rows, "the table has no language pairs; add rows below the header", path=display_name(path))
    table = np.array(values, dtype=np.float64)
    columns = {name: table[:, column].copy() for column, name in enumerate(header[2:])}
    return LanguagePairs(tuple(source for source, _ in rows), tuple(target for _, target in rows), columns)


def europarl() -> LanguagePairs:
    """Return the 110 Europarl language pairs of Birch (2011), Appendix C.

    The columns are ``bleu`` (in percent), ``rquantity`` and ``similarity``.

    >>> pairs = europarl()
    >>> len(pairs), pairs.sources[1], pairs.targets[1], pairs.column("rquantity")[1].item()
    (110, 'el', 'pt', 0.331)
    """
    with resources.as_file(resources.files("wordorder.apps.profile") / "data" / "europarl-2011.tsv") as path:
        return read_pairs(path)


@dataclass(frozen=True)
class LanguageMeans:
    """The means of a characteristic over the pairs in which a language is the source, the target, or either.

    If there is no such pair, the mean is NaN.
    """

    language: str
    pairs: int
    as_source: float
    as_target: float
    either: float


@dataclass(frozen=True, eq=False)
class LanguageMatrix:
    """A source × target matrix of one characteristic of language pairs, with NaN for pairs without a value.

    >>> pairs = LanguagePairs(("de", "en"), ("en", "fr"), {"rquantity": np.array([0.5, 0.25])})
    >>> print(LanguageMatrix.of(pairs, "rquantity").table())
    rquantity, source × target
    source     en     fr
    ────────────────────
    de      0.500      –
    en          –  0.250
    """

    column: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    values: Floats
    number: str = ".3f"

    @classmethod
    def of(cls, pairs: LanguagePairs, column: str, *, number: str = ".3f") -> "LanguageMatrix":
        """Arrange a column of language pairs as a matrix, with languages in the order of their first occurrence."""
        given = pairs.column(column)
        order = list(dict.fromkeys(language for pair in pairs.named() for language in pair))
        sources = [language for language in order if language in pairs.sources]
        targets = [language for language in order if language in pairs.targets]
        reject("source" in targets, "a language is named 'source', like the first column of the matrix; rename it")
        values = np.full((len(sources), len(targets)), np.nan)
        for (source, target), value in zip(pairs.named(), given.tolist(), strict=True):
            cell = sources.index(source), targets.index(target)
            if not math.isnan(values[cell]):
                raise InputError(f"the language pair {source}-{target} occurs twice in the table; remove one row")
            values[cell] = value
        return cls(column, tuple(sources), tuple(targets), values, number)

    def means(self) -> list[LanguageMeans]:
        """Return the means for every language; a pair of a language with itself is counted once."""
        known = ~np.isnan(self.values)
        found = []
        for language in dict.fromkeys((*self.sources, *self.targets)):
            row, column = (np.zeros_like(known) for _ in range(2))
            row[[name == language for name in self.sources]] = True
            column[:, [name == language for name in self.targets]] = True
            parts = [self.values[where & known] for where in (row, column, row | column)]
            means = [float(part.mean()) if len(part) else math.nan for part in parts]
            found.append(LanguageMeans(language, len(parts[2]), *means))
        return found

    def table(self) -> Table:
        """Return the matrix as a table with a row for each source and a column for each target language."""
        columns = [Column("source", "left"), *(Column(target, number=self.number) for target in self.targets)]
        rows = [[source, *row] for source, row in zip(self.sources, self.values.tolist(), strict=True)]
        return Table.of(f"{self.column}, source × target", columns, rows)

    def means_table(self) -> Table:
        """Return the means for every language as a table."""
        columns = [Column("language", "left"), Column("pairs")]
        columns += [Column(name, number=self.number) for name in ("as source", "as target", "either")]
        title = f"mean {self.column} of the pairs of each language"
        return Table.of(title, columns, [tuple(vars(row).values()) for row in self.means()])

    def to_dict(self) -> dict[str, Any]:
        """Return the matrix and the means as unrounded plain data; missing values are None."""
        cells = zip(self.sources, self.values.tolist(), strict=True)
        return {
            "column": self.column,
            "matrix": {source: plain(dict(zip(self.targets, row, strict=True))) for source, row in cells},
            "languages": [plain(vars(row)) for row in self.means()],
        }


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
        reject(not known, "no two languages have words with a known class for the same meaning; check the table")
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
                message = f"the language {excerpt(language)} occurs twice; give each language one row"
                raise InputError(message, path=table.path, line=line)
            known = found.setdefault(language, {})
            for meaning, entry in zip(meanings, fields, strict=False):
                _add(known, meaning, entry)
    reject(len(found) < 2, f"expected at least two languages, found {len(found)}", path=table.path)
    return Cognates(found)


def _add(known: dict[str, frozenset[str]], meaning: str, entry: str) -> None:
    classes = {part.strip() for part in entry.split("/")} - set(UNKNOWN)
    if classes:
        known[meaning] = known.get(meaning, frozenset()) | classes


def _check(table: DelimitedTable, line: int, name: str, what: str) -> None:
    reject(not name, f"expected a {what}, found an empty field", path=table.path, line=line)
