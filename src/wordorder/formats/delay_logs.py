"""Logs of simultaneous translation: each output with its delays, as SimulEval, OmniSTEval and simulstream write them.

* SimulEval's ``instances.log``: a JSON object per line with ``prediction``, ``delays`` and perhaps ``elapsed``
* OmniSTEval's ``instances.resegmented.jsonl``: the same with ``emission_cu`` and ``emission_ca``; a long recording
  has been cut into segments, and ``time_to_recording_end`` says how long it still lasts when a segment begins
* simulstream's log: a JSON object per piece of audio, with the tokens that were written and deleted

Delays are milliseconds of audio or, for text, source words that were read when a word of the output was written.
"""

import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from wordorder.core.runtime.errors import InputError, excerpt, located, reject
from wordorder.core.runtime.files import Path, display_name
from wordorder.formats.lines import numbered_lines
from wordorder.formats.tables import json_records

_EXPECTED = 'an object such as {"prediction": "a b", "delays": [1, 2], "source_length": 3}'
_PIECE = 'a piece of a simulstream log, with "generated_tokens", "deleted_tokens" and "total_audio_processed"'
_ENTRY = re.compile(r"""['"]?(\w+)['"]?\s*:\s*('[^']*'|"[^"]*"|[^,{}]+)""")


@dataclass(frozen=True)
class TimedOutput:
    """The output for one segment or recording; ``elapsed`` are delays that include computation time, or None.

    ``source_length`` is NaN if it is unknown, and ``recording_end`` is infinite. ``source`` is the name of a
    recording or the text of the source. In ``long`` recordings, output may follow the end of a segment. With
    ``total_runtime``, ``elapsed`` includes the computation time of all earlier words, as SimulEval writes it.
    """

    prediction: str
    delays: tuple[float, ...]
    elapsed: tuple[float, ...] | None = None
    source_length: float = math.nan
    reference: str | None = None
    source: str | None = None
    recording_end: float = math.inf
    long: bool = False
    total_runtime: bool = False


def read(path: Path) -> list[TimedOutput]:
    """Read a log of SimulEval, OmniSTEval or simulstream; the format is recognised by the keys."""
    records, name = list(json_records(path)), display_name(path)
    if any("total_audio_processed" in record or "metadata" in record for _, record in records):
        return _join_pieces(records, name)
    found = []
    for line, record in records:
        with located(name, line):
            found.append(_output(record))
    reject(not found, f"the log has no output; expected {_EXPECTED}", path=name, line=1)
    return found


def _output(record: dict[str, Any]) -> TimedOutput:
    long = "emission_cu" in record or "emission_ca" in record or "time_to_recording_end" in record
    delays, elapsed = ("emission_cu", "emission_ca") if long else ("delays", "elapsed")
    prediction, reference, source = (record.get(key) for key in ("prediction", "reference", "source"))
    if isinstance(source, list):
        source = source[0] if source else None
    for key, value in (("prediction", prediction), ("reference", reference), ("source", source)):
        if not isinstance(value, str) and (value is not None or key == "prediction"):
            raise InputError(f"expected text under the key {key!r}, found {excerpt(str(value))}")
    reject(delays not in record and not long and str(prediction).strip(), f"no delays; expected {_EXPECTED}")
    return TimedOutput(
        str(prediction),
        _numbers(record, delays) or (),
        _numbers(record, elapsed),
        _number(record.get("source_length"), "source_length", math.nan),
        reference,
        source,
        _number(record.get("time_to_recording_end"), "time_to_recording_end", math.inf),
        bool(record.get("longform", long)),
        total_runtime=not long,
    )


def _numbers(record: dict[str, Any], key: str) -> tuple[float, ...] | None:
    values = record.get(key)
    if values is not None and not isinstance(values, list):
        raise InputError(f"expected a list of numbers under the key {key!r}, found {excerpt(str(values))}")
    return None if values is None else tuple(_number(value, key) for value in values)


def _number(value: Any, key: str, unknown: float | None = None) -> float:
    if value is None and unknown is not None:
        return unknown
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value)
    raise InputError(f"expected a number under the key {key!r}, found {excerpt(str(value))}")


def _join_pieces(records: Iterable[tuple[int, dict[str, Any]]], name: str) -> list[TimedOutput]:
    """Return the output for each recording; a word has the delay of the last change to it."""
    recordings: dict[str, tuple[str, list[str], list[tuple[float, float]], float]] = {}
    for line, record in records:
        with located(name, line):
            key = json.dumps(record.get("id"), ensure_ascii=False)
            if isinstance(record.get("metadata"), dict):
                recordings[key] = (str(record["metadata"].get("wav_name", key)), [], [], 0.0)
            elif "id" in record:
                if key not in recordings:
                    raise InputError(f"the recording {excerpt(key)} has no line with its metadata")
                file, tokens, times, _ = recordings[key]
                recordings[key] = (file, *_add_piece(record, tokens, times))
    return [
        TimedOutput(
            " ".join(_words(tokens)),
            tuple(1000 * ideal for ideal, _ in times),
            tuple(1000 * aware for _, aware in times),
            1000 * length,
            source=file,
        )
        for file, tokens, times, length in recordings.values()
    ]


def _add_piece(
    record: dict[str, Any], tokens: list[str], times: list[tuple[float, float]]
) -> tuple[list[str], list[tuple[float, float]], float]:
    made: list[str] = record.get("generated_tokens") or []
    deleted: list[str] = record.get("deleted_tokens") or []
    for each in (made, deleted):
        if not isinstance(each, list) or not all(isinstance(token, str) for token in each):
            raise InputError(f"expected {_PIECE}, found {excerpt(str(record))}")
    heard = _number(record.get("total_audio_processed"), "total_audio_processed")
    now = heard, heard + _number(record.get("computation_time"), "computation_time", 0.0)
    kept = tokens[: len(tokens) - len(deleted)] if deleted else tokens
    if tokens[len(kept) :] != deleted:
        raise InputError(f"the deleted tokens {excerpt(' '.join(deleted))} are not the last that were written")
    for changed in (kept, [*kept, *made]):
        before, after = _words(tokens), _words(changed)
        both = min(len(before), len(after))
        times = [*times[:both], *[now] * (len(after) - both)]
        if both and before[both - 1] != after[both - 1]:
            times[both - 1] = now
        tokens = list(changed)
    return tokens, times, heard


def _words(tokens: Sequence[str]) -> list[str]:
    """Return the words of subwords in which a word begins with ▁."""
    return "".join(tokens).replace("\u2581", " ").split()


def read_segments(path: Path) -> list[tuple[str, float, float]]:
    """Read the segments of recordings, in YAML or JSON: the name of the recording, the start and the length in ms.

    A line of YAML is ``- {duration: 4.07, offset: 12.61, wav: talk.wav}``, with times in seconds.
    """
    found = []
    for line, content in numbered_lines(path, expected="segments with duration, offset and wav"):
        with located(display_name(path), line):
            for entry in re.findall(r"\{[^{}]*\}", content.decode("utf-8", "replace")):
                known = {key: value.strip("'\" ") for key, value in _ENTRY.findall(entry)}
                try:
                    times = 1000 * float(known["offset"]), 1000 * float(known["duration"])
                    found.append((os.path.splitext(os.path.basename(known["wav"]))[0], *times))
                except (KeyError, ValueError):
                    raise InputError(f"expected duration, offset and wav, found {excerpt(entry)}") from None
    if not found:
        expected = "- {duration: 4.07, offset: 12.61, wav: talk.wav}"
        raise InputError(f"found no segment; expected lines such as {expected}", path=display_name(path), line=1)
    return found
