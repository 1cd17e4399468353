"""Arguments several commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.cli.parser import JoinNames
from wordorder.core.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.core.statistics import Resampling
    from wordorder.linking.aligning import Aligning


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """Add what intervals and threads need."""
    group = parser.add_argument_group("uncertainty and speed")
    group.add_argument(
        "--samples", type=int, default=1000, metavar="N", help="bootstrap samples (default 1000; 0: no intervals)"
    )
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")
    add_threads(group)


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
    endings = "also draw a chart: .svg, .pdf, .png, or .html with tooltips"
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
        from wordorder.report.charts import save_chart

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
            raise UsageError(
                f"two {what} are called {name!r} ({systems[name]} and {path}); "
                f"give one of them another name: NAME={path}"
            )
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


TOKENIZERS = "13a, char, flores101, flores200, intl, ja-mecab, ko-mecab, none (at whitespace), spBLEU-1K, spm, zh"


def add_link_format(group: argparse._ArgumentGroup, *, default: str | None = "pharaoh") -> None:
    """Add how files of alignments are read."""
    group.add_argument(
        "--align-format",
        default=default,
        metavar="NAME",
        help="pharaoh (default), talp, naacl, giza, lader, target-list, moses or nbest",
    )
    group.add_argument("--base", type=int, choices=(0, 1), help="the first index (default: that of the format)")


def add_aligner(group: argparse._ArgumentGroup, *, also: str = "", sets: bool = False) -> None:
    """Add which aligner makes links, and what it learns from, per set of judgements where there are ``sets``."""
    add = group.add_argument
    count, each = ("+", ", one per set") if sets else (None, "")
    add("--aligner", metavar="NAME", help=f"model1, diagonal, hmm or eflomal (default hmm){also}")
    methods = (
        "how both directions are joined: forward, backward, intersection, union, grow-diag, grow-diag-final, "
        "grow-diag-final-and (default), posterior-product, soft-union"
    )
    add("--symmetrise", metavar="NAME", help=methods)
    saved = f"a model saved by 'wordorder align --save', instead of training one{each}"
    add("--align-model", nargs=count, metavar="FILE", help=saved)
    parallel = f"more parallel text for the aligner to learn from: source side{each}"
    add("--train-source", nargs=count, metavar="FILE", help=parallel)
    add("--train-target", nargs=count, metavar="FILE", help=f"… and target side{each}")


def chosen_aligning(options: argparse.Namespace) -> Aligning | None:
    """Return how words are to be aligned, or None where nothing is said of it."""
    settings = {
        "aligner": options.aligner,
        "symmetrise": options.symmetrise,
        "align_model": options.align_model,
        "train_source": options.train_source,
        "train_target": options.train_target,
    }
    given = {name: value for name, value in settings.items() if value is not None}
    if not given:
        return None
    from wordorder.linking.aligning import Aligning

    return Aligning(**given)


def add_metrics(group: argparse._ArgumentGroup | argparse.ArgumentParser, said: str) -> None:
    """Add which metrics are computed."""
    group.add_argument("--metrics", "-m", nargs="+", action=JoinNames, metavar="NAME", help=said)


def add_tokenizer(group: argparse._ArgumentGroup, *, default: str = "13a") -> None:
    """Add how text is cut into words."""
    named = f"sacreBLEU's tokenisers: {TOKENIZERS} (default {default})"
    group.add_argument("--tokenize", "-tok", default=default, metavar="NAME", help=named)


def add_threads(group: argparse._ArgumentGroup) -> None:
    """Add ``--threads``."""
    group.add_argument("--threads", type=int, default=1, metavar="N", help="threads (default 1; 0: all cores)")


def resampling(options: argparse.Namespace, *, samples: int | None = None, unit: str = "segments") -> Resampling:
    """Gather how uncertainty is measured."""
    from wordorder.core.statistics import Resampling

    return Resampling(options.samples if samples is None else samples, options.seed, options.threads, unit)
