"""Specs: metrics written as shell-safe strings, ``name[:key=value]*``, and read back.

A key of a part is dotted: ``full:order=pef:order.beta=0.5``. ``str(metric)`` writes only what differs from the
defaults, so two specs of the same metric have the same printed form.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from wordorder.metrics.base import Metric, key_of
from wordorder.runtime.errors import UsageError, choices


def parse(spec: str) -> Metric:
    """Read one spec.

    >>> str(parse("pef:gamma=0:beta=0.50"))
    'pef:beta=0.5'
    """
    from wordorder.metrics.registry import METRICS

    name, *settings = spec.strip().split(":")
    if name not in METRICS:
        raise choices(name, list(METRICS), what="metric")
    given: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"metric {spec!r}: {setting!r} is no setting; expected key=value")
        if key in given:
            raise UsageError(f"metric {spec!r}: {key} is set twice")
        given[key] = value
    return _build(METRICS[name], given, spec)


def write(metric: Metric) -> str:
    """Write a metric as its spec: the name and every setting that is not the default."""
    return ":".join([metric.name, *_settings(metric, type(metric), prefix="")])


def _settings(metric: Metric, defaults: type[Metric], *, prefix: str) -> list[str]:
    found = []
    for field in dataclasses.fields(metric):
        value, default = getattr(metric, field.name), _default(defaults, field.name)
        if isinstance(value, Metric):
            if not isinstance(default, Metric) or value.name != default.name:
                found.append(f"{prefix}{field.name}={value.name}")
            found += _settings(value, type(value), prefix=f"{prefix}{field.name}.")
        elif value != default:
            found.append(f"{prefix}{key_of(field)}={_write_value(value)}")
    return found


def _default(kind: type[Metric], name: str) -> Any:
    field = next(field for field in dataclasses.fields(kind) if field.name == name)
    return field.default


def _build(kind: type[Metric], given: dict[str, str], spec: str) -> Metric:
    from wordorder.metrics.registry import METRICS

    fields = {key_of(field): field for field in dataclasses.fields(kind)}
    values: dict[str, Any] = {}
    for name, field in fields.items():
        default = field.default
        inner = {key[len(name) + 1 :]: given.pop(key) for key in list(given) if key.startswith(f"{name}.")}
        if isinstance(default, Metric):
            chosen = given.pop(name, default.name)
            if chosen not in METRICS:
                raise choices(chosen, list(METRICS), what=f"metric for {name} of {kind.name}")
            values[field.name] = _build(METRICS[chosen], inner, spec)
        elif inner:
            raise UsageError(f"metric {spec!r}: {name} has no settings of its own")
        elif name in given:
            values[field.name] = _read_value(given.pop(name), default, f"{kind.name}: {name}")
    if given:
        raise choices(next(iter(given)), list(fields) or ["none"], what=f"parameter of {kind.name}")
    return kind(**values)


def _read_value(text: str, default: Any, what: str) -> Any:
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise UsageError(f"{what} must be true or false, not {text!r}")
        return text == "true"
    if default is None or isinstance(default, (int, float)):
        try:
            return float(text) if default is None else type(default)(text)
        except ValueError:
            kind = "whole number" if isinstance(default, int) else "number"
            raise UsageError(f"{what} must be a {kind}, not {text!r}") from None
    return text


def _write_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
