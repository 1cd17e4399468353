"""Image files: SVG directly, PDF and PNG with vl-convert (extra ``pictures``), which needs no browser."""

from __future__ import annotations

import io
import os
from typing import Any, cast

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import Path, atomic_write

PICTURES = (".svg", ".pdf", ".png")
"""The file formats of pictures."""

CHARTS = (*PICTURES, ".html")
"""The file formats of charts; in an HTML page, the mouse shows the values of a mark."""

SCALE = 2
"""The pixels of a PNG for each pixel of the SVG, for sharp images on screens and slides."""


def check_image(path: Path, suffixes: tuple[str, ...] = PICTURES) -> str:
    """Return the suffix of an image file in lower case; raise if this format is not supported.

    >>> check_image("tree.PDF")
    '.pdf'
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in suffixes:
        known = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise UsageError(f"{os.fspath(path)}: the name of the file must end in {known}")
    return suffix


def require(module: str, what: str) -> Any:
    """Import a module of the extra ``pictures``; raise an error with the command to install it if it is missing."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        message = f"{what} needs {module}, which is not installed: pip install 'wordorder[pictures]'"
        raise UsageError(message) from None


def write_svg(svg: str, path: Path) -> None:
    """Write an SVG document as SVG, PDF or PNG, depending on the file name."""
    suffix = check_image(path)
    if suffix == ".svg":
        with atomic_write(path) as target:
            target.write(svg)
        return
    convert = require("vl_convert", f"a {suffix[1:].upper()} file")
    data = convert.svg_to_pdf(svg) if suffix == ".pdf" else convert.svg_to_png(svg, scale=SCALE)
    write_bytes(path, data)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a binary file, which appears only when it is complete."""
    with atomic_write(path) as target:
        cast(io.TextIOWrapper, target).buffer.write(data)
