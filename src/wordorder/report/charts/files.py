"""Charts saved as SVG, PDF or PNG, which needs no browser, or as an HTML page that works offline."""

from __future__ import annotations

import io
import resource
from typing import Any

from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import Path
from wordorder.report.images import CHARTS, SCALE, check_image, require, write_bytes

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
    how: dict[str, Any] = (
        {"inline": True} if suffix == ".html" else {"scale_factor": SCALE if suffix == ".png" else 1}
    )
    chart.save(target, format=suffix[1:], **how)
    written = target.getvalue()
    write_bytes(path, written.encode("utf-8") if isinstance(written, str) else written)
