"""Documentation of metrics as data: formula, parameters, range and paper."""

from __future__ import annotations

import dataclasses
from typing import Any

from wordorder.core.runtime.errors import choices
from wordorder.metrics.base import Metric, key_of, options_of
from wordorder.metrics.registry import LISTING, METRICS


def describe(name: str) -> dict[str, Any]:
    """Return the documentation of the metric with the given name as plain data.

    >>> described = describe("pef")
    >>> described["range"], described["parameters"][0]["name"]
    ('0 to 1, higher is better', 'beta')
    """
    if name not in METRICS:
        raise choices(name, list(METRICS), what="metric", listing=LISTING)
    kind = METRICS[name]
    return {
        "name": name,
        "formula": kind.formula,
        "paper": kind.paper,
        "range": kind.direction,
        "needs": sorted(need.value for need in kind.needs),
        "parameters": [_parameter(field) for field in dataclasses.fields(kind)],
    }


def _parameter(field: dataclasses.Field[Any]) -> dict[str, Any]:
    default, low, high = field.default, field.metadata.get("low"), field.metadata.get("high")
    if isinstance(default, bool):
        default, allowed = str(default).lower(), "true or false"
    elif options := options_of(field):
        allowed = " | ".join(options)
    elif isinstance(default, Metric):
        default, allowed = str(default), "a metric"
    else:
        named = field.metadata.get("values", "names")
        allowed = f"{low} to {high}" if high is not None else named if low is None else f"{low} or more"
    return {"name": key_of(field), "default": default, "range": allowed, "meaning": field.metadata.get("doc", "")}
