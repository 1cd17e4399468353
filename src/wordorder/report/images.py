"""Image files: SVG as it is, PDF and PNG through vl-convert (extra ``pictures``), which needs no browser."""

from __future__ import annotations

import io
import os
from typing import Any, cast

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import atomic_write

PICTURES = (".svg", ".pdf", ".png")
"""What a picture can be saved as."""

CHARTS = (*PICTURES, ".html")
"""What a chart can be saved as: a page lets readers point at a mark and see its figures."""

SCALE = 2
"""Pixels of a PNG for each pixel of the SVG, so that it is sharp on a screen and in a slide."""


def check_image(path: str | os.PathLike[str], suffixes: tuple[str, ...] = PICTURES) -> str:
    """Return the suffix of an image file, in lower case; one that cannot be written is an error.

    >>> check_image("tree.PDF")
    '.pdf'
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in suffixes:
        known = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise UsageError(f"{os.fspath(path)}: the name of the file must end in {known}")
    return suffix


def require(module: str, what: str) -> Any:
    """Import a module of the extra ``pictures``; where it is missing, say what to install."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        message = f"{what} needs {module}, which is not installed: pip install 'wordorder[pictures]'"
        raise UsageError(message) from None


def write_svg(svg: str, path: str | os.PathLike[str]) -> None:
    """Write an SVG document as the kind of file its name says: SVG, PDF or PNG."""
    suffix = check_image(path)
    if suffix == ".svg":
        with atomic_write(path) as target:
            target.write(svg)
        return
    convert = require("vl_convert", f"a {suffix[1:].upper()} file")
    data = convert.svg_to_pdf(svg) if suffix == ".pdf" else convert.svg_to_png(svg, scale=SCALE)
    write_bytes(path, data)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a binary file whole or not at all."""
    with atomic_write(path) as target:
        cast(io.TextIOWrapper, target).buffer.write(data)
