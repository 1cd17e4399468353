"""Aligning with eflomal (Östling & Tiedemann 2016), where it is installed.

It samples, with a seed of its own that cannot be set: results differ a little from run to run. It has no model that
could be kept, so text is aligned together with the training text.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.aligning.symmetrisation import (
    DEFAULT_METHOD,
    DEFAULT_THRESHOLD,
    POSTERIOR_METHODS,
    check_method,
    symmetrise,
)
from wordorder.orders import Alignment, Alignments
from wordorder.runtime.errors import InputError, UsageError, WordorderError
from wordorder.text import Tokens

Lines = list[tuple[str, str]]


@dataclass(frozen=True)
class EflomalAligner:
    """Aligns with the training text at hand; :func:`wordorder.aligning.train` gives one for ``model="eflomal"``."""

    training: Lines
    model: str = "eflomal"

    @classmethod
    def train(cls, source: Tokens, target: Tokens) -> EflomalAligner:
        """Keep the training text; without eflomal this is an error that says what to install."""
        _import_eflomal()
        return cls([pair for pair in _lines(source, target) if all(pair)])

    def align(
        self,
        source: Tokens,
        target: Tokens,
        *,
        symmetrise: str = DEFAULT_METHOD,
        threshold: float = DEFAULT_THRESHOLD,
        threads: int = 1,
    ) -> Alignments:
        """Align sentence pairs; ``threshold`` and ``threads`` have no meaning here."""
        check_method(symmetrise)
        if symmetrise in POSTERIOR_METHODS:
            raise UsageError(f"{symmetrise} needs posteriors, which eflomal does not give")
        lines = _lines(source, target)
        rows = [row for row, pair in enumerate(lines) if all(pair)]
        text = [lines[row] for row in rows]
        together = text if text == self.training else text + self.training
        forward, backward = _run_eflomal(together)
        return _join(source, target, rows, forward, backward, symmetrise)

    def posteriors(
        self, source: Tokens, target: Tokens, *, direction: str = "both", floor: float = 1e-3, threads: int = 1
    ) -> Alignments:
        """Refuse: eflomal gives links only."""
        raise UsageError("eflomal gives no posteriors; use the model hmm, diagonal or model1")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Refuse: eflomal has nothing to save."""
        raise UsageError("an eflomal model cannot be saved; use the model hmm, diagonal or model1")


def _import_eflomal() -> Any:
    try:
        import eflomal
    except ImportError:
        raise UsageError("eflomal is not installed; install it with: pip install 'wordorder[eflomal]'") from None
    return eflomal


def _lines(source: Tokens, target: Tokens) -> Lines:
    if len(source) != len(target):
        raise InputError(f"{len(source)} source sentences but {len(target)} target sentences")
    return [(" ".join(one), " ".join(two)) for one, two in zip(source, target, strict=True)]


def _run_eflomal(lines: Lines) -> tuple[list[str], list[str]]:
    """Give the links of both directions, one line per sentence pair."""
    eflomal = _import_eflomal()
    if not lines:
        return [], []
    with tempfile.TemporaryDirectory(prefix="wordorder-") as folder:
        paths = [os.path.join(folder, name) for name in ("forward", "backward")]
        try:
            eflomal.Aligner().align(
                [one + "\n" for one, _ in lines],
                [two + "\n" for _, two in lines],
                links_filename_fwd=paths[0],
                links_filename_rev=paths[1],
                quiet=True,
            )
            forward, backward = (_read(path) for path in paths)
        except (OSError, ValueError, RuntimeError) as error:
            raise WordorderError(f"eflomal failed: {error}") from None
    return forward, backward


def _read(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def _join(
    source: Tokens, target: Tokens, rows: list[int], forward: list[str], backward: list[str], method: str
) -> Alignments:
    lengths = source.lengths.astype(np.int32), target.lengths.astype(np.int32)
    columns = []
    for lines in (forward, backward):
        written = ["" for _ in range(len(source))]
        for row, line in zip(rows, lines, strict=False):  # the lines of the training text come last
            written[row] = line
        column = Alignments.of([Alignment(_links(line)) for line in written])
        columns.append(column.with_lengths(source=lengths[0], target=lengths[1]))
    return symmetrise(columns[0], columns[1], method)


def _links(line: str) -> tuple[tuple[int, int], ...]:
    pairs = (link.split("-") for link in line.split())
    return tuple((int(source), int(target)) for source, target in pairs)
