"""Merge the results of all parts: print the totals as a table, and write the rows to one file if requested.

examples:
  wordorder scale merge scores                                    print the totals
  wordorder scale merge scores --rows scores.tsv.zst              also write all rows (.tsv, .jsonl or .parquet)
  wordorder scale merge kept --columns source=kept.de.gz target=kept.en.gz      Moses format: one file per column
  wordorder scale merge scores --scores-jsonl scores.jsonl        scores in the format of OpusFilter
"""

import argparse

from wordorder.apps.scale.commands import arguments
from wordorder.cli.output import add_output, print_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("folder", metavar="FOLDER", help="folder with the results; all parts must be finished")
    about = "write all rows to one .parquet, .tsv or .jsonl file, which may be compressed (.tsv.zst)"
    parser.add_argument("--rows", metavar="FILE", help=about)
    texts = "write each of these columns to a text file with one line per row"
    parser.add_argument("--columns", nargs="+", metavar="COLUMN=FILE", help=texts)
    about = "write the scores to a JSON Lines file in the format of OpusFilter"
    parser.add_argument("--scores-jsonl", metavar="FILE", help=about)
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Write the requested files and print the totals."""
    from wordorder.apps.scale import merging, totals

    if options.rows:
        merging.merge_rows(options.folder, options.rows)
    if options.columns:
        merging.merge_columns(options.folder, arguments.columns_of(options))
    if options.scores_jsonl:
        merging.merge_rows(options.folder, options.scores_jsonl, opusfilter=True)
    found = totals(options.folder)
    print_result(options, found.table, found.to_dict)
