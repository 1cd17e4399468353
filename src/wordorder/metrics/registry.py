"""The registry of metrics by name, the syntax of metric specs, and the groups of metrics.

A spec is a string that describes a metric and is safe in a shell: ``name[:key=value]*``. If a parameter is itself
a metric, the keys of its settings contain a dot: ``full:order=pef:order.beta=0.5``. The name of external scores needs
no key: ``given:comet``. ``str(metric)`` writes only the settings that differ from the defaults, so equal metrics have
the same printed form.

The documentation of metrics is data, too: formula, parameters, range and paper.
"""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any
from warnings import warn

from wordorder.core.runtime.errors import InputWarning, UsageError, check_choice, choices, mention, mistyped, refuse
from wordorder.metrics import monotonicity
from wordorder.metrics.base import Metric, Need, key_of, options_of, write_value
from wordorder.metrics.combined import LRHB1, LRHB4, LRKB1, LRKB4, Full, LRscore
from wordorder.metrics.dependency import Dpm, Edpm
from wordorder.metrics.external_scores import ExternalScores
from wordorder.metrics.flat import Fuzzy, Hamming, Kendall, KendallSqrt, Ribes, Spearman, Ulam
from wordorder.metrics.hierarchical import PEF, PET, AvgOp, MaxOp, NonBinary, PETCount, PETSize
from wordorder.metrics.lexical import F1, PRECISIONS, Bleu, Bleu1, ChrF, Matched
from wordorder.metrics.meteor import Meteor
from wordorder.metrics.partial import Gamma, OrderErrors
from wordorder.metrics.ter import OneMinusPer, OneMinusTer, OneMinusWer

MetricSelection = str | Metric | Iterable[str | Metric]
"""The metrics that a user requests: one or more specs or metric objects."""

_KINDS: tuple[type[Metric], ...] = (
    *(Kendall, KendallSqrt, Hamming, Spearman, Ulam, Fuzzy),
    *(PET, PEF, PETSize, PETCount, MaxOp, AvgOp, NonBinary),
    *(Gamma, OrderErrors),
    *(Bleu, Bleu1),
    *PRECISIONS,
    *(F1, ChrF, OneMinusWer, OneMinusPer, OneMinusTer, Meteor, Matched),
    *(LRscore, LRHB1, LRHB4, LRKB1, LRKB4, Full, Ribes),
    *monotonicity.KINDS,
    *(Dpm, Edpm, ExternalScores),
)


class Registry(Mapping[str, type[Metric]]):
    """All metric classes by name, including those provided by other installed packages.

    Packages provide metrics as entry points in the group ``wordorder.metrics``. These are loaded only when a name is
    not built in or when all names are listed.
    """

    def __init__(self, kinds: Iterable[type[Metric]]) -> None:
        self._kinds = {kind.name: kind for kind in kinds}

    @cached_property
    def _all(self) -> dict[str, type[Metric]]:
        from importlib.metadata import entry_points

        found = dict(self._kinds)
        for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
            try:
                kind = _check(entry.load())
            except Exception as error:  # an error in another package must not affect this one
                warn(InputWarning(f"metric {entry.name!r} ({entry.value}) cannot be loaded: {error}"), stacklevel=2)
                continue
            if found.setdefault(kind.name, kind) is not kind:
                taken = f"{entry.value}: the name {kind.name!r} is taken; this metric is ignored"
                warn(InputWarning(taken), stacklevel=2)
        return found

    def __getitem__(self, name: str) -> type[Metric]:
        return self._kinds[name] if name in self._kinds else self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def _check(kind: Any) -> type[Metric]:
    """Check a metric class that another package provides; return it, or raise an error if it is invalid."""
    if not (isinstance(kind, type) and issubclass(kind, Metric)):
        raise TypeError("it is not a subclass of wordorder.Metric")
    for attribute in ("name", "formula", "paper", "needs"):
        if not hasattr(kind, attribute):
            raise TypeError(f"it has no {attribute}")
    if not re.fullmatch(r"[\w.+-]+", kind.name) or kind.name in (*GROUPS, "all"):
        raise ValueError(f"{kind.name!r} cannot be the name of a metric")
    kind()
    return kind


ENTRY_POINTS = "wordorder.metrics"
METRICS = Registry(_KINDS)

ORDER_DEFAULTS: tuple[Metric, ...] = (KendallSqrt(), Hamming(), Fuzzy(), PEF())
TEXT_DEFAULTS: tuple[Metric, ...] = (KendallSqrt(), PEF(), Bleu())
_NOT_BY_DEFAULT = (monotonicity.LongestJump, monotonicity.NonMonotonicity, monotonicity.ForcedLag)
_RATES = [kind() for kind in monotonicity.KINDS if kind not in _NOT_BY_DEFAULT]
MONOTONE_DEFAULTS: tuple[Metric, ...] = (KendallSqrt(), PEF(), *_RATES)

GROUPS = ("order", "lexical", "monotonicity", "combined")


def is_built_in(metric: Metric) -> bool:
    """Return whether a metric and all metrics that it combines come from this package, not from another one."""
    parts = [getattr(metric, field.name) for field in dataclasses.fields(metric)]
    named = [METRICS[part]() for part in parts if isinstance(part, str) and part in METRICS]  # pef:operator=kendall
    given = [part for part in parts if isinstance(part, Metric)]
    return type(metric) in _KINDS and all(map(is_built_in, [*named, *given]))


def group_of(kind: type[Metric]) -> str | None:
    """Return the group that a metric class declares or, by default, the one that follows from the inputs it needs."""
    if kind.group is not None:
        return kind.group
    if Need.SOURCE_ORDER in kind.needs:
        return "monotonicity"
    if kind.needs == {Need.TEXT}:
        return None if kind.slow else "lexical"
    return "order" if kind.needs == {Need.ORDER} else "combined" if kind.needs == {Need.ORDER, Need.TEXT} else None


LISTING = "'wordorder metrics'"
"""The command that lists all metrics."""

_NEURAL = ("comet", "bleurt", "bertscore", "metricx", "xcomet", "yisi", "prism")
"""Metrics that require a neural model and are therefore not computed; their scores can be given instead."""

_NEED_TEXTS = {Need.TEXT: "text with a reference"}
_HINTS = {
    Need.PAIRS: f"; give {mention('source')} and {mention('order', 'source')} to compare through the source",
    Need.SOURCE_ORDER: f"; give {mention('source')} and {mention('order', 'monotone')} to compare with the source",
    Need.PARSES: f"; add {mention('grammar')} or {mention('parser')} to parse the texts, or give"
    f" {mention('ref_parses')} and {mention('hyp_parses')}",
    Need.GIVEN: f"; give scores with that name ({mention('given')})",
}


def choose_metrics(selection: MetricSelection, *, available: frozenset[Need]) -> tuple[Metric, ...]:
    """Return the requested metrics.

    The selection is a metric object, a comma-separated string of metric specs, group names or ``all``, or a list of
    these. ``all`` selects every fast metric that can be computed from the available inputs.

    >>> [str(metric) for metric in choose_metrics("hamming,pef:beta=0.5", available=frozenset({Need.ORDER}))]
    ['hamming', 'pef:beta=0.5']
    """
    items = [selection] if isinstance(selection, str | Metric) or not isinstance(selection, Iterable) else selection
    chosen: dict[str, Metric] = {}
    for item in items:
        for metric in [item] if isinstance(item, Metric) else _read(item, available):
            missing = metric.requires - available
            if missing:
                wanted = " and ".join(sorted(_NEED_TEXTS.get(need, need.value) for need in missing))
                hint = next((text for need, text in _HINTS.items() if need in missing), "")
                raise UsageError(f"metric {metric} needs {wanted}, which this input does not include{hint}")
            chosen[str(metric)] = metric
    refuse(not chosen, "no metric was given")
    return tuple(chosen.values())


def _read(item: str, available: frozenset[Need]) -> Iterator[Metric]:
    """Yield the metrics that a string selects: a spec, a group name, ``all``, or a comma-separated list of these."""
    if not isinstance(item, str):
        raise mistyped("metrics", item, expected="specs such as 'kendall,pef:beta=0.5', or metrics")
    if "," in item:
        for part in item.split(","):
            yield from _read(part, available)
        return
    name = item.strip()
    refuse(not name, "a metric name is empty; expected names separated by commas")
    if name == "all":
        yield from (kind() for kind in METRICS.values() if kind.needs <= available and not kind.slow)
    elif name in GROUPS:
        yield from (kind() for kind in METRICS.values() if group_of(kind) == name)
    elif _registered_name(name.partition(":")[0]) not in METRICS:
        if name.lower().startswith(_NEURAL):
            hint = f"give its scores ({mention('given')}) and use given:{name}"
            raise UsageError(f"wordorder does not compute {name}; {hint}")
        raise choices(name.partition(":")[0], [*METRICS, *GROUPS, "all"], what="metric", listing=LISTING)
    else:
        yield parse(name)


def parse(spec: str, **parameters: Any) -> Metric:
    """Return the metric that a spec describes.

    Parameters can also be passed as keyword arguments. If the value of a parameter is a metric, it can be passed as
    an object or by name.

    >>> str(parse("pef:gamma=0:beta=0.50")), str(parse("full", order="pet", alpha=0.4))
    ('pef:beta=0.5', 'full:order=pet:alpha=0.4')
    >>> str(parse("full", order=parse("pef", beta=0.5)))
    'full:order.beta=0.5'
    """
    parts = {key: parameters.pop(key) for key in list(parameters) if isinstance(parameters[key], Metric)}
    if parts:
        made = parse(spec, **parameters)
        for key in parts:
            refuse(not isinstance(getattr(made, key, None), Metric), f"{made.name}: {key} must not be a metric")
        return dataclasses.replace(made, **parts)
    if not isinstance(spec, str):
        raise mistyped("a metric", spec, expected="a spec such as 'pef:beta=0.5'")
    if parameters:
        spec = ":".join([spec, *(f"{key}={write_value(value)}" for key, value in parameters.items())])
    name, given = split_spec(spec)
    return _build(METRICS[name], given, spec)


metric = parse
"""The name of ``parse`` in Python."""


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec into the name of the metric and its settings, one of which can be the name of external scores.

    >>> split_spec("full:lexical=given:comet:alpha=0.4")
    ('full', {'lexical': 'given', 'lexical.scores': 'comet', 'alpha': '0.4'})
    """
    name, *settings = spec.strip().split(":")
    name = _registered_name(name)
    check_choice(name, METRICS, "metric", listing=LISTING)
    given: dict[str, str] = {}
    before = name
    for setting in settings:
        if "=" not in setting and before.rpartition("=")[2] == ExternalScores.name:  # given:NAME is given:scores=NAME
            setting = f"{before.rpartition('=')[0]}.scores={setting}".lstrip(".")
        before = setting
        key, equals, value = setting.partition("=")
        refuse(not equals or not key or not value, f"metric {spec!r}: expected key=value, found {setting!r}")
        refuse(key in given, f"metric {spec!r}: {key} is set twice; set it only once")
        given[key] = value
    return name, given


def _registered_name(name: str) -> str:
    """Return a metric name in the case in which it is registered; for instance, ``BLEU`` becomes ``bleu``."""
    return name if name in METRICS or name.lower() not in METRICS else name.lower()


def _build(kind: type[Metric], given: dict[str, str], spec: str) -> Metric:
    fields = {key_of(field): field for field in dataclasses.fields(kind)}
    values: dict[str, Any] = {}
    for name, field in fields.items():
        default = field.default
        inner = {key[len(name) + 1 :]: given.pop(key) for key in list(given) if key.startswith(f"{name}.")}
        if isinstance(default, Metric):
            chosen = given.pop(name, default.name)
            check_choice(chosen, METRICS, f"metric for {name} of {kind.name}", listing=LISTING)
            values[field.name] = _build(METRICS[chosen], inner, spec)
        elif inner:
            raise UsageError(f"metric {spec!r}: {name} is not a metric and has no settings of its own")
        elif name in given:
            values[field.name] = _read_value(given.pop(name), default, f"{kind.name}: {name}")
    if given:
        raise choices(next(iter(given)), list(fields), what=f"parameter of {kind.name}")
    return kind(**values)


def _read_value(text: str, default: Any, what: str) -> Any:
    if isinstance(default, bool):
        refuse(text not in ("true", "false"), f"{what} must be true or false, not {text!r}")
        return text == "true"
    if default is None or isinstance(default, (int, float)):
        try:
            return float(text) if default is None else type(default)(text)
        except ValueError:
            kind = "whole number" if isinstance(default, int) else "number"
            raise UsageError(f"{what} must be a {kind}, not {text!r}") from None
    return text


def describe(name: str) -> dict[str, Any]:
    """Return the documentation of the metric with the given name as plain data.

    >>> described = describe("pef")
    >>> described["range"], described["parameters"][0]["name"]
    ('0 to 1, higher is better', 'beta')
    """
    check_choice(name, METRICS, "metric", listing=LISTING)
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
