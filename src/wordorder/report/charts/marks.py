"""Code shared by all charts: the import of Altair, colours, shapes, panels and axes.

In notebooks, charts are shown without a network: as Vega-Lite if the notebook supports it, otherwise as SVG. They are
saved as SVG, PDF or PNG, which needs no browser, or as an HTML page that works offline.
"""

import importlib.util
import io
import resource
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import Path
from wordorder.core.runtime.plain import plain
from wordorder.report.images import CHARTS, SCALE, check_image, require, write_bytes
from wordorder.report.images import COLOURS as COLOURS

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


SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])

Record = Mapping[str, Any]


def altair() -> Any:
    """Import Altair and prepare it for notebooks; if it is missing, raise an error with the installation command."""
    found = require("altair", "a chart")
    show_offline(found)
    return found


def data_of(records: Iterable[Record]) -> Any:
    """Convert records to the data of a chart, with null for undefined values."""
    return altair().Data(values=[plain(dict(record)) for record in records])


def names_in(records: Iterable[Record], field: str | None) -> list[str]:
    """Return the distinct values of a field as text, in the order of first appearance."""
    return [] if field is None else list(dict.fromkeys(str(record[field]) for record in records))


def series_encodings(names: Sequence[str], field: str | None, *, lines: bool = False) -> dict[str, Any]:
    """Return encodings that give each series its own colour, plus a shape or (for lines) a dash pattern."""
    if len(names) < 2 or field is None:
        return {}
    alt = altair()

    def cycle(signs: Sequence[Any]) -> list[Any]:
        return [signs[place % len(signs)] for place in range(len(names))]

    look: dict[str, Any] = {"type": "nominal", "title": field, "legend": alt.Legend(labelLimit=300, symbolSize=80)}
    key, sign, signs = ("strokeDash", alt.StrokeDash, DASHES) if lines else ("shape", alt.Shape, SHAPES)
    return {
        "color": alt.Color(escape(field), scale=alt.Scale(domain=names, range=cycle(COLOURS)), **look),
        key: sign(escape(field), scale=alt.Scale(domain=names, range=cycle(signs)), **look),
    }


def tooltip(records: Sequence[Record]) -> list[Any]:
    """Return tooltips that show every field of a record."""
    alt = altair()
    found = []
    for field in records[0]:
        values = [record[field] for record in records]
        number = {"format": ".4~f"} if any(isinstance(value, float) for value in values) else {}
        kind = "nominal" if any(isinstance(value, str) for value in values) else "quantitative"
        found.append(alt.Tooltip(escape(field), title=field, type=kind, **number))
    return found


def number_axis(title: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of a numeric axis that need not include zero, with some space at both ends."""
    alt = altair()
    room = {} if "domain" in settings else {"padding": 10}
    return {"type": "quantitative", "title": title, "scale": alt.Scale(zero=False, nice=False, **room, **settings)}


def beside(panels: int) -> int:
    """Return the number of panels per row: two if there are two or four panels, otherwise three."""
    return 2 if panels in (2, 4) else 3


def in_panels(draw: Callable[[list[Record], int], Any], records: Sequence[Record], field: str | None) -> Any:
    """Draw a panel for each value of ``field``; ``draw`` is called with the records of a panel and its number."""
    names = names_in(records, field)
    if len(names) < 2 or field is None:
        chart = draw(list(records), 0)
        return chart.properties(title=names[0]) if names and names[0] else chart
    panels = [
        draw([record for record in records if str(record[field]) == name], number).properties(title=name)
        for number, name in enumerate(names)
    ]
    joined = altair().concat(*panels, columns=beside(len(names)))
    return joined.resolve_scale(color="shared", shape="shared", strokeDash="shared")


def escape(field: str) -> str:
    """Escape the name of a field, so that Vega does not interpret dots and brackets in it as a path.

    >>> escape("pearson.none")
    'pearson\\\\.none'
    """
    for sign in ".[]:":
        field = field.replace(sign, "\\" + sign)
    return field


_MENU = {"export": True, "source": False, "compiled": False, "editor": False}
"""The menu of a chart in a page saves pictures; Vega's link to an editor would send the data away."""

_ADDRESS_SPACE = 80 << 30
"""Bytes that the renderer reserves, though it uses few of them; where it cannot, it ends the process."""


def save_chart(chart: Any, path: Path) -> None:
    """Save a chart in the format given by the file name extension: ``.svg``, ``.pdf``, ``.png`` or ``.html``.

    In an HTML page, a mark shows its values when the mouse points at it.
    """
    suffix = check_image(path, CHARTS)
    require("vl_convert", "saving a chart")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _ADDRESS_SPACE:
        found = f"saving a chart reserves up to {_ADDRESS_SPACE >> 30} GB of address space, but the limit is "
        raise InputError(f"{found}{limit / (1 << 30):.1f} GB; raise it with 'ulimit -v unlimited'", path=str(path))
    target: io.StringIO | io.BytesIO = io.StringIO() if suffix in (".svg", ".html") else io.BytesIO()
    how: dict[str, Any] = {"scale_factor": SCALE if suffix == ".png" else 1}
    if suffix == ".html":
        how = {"inline": True, "embed_options": {"actions": _MENU}}
    chart.save(target, format=suffix[1:], **how)
    written = target.getvalue()
    write_bytes(path, written.encode("utf-8") if isinstance(written, str) else written)
