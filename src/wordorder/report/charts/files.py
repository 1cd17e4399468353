"""Charts saved as SVG, PDF or PNG, which needs no browser, or as an HTML page that works offline."""

from __future__ import annotations

import io
from typing import Any

from wordorder.core.runtime.files import Path
from wordorder.report.images import CHARTS, SCALE, check_image, require, write_bytes


def save_chart(chart: Any, path: Path) -> None:
    """Save a chart in the format given by the file name extension: ``.svg``, ``.pdf``, ``.png`` or ``.html``.

    In an HTML page, a mark shows its values when the mouse points at it.
    """
    suffix = check_image(path, CHARTS)
    require("vl_convert", "saving a chart")
    target: io.StringIO | io.BytesIO = io.StringIO() if suffix in (".svg", ".html") else io.BytesIO()
    how: dict[str, Any] = (
        {"inline": True} if suffix == ".html" else {"scale_factor": SCALE if suffix == ".png" else 1}
    )
    chart.save(target, format=suffix[1:], **how)
    written = target.getvalue()
    write_bytes(path, written.encode("utf-8") if isinstance(written, str) else written)
