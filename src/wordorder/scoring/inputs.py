"""Every kind of input becomes the same thing: blocks of segments with one batch per system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordorder.formats import read_alignments
from wordorder.formats.reading import LengthStream
from wordorder.orders.alignment import Alignment, Alignments
from wordorder.orders.permutation import Permutation, Permutations
from wordorder.orders.projection import order_against_reference
from wordorder.runtime.errors import InputError, UsageError
from wordorder.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.runtime.threads import spans
from wordorder.scoring.batch import Batch, Text
from wordorder.scoring.lockstep import lockstep
from wordorder.scoring.matchers import Matching
from wordorder.scoring.parses import ParsedText

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
    named = list(systems.items())
    streams = [_permutations(source, base) for _, source in named]
    for columns in lockstep(dict(zip(_labels(named), streams, strict=True))):
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

    def read(aligned: AlignmentSource) -> Iterator[Alignments]:
        lengths = length_blocks(source, source_lengths)
        return alignment_blocks(aligned, format=format, base=base, source_lengths=lengths)

    named: list[tuple[str, AlignmentSource]] = [
        (f"reference {n}", text) for n, text in enumerate(references, start=1)
    ]
    named += systems.items()
    streams = [read(aligned) for _, aligned in named]
    seen = 0
    for columns in lockstep(dict(zip(_labels(named), streams, strict=True))):
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

    def blocks(
        self, *, source: TextSource | None = None, lines: int = LINES_PER_BLOCK
    ) -> Iterator[tuple[pa.LargeStringArray, ...]]:
        """Read the lines of the source if there is one, of all references, then of all systems, side by side.

        They are lower-cased here if at all: metrics of characters see the same text as metrics of words.
        """
        from wordorder.text import lower_lines

        texts = [] if source is None else [("source", source)]
        texts += [(f"reference {number}", text) for number, text in enumerate(self.references, start=1)]
        texts += self.systems.items()
        streams = [text_blocks(text, lines=lines) for _, text in texts]
        blocks = lockstep(dict(zip(_labels(texts), streams, strict=True)))
        return (tuple(map(lower_lines, columns)) for columns in blocks) if self.lowercase else blocks

    def pick(self, systems: Sequence[str], rows: Sequence[int]) -> tuple[list[list[str]], list[list[str]]]:
        """Read some lines again: those of the named systems and of every reference."""
        gone = UsageError("the text cannot be read a second time; give files, not a pipe")
        paths = [text for text in [*self.references, *self.systems.values()] if isinstance(text, (str, os.PathLike))]
        if not all(map(os.path.isfile, paths)):
            raise gone
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
            raise gone
        texts = [[lines[row] for row in rows] for lines in found]
        return texts[: len(systems)], texts[len(systems) :]


def text_batches(inputs: TextInputs, *, weight: str, lines: int = LINES_PER_BLOCK) -> Blocks:
    """Read hypotheses and references; the words of a block are numbered once for all systems and references."""
    from wordorder.text import tokenise

    references = inputs.references
    if not references:
        raise UsageError("a reference is needed to score matched words")
    for columns in inputs.blocks(lines=lines):
        tokens = tokenise(columns, tokenizer=inputs.tokenizer)
        match = inputs.matching.over(tokens[0].vocabulary)
        gold, gold_lines = tokens[: len(references)], columns[: len(references)]
        weights = reference_weights(gold, weight)
        yield [
            Batch(text=Text(words, gold, judged, gold_lines, match), weights=weights)
            for words, judged in zip(tokens[len(references) :], columns[len(references) :], strict=True)
        ]


def reference_weights(references: Sequence[Tokens], weight: str) -> NDArray[np.float64] | None:
    """Give the weight of each segment under each reference; None is a plain mean."""
    if weight != "ref-length":
        return None
    return np.stack([reference.lengths for reference in references], axis=1).astype(np.float64)


def text_blocks(source: TextSource, *, lines: int = LINES_PER_BLOCK) -> Iterator[pa.LargeStringArray]:
    """Read a text in blocks: a file, lines, an Arrow column, a pandas series, or the words of parses."""
    from wordorder.formats import text
    from wordorder.text import lines_of

    if isinstance(source, (str, os.PathLike)):
        return text.read_blocks(source, lines=lines)
    column = source.lines() if isinstance(source, ParsedText) else lines_of(source)
    return (column[start:stop] for start, stop in spans(len(column), lines))


def _labels(named: Sequence[tuple[str, object]]) -> list[str]:
    """Name each input for error messages: by its file, with its own name too where several share one.

    >>> _labels([("reference 1", "r.txt"), ("A", ["a line"]), ("B", "b.txt"), ("C", "b.txt")])
    ['r.txt', 'A', 'B (b.txt)', 'C (b.txt)']
    """
    given = [source.source if isinstance(source, ParsedText) else source for _, source in named]
    files = [display_name(source) if isinstance(source, (str, os.PathLike)) else "" for source in given]
    labels: list[str] = []
    for (name, _), file in zip(named, files, strict=True):
        label = name if not file else file if files.count(file) == 1 else f"{name} ({file})"
        labels.append(label if label not in labels else f"{label} ({len(labels) + 1})")
    return labels


def _permutations(source: PermutationSource, base: int | None) -> Iterator[Permutations]:
    if isinstance(source, (str, os.PathLike)):
        from wordorder.formats import permutations

        return permutations.read_blocks(source, base=1 if base is None else base)
    column = source if isinstance(source, Permutations) else Permutations.of(source)
    return (column[start:stop] for start, stop in spans(len(column), LINES_PER_BLOCK))


def alignment_blocks(
    source: AlignmentSource,
    *,
    format: str,
    base: int | None,
    source_lengths: Iterator[NDArray[np.int32]] | None = None,
    target_lengths: Iterator[NDArray[np.int32]] | None = None,
) -> Iterator[Alignments]:
    """Read alignments in blocks, with the lengths of the sentences where they are given."""
    if isinstance(source, (str, os.PathLike)):
        yield from read_alignments(
            source, format=format, base=base, source_lengths=source_lengths, target_lengths=target_lengths
        )
        return
    column = source if isinstance(source, Alignments) else Alignments.of(source)
    sides = {"source": LengthStream(source_lengths, "source"), "target": LengthStream(target_lengths, "target")}
    for start, stop in spans(len(column), LINES_PER_BLOCK):
        lengths = {side: stream.take(stop - start) for side, stream in sides.items() if stream.given}
        yield column[start:stop].with_lengths(**lengths)
    if any(len(stream.take(1)) for stream in sides.values()):
        raise InputError(f"there are {len(column)} alignments, but more sentences beside them")


def length_blocks(text: TextSource | None, lengths: LengthSource | None) -> Iterator[NDArray[np.int32]] | None:
    """Read the lengths of sentences, counted in a text file or given as they are; None where neither is given."""
    from wordorder.formats import lengths as length_files
    from wordorder.text import lines_of

    if text is not None and lengths is not None:
        raise UsageError("give a text or its lengths, not both")
    if isinstance(text, (str, os.PathLike)):
        return length_files.count_blocks(text)
    if text is not None:
        lengths = [len(line.encode().split()) for line in lines_of(text).to_pylist()]
    if lengths is None:
        return None
    if isinstance(lengths, (str, os.PathLike)):
        return length_files.read_blocks(lengths)
    try:
        known = np.asarray(lengths, dtype=np.int32)
    except (TypeError, ValueError, OverflowError):
        raise InputError("the lengths are no column of whole numbers") from None
    return (known[start:stop] for start, stop in spans(len(known), LINES_PER_BLOCK))
