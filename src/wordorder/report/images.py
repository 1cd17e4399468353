"""Image files: SVG is written directly; PDF and PNG are written by vl-convert (extra ``pictures``)."""

import io
import os
from typing import Any, cast

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import Path, atomic_write

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#946600", "#332288", "#117733", "#882255")
"""Colours of pictures, charts and pages, which colour-blind people can distinguish (Okabe & Ito; Tol)."""

PICTURES = (".svg", ".pdf", ".png")
"""The file name extensions of pictures."""

CHARTS = (*PICTURES, ".html")
"""The file name extensions of charts; HTML pages show the values of a mark under the mouse pointer."""

SCALE = 2
"""The number of PNG pixels per SVG pixel, so that images are sharp on screens and slides."""


def check_image(path: Path, suffixes: tuple[str, ...] = PICTURES) -> str:
    """Return the file name extension of an image in lower case; raise an error if it is not one of ``suffixes``.

    >>> check_image("tree.PDF")
    '.pdf'
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in suffixes:
        known = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise UsageError(f"{os.fspath(path)}: the file name must end in {known}")
    return suffix


def require(module: str, what: str) -> Any:
    """Import a module of the extra ``pictures``; if it is missing, raise an error with the installation command."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"{what} needs {module}; install it with: pip install 'wordorder[pictures]'") from None


def write_svg(svg: str, path: Path) -> None:
    """Write an SVG document as an SVG, PDF or PNG file, depending on the file name."""
    suffix = check_image(path)
    if suffix == ".svg":
        with atomic_write(path) as target:
            target.write(svg)
        return
    convert = require("vl_convert", f"a {suffix[1:].upper()} file")
    data = convert.svg_to_pdf(svg) if suffix == ".pdf" else convert.svg_to_png(svg, scale=SCALE)
    write_bytes(path, data)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a binary file atomically, so that it appears only when it is complete."""
    with atomic_write(path) as target:
        cast(io.TextIOWrapper, target).buffer.write(data)
