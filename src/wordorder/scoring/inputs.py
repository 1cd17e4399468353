"""Every kind of input becomes the same thing: blocks of segments with one batch per system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordorder.formats import read_alignments
from wordorder.orders.alignment import Alignment, Alignments
from wordorder.orders.permutation import Permutation, Permutations
from wordorder.orders.projection import order_against_reference
from wordorder.runtime.errors import InputError, UsageError
from wordorder.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.runtime.threads import spans
from wordorder.scoring.batch import Batch
from wordorder.scoring.lockstep import lockstep

Path: TypeAlias = str | os.PathLike[str]
PermutationSource: TypeAlias = Path | Permutations | Sequence[Permutation | str | Sequence[int]]
AlignmentSource: TypeAlias = Path | Alignments | Sequence[Alignment]
LengthSource: TypeAlias = Path | Sequence[int] | NDArray[np.integer]
Blocks: TypeAlias = Iterator[Sequence[Batch]]


def permutation_batches(systems: Mapping[str, PermutationSource], *, base: int | None) -> Blocks:
    """Read one word order per segment and system."""
    streams = {_label(source, name): _permutations(source, base) for name, source in systems.items()}
    for columns in lockstep(streams):
        yield [Batch([column]) for column in columns]


def alignment_batches(
    systems: Mapping[str, AlignmentSource],
    references: Sequence[AlignmentSource],
    *,
    policy: str,
    format: str,
    base: int | None,
    source: Path | None = None,
    source_lengths: LengthSource | None = None,
) -> Blocks:
    """Read source→hypothesis and source→reference alignments and compare the two orders of the source words."""
    if not references:
        raise UsageError("a reference alignment is needed to judge the order of a hypothesis")
    if source is not None and source_lengths is not None:
        raise UsageError("give the source text or its lengths, not both")

    def lengths() -> Iterator[NDArray[np.int32]] | None:
        return _lengths(source, source_lengths)

    def read(aligned: AlignmentSource) -> Iterator[Alignments]:
        return _alignments(aligned, format=format, base=base, lengths=lengths())

    streams: dict[str, Iterator[Alignments]] = {}
    for number, reference in enumerate(references, start=1):
        streams[_label(reference, f"reference {number}")] = read(reference)
    for name, system in systems.items():
        streams[f"{name} ({_label(system, 'system')})"] = read(system)
    seen = 0
    for columns in lockstep(streams):
        judged, gold = columns[len(references) :], columns[: len(references)]
        try:
            yield [
                Batch([order_against_reference(column, reference, policy=policy) for reference in gold])
                for column in judged
            ]
        except InputError as error:
            line = None if error.line is None else seen + error.line
            raise InputError(error.message, path=error.path, line=line) from None
        seen += len(columns[0])


def _label(source: object, name: str) -> str:
    return display_name(source) if isinstance(source, (str, os.PathLike)) else name


def _permutations(source: PermutationSource, base: int | None) -> Iterator[Permutations]:
    if isinstance(source, (str, os.PathLike)):
        from wordorder.formats import permutations

        return permutations.read_blocks(source, base=1 if base is None else base)
    column = source if isinstance(source, Permutations) else Permutations.of(source)
    return (column[start:stop] for start, stop in spans(len(column), LINES_PER_BLOCK))


def _alignments(
    source: AlignmentSource, *, format: str, base: int | None, lengths: Iterator[NDArray[np.int32]] | None
) -> Iterator[Alignments]:
    if isinstance(source, (str, os.PathLike)):
        yield from read_alignments(source, format=format, base=base, source_lengths=lengths)
        return
    column = source if isinstance(source, Alignments) else Alignments.of(source)
    for start, stop in spans(len(column), LINES_PER_BLOCK):
        block = column[start:stop]
        yield block if lengths is None else block.with_lengths(source=next(lengths))


def _lengths(source: Path | None, lengths: LengthSource | None) -> Iterator[NDArray[np.int32]] | None:
    from wordorder.formats import lengths as length_files

    if source is not None:
        return length_files.count_blocks(source)
    if lengths is None:
        return None
    if isinstance(lengths, (str, os.PathLike)):
        return length_files.read_blocks(lengths)
    known = np.asarray(lengths, dtype=np.int32)
    return (known[start:stop] for start, stop in spans(len(known), LINES_PER_BLOCK))
