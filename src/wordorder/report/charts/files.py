"""Charts as files: SVG, PDF and PNG without a browser, or a page that needs no network."""

from __future__ import annotations

import io
import os
from typing import Any

from wordorder.report.images import CHARTS, SCALE, check_image, require, write_bytes


def save_chart(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart as the kind of file its name says; in ``.html`` readers can point at marks."""
    suffix = check_image(path, CHARTS)
    require("vl_convert", "saving a chart")
    target: io.StringIO | io.BytesIO = io.StringIO() if suffix in (".svg", ".html") else io.BytesIO()
    how: dict[str, Any] = (
        {"inline": True} if suffix == ".html" else {"scale_factor": SCALE if suffix == ".png" else 1}
    )
    chart.save(target, format=suffix[1:], **how)
    written = target.getvalue()
    write_bytes(path, written.encode("utf-8") if isinstance(written, str) else written)
