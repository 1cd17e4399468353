"""Arguments that the ``scale`` commands share: the corpus, the output folder, and the worker processes."""

import argparse
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from wordorder.cli.arguments import arguments_for, assignments
from wordorder.core.runtime.errors import UsageError, refuse


def add_corpus(parser: argparse.ArgumentParser, *, columns: str, split: bool = False) -> argparse._ArgumentGroup:
    """Add the arguments for the corpus, its columns and the output folder, and return their argument group.

    If ``split`` is true, the words of the corpus have links; ``--tokenize`` then says how these words were split.
    """
    group = parser.add_argument_group("corpus and results")
    parts = "folders of Parquet files, single Parquet files, or patterns with * (also s3:// and gs://)"
    group.add_argument("corpus", nargs="*", metavar="CORPUS", help=parts)
    group.add_argument("--columns", nargs="+", metavar="ROLE=COLUMN", help=columns)
    add_out(group)
    if split:
        cut = (
            "tokeniser with which the text was split into words for the links (default: the one recorded by 'scale "
            "align', otherwise none)"
        )
        group.add_argument("--tokenize", "-tok", metavar="NAME", help=cut)
    return group


def add_out(group: argparse._ArgumentGroup) -> None:
    """Add the option ``--out`` for the output folder."""
    about = "folder for the results; parts that already have a result there are skipped"
    group.add_argument("--out", metavar="FOLDER", help=about)


def add_running(parser: argparse.ArgumentParser, unit: str = "parts") -> None:
    """Add the options for worker processes; ``unit`` is the plural noun for their tasks in help texts."""
    add = parser.add_argument_group("workers").add_argument
    add("--workers", type=int, default=1, metavar="N", help="number of local processes (default 1; 0: one per core)")
    add("--shard", metavar="I/N", help=f"split the {unit} into N shards and process only the I-th (for Slurm arrays)")
    clusters = (
        "use a Dask cluster: the address of a scheduler (tcp://HOST:8786), local, or slurm (requires the "
        "extra scale or, for slurm, slurm)"
    )
    add("--dask", metavar="ADDRESS", help=clusters)
    add("--jobs", type=int, metavar="N", help="number of Slurm jobs for --dask slurm (default 1)")
    add("--strict", action="store_true", help="stop at the first unusable row instead of leaving it out")
    about = "replace existing results in the output folder that were made with other options or input"
    add("--overwrite", action="store_true", help=about)
    parser.set_defaults(prog=parser.prog)


def arguments_of(options: argparse.Namespace, function: Callable[..., Any], **changed: Any) -> dict[str, Any]:
    """Return the keyword arguments that a function takes from the options; ``changed`` overrides some of them."""
    if options.dask is not None and options.workers != 1 and options.dask != "local":
        raise UsageError(
            "--workers sets the number of local processes, which --dask does not use; leave it out, or use "
            "--jobs with --dask slurm"
        )
    if options.dask is not None and options.shard is not None:
        raise UsageError("--shard and --dask cannot be combined; use one of them to spread the work over machines")
    workers = {name: getattr(options, name) for name in ("workers", "shard", "dask", "jobs", "strict", "overwrite")}
    return arguments_for(options, function, columns=columns_of(options), **workers, **changed)


def columns_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the column for each role in ``--columns ROLE=COLUMN …``."""
    return assignments(options.columns or (), "--columns", "ROLE=COLUMN, as in source=1 or reference=ref")


def require(options: argparse.Namespace, *names: str) -> None:
    """Raise UsageError if one of the options ``names``, which are required, is missing."""
    for name in names:
        what = "the corpus is missing; give a folder of Parquet files" if name == "corpus" else f"--{name} is missing"
        refuse(not getattr(options, name), f"{what} (see {options.prog} --help)")


@contextlib.contextmanager
def end_of_shard(options: argparse.Namespace) -> Iterator[None]:
    """At the end of a shard, print how many parts other shards have not finished, instead of raising an error."""
    from wordorder.apps.scale.runner import UnfinishedError

    try:
        yield
    except UnfinishedError as unfinished:
        if options.shard is None:
            raise
        print(f"shard {options.shard} is done; {unfinished} (wordorder scale merge {options.out} shows the totals)")
