"""Block-wise reading of texts, alignments, permutations and lengths that are given as files, lists or columns."""

import os
from collections.abc import Iterator, Mapping, Sequence, Sized
from itertools import zip_longest
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import Alignment, Alignments
from wordorder.core.orders.permutation import Permutation, Permutations
from wordorder.core.runtime.columns import Ints, Strings
from wordorder.core.runtime.errors import InputError, UsageError, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK, Path, display_name, without_packing
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.threads import spans
from wordorder.core.text.tokens import TextSource as TextSource
from wordorder.core.text.tokens import lines_of
from wordorder.formats import ALIGNMENT_FORMATS, read_alignments, tables
from wordorder.formats import lengths as length_files
from wordorder.formats import text as text_files
from wordorder.formats.lengths import LengthStream

PermutationSource: TypeAlias = Path | Permutations | Sequence[Permutation | str | Sequence[int]]
AlignmentSource: TypeAlias = Path | Alignments | Sequence[Alignment]
LengthSource: TypeAlias = Path | Sequence[int] | NDArray[np.integer]

Source = TypeVar("Source")
Block = TypeVar("Block", bound=Sized)


def lockstep(streams: Mapping[str, Iterator[Block]]) -> Iterator[tuple[Block, ...]]:
    """Yield the blocks of all streams in parallel; raise an error if their numbers of lines differ.

    >>> list(lockstep({"a": iter(["xy", "z"]), "b": iter(["uv", "w"])}))
    [('xy', 'uv'), ('z', 'w')]
    >>> list(lockstep({"a": iter(["xy"]), "b": iter(["u"])}))
    Traceback (most recent call last):
    wordorder.core.runtime.errors.InputError: the inputs differ in length: a has 2 lines, b has 1
    """
    seen = 0
    for blocks in zip_longest(*streams.values()):
        sizes = [0 if block is None else len(block) for block in blocks]
        if len(set(sizes)) > 1:
            pairs = zip(streams.items(), sizes, strict=True)
            counts = [f"{name} has {seen + size + sum(map(len, stream))}" for (name, stream), size in pairs]
            counts[0] += " line" if counts[0].endswith(" has 1") else " lines"
            raise InputError(f"the inputs differ in length: {', '.join(counts)}")
        seen += sizes[0]
        yield blocks


def text_blocks(source: TextSource, *, lines: int = LINES_PER_BLOCK) -> Iterator[Strings]:
    """Read a text in blocks from a file, a list of lines, an Arrow column or a pandas series."""
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source).endswith((".tsv", ".csv")):
            tables.refuse_whole(source)
        return text_files.read_blocks(source, lines=lines)
    column = lines_of(source)
    return (column[start:stop] for start, stop in spans(len(column), lines))


def read_text(source: TextSource) -> Strings:
    """Read a whole text as one column."""
    return pa.chunked_array(list(text_blocks(source)), type=pa.large_string()).combine_chunks()


def permutation_blocks(source: PermutationSource, *, base: int = 1) -> Iterator[Permutations]:
    """Read permutations in blocks from a file, a sequence or a column."""
    if isinstance(source, (str, os.PathLike)):
        from wordorder.formats import permutations

        return permutations.read_blocks(source, base=base)
    column = source if isinstance(source, Permutations) else Permutations.of(source)
    return (column[start:stop] for start, stop in spans(len(column), LINES_PER_BLOCK))


def alignment_blocks(
    source: AlignmentSource,
    *,
    format: str = "pharaoh",
    base: int | None = None,
    source_lengths: Iterator[Ints] | None = None,
    target_lengths: Iterator[Ints] | None = None,
) -> Iterator[Alignments]:
    """Read alignments in blocks, and add the sentence lengths if they are given."""
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
        raise InputError(f"found more sentence lengths than alignments ({len(column)})")


def length_blocks(text: TextSource | None, lengths: LengthSource | None) -> Iterator[Ints] | None:
    """Read sentence lengths in blocks, from a text or from given lengths; return None if neither is given."""
    refuse(text is not None and lengths is not None, "give either a text or sentence lengths, not both")
    if isinstance(text, (str, os.PathLike)) and text_files.is_plain(text):
        return length_files.count_blocks(text)
    if text is not None:
        blocks = ([len(line.encode().split()) for line in block.to_pylist()] for block in text_blocks(text))
        return (np.array(counts, dtype=np.int32) for counts in blocks)
    if lengths is None:
        return None
    if isinstance(lengths, (str, os.PathLike)):
        return length_files.read_blocks(lengths)
    try:
        known = np.asarray(lengths, dtype=np.int32)
    except (TypeError, ValueError, OverflowError):
        raise InputError("the sentence lengths must be a list of whole numbers") from None
    return (known[start:stop] for start, stop in spans(len(known), LINES_PER_BLOCK))


def systems_by_name(sources: Mapping[str, Source] | Source, *, only: str | None = None) -> dict[str, Source]:
    """Return a mapping from names to systems, given a mapping, a data frame, an Arrow table, or a single system.

    ``only`` is the name of a single system. If it is None, a file is named after its file name, and other input is
    called ``system``.
    """
    frame = _columns(sources)
    sources = frame if frame is not None else sources
    if isinstance(sources, Mapping):
        refuse(not sources, "no system to score")
        return dict(sources)
    if only is None:
        only = system_name(sources) if isinstance(sources, (str, os.PathLike)) else "system"
    return {only: sources}


def _columns(sources: Any) -> dict[str, Any] | None:
    """Return the columns of a data frame (pandas, polars) or an Arrow table by name, or None for other values."""
    if isinstance(sources, (str, os.PathLike, Mapping, Sequence)) or not hasattr(sources, "columns"):
        return None
    names = getattr(sources, "column_names", None) or list(sources.columns)
    return {str(name): sources[name] for name in names}


class References(tuple[Any, ...]):
    """A tuple of references, each of which is a file, a column or a list of sentences."""


def as_references(references: Any, *, of: type | tuple[type, ...], what: str = "references") -> References:
    """Return a tuple of references; a file, a column or a list of sentences (of type ``of``) is one reference.

    >>> as_references(["a b", "c"], of=str), len(as_references([["a b"], ["c d"]], of=str))
    ((['a b', 'c'],), 2)
    """
    frame = _columns(references) if references is not None else None
    if frame is not None or isinstance(references, Mapping):
        return References((frame or references).values())
    if references is None or (isinstance(references, (list, tuple)) and not references):
        return References()
    if isinstance(references, References):
        return references
    if not isinstance(references, (list, tuple)) or not isinstance(references[0], of):
        return References(references if isinstance(references, (list, tuple)) else [references])
    if isinstance(references[0], str) and all(isinstance(line, str) and os.path.isfile(line) for line in references):
        files = ", ".join(f"Path({line!r})" for line in references)
        raise UsageError(f"a list of strings is read as text, but these are files; for several {what}, use [{files}]")
    return References([references])


def system_name(path: Path) -> str:
    """Return a name for a system: its file name without ``.gz`` and ``.txt``, or its column name in a table.

    If the column has only a number, the name includes the table: ``systems.tsv:3``.

    >>> system_name("runs/online-A.txt.gz")
    'online-A'
    >>> system_name("moses:output")
    'output'
    """
    table = None if os.path.exists(path) else tables.split_column(path)
    if table is not None:
        file, column = table
        return f"{os.path.basename(file)}:{column}" if column.isdecimal() else column
    name = os.path.basename(os.fspath(path))
    prefix, _, rest = name.partition(":")
    name = rest if rest and prefix in ALIGNMENT_FORMATS else name
    return without_packing(name).removesuffix(".txt") or os.fspath(path)


def labels(sources: Sequence[tuple[str, object]]) -> list[str]:
    """Return a label for each input, which error messages can use.

    The label is the file of the input, or the name and the file if several inputs share a file. Inputs that are not
    files are labelled with their name.

    >>> labels([("reference 1", "r.txt"), ("A", ["a line"]), ("B", "b.txt"), ("C", "b.txt")])
    ['r.txt', 'A', 'B (b.txt)', 'C (b.txt)']
    """
    files = [display_name(source) if isinstance(source, (str, os.PathLike)) else "" for _, source in sources]
    found: list[str] = []
    for (name, _), file in zip(sources, files, strict=True):
        label = name if not file else file if files.count(file) == 1 else f"{name} ({file})"
        found.append(label if label not in found else f"{label} ({len(found) + 1})")
    return found
