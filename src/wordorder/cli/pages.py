"""The option ``--html``, shared by all commands that can write their results as a page for a browser."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from wordorder.cli.output import input_paths

if TYPE_CHECKING:
    from wordorder.show.explorer import Page


def add_html(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--html``, the file for the page."""
    page = "also write a self-contained HTML page for browsing the results segment by segment"
    parser.add_argument_group("explorer").add_argument("--html", metavar="FILE", help=page)


def check_html(options: argparse.Namespace, *, rereads: bool = True) -> None:
    """Raise an error, before work begins, if the page cannot be written or its inputs cannot be read twice."""
    if not options.html:
        return
    from wordorder.core.runtime.errors import UsageError
    from wordorder.show.explorer.page import check_target

    check_target(options.html)
    if not options.html.endswith((".html", ".htm")):
        raise UsageError(f"{options.html}: the name of an HTML page must end in .html")
    for path in input_paths(options) if rereads else ():
        if path == "-" or (os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))):
            name = "standard input" if path == "-" else path
            raise UsageError(f"--html reads the input twice; give a file instead of {name}")


def write_html(options: argparse.Namespace, page: Page) -> None:
    """Write the page and report its path."""
    from wordorder.show.explorer import write_page

    write_page(page, options.html)
    report_page(options.html)


def report_page(path: str) -> None:
    """Report on standard error that a page has been written."""
    print(f"wordorder: {path} written; open it in a browser", file=sys.stderr)
