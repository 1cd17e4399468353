"""Every kind of input becomes the same thing: blocks of segments with one batch per system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordorder.formats import read_alignments
from wordorder.orders.alignment import Alignment, Alignments
from wordorder.orders.permutation import Permutation, Permutations
from wordorder.orders.projection import order_against_reference
from wordorder.runtime.errors import InputError, UsageError
from wordorder.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.runtime.threads import spans
from wordorder.scoring.batch import Batch, Text
from wordorder.scoring.lockstep import lockstep
from wordorder.scoring.matchers import Matching

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.text import Tokens


Path: TypeAlias = str | os.PathLike[str]
PermutationSource: TypeAlias = Path | Permutations | Sequence[Permutation | str | Sequence[int]]
AlignmentSource: TypeAlias = Path | Alignments | Sequence[Alignment]
TextSource: TypeAlias = Path | Sequence[str] | Any
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
    source: TextSource | None = None,
    source_lengths: LengthSource | None = None,
) -> Blocks:
    """Read source→hypothesis and source→reference alignments and compare the two orders of the source words."""
    if not references:
        raise UsageError("a reference alignment is needed to judge the order of a hypothesis")

    def lengths() -> Iterator[NDArray[np.int32]] | None:
        return read_lengths(source=source, source_lengths=source_lengths)

    def read(aligned: AlignmentSource) -> Iterator[Alignments]:
        return read_links(aligned, format=format, base=base, lengths=lengths())

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


@dataclass(frozen=True, eq=False)
class TextInputs:
    """Hypotheses and references, and how their words are cut and matched."""

    systems: Mapping[str, TextSource]
    references: Sequence[TextSource]
    tokenizer: str
    lowercase: bool
    matching: Matching

    def blocks(self, *, source: TextSource | None = None) -> Iterator[tuple[pa.LargeStringArray, ...]]:
        """Read the lines of the source if there is one, of all references, then of all systems, side by side."""
        texts = [] if source is None else [("source", source)]
        texts += [(f"reference {number}", text) for number, text in enumerate(self.references, start=1)]
        streams: dict[str, Iterator[pa.LargeStringArray]] = {}
        for name, text in [*texts, *self.systems.items()]:
            label = _label(text, name)
            streams[label if label not in streams else f"{name} ({label})"] = read_lines(text)
        return lockstep(streams)

    def pick(self, systems: Sequence[str], rows: Sequence[int]) -> tuple[list[list[str]], list[list[str]]]:
        """Read some lines again: those of the named systems and of every reference."""
        gold = len(self.references)
        places = [gold + list(self.systems).index(system) for system in systems] + list(range(gold))
        found: list[dict[int, str]] = [{} for _ in places]
        start = 0
        for columns in self.blocks():
            stop = start + len(columns[0])
            for row in rows:
                if start <= row < stop:
                    for lines, place in zip(found, places, strict=True):
                        lines[row] = columns[place][row - start].as_py()
            start = stop
        if any(len(lines) < len(set(rows)) for lines in found):
            raise UsageError("the text cannot be read a second time; give files, not a pipe")
        texts = [[lines[row] for row in rows] for lines in found]
        return texts[: len(systems)], texts[len(systems) :]


def text_batches(inputs: TextInputs, *, weight: str) -> Blocks:
    """Read hypotheses and references; the words of a block are numbered once for all systems and references."""
    from wordorder.text import tokenise

    references = inputs.references
    if not references:
        raise UsageError("a reference is needed to score matched words")
    for columns in inputs.blocks():
        tokens = tokenise(columns, tokenizer=inputs.tokenizer, lowercase=inputs.lowercase)
        match = inputs.matching.over(tokens[0].vocabulary)
        gold, gold_lines = tokens[: len(references)], columns[: len(references)]
        weights = reference_weights(gold, weight)
        yield [
            Batch(text=Text(words, gold, lines, gold_lines, match), weights=weights)
            for words, lines in zip(tokens[len(references) :], columns[len(references) :], strict=True)
        ]


def reference_weights(references: Sequence[Tokens], weight: str) -> NDArray[np.float64] | None:
    """Give the weight of each segment under each reference; None is a plain mean."""
    if weight != "ref-length":
        return None
    return np.stack([reference.lengths for reference in references], axis=1).astype(np.float64)


def read_lines(source: TextSource) -> Iterator[pa.LargeStringArray]:
    """Read a text in blocks: a file, lines, an Arrow column or a pandas series."""
    from wordorder.formats import text
    from wordorder.text import lines_of

    if isinstance(source, (str, os.PathLike)):
        return text.read_blocks(source)
    column = lines_of(source)
    return (column[start:stop] for start, stop in spans(len(column), LINES_PER_BLOCK))


def _label(source: object, name: str) -> str:
    return display_name(source) if isinstance(source, (str, os.PathLike)) else name


def _permutations(source: PermutationSource, base: int | None) -> Iterator[Permutations]:
    if isinstance(source, (str, os.PathLike)):
        from wordorder.formats import permutations

        return permutations.read_blocks(source, base=1 if base is None else base)
    column = source if isinstance(source, Permutations) else Permutations.of(source)
    return (column[start:stop] for start, stop in spans(len(column), LINES_PER_BLOCK))


def read_links(
    source: AlignmentSource, *, format: str, base: int | None, lengths: Iterator[NDArray[np.int32]] | None = None
) -> Iterator[Alignments]:
    """Read alignments in blocks: a file or a column."""
    if isinstance(source, (str, os.PathLike)):
        yield from read_alignments(source, format=format, base=base, source_lengths=lengths)
        return
    column = source if isinstance(source, Alignments) else Alignments.of(source)
    for start, stop in spans(len(column), LINES_PER_BLOCK):
        block = column[start:stop]
        yield block if lengths is None else block.with_lengths(source=next(lengths))


def read_lengths(
    *, source: TextSource | None = None, source_lengths: LengthSource | None = None
) -> Iterator[NDArray[np.int32]] | None:
    """Read the lengths of source sentences, from their text or given, in blocks; None if neither is there."""
    from wordorder.formats import lengths as length_files

    if source is not None and source_lengths is not None:
        raise UsageError("give the source text or its lengths, not both")
    if isinstance(source, (str, os.PathLike)):
        return length_files.count_blocks(source)
    if source is not None:  # cut at ASCII blanks, as in a file
        return (
            np.array([len(line.encode().split()) for line in block.to_pylist()], dtype=np.int32)
            for block in read_lines(source)
        )
    if source_lengths is None:
        return None
    if isinstance(source_lengths, (str, os.PathLike)):
        return length_files.read_blocks(source_lengths)
    known = np.asarray(source_lengths, dtype=np.int32)
    return (known[start:stop] for start, stop in spans(len(known), LINES_PER_BLOCK))
