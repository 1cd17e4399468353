"""Read tables of errors named on the command line, with texts from the tables or from files."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.apps.metaeval.options import one_per_set, placed
from wordorder.cli.arguments import named_files
from wordorder.cli.inputs import inputs_from, read_names, text_files
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.plain import count_of

if TYPE_CHECKING:
    from wordorder.core.runtime.columns import Int64s
    from wordorder.formats.annotations import Annotations
    from wordorder.scoring.inputs import Inputs


@dataclass(frozen=True)
class InputsWithAnnotations:
    """A test set before scoring: its name, inputs and annotated errors."""

    name: str
    inputs: Inputs
    annotations: Annotations


@dataclass(frozen=True)
class _RequestedSet:
    """A test set as requested: its annotations, and the files named for it."""

    name: str
    table: str
    annotations: Annotations
    references: list[str]
    hypotheses: list[str]


def read_marked(options: argparse.Namespace, *, whole: bool = False) -> list[InputsWithAnnotations]:
    """Read tables of errors, and make the inputs of all sets; ``whole`` keeps only segments that all systems have."""
    asked = _asked(options)
    through = one_per_set(options, len(asked))
    if len(asked) > 1 and (options.hyp_align or options.ref_align or options.docs):
        raise UsageError("--docs, --hyp-align and --ref-align are for one set; there are several")
    found = []
    for one, files in zip(asked, through, strict=True):
        make = _with_files if one.hypotheses else _with_texts_inside
        inputs, said = make(one, options, files, whole)
        if options.docs:
            said = replace(said, documents=tuple(read_names(options.docs)))
        found.append(InputsWithAnnotations(one.name, inputs, said))
    return found


def _asked(options: argparse.Namespace) -> list[_RequestedSet]:
    from wordorder.formats import error_tables

    if options.set:
        if options.judgements or options.ref or options.hyp:
            raise UsageError("give either --set (once or more) or --judgements, with or without --ref and --hyp")
        for parts in options.set:
            if len(parts) < 2:
                raise UsageError(f"--set {' '.join(parts)}: expected xx-yy TABLE [REF [HYP …]]")
        named = [(parts[0], [parts[1]], parts[2:3], parts[3:]) for parts in options.set]
    elif options.judgements:
        named = [(options.pair, options.judgements, options.ref or [], options.hyp or [])]
    else:
        raise UsageError("give --judgements, a table of errors (or a folder); or --set xx-yy TABLE [REF [HYP …]]")
    found = []
    for pair, tables, references, hypotheses in named:
        files = named_files(tables, what="tables")
        sets = error_tables.read(files, pair=pair, base=options.segment_base)
        if len(sets) > 1 and (references or hypotheses):
            pairs = ", ".join(one.pair for one in sets)
            raise UsageError(f"{tables[0]} has several language pairs ({pairs}); choose one with --pair")
        found += [_RequestedSet(one.pair or pair or "all", tables[0], one, references, hypotheses) for one in sets]
    return found


def _with_files(
    one: _RequestedSet, options: argparse.Namespace, files: dict[str, Any], whole: bool
) -> tuple[Inputs, Annotations]:
    """Take the texts from files; the segments of the table are numbers of lines in these files."""
    references = one.references
    if not references:
        raise UsageError(f"{one.table}: --hyp needs --ref; without both, the texts in the table are used")
    inputs = inputs_from(options, hyp=one.hypotheses, ref=references, **files)
    count = len(_lines(next(iter(text_files(one.hypotheses, references)[0].values()))))
    said = one.annotations.at_lines(_places(one, files.get("source")), count)
    return inputs, placed(said, inputs, options, one.table)


def _with_texts_inside(
    one: _RequestedSet, options: argparse.Namespace, files: dict[str, Any], whole: bool
) -> tuple[Inputs, Annotations]:
    """Take the texts from the table, and references optionally from files."""
    said = one.annotations
    if not said.hypotheses:
        raise UsageError(f"{one.table}: the table holds no translations; give --hyp and --ref")
    references: list[Any]
    if one.references:
        references = [_reference(one, file, files.get("source")) for file in one.references]
    elif said.references is not None:
        references = [said.references]
    else:
        raise UsageError(f"{one.table}: the table holds no references; give --ref")
    kept = list(range(len(said.lines)))
    if whole:
        kept = [place for place in kept if all(texts[place] is not None for texts in said.hypotheses.values())]
        if not kept:
            raise UsageError(f"{one.table}: no segment was translated by all systems of the table")
    systems = {name: [lines[place] for place in kept] for name, lines in said.translations().items()}
    references = [[lines[place] for place in kept] for lines in references]
    source = None if said.sources is None else [said.sources[place] for place in kept]
    lines = said.lines[kept] if said.numbered else np.array(kept)
    inputs = inputs_from(options, texts=(systems, references), lines=lines, **{**files, "source": source})
    return inputs, _renumbered(said, kept)


def _renumbered(said: Annotations, kept: list[int]) -> Annotations:
    """Keep and renumber the annotations of some segments, and count the others."""
    if len(kept) == len(said.lines):
        return said
    place = np.full(len(said.lines), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    rows = place[said.segment] >= 0
    left_out = {**said.left_out, "segments that not all systems have": len(said.lines) - len(kept)}
    documents = None if said.documents is None else tuple(said.documents[one] for one in kept)
    some = said.select(rows)
    return replace(some, segment=place[some.segment], lines=said.lines[kept], documents=documents, left_out=left_out)


def _lines(text: Any) -> list[str]:
    from wordorder.scoring.inputs.texts import read_again

    found: list[str] = read_again(text).to_pylist()
    return found


def _reference(one: _RequestedSet, file: str, source: str | None) -> list[str]:
    """Return the reference of each segment: by its number, by its source text, or in the order of the table."""
    (text,) = text_files([], [file])[1]
    lines = _lines(text)
    if not one.annotations.numbered and source is None and len(lines) == len(one.annotations.lines):
        return lines
    places = _places(one, source)
    if places.max() >= len(lines):
        raise UsageError(f"{file} has {count_of(len(lines), 'line')}, but the table has a segment {places.max() + 1}")
    return [lines[place] for place in places]


def _places(one: _RequestedSet, source: str | None) -> Int64s:
    """Return the line of each segment of a table: its number, or the line with its source text in a file."""
    said = one.annotations
    if said.numbered:
        return said.lines
    if source is None or said.sources is None:
        raise UsageError(
            f"{one.table}: the table does not number its {count_of(len(said.lines), 'segment')}; "
            "give --source to look them up in, or a --ref with as many lines and no --hyp"
        )
    where: dict[str, int] = {}
    for place, line in enumerate(_lines(Path(source))):
        where.setdefault(" ".join(line.split()), place)
    lost = [text for text in said.sources if text not in where]
    if lost:
        raise UsageError(
            f"{one.table}: {count_of(len(lost), 'source sentence')} of the table cannot be found in {source}; "
            f"the first: {lost[0]!r}"
        )
    return np.array([where[text] for text in said.sources], dtype=np.int64)
