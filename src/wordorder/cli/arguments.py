"""Options shared by several commands, options created from declared settings, and arguments taken from options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from wordorder.cli.parser import JoinNames
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.runtime.settings import settings_of

if TYPE_CHECKING:
    from wordorder.core.statistics import Resampling


def add_settings(
    group: argparse._ArgumentGroup | argparse.ArgumentParser,
    owner: type,
    *names: str,
    optional: bool = False,
    **changes: Mapping[str, Any],
) -> None:
    """Add an option for each of the given settings of a class, or for all its settings if no names are given.

    ``changes`` replaces parts of a declaration, such as its help or default, for this command only. With
    ``optional``, options that are not given are None instead of their defaults.
    """
    declared = settings_of(owner)
    for name in names or declared:
        known = replace(declared[name], **changes.get(name, {}))
        about: dict[str, Any] = {"dest": name, "default": None if optional else known.default}
        help_, default = known.help, known.default
        if not (default is None or isinstance(default, bool) or "default" in help_):
            value = " ".join(default) if isinstance(default, (list, tuple)) else default
            help_ = f"{help_[:-1]}; default {value})" if help_.endswith(")") else f"{help_} (default {value})"
        about["help"] = help_.replace("%", "%%")
        flag = name.replace("_", "-")
        if known.kind is bool:
            about["action"] = "store_false" if known.default else "store_true"
            if known.default:
                flag, about["help"] = f"no-{flag}", f"do not {about['help']}"
        else:
            about |= {"type": known.kind, "metavar": known.metavar, "choices": known.choices or None}
            about["nargs"] = "+" if known.many else None
        group.add_argument(f"--{flag}", *known.short, **about)


def settings_from(options: argparse.Namespace, *owners: type) -> dict[str, Any]:
    """Return the values, by name, of the options that are settings of the given classes, except values of None."""
    found = {name: getattr(options, name, None) for owner in owners for name in settings_of(owner)}
    return {name: value for name, value in found.items() if value is not None}


def arguments_for(options: argparse.Namespace, function: Callable[..., Any], **changed: Any) -> dict[str, Any]:
    """Return keyword arguments for a function, taken from options with the same names as its parameters.

    Options that are None are omitted, so that the function's defaults apply; ``changed`` arguments replace options.
    """
    found = {name: getattr(options, name, None) for name in signature(function).parameters}
    return {name: value for name, value in found.items() if value is not None} | changed


def assignments(items: Sequence[str], option: str, form: str) -> dict[str, str]:
    """Parse the ``KEY=VALUE`` items of an option into a dictionary; errors show ``form`` as the expected form.

    >>> assignments(["score=z", "judge=person"], "--columns", "ROLE=NAME")
    {'score': 'z', 'judge': 'person'}
    """
    found: dict[str, str] = {}
    for item in items:
        key, _, value = (part.strip() for part in item.partition("="))
        refuse(not (key and value), f"{option} {item}: expected {form}")
        refuse(key in found, f"{option}: {key!r} is given twice")
        found[key] = value
    return found


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """Add the options for bootstrap resampling and threads."""
    from wordorder.core.statistics import Resampling

    add_settings(parser.add_argument_group("uncertainty and speed"), Resampling, "samples", "seed", "threads")


def add_picture(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--picture``, the file for a picture of a sentence."""
    endings = "write a picture to this file: .svg, or with the extra 'pictures' also .pdf or .png"
    parser.add_argument("--picture", type=_image_file, metavar="FILE", help=endings)


def _image_file(path: str, *, chart: bool = False) -> str:
    """Return the path of a picture or chart, or raise an error at once if such a file could not be written later."""
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
    """Add the option ``--plot`` and, if there are several kinds of charts, ``--plot-as``."""
    add = parser.add_argument_group("charts (needs the extra 'pictures')").add_argument
    endings = "also draw a chart: .svg, .pdf, .png, or .html with tooltips"
    add("--plot", type=partial(_image_file, chart=True), metavar="FILE", help=endings)
    if kinds:
        drawn = f"what to draw: {', '.join(kinds)} (default: the printed table)"
        add("--plot-as", choices=kinds, metavar="KIND", help=drawn)


def write_plot(options: argparse.Namespace, plot: Callable[[], Any]) -> None:
    """Write a chart of the result to the file given by ``--plot``, if this option is used."""
    refuse(getattr(options, "plot_as", None) and not options.plot, "--plot-as requires --plot FILE")
    if options.plot:
        from wordorder.report.charts import save_chart

        save_chart(plot(), options.plot)


def named_files(items: list[str], *, what: str = "systems") -> dict[str, str]:
    """Return paths by name; an item is ``NAME=path``, or only ``path`` to take the name from the file name.

    Raise UsageError if a name occurs twice.

    >>> named_files(["runs/A.txt", "ours=runs/B.txt.gz"])
    {'A': 'runs/A.txt', 'ours': 'runs/B.txt.gz'}
    """
    from wordorder.formats.sources import system_name

    systems: dict[str, str] = {}
    for item in items:
        given, path = split_name(item)
        name = given or system_name(path)
        name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # a file name may be any bytes
        both = f"({systems.get(name)} and {path})"
        refuse(name in systems, f"two {what} are called {name!r} {both}; give one of them another name: NAME={path}")
        systems[name] = path
    return systems


def files_of(systems: Collection[str], files: list[str]) -> dict[str, str]:
    """Return the alignment or parse file of each system; files without names belong to the systems in order."""
    if len(files) == len(systems) and not any(split_name(file)[0] for file in files):
        return dict(zip(systems, files, strict=True))
    return named_files(files)


def split_name(item: str) -> tuple[str | None, str]:
    """Split ``NAME=path`` into name and path; the name is None if the whole item is an existing path.

    >>> split_name("ours=runs/B.txt"), split_name("runs/B.txt")
    (('ours', 'runs/B.txt'), (None, 'runs/B.txt'))
    """
    name, equals, path = item.partition("=")
    named = bool(equals and name and path) and not os.path.exists(item)
    return (name, path) if named else (None, item)


def comma_list(items: str | None) -> frozenset[str]:
    """Return the items of a list such as ``a,b,c``, or the lines of the file in ``@FILE``."""
    if items is None:
        return frozenset()
    if items.startswith("@"):
        from wordorder.formats import text

        found = text.read(items[1:]).to_pylist()
    else:
        found = items.split(",")
    return frozenset(item.strip() for item in found if item.strip())


def add_metrics(group: argparse._ArgumentGroup | argparse.ArgumentParser, about: str) -> None:
    """Add the option ``--metrics`` with the help text ``about``."""
    group.add_argument("--metrics", "-m", nargs="+", action=JoinNames, metavar="NAME", help=about)


def add_threads(group: argparse._ArgumentGroup) -> None:
    """Add the option ``--threads``, the number of threads."""
    from wordorder.core.statistics import Resampling

    add_settings(group, Resampling, "threads")


def resampling(options: argparse.Namespace, **changed: Any) -> Resampling:
    """Return the bootstrap settings given by the options; ``changed`` settings replace options."""
    from wordorder.core.statistics import Resampling

    return Resampling(**settings_from(options, Resampling) | changed)
