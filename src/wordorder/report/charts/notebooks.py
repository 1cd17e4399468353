"""Charts in notebooks, shown without a network: as Vega-Lite if the notebook supports it, otherwise as SVG."""

from __future__ import annotations

import importlib.util
from typing import Any

_NAME = "wordorder"
_PLAIN = "A chart: save it with wordorder.report.charts.save_chart, or show it in a notebook."


def show_offline(altair: Any) -> None:
    """Let notebooks show charts without a network, unless the user has chosen one of Altair's renderers.

    Altair's default is HTML that loads Vega from the network. SVG needs vl-convert; without it, nothing is changed.
    """
    renderers = altair.renderers
    if renderers.active != "default" or importlib.util.find_spec("vl_convert") is None:
        return

    # Altair's own name for the specification ends in ".json", which notebook files may not contain.
    specification = f"application/vnd.vegalite.v{altair.VEGALITE_VERSION.partition('.')[0]}+json"

    def describe(spec: dict[str, Any], **options: Any) -> dict[str, Any]:
        with renderers.enable("svg"):
            picture = renderers.get()(spec)
        return {specification: spec, **picture, "text/plain": _PLAIN}

    renderers.register(_NAME, describe)
    renderers.enable(_NAME)
