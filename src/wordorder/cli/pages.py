"""The option ``--html``, which every command shares that can write its results as a page for a browser."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from wordorder.cli.output import input_paths

if TYPE_CHECKING:
    from wordorder.show.explorer import Page


def add_html(parser: argparse.ArgumentParser) -> None:
    """Add ``--html``, a file for the page."""
    page = "also write one self-contained HTML page, to browse the results segment by segment"
    parser.add_argument_group("explorer").add_argument("--html", metavar="FILE", help=page)


def check_html(options: argparse.Namespace, *, rereads: bool = True) -> None:
    """Refuse a page that cannot be written, or inputs that cannot be read a second time, before work begins."""
    if not options.html:
        return
    from wordorder.core.runtime.errors import UsageError
    from wordorder.show.explorer.page import check_target

    check_target(options.html)
    if not options.html.endswith((".html", ".htm")):
        raise UsageError(f"{options.html}: a page is an HTML file; its name must end in .html")
    for path in input_paths(options) if rereads else ():
        if path == "-" or (os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))):
            name = "standard input" if path == "-" else path
            raise UsageError(f"--html reads the input a second time; give a file, not {name}")


def write_html(options: argparse.Namespace, page: Page) -> None:
    """Write the page and report where it is."""
    from wordorder.show.explorer import write_page

    write_page(page, options.html)
    report_page(options.html)


def report_page(path: str) -> None:
    """Report on standard error that a page has been written."""
    print(f"wordorder: {path} written; open it in a browser", file=sys.stderr)
