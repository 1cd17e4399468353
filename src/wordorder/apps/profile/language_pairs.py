"""Tables of language pairs with their translation quality and possible predictors of it (Birch 2011, chapter 4)."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError, choices, excerpt
from wordorder.core.runtime.files import atomic_write, display_name, line_blocks

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
        if name not in self.columns:
            raise choices(name, list(self.columns), what="column")
        return self.columns[name]

    def plot(self, column: str) -> Any:
        """Plot a column as a source × target matrix in an Altair chart.

        This needs the extra ``pictures``.
        """
        from wordorder.apps.profile.plots import plot_pairs

        return plot_pairs(self, column)


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
                number = _number(field)
                if not math.isfinite(number):
                    raise block.error(row, f"expected a number in column {name}, found {excerpt(field)}")
                values[-1].append(number)
    if not rows:
        raise InputError("the table has no language pairs; add rows below the header", path=display_name(path))
    table = np.array(values, dtype=np.float64)
    return LanguagePairs(
        tuple(source for source, _ in rows),
        tuple(target for _, target in rows),
        {name: table[:, column].copy() for column, name in enumerate(header[2:])},
    )


def europarl() -> LanguagePairs:
    """Return the 110 Europarl language pairs of Birch (2011), Appendix C.

    The columns are ``bleu`` (in percent), ``rquantity`` and ``similarity``.

    >>> pairs = europarl()
    >>> len(pairs), pairs.sources[1], pairs.targets[1], pairs.column("rquantity")[1].item()
    (110, 'el', 'pt', 0.331)
    """
    with resources.as_file(resources.files("wordorder.apps.profile") / "data" / "europarl-2011.tsv") as path:
        return read_pairs(path)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
