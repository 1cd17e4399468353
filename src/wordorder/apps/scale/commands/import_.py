"""Create a corpus of Parquet files (parts), the input of the other commands, from files of parallel text.

Each part has 131,072 rows. A line with too few fields or text that is not UTF-8 becomes null and is counted.

examples:
  wordorder scale import en-de.*.tsv.zst --columns source=1 target=2 --out corpus             ParaCrawl
  wordorder scale import --columns source=OPUS.de target=OPUS.en --out corpus                 OPUS, Moses: two files
  wordorder scale import wmt19 --columns source=translation.de target=translation.en --out c  a Hugging Face dataset
  wordorder scale import runs.jsonl.gz --columns reference=ref A=out.a --out pairs
  wordorder scale import --columns source=a.tsv:de target=b.parquet:en --out corpus           columns of tables

Identify a TSV or CSV column by its name in the header or, if the file has no header, by its number from 1.
"""

import argparse

from wordorder.apps.scale.commands import arguments
from wordorder.cli.output import add_output, print_result

COMMON = "columns out workers overwrite"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    group = parser.add_argument_group("input")
    tables = "tables (.tsv, .csv, .jsonl, .parquet, .arrow; may be compressed), or folders with Hugging Face datasets"
    group.add_argument("files", nargs="*", metavar="FILE", help=tables)
    columns = (
        "columns of the new corpus, each with its column in the files or, if no files are given, its text file "
        "(NAME=FILE)"
    )
    group.add_argument("--columns", nargs="+", metavar="NAME=COLUMN", help=columns)
    arguments.add_out(group)
    arguments.add_running(parser, "files")
    add_output(parser, file=False)


def run(options: argparse.Namespace) -> None:
    """Import the files, and print the number of parts and rows in the corpus."""
    arguments.require(options, "columns", "out")
    from wordorder.apps.scale import import_corpus
    from wordorder.apps.scale.parts import write_bad
    from wordorder.report.table import Column, Table

    with arguments.end_of_shard(options):
        found = import_corpus(**arguments.arguments_of(options, import_corpus))
        columns = [Column("corpus", "left"), *map(Column, ("parts", "rows", "unusable"))]
        notes = [write_bad(found.bad)] if found.bad else []
        row: list[str | int] = [found.out, found.parts, found.rows, sum(found.bad.values())]
        print_result(options, lambda: Table.of("", columns, [row], notes=notes))
