"""Word alignment with eflomal (Östling & Tiedemann 2016), if it is installed.

The random seed of eflomal cannot be set, so results vary slightly between runs. Eflomal does not produce a model that
can be saved, so each run aligns the given text and the training text together.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.drafts import draft_folder
from wordorder.core.runtime.errors import UsageError, WordorderError
from wordorder.core.runtime.libraries import optional
from wordorder.core.text import Tokens
from wordorder.linking.aligning.aligner import Aligner, TrainingText
from wordorder.linking.aligning.symmetrisation import POSTERIOR_METHODS, symmetrise

Lines = list[tuple[str, str]]


@dataclass(frozen=True)
class EflomalAligner(Aligner):
    """An aligner that runs eflomal on the text to be aligned and the training text together."""

    training: Lines
    training_text: TrainingText
    model: str = "eflomal"

    @classmethod
    def train(cls, source: Tokens, target: Tokens) -> "EflomalAligner":
        """Store the training text, or raise an error with installation instructions if eflomal is missing."""
        optional("eflomal", "eflomal")
        return cls([pair for pair in _lines(source, target) if all(pair)], TrainingText.of([(source, target)]))

    def align_parts(self, source: Tokens, target: Tokens, **how: Any) -> Iterator[Alignments]:
        """Align all sentence pairs in a single part, because every run of eflomal trains a new model."""
        yield self.align(source, target, **how)

    def _align(self, source: Tokens, target: Tokens, method: str, threshold: float, threads: int) -> Alignments:
        """Align sentence pairs; ``threshold`` and ``threads`` have no effect."""
        if method in POSTERIOR_METHODS:
            raise UsageError(f"{method} needs posteriors, which eflomal does not provide; use another symmetrisation")
        lines = _lines(source, target)
        rows = [row for row, pair in enumerate(lines) if all(pair)]
        text = [lines[row] for row in rows]
        lengths = [words.lengths.astype(np.int32) for words in (source, target)]
        columns = []
        for links in _run_eflomal(text + _beyond(self.training, text)):
            written = dict(zip(rows, links, strict=False))  # the training text comes last and is ignored
            column = Alignments.of(Alignment.parse(written.get(row, "")) for row in range(len(source)))
            columns.append(column.with_lengths(source=lengths[0], target=lengths[1]))
        return symmetrise(columns[0], columns[1], method)


def _beyond(training: Lines, text: Lines) -> Lines:
    """Return the training text without the text to be aligned, which is usually part of it.

    >>> _beyond([("a", "b"), ("c", "d"), ("a", "b")], [("a", "b")])
    [('c', 'd'), ('a', 'b')]
    """
    left = Counter(text)
    rest = []
    for pair in training:
        if left[pair] > 0:
            left[pair] -= 1
        else:
            rest.append(pair)
    return rest


def _lines(source: Tokens, target: Tokens) -> Lines:
    return [(" ".join(one), " ".join(two)) for one, two in zip(source, target, strict=True)]


def _run_eflomal(lines: Lines) -> tuple[list[str], list[str]]:
    """Return the forward links and the backward links, each as one string per sentence pair."""
    eflomal = optional("eflomal", "eflomal")
    if not lines:
        return [], []
    with draft_folder() as folder:
        paths = [os.path.join(folder, name) for name in ("forward", "backward")]
        try:
            eflomal.Aligner().align(
                [one + "\n" for one, _ in lines],
                [two + "\n" for _, two in lines],
                links_filename_fwd=paths[0],
                links_filename_rev=paths[1],
                quiet=True,
            )
            forward, backward = (Path(path).read_text("utf-8").split("\n") for path in paths)
        except (OSError, ValueError, RuntimeError) as error:
            raise WordorderError(f"eflomal failed: {error}") from None
    return forward, backward
