"""Arguments several commands share, and how results are printed."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO

from wordorder.runtime.errors import InputError, UsageError

if TYPE_CHECKING:
    from wordorder.report import Table
    from wordorder.statistics import Resampling

FORMATS = ("terminal", "tsv", "json", "markdown", "latex")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add ``--format`` and ``--json``."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", choices=FORMATS, help="form of the table (default: terminal on a terminal, tsv in a pipe)"
    )
    group.add_argument("--json", action="store_true", help="one JSON document, unrounded")


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """Add what intervals and threads need."""
    group = parser.add_argument_group("uncertainty and speed")
    group.add_argument(
        "--samples", type=int, default=1000, metavar="N", help="bootstrap samples (default 1000; 0: no intervals)"
    )
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of all samples (default 12345)")
    group.add_argument("--threads", type=int, default=1, metavar="N", help="threads (default 1; 0: all cores)")


def add_picture(parser: argparse.ArgumentParser) -> None:
    """Add ``--picture``."""
    endings = "write a picture: .svg, or .pdf and .png with the extra 'pictures'"
    parser.add_argument("--picture", type=_image_file, metavar="FILE", help=endings)


def _image_file(path: str, *, chart: bool = False) -> str:
    """Refuse the name of an image that could not be written, before any work is done."""
    from wordorder.report.images import CHARTS, PICTURES, check_image, require

    try:
        suffix = check_image(path, CHARTS if chart else PICTURES)
        for module in ("altair", "vl_convert") if chart else ("vl_convert",) if suffix != ".svg" else ():
            require(module, f"{path}: a chart" if chart else f"{path}: this kind of picture")
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise argparse.ArgumentTypeError(f"{path}: there is no folder {folder}")
    return path


def add_plot(parser: argparse.ArgumentParser, *, kinds: Sequence[str] = ()) -> None:
    """Add ``--plot``, and ``--plot-as`` where there are several kinds of charts."""
    group = parser.add_argument_group("charts (needs the extra 'pictures')")
    endings = "also draw a chart: .svg, .pdf, .png, or .html to point at marks"
    group.add_argument("--plot", type=partial(_image_file, chart=True), metavar="FILE", help=endings)
    if kinds:
        listed = ", ".join(kinds)
        group.add_argument(
            "--plot-as", choices=kinds, metavar="KIND", help=f"what is drawn: {listed} (default: the table)"
        )


def write_plot(options: argparse.Namespace, plot: Callable[[], Any]) -> None:
    """Write the chart of a result, if one was asked for."""
    if getattr(options, "plot_as", None) and not options.plot:
        raise UsageError("--plot-as says what --plot draws; name the file")
    if options.plot:
        from wordorder.charts import save_chart

        save_chart(plot(), options.plot)


def named_files(items: list[str], *, what: str = "systems") -> dict[str, str]:
    """Read ``NAME=path`` or ``path`` (named after the file); the same name twice is an error.

    >>> named_files(["runs/A.txt", "ours=runs/B.txt.gz"])
    {'A': 'runs/A.txt', 'ours': 'runs/B.txt.gz'}
    """
    from wordorder.formats.sources import system_name

    systems: dict[str, str] = {}
    for item in items:
        given, path = split_name(item)
        name = given or system_name(path)
        name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # a file name may be any bytes
        if name in systems:
            raise UsageError(f"two {what} are called {name!r} ({systems[name]} and {path}); name them: NAME={path}")
        systems[name] = path
    return systems


def files_of(systems: Collection[str], files: list[str]) -> dict[str, str]:
    """Name files of alignments or parses: as they are named, or in the order of the systems if none has a name."""
    if len(files) == len(systems) and not any(split_name(file)[0] for file in files):
        return dict(zip(systems, files, strict=True))
    return named_files(files)


def split_name(item: str) -> tuple[str | None, str]:
    """Split ``NAME=path``; a path that exists as it is has no name in front.

    >>> split_name("ours=runs/B.txt"), split_name("runs/B.txt")
    (('ours', 'runs/B.txt'), (None, 'runs/B.txt'))
    """
    name, equals, path = item.partition("=")
    named = bool(equals and name and path) and not os.path.exists(item)
    return (name, path) if named else (None, item)


def listed(items: str | None) -> frozenset[str]:
    """Read ``a,b,c``, or the lines of FILE from ``@FILE``."""
    if items is None:
        return frozenset()
    if items.startswith("@"):
        from wordorder.formats import text

        found = text.read(items[1:]).to_pylist()
    else:
        found = items.split(",")
    return frozenset(item.strip() for item in found if item.strip())


def add_link_format(group: argparse._ArgumentGroup, *, default: str | None = "pharaoh") -> None:
    """Add how files of alignments are read."""
    group.add_argument(
        "--align-format",
        default=default,
        metavar="NAME",
        help="pharaoh (default), talp, naacl, giza, lader, target-list, moses or nbest",
    )
    group.add_argument("--base", type=int, choices=(0, 1), help="do indices count from 0 or 1 (default: per format)")


def add_commands(parser: argparse.ArgumentParser, modules: Sequence[ModuleType], *, required: bool = False) -> None:
    """Add one sub-parser per command; a command is a module with HELP, EXAMPLES, ``add_arguments`` and ``run``.

    A module without ``run`` has commands of its own below it.
    """
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=required, parser_class=type(parser)
    )
    for command in modules:
        sub = commands.add_parser(
            command.__name__.rpartition(".")[2],
            help=command.HELP,
            description=command.__doc__,
            epilog=command.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        if hasattr(command, "run"):
            sub.set_defaults(run=command.run)


def resampling(options: argparse.Namespace, *, samples: int | None = None, unit: str = "segments") -> Resampling:
    """Gather how uncertainty is measured."""
    from wordorder.statistics import Resampling

    return Resampling(options.samples if samples is None else samples, options.seed, options.threads, unit)


def wants_json(options: argparse.Namespace) -> bool:
    """Whether one JSON document was asked for, either way."""
    return bool(options.json or options.format == "json")


def print_json(document: Any, *, file: TextIO | None = None) -> None:
    """Print one JSON document."""
    try:
        text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    except RecursionError:
        raise InputError("the result is nested too deeply for JSON; leave out --json") from None
    print(text, file=file)


def print_table(table: Table, format: str | None = None, *, file: TextIO | None = None) -> None:
    """Print a table; without a ``format`` a terminal gets it drawn, a pipe or file gets TSV."""
    from wordorder.report import render
    from wordorder.report.terminal import print_terminal

    file = sys.stdout if file is None else file
    format = format or ("terminal" if file.isatty() else "tsv")
    if format == "terminal":
        print_terminal(table, file)
    else:
        file.write(render(table, format) + "\n")


def print_result(options: argparse.Namespace, document: Callable[[], Any], table: Callable[[], Table]) -> None:
    """Print a result as one JSON document or as a table, whichever was asked for."""
    if wants_json(options):
        print_json(document())
    else:
        print_table(table(), options.format)


def print_tables(options: argparse.Namespace, tables: dict[str, Table]) -> None:
    """Print tables one after the other, or one JSON document with all of them."""
    from wordorder.report import table_records

    if wants_json(options):
        print_json({name: table_records(table) for name, table in tables.items()})
        return
    for number, table in enumerate(tables.values()):
        if number:
            print()
        print_table(table, options.format)
