"""Reading charts, for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def rows_of(chart: Any) -> list[dict[str, Any]]:
    """Return the records of all data sets of a chart, as Vega-Lite gets them."""
    found: list[dict[str, Any]] = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            if "values" in part and "data" not in part:
                found.extend(value for value in part["values"] if isinstance(value, dict))
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(chart.to_dict())
    return found


def encodings_of(chart: Any) -> Iterator[dict[str, Any]]:
    """Walk over the encodings of all marks."""

    def walk(part: Any) -> Iterator[dict[str, Any]]:
        if isinstance(part, dict):
            if "encoding" in part:
                yield part["encoding"]
            for value in part.values():
                yield from walk(value)
        elif isinstance(part, list):
            for value in part:
                yield from walk(value)

    return walk(chart.to_dict())
