"""Options for the format and the file of a command's output, and functions that print results.

The option ``--html`` is shared by all commands that can write their results as a page for a browser.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from wordorder.cli.arguments import add_settings
from wordorder.core.runtime.errors import InputError, UsageError, refuse

if TYPE_CHECKING:
    from wordorder.report import Style, Table
    from wordorder.show.explorer import Page

FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex", "html")
_ALSO = {"terminal": "table", "text": "table", "md": "markdown", "tex": "latex"}
_ENDINGS = {".tsv": "tsv", ".csv": "csv", ".json": "json", ".md": "markdown", ".tex": "latex", ".html": "html"}
_WRITTEN = (
    "result_file", "output", "html", "segments", "plot", "picture", "save", "report", "pairs", "write_buckets",
    "mtme_scores", "nbest_file", "label_studio",
)  # fmt: skip


def add_output(
    parser: argparse.ArgumentParser, *, tables: bool = True, percent: bool = False, file: bool = True
) -> None:
    """Add the options for the format of a result and, with ``file``, also ``-o``.

    Commands that use ``-o`` for something else set ``file=False``; commands without tables offer only ``--json``.
    """
    from wordorder.report.table import Style

    group = parser.add_argument_group("output")
    add = group.add_argument
    parser.set_defaults(format=None, digits=None, percent=False, caption=None, result_file=None)
    parser.set_defaults(tables_only=tables and file)
    if tables:
        forms = "output format (default: table, or from the suffix of -o FILE); latex requires the package booktabs"
        add("--format", type=lambda name: _ALSO.get(name, name), choices=FORMATS, help=forms)
    add("--json", action="store_const", const="json", dest="format", help="print JSON with unrounded numbers")
    if tables:
        add_settings(group, Style, "digits")
        add("--caption", metavar="TEXT", help="title of the table, or its caption in LaTeX and HTML")
    if percent:
        add_settings(group, Style, "percent")
    if file:
        add_file(parser)


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the option ``-o``, the file for everything that the command would otherwise print."""
    where = "file for the result, written completely or not at all (default: standard output)"
    parser.add_argument("-o", "--output", dest="result_file", metavar="FILE", help=where)


@contextlib.contextmanager
def result_file(options: argparse.Namespace) -> Iterator[None]:
    """Redirect the output of a command to the file given by ``-o``, whose suffix selects the default format.

    The file is written completely or not at all.
    """
    path = getattr(options, "result_file", None)
    if path is None:
        yield
        return
    from wordorder.core.runtime.files import atomic_write

    if path.endswith((".parquet", ".xlsx", ".arrow")):
        raise UsageError(f"{path}: unknown result format (valid: {', '.join(FORMATS)}); for data, use .csv or .json")
    if getattr(options, "format", "") is None:
        ending = os.path.splitext(path.removesuffix(".gz"))[1]
        options.format = _ENDINGS.get(ending)
        if options.format is None and ending not in ("", ".txt") and getattr(options, "tables_only", False):
            known = f"{', '.join(_ENDINGS)} or .txt, or choose one with --format"
            raise UsageError(f"{path}: unknown result format {ending!r}; use {known}")
    with atomic_write(path) as target, contextlib.redirect_stdout(target):
        yield


def input_paths(options: argparse.Namespace) -> Iterator[str]:
    """Yield every option value that might be the path of an input."""
    for name, value in vars(options).items():
        if name not in _WRITTEN:
            yield from (str(item).rpartition("=")[2] for item in (value if isinstance(value, list) else [value]))


def result_paths(options: argparse.Namespace) -> list[str]:
    """Return every option value that is the path of a result; raise an error if two are the same file."""
    paths = [path for name in _WRITTEN if isinstance(path := getattr(options, name, None), str)]
    known: set[str] = set()
    for path in paths:
        if (real := os.path.realpath(path)) in known:
            raise UsageError(f"{path}: two results cannot be written to the same file")
        if os.path.isfile(real) or not os.path.exists(real):  # any number of results may go to /dev/null
            known.add(real)
    return paths


def for_people(options: argparse.Namespace) -> bool:
    """Return whether the output is for human readers, so that text such as a histogram may follow the table."""
    return options.format in (None, "table")


def chosen_style(options: argparse.Namespace) -> Style:
    """Return the number style (digits, percentages) specified by the options."""
    from wordorder.report import DATA, Style

    shown = options.digits is not None or options.percent
    if options.format == "json" and shown:
        raise UsageError("--digits and --percent apply only to tables; JSON always has unrounded values from 0 to 1")
    if options.caption and options.format in DATA:
        raise UsageError(f"--caption cannot be used with --format {options.format}, which has no captions")
    return Style(options.digits, options.percent)


def print_json(document: Any, *, file: TextIO | None = None) -> None:
    """Print a document as JSON."""
    from wordorder.core.runtime.plain import dump_json

    try:
        text = dump_json(document)
    except RecursionError:
        raise InputError("the result is nested too deeply for JSON; run the command without --json") from None
    print(text, file=file)


def print_result(
    options: argparse.Namespace,
    tables: Callable[[], Table | Mapping[str, Table]],
    document: Callable[[], Any] | None = None,
    *,
    file: TextIO | None = None,
) -> None:
    """Print a result in the chosen format, as one table, several named tables or one JSON document.

    ``document`` returns the plain data for JSON; without it, the JSON document has the rows and notes of the tables.
    """
    style = chosen_style(options)
    if options.format == "json" and document is not None:
        print_json(document(), file=file)
        return
    made = tables()
    if options.format == "json":
        print_json(_document(made), file=file)
        return
    several = list(made.values()) if isinstance(made, Mapping) else [made]
    for number, table in enumerate(several):
        if number:
            print(file=file)
        elif options.caption:
            table = replace(table, title=options.caption)
        print_table(table, options.format, style=style, file=file)


def print_table(
    table: Table, format: str | None = None, *, style: Style | None = None, file: TextIO | None = None
) -> None:
    """Print a table in one of ``FORMATS``; the default is a table with lines, fitted to the terminal width."""
    from wordorder.report import DATA, render
    from wordorder.report.terminal import print_terminal

    file = sys.stdout if file is None else file
    if style is not None:
        table = style.apply(table, rounded=format in DATA)
    if format in (None, "table"):
        print_terminal(table, file)
    else:
        file.write(render(table, str(format)) + "\n")


def _document(made: Table | Mapping[str, Table]) -> dict[str, Any]:
    from wordorder.report import table_document

    if not isinstance(made, Mapping):
        return table_document(made)
    parts = {name: table_document(table) for name, table in made.items()}
    notes = {name: part["notes"] for name, part in parts.items()}
    return {name: part["rows"] for name, part in parts.items()} | {"notes": notes}


def add_html(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--html``, the file for the page."""
    page = "also write a self-contained HTML page for browsing the results segment by segment"
    parser.add_argument_group("explorer").add_argument("--html", metavar="FILE", help=page)


def check_html(options: argparse.Namespace, *, rereads: bool = True) -> None:
    """Raise an error, before work begins, if the page cannot be written or its inputs cannot be read twice."""
    if not options.html:
        return
    from wordorder.show.explorer.page import check_target

    check_target(options.html)
    refuse(not options.html.endswith((".html", ".htm")), f"{options.html}: the name of an HTML page must end in .html")
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
