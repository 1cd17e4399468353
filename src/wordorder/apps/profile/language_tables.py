"""Show a characteristic of language pairs as a source × target matrix, and its mean for every language.

See Birch (2011), Figures 4.1, 4.3, 4.4, 4.7, 4.9 and 4.10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.plain import plain
from wordorder.report.table import Column, Table


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
    def of(cls, pairs: LanguagePairs, column: str, *, number: str = ".3f") -> LanguageMatrix:
        """Arrange a column of language pairs as a matrix, with languages in the order of their first occurrence."""
        given = pairs.column(column)
        order = list(dict.fromkeys(language for pair in pairs.named() for language in pair))
        sources = [language for language in order if language in pairs.sources]
        targets = [language for language in order if language in pairs.targets]
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
