"""Work on corpora of any size: a corpus is a folder of Parquet parts, and every part is processed by itself.

In one process or several, on Slurm or on a Dask cluster, the results are the same, byte for byte. A run that was
stopped resumes when the same command is given again.
"""

from __future__ import annotations

import argparse

from wordorder.cli.parser import add_commands
from wordorder.cli.scale import align, filter, import_, merge, profile, score, status

HELP = "corpora of any size: Parquet parts, many workers, Slurm or Dask; filter by word order"
EXAMPLES = """\
examples:
  wordorder scale import *.tsv.zst --columns source=1 target=2 --out corpus
  wordorder scale align corpus --out aligned --workers 0
  wordorder scale profile aligned --out profile
  wordorder scale score pairs --columns reference=ref A=hyp_a B=hyp_b --out scores --workers 0
  wordorder scale filter aligned --keep 'kendall >= .9 and rquantity <= .2' --out kept
  wordorder scale status scores
  wordorder scale merge scores -o scores.tsv.zst
  wordorder scale COMMAND --help                          what each takes, with examples
"""

COMMANDS = (import_, align, profile, score, filter, status, merge)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands below this one."""
    add_commands(parser, COMMANDS, required=True)
