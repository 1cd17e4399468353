"""Arguments shared by the ``scale`` commands: the corpus, the folder for the results, and the workers."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from wordorder.cli.arguments import arguments_for, assignments
from wordorder.core.runtime.errors import UsageError, refuse


def add_corpus(parser: argparse.ArgumentParser, *, columns: str) -> argparse._ArgumentGroup:
    """Add the arguments for the corpus, its columns and the results, and return their group."""
    group = parser.add_argument_group("corpus and results")
    parts = "a folder of Parquet parts, Parquet files, or patterns (also s3:// and gs://)"
    group.add_argument("corpus", nargs="*", metavar="CORPUS", help=parts)
    group.add_argument("--columns", nargs="+", metavar="ROLE=COLUMN", help=columns)
    add_out(group)
    return group


def add_out(group: argparse._ArgumentGroup) -> None:
    """Add the option for the folder of the results."""
    group.add_argument(
        "--out", metavar="FOLDER", help="folder for the results; finished parts are not processed again"
    )


def add_running(parser: argparse.ArgumentParser, unit: str = "parts") -> None:
    """Add the options for the workers; ``unit`` is a plural word for what they process."""
    add = parser.add_argument_group("workers").add_argument
    add("--workers", type=int, default=1, metavar="N", help="number of local processes (default 1; 0: one per core)")
    add("--shard", metavar="I/N", help=f"process only every N-th of the {unit} from the I-th on (Slurm arrays)")
    clusters = "a Dask scheduler (tcp://HOST:8786), local, or slurm (needs the extra 'scale' or 'slurm')"
    add("--dask", metavar="ADDRESS", help=clusters)
    add("--jobs", type=int, metavar="N", help="number of Slurm jobs for --dask slurm (default 1)")
    add("--strict", action="store_true", help="stop at the first unusable row instead of counting it")
    add("--overwrite", action="store_true", help="replace results of another job or input in the output folder")


def arguments_of(options: argparse.Namespace, function: Callable[..., Any], **changed: Any) -> dict[str, Any]:
    """Return the arguments for a function that runs a job on a corpus; ``changed`` replaces some options."""
    if options.dask is not None and options.workers != 1 and options.dask != "local":
        raise UsageError("--workers sets local processes; with --dask, the cluster has its own (--jobs for slurm)")
    if options.dask is not None and options.shard is not None:
        raise UsageError("--shard and --dask cannot be combined; choose one way to use several machines")
    workers = {name: getattr(options, name) for name in ("workers", "shard", "dask", "jobs", "strict", "overwrite")}
    return arguments_for(options, function, columns=columns_of(options), **workers, **changed)


def columns_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the columns of ``--columns ROLE=COLUMN …`` by role."""
    return assignments(options.columns or (), "--columns", "ROLE=COLUMN, as in source=1 or reference=ref")


def require(options: argparse.Namespace, *names: str) -> None:
    """Raise UsageError if one of the named options is missing."""
    for name in names:
        what = "give a corpus, which is a folder of Parquet parts" if name == "corpus" else f"--{name} is missing"
        refuse(not getattr(options, name), f"{what} (see wordorder scale {options.scale_command} --help)")


@contextlib.contextmanager
def end_of_shard(options: argparse.Namespace) -> Iterator[None]:
    """If parts of other shards are unfinished when a shard ends, print their number instead of raising an error."""
    from wordorder.apps.scale.runner import UnfinishedError

    try:
        yield
    except UnfinishedError as unfinished:
        if options.shard is None:
            raise
        print(f"shard {options.shard} is done; {unfinished} (wordorder scale merge {options.out} shows the totals)")
