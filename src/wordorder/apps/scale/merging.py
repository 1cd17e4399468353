"""Collect the results of a run: compute totals from the reports on its parts, and merge their rows into files."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from wordorder.apps.scale.alignments import total_alignments
from wordorder.apps.scale.filters import RANKS, total_filter
from wordorder.apps.scale.folders import Folder
from wordorder.apps.scale.jobs import REASON
from wordorder.apps.scale.parts import ENDING, Part, Report, cells_of, columns_of
from wordorder.apps.scale.profiles import total_profile
from wordorder.apps.scale.runner import PartError
from wordorder.apps.scale.scores import total_scores
from wordorder.apps.scale.status import Status, status
from wordorder.core.runtime.errors import UsageError, check_choice
from wordorder.core.runtime.files import atomic_write
from wordorder.core.runtime.libraries import pa, pq
from wordorder.core.runtime.own_inputs import inputs_kept
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.threads import progress
from wordorder.formats.tables import JSON_LINES, as_line, ending_of

OPUSFILTER = "WordOrder"
"""The name of the scores in OpusFilter's format."""


def finished(folder: str | os.PathLike[str]) -> tuple[Status, list[Report]]:
    """Return the status of a run and the reports on its parts; raise an error if a part has no result yet."""
    found = status(folder, whole=True)
    if missing := len(found.parts) - len(found.reports):
        why = "".join(f" ({name}: {reason})" for name, reason in list(found.damaged.items())[:1])
        raise PartError(
            f"{found.folder}: no result yet for {missing} of {len(found.parts)} parts{why}; run the same command "
            "again to finish them"
        )
    return found, list(found.reports.values())


@inputs_kept()
def merge_rows(folder: str | os.PathLike[str], output: str | os.PathLike[str], *, opusfilter: bool = False) -> int:
    """Write the rows of all parts to one file, and return the number of rows.

    The file extension determines the format (``.parquet``, ``.jsonl`` or ``.tsv``) and the compression (as in
    ``.tsv.zst``). With ``opusfilter``, the scores are written as JSON Lines in the format of OpusFilter.
    """
    name = os.fspath(output)
    ending = ending_of(name)
    parts = _parts(folder)
    if ending == ENDING and not opusfilter:
        return _write_parquet(parts, name)
    if ending not in (*JSON_LINES, ".tsv") or (opusfilter and ending == ".tsv"):
        raise UsageError(f"{name}: expected .parquet, .tsv or .jsonl, optionally with compression, as in .tsv.zst")
    rows = 0
    with atomic_write(name) as target:
        for number, batch in enumerate(_batches(parts)):
            records = batch.to_pylist()
            rows += len(records)
            if ending == ".tsv":
                if not number:
                    _write_fields(target, batch.schema.names)
                for record in records:
                    _write_fields(target, record.values())
            else:
                for record in records:
                    found: Any = {OPUSFILTER: _numbers(record)} if opusfilter else record
                    target.write(json.dumps(plain(found), ensure_ascii=False, default=str) + "\n")
    return rows


@inputs_kept()
def merge_columns(folder: str | os.PathLike[str], columns: Mapping[str, str | os.PathLike[str]]) -> int:
    """Write each given column of all parts to its own text file; return the number of lines in each file."""
    parts = _parts(folder)
    known = columns_of(parts[0].schema())
    for column in columns:
        check_choice(column, known, f"column of {parts[0].path}")
    rows = 0
    with contextlib.ExitStack() as opened:
        files = {column: opened.enter_context(atomic_write(path)) for column, path in columns.items()}
        for batch in _batches(parts, list(columns)):
            rows += batch.num_rows
            for column, file in files.items():
                cells = cells_of(batch, column).to_pylist()
                file.writelines(f"{_text(cell)}\n" for cell in cells)
    return rows


def _parts(folder: str | os.PathLike[str]) -> list[Part]:
    found, _ = finished(folder)
    place = Folder(found.folder)
    return [Part(place.path_of(name), name) for name in found.parts]


def _batches(parts: list[Part], columns: list[str] | None = None) -> Iterator[Any]:
    for part in progress(parts, label="merging", total=len(parts), unit=" parts"):
        yield from part.batches(columns)


def _write_parquet(parts: list[Part], path: str) -> int:
    rows = 0
    place = Folder(os.path.dirname(os.path.abspath(path)))
    schema = parts[0].schema().remove_metadata()
    with place.write(os.path.basename(path)) as target, pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for part in progress(parts, label="merging", total=len(parts), unit=" parts"):
            table = pa.Table.from_batches(list(part.batches()), schema=part.schema())
            writer.write_table(table.replace_schema_metadata(None))
            rows += table.num_rows
    return rows


def _write_fields(target: IO[str], cells: Any) -> None:
    target.write("\t".join(map(_text, cells)) + "\n")


def _text(cell: Any) -> str:
    return "" if cell is None else as_line(cell) if isinstance(cell, str) else json.dumps(plain(cell), default=str)


def _numbers(record: Mapping[str, Any]) -> dict[str, float | int | None]:
    """Return the scores in a row, without its texts, by column name."""
    kept = {name: cell for name, cell in record.items() if name != REASON}
    return {name: cell for name, cell in kept.items() if cell is None or isinstance(cell, (int, float))}


def totals(folder: str | os.PathLike[str]) -> Any:
    """Compute the totals of a finished run from the reports on its parts.

    Return scores, a profile, or the outcome of an alignment or a filter, depending on the command of the run; for an
    import, return its status.
    """
    found, reports = finished(folder)
    if found.command == "filter":
        ranks = Folder(found.folder).path_of(RANKS)
        measured = finished(ranks)[1] if Folder(ranks).is_there() else []
        return total_filter(reports, measured)
    known: dict[str, Callable[[list[Report]], Any]] = {
        "align": total_alignments,
        "profile": total_profile,
        "score": total_scores,
    }
    return known[found.command](reports) if found.command in known else found
