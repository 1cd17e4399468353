"""Read tables of marked errors for commands; the translations are in the tables or in separate files."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.apps.metaeval.options import match_systems, refuse_several_pairs, settings_per_set, split_sets
from wordorder.cli.arguments import named_files
from wordorder.cli.inputs import inputs_from, read_names, text_files
from wordorder.core.runtime.errors import InputError, UsageError, count_of, located, refuse, reject

if TYPE_CHECKING:
    from wordorder.core.runtime.columns import Int64s
    from wordorder.formats.annotations import Annotations
    from wordorder.scoring.inputs import Inputs

_HUMAN = re.compile(r"(ref|reference|human)[-_.]?[a-z]?(\.\d+)?", re.IGNORECASE)
"""Names of human translations among the systems of a table: ``refA``, ``ref-A``, ``Human-A.0``."""


@dataclass(frozen=True)
class InputsWithAnnotations:
    """A test set that is not scored yet: its name, its inputs, and the errors that people marked.

    ``table`` is the file or folder with the errors. ``references`` are systems in it that served as references.
    """

    name: str
    inputs: Inputs
    annotations: Annotations
    table: str
    references: list[str]


@dataclass(frozen=True)
class _MarkedFiles:
    """The annotations of one set, and the text files given for this set on the command line."""

    name: str
    table: str
    annotations: Annotations
    references: list[str]
    hypotheses: list[str]


def read_marked(options: argparse.Namespace, *, whole: bool = False) -> list[InputsWithAnnotations]:
    """Read the error tables and build the inputs of all sets.

    If the translations are in the tables, ``whole`` keeps only the segments that all systems translated.
    """
    sets = _marked_files(options)
    found = []
    for one, changed in zip(sets, settings_per_set(options, len(sets)), strict=True):
        own = [] if one.hypotheses else _own_references(one)
        if one.hypotheses:
            inputs, annotations = _with_files(one, options, changed)
        else:
            inputs, annotations = _with_texts_inside(one, options, changed, whole, own)
        if options.docs:
            annotations = replace(annotations, documents=tuple(read_names(options.docs)))
        found.append(InputsWithAnnotations(one.name, inputs, annotations, one.table, own))
    return found


def _marked_files(options: argparse.Namespace) -> list[_MarkedFiles]:
    """Read the error tables of all sets."""
    from wordorder.formats import error_tables

    if options.set:
        if options.judgements or options.ref or options.hyp:
            raise UsageError("give either one or more --set, or --judgements (optionally with --ref and --hyp)")
        sets = split_sets(options, 2, "xx-yy TABLE [REF [HYP …]]")
    elif options.judgements:
        sets = [(options.pair, options.judgements, options.ref or [], options.hyp or [])]
    else:
        raise UsageError("give --judgements with a table of errors (or a folder), or --set xx-yy TABLE [REF [HYP …]]")
    found = []
    for pair, tables, references, hypotheses in sets:
        files = named_files(tables, what="tables")
        read = error_tables.read(files, pair=pair, base=options.segment_base)
        if references or hypotheses:
            refuse_several_pairs(read, tables[0])
        found += [_MarkedFiles(one.pair or pair or "all", tables[0], one, references, hypotheses) for one in read]
    return found


def _with_files(one: _MarkedFiles, options: argparse.Namespace, changed: dict[str, Any]) -> tuple[Inputs, Annotations]:
    """Build the inputs from text files, and match the segments of the table with the lines of these files."""
    references = one.references
    refuse(not references, f"{one.table}: --hyp needs --ref; give both, or neither to use the texts in the table")
    count = len(_lines(next(iter(text_files(one.hypotheses, references)[0].values()))))
    places = _places(one, changed.get("source"))
    with located(one.table):
        annotations = one.annotations.at_lines(places, count)
    source = changed.get("source")
    if source is None and one.annotations.sources is not None:  # lines that the table does not have are not needed
        known = dict(zip(places.tolist(), one.annotations.sources, strict=True))
        source = [known.get(line, "") for line in range(count)]
    inputs = inputs_from(options, hyp=one.hypotheses, ref=references, **{**changed, "source": source})
    return inputs, match_systems(annotations, inputs, options, one.table)


def _own_references(one: _MarkedFiles) -> list[str]:
    """Return the systems of a table that serve as references: those that --ref names or, without it, the first one.

    Without --ref, they are not needed if the table has a column with references.
    """
    human = sorted((name for name in one.annotations.systems if _HUMAN.fullmatch(name)), key=str.lower)
    if one.references:
        return [name for name in one.references if name in one.annotations.systems and not os.path.exists(name)]
    return human[:1] if one.annotations.references is None and one.annotations.hypotheses else []


def _with_texts_inside(
    one: _MarkedFiles, options: argparse.Namespace, changed: dict[str, Any], whole: bool, own: list[str]
) -> tuple[Inputs, Annotations]:
    """Build the inputs from the texts in the table; references can be systems of the table (``own``), or in files."""
    table = one.annotations
    refuse(not table.hypotheses, f"{one.table}: the table contains no translations; give --hyp and --ref")
    texts = {name: lines for name, lines in table.hypotheses.items() if name not in own}
    refuse(not texts, f"{one.table}: every system of the table is a reference; expected other systems, too")
    references: list[Any]
    if one.references:
        source = changed.get("source")
        references = [
            table.hypotheses[file] if file in own else _reference(one, file, source) for file in one.references
        ]
    elif table.references is not None:
        references = [table.references]
    elif own:
        references = [table.hypotheses[name] for name in own]
    else:
        known = ", ".join(table.systems[:12])
        raise UsageError(f"{one.table}: the table contains no references; give --ref: a file, or a system ({known})")
    needed = [*references, *(texts.values() if whole else ())]
    kept = [place for place in range(len(table.lines)) if all(lines[place] is not None for lines in needed)]
    reject(not kept, "no segment of the table has translations by all systems", path=one.table)
    systems = {name: [lines[place] or "" for place in kept] for name, lines in texts.items()}
    references = [[lines[place] for place in kept] for lines in references]
    source = None if table.sources is None else [table.sources[place] for place in kept]
    lines = table.lines[kept] if table.numbered else np.array(kept)
    inputs = inputs_from(options, texts=(systems, references), lines=lines, **{**changed, "source": source})
    return inputs, _keep_segments(table.among(list(systems), unplaced="drop") if own else table, kept)


def _keep_segments(table: Annotations, kept: list[int]) -> Annotations:
    """Return the annotations of the ``kept`` segments, renumbered, and record the number of other segments."""
    if len(kept) == len(table.lines):
        return table
    place = np.full(len(table.lines), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    left_out = {**table.left_out, "segments that not all systems have": len(table.lines) - len(kept)}
    documents = None if table.documents is None else tuple(table.documents[one] for one in kept)
    some = table.select(place[table.segment] >= 0)
    return replace(some, segment=place[some.segment], lines=table.lines[kept], documents=documents, left_out=left_out)


def _lines(text: Any) -> list[str]:
    from wordorder.scoring.inputs.texts import reread

    found: list[str] = reread(text).to_pylist()
    return found


def _reference(one: _MarkedFiles, file: str, source: str | None) -> list[str]:
    """Return a reference for each segment of the table, looked up by segment number, source text or position."""
    from wordorder.formats.text import file_behind

    known = ", ".join(one.annotations.systems[:12])
    refuse(not os.path.exists(file_behind(file)), f"{file}: neither a file nor a system of {one.table} ({known})")
    (text,) = text_files([], [file])[1]
    lines = _lines(text)
    if not one.annotations.numbered and source is None and len(lines) == len(one.annotations.lines):
        return lines
    places = _places(one, source)
    message = f"found {count_of(len(lines), 'line')}, but the table needs line {places.max() + 1}"
    reject(places.max() >= len(lines), message, path=file)
    return [lines[place] for place in places]


def _places(one: _MarkedFiles, source: str | None) -> Int64s:
    """Return the line index of each segment: its number in the table or, without one, the line of its source text."""
    table = one.annotations
    if table.numbered:
        return table.lines
    if source is None or table.sources is None:
        raise UsageError(
            f"{one.table}: the table has no segment numbers; give --source to find segments by their source text, "
            f"or leave out --hyp and give a --ref with one line for each segment ({len(table.lines)})"
        )
    where: dict[str, int] = {}
    for place, line in enumerate(_lines(Path(source))):
        where.setdefault(" ".join(line.split()), place)
    lost = [text for text in table.sources if text not in where]
    if lost:
        count = count_of(len(lost), "source sentence")
        message = f"{count} of the table cannot be found in {source}; the first is {lost[0]!r}"
        raise InputError(message, path=one.table)
    return np.array([where[text] for text in table.sources], dtype=np.int64)
