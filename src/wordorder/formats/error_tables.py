"""Tables of errors that people marked; the format (MQM, chat, ESA, QRev or DEMETR) is detected."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from wordorder.core.runtime.errors import InputError, UsageError, count_of
from wordorder.core.runtime.files import Path, display_name, open_binary, without_packing
from wordorder.formats.annotations import Annotations
from wordorder.formats.delimited import DelimitedTable

_SEVERAL = ("chat", "demetr")


def read(files: Mapping[str, Path], *, pair: str | None = None, base: int | None = None) -> list[Annotations]:
    """Read tables of errors and return annotations for each language pair; ``files`` maps systems to files.

    ``base`` is the number of the first segment in tables with segment numbers (default: 1, or 0 for ESA). ``pair``
    selects one language pair (``de-en``), or supplies the language pair of tables that do not state it.
    """
    paths = list(files.values())
    forms = list(dict.fromkeys(map(recognise, paths)))
    if len(forms) > 1:
        raise UsageError(f"the error tables have different formats ({', '.join(forms)}); read one format at a time")
    if len(paths) > 1 and forms[0] not in _SEVERAL:
        raise UsageError(f"found {count_of(len(paths), 'table')} in {forms[0]} format; expected one with all systems")
    found = _read(forms[0], files, pair, base)
    if pair is None:
        return found
    chosen = [replace(one, pair=pair) for one in found if one.pair in ("", pair)]
    if not chosen:
        names = ", ".join(one.pair for one in found)
        raise InputError(f"no translations for language pair {pair}; found {names}", path=display_name(paths[0]))
    return chosen


def _read(form: str, files: Mapping[str, Path], pair: str | None, base: int | None) -> list[Annotations]:
    from wordorder.formats import demetr, esa, mqm, mqm_chat, qrev

    paths = list(files.values())
    if form == "qrev":
        return qrev.read_annotations(paths[0], pair=pair)
    if form == "demetr":
        return [demetr.read_annotations(paths)]
    if form == "esa":
        return esa.read_annotations(paths[0], base=0 if base is None else base)
    if form == "chat":
        return mqm_chat.read_annotations(files)
    return [mqm.read_annotations(paths[0], base=1 if base is None else base)]


def recognise(path: Path) -> str:
    """Detect the format of an error table: ``qrev``, ``demetr``, ``esa``, ``chat`` or ``mqm``."""
    if os.path.isdir(path):
        return "qrev"
    name = without_packing(os.fspath(path))
    if name.endswith((".jsonl", ".ndjson")):
        return "esa"
    if name.endswith(".json"):
        with open_binary(path) as stream:
            return "demetr" if stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") else "esa"
    table = DelimitedTable(path)
    if table.has("typology_error"):
        return "chat"
    table.place("category", "typology_error")
    return "mqm"
