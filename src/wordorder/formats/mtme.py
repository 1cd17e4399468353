"""Folders of mt-metrics-eval (version 2): texts, documents and human scores of one test set and language pair.

The files are ``sources/PAIR.txt``, ``references/PAIR.NAME.txt``, ``system-outputs/PAIR/NAME.txt``,
``documents/PAIR.docs`` (lines "DOMAIN DOCUMENT") and ``human-scores/PAIR.NAME.seg.score`` (lines "SYSTEM SCORE", with
all segments of a system in one block; ``None`` is a missing score). References that are scored like systems are also
in ``system-outputs``.

Most test sets have one standard reference, ``refA`` or ``ref``; the exceptions are those of mt-metrics-eval's own
metadata. Translations by a machine (``synthetic_ref``) are never the standard reference.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordorder.core.runtime.errors import (
    InputError,
    UsageError,
    choices,
    count_of,
    excerpt,
    located,
    mention,
    refuse,
    reject,
)
from wordorder.core.runtime.files import Path, atomic_write, display_name
from wordorder.core.runtime.own_inputs import note_folder
from wordorder.formats import text
from wordorder.formats.delimited import finite_number
from wordorder.formats.judgements import Ratings

ALL = "all"
"""The name that stands for all references (but ``synthetic_ref``), which no reference may have."""

_STANDARD = ("refA", "refa", "ref")
_EXCEPTIONS = {
    **dict.fromkeys(("wmt21.news zh-en", "wmt21.tedtalks zh-en", "wmt22 cs-en", "wmt22 en-cs"), "refB"),
    **dict.fromkeys(("wmt23 en-he", "wmt23 he-en"), "refB"),
    "wmt21.news en-de": "refC",
}
_SYNTHETIC = "synthetic_ref"


@dataclass(frozen=True, eq=False)
class EvalSet:
    """A test set: files of systems and references by name, the document of each segment, and the ratings.

    ``references`` has only the references that were selected; ``source`` is None if the file is missing.
    """

    pair: str
    systems: dict[str, str]
    references: dict[str, str]
    source: str | None
    documents: tuple[str, ...] | None
    ratings: Ratings


def choose_references(names: Collection[str], *, test_set: str, pair: str) -> list[str]:
    """Return the name of the standard reference, as a list; it is empty if there is none among ``names``.

    >>> choose_references(["refA", "refB"], test_set="wmt22", pair="en-de")
    ['refA']
    >>> choose_references(["refA", "refB", "synthetic_ref"], test_set="wmt23", pair="he-en")
    ['refB']
    """
    human = sorted(set(names) - {_SYNTHETIC})
    preferred = (_EXCEPTIONS.get(f"{test_set} {pair}"), *_STANDARD, *human)
    return [name for name in preferred if name in human][:1]


def read(folder: Path, *, pair: str, human: str | None = None, references: Sequence[str] = ()) -> EvalSet:
    """Read one language pair; ``human`` selects the kind of human score (``mqm``, ``wmt-z``) if there are several.

    ``references`` are the names of the references to use, or ``all``; without any, the standard reference is used.
    """
    root = os.fspath(folder)
    outputs = os.path.join(root, "system-outputs", pair)
    refuse(not os.path.isdir(outputs), f"{root}: no folder system-outputs/{pair}; expected an mt-metrics-eval folder")
    note_folder(root)
    known = _files_by_name(os.path.join(root, "references"), prefix=f"{pair}.", suffix=".txt")
    refuse(not known, f"{root}: no file references/{pair}.NAME.txt found")
    test_set = os.path.basename(os.path.abspath(root))
    chosen = list(references) or choose_references(known, test_set=test_set, pair=pair)
    chosen = [name for name in known if name != _SYNTHETIC] if chosen == [ALL] else chosen
    for name in chosen:
        if name not in known:
            raise choices(name, [*known, ALL], what="reference")
    if not chosen:
        only = f"the only reference for {pair} is {_SYNTHETIC}, which was not made by people"
        raise UsageError(f"{root}: {only}; use {mention('ref', _SYNTHETIC)} to score with it")
    systems = {name: path for name, path in _files_by_name(outputs, suffix=".txt").items() if name not in known}
    kinds = _files_by_name(os.path.join(root, "human-scores"), prefix=f"{pair}.", suffix=".seg.score")
    refuse(not kinds, f"{root}: no file human-scores/{pair}.NAME.seg.score found")
    if human is None and len(kinds) > 1:
        known_kinds = ", ".join(sorted(kinds))
        choose = f"choose one with {mention('human_score')}"
        raise UsageError(f"{root}: {pair} has several kinds of human scores: {known_kinds}; {choose}")
    if human is not None and human not in kinds:
        raise choices(human, sorted(kinds), what="human score")
    segments = len(text.read(known[chosen[0]]))
    ratings = _without_references(read_scores(kinds[human or next(iter(kinds))], segments=segments), known)
    documents = os.path.join(root, "documents", f"{pair}.docs")
    names = None
    if os.path.exists(documents):
        names = tuple(" ".join(line.split()[1:]) for line in text.read(documents).to_pylist())
        reject(len(names) != segments, f"found {count_of(len(names), 'line')}; expected {segments}", path=documents)
    source = os.path.join(root, "sources", f"{pair}.txt")
    files = {name: known[name] for name in chosen}
    return EvalSet(pair, systems, files, source if os.path.exists(source) else None, names, ratings)


def read_scores(path: Path, *, segments: int) -> Ratings:
    """Read a file of segment scores, which has one line per segment and system."""
    name = display_name(path)
    seen: dict[str, int] = {}
    rows: list[tuple[str, int, str, float] | None] = []
    for line, content in enumerate(text.read(path).to_pylist(), start=1):
        fields = content.split()
        if not fields:
            continue
        with located(name, line):
            if len(fields) != 2:
                raise InputError(f"expected 'SYSTEM SCORE', found {excerpt(content)}")
            place = seen.get(fields[0], 0)
            seen[fields[0]] = place + 1
            known = fields[1] != "None"
            rows.append((fields[0], place, "", finite_number(fields[1], what="score ")) if known else None)
    for system, count in seen.items():
        if count != segments:
            found = f"{system} has {count_of(count, 'line')}"
            raise InputError(f"{found}; expected {segments}, one per segment", path=name)
    return Ratings.of(rows, path=name)


def write_scores(path: Path, scores: Mapping[str, Iterable[float]]) -> None:
    """Write the scores of each system as lines "SYSTEM SCORE", without rounding."""
    with atomic_write(path) as target:
        for system, values in scores.items():
            target.writelines(f"{system}\t{float(value)!r}\n" for value in values)


def _without_references(ratings: Ratings, references: Mapping[str, str]) -> Ratings:
    """Remove the scores of references, which do not count as systems; record their number in ``left_out``."""
    human = np.isin(ratings.system, [place for place, name in enumerate(ratings.systems) if name in references])
    if not human.any():
        return ratings
    left_out = {**ratings.left_out, "ratings of references": int(human.sum())}
    return replace(ratings.select(~human), left_out=left_out)


def _files_by_name(folder: str, *, prefix: str = "", suffix: str) -> dict[str, str]:
    """Return the files in a folder, keyed by the part of their name between prefix and suffix."""
    if not os.path.isdir(folder):
        return {}
    return {
        name[len(prefix) : -len(suffix)]: os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if name.startswith(prefix) and name.endswith(suffix) and len(name) > len(prefix) + len(suffix)
    }
