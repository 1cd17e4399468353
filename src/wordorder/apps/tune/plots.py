"""Plot a tuned metric's agreement with human judgements against each of its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.apps.metaeval.plots import scale
from wordorder.report.charts import plot_curves

if TYPE_CHECKING:
    from wordorder.apps.tune.tuning import Tuning


def or_worst(value: float) -> float:
    """Return the value, or −∞ if it is NaN, so that NaN is never the maximum."""
    return -np.inf if value != value else value


def plot_tuning(found: Tuning, *, scaled: bool) -> Any:
    """Plot the best coefficient for each value of each parameter, with one curve per test set if there are several.

    With ``scaled``, each curve is scaled to the range from 0 to 1, so that sets of different difficulty can be
    compared.
    """
    names = [judged.name for judged in found.held_out]
    curves = {"tuned part": 0, "held out": 1} if len(names) < 2 else {name: place for place, name in enumerate(names)}
    records: list[dict[str, Any]] = []
    for place, parameter in enumerate(found.ranges):
        values = sorted({setting[place] for setting, _, _ in found.tried})
        for curve, which in curves.items():
            best = []
            for value in values:
                here = [n for n, (setting, _, _) in enumerate(found.tried) if setting[place] == value]
                top = max(here, key=lambda n: or_worst(found.tried[n][1]))
                parts = found.tried[top][1:] if len(names) < 2 else found.by_set[top]
                best.append(parts[which])
            shown = scale(best) if scaled else best
            records += [
                {"parameter": parameter.key, "value": value, "curve": curve, found.coefficient: coefficient}
                for value, coefficient in zip(values, shown, strict=True)
                if coefficient == coefficient
            ]
    height = f"{found.coefficient}, scaled" if scaled else found.coefficient
    titles = found.ranges[0].key if len(found.ranges) == 1 else "value", height
    panel = None if len(found.ranges) == 1 else "parameter"
    return plot_curves(records, x="value", y=found.coefficient, series="curve", panel=panel, labels=titles)
