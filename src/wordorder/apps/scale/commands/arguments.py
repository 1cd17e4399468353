"""Arguments that the commands of ``scale`` share: what is worked on, where results go, and who does the work."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import Any

from wordorder.core.runtime.errors import UsageError


def add_corpus(parser: argparse.ArgumentParser, *, columns: str) -> argparse._ArgumentGroup:
    """Add the corpus, its columns and the folder of the results."""
    group = parser.add_argument_group("corpus and results")
    parts = "a folder of Parquet parts, Parquet files, or patterns (also s3:// and gs://)"
    group.add_argument("corpus", nargs="*", metavar="CORPUS", help=parts)
    group.add_argument("--columns", nargs="+", metavar="ROLE=COLUMN", help=columns)
    add_out(group)
    return group


def add_out(group: argparse._ArgumentGroup) -> None:
    """Add the folder of the results."""
    group.add_argument("--out", metavar="FOLDER", help="where results go; parts finished there are not redone")


def add_running(parser: argparse.ArgumentParser, unit: str = "parts") -> None:
    """Add who does the work."""
    add = parser.add_argument_group("workers").add_argument
    add("--workers", type=int, default=1, metavar="N", help="processes on this machine (default 1; 0: all cores)")
    add("--shard", metavar="I/N", help=f"only every N-th of the {unit}, from the I-th on, for Slurm job arrays")
    clusters = "a Dask scheduler (tcp://HOST:8786), local, or slurm (needs the extra 'scale' or 'slurm')"
    add("--dask", metavar="ADDRESS", help=clusters)
    add("--jobs", type=int, metavar="N", help="Slurm jobs for --dask slurm (default 1)")
    add("--strict", action="store_true", help="stop at the first unusable row instead of counting it")
    add("--overwrite", action="store_true", help="replace results of another job or input in the folder")


def running(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of workers as arguments of the Python functions."""
    if options.dask is not None and options.workers != 1 and options.dask != "local":
        raise UsageError("--workers are processes here; with --dask the cluster has its own (--jobs for slurm)")
    if options.dask is not None and options.shard is not None:
        raise UsageError("--shard and --dask are two ways to use many machines; choose one")
    names = ("workers", "shard", "dask", "jobs", "strict", "overwrite")
    return {name: getattr(options, name) for name in names}


def columns_of(options: argparse.Namespace, usual: tuple[str, ...] = ()) -> dict[str, str]:
    """Parse ``--columns ROLE=COLUMN …``; ``usual`` roles that are not named are columns of the same name."""
    found: dict[str, str] = {}
    for item in options.columns or ():
        role, equals, column = item.partition("=")
        if not (equals and role and column):
            raise UsageError(f"--columns {item}: expected ROLE=COLUMN, as in source=1 or reference=ref")
        if role in found:
            raise UsageError(f"--columns: {role!r} is named twice")
        found[role] = column
    return {role: role for role in usual} | found


def require(options: argparse.Namespace, **named: Any) -> None:
    """Raise an error if an option that the command needs is missing."""
    for name, value in named.items():
        if not value:
            what = {"corpus": "name a corpus: a folder of Parquet parts"}.get(name, f"--{name} is missing")
            raise UsageError(f"{what} (see wordorder scale {options.scale_command} --help)")


@contextlib.contextmanager
def end_of_shard(options: argparse.Namespace) -> Iterator[None]:
    """Let a shard succeed although the parts of other shards are missing, and print how many are missing."""
    from wordorder.apps.scale.runner import UnfinishedError

    try:
        yield
    except UnfinishedError as unfinished:
        if options.shard is None:
            raise
        print(f"shard {options.shard} is done; {unfinished} (wordorder scale merge {options.out} shows the totals)")
