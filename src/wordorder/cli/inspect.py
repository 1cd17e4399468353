"""Inspect one word order or sentence: its permutation, trees, cycles and edits, and the score of every metric.

examples:
  wordorder inspect "2 4 5 6 1 3"
  wordorder inspect "0-0 1-2 2-1 3-3"                  an alignment: how the target reorders the source
  wordorder inspect "0-0 1-2 2-1" --source "a b c d" --policy talbot
  wordorder inspect "2 1 3" --reference "1 3 2"        ranks of the same source words in two orders
  wordorder inspect "sat the cat" --reference "the cat sat"      matched words and the edits of TER
  wordorder inspect "昨天我来" --reference "我昨天来" --tokenize zh         words without spaces between them
  wordorder inspect "sat the cat" --reference "the cat sat" --picture cat.svg
  wordorder inspect "0-0 1-2 2-1" --source "ich dich sehe" --target "I see you" --picture grid.svg
  wordorder inspect "2 4 1 3" --picture forest.pdf --draw forest
"""

import argparse
import os
from typing import Any

from wordorder.cli.arguments import add_picture, add_settings
from wordorder.cli.output import add_output, print_json
from wordorder.core.runtime.errors import refuse
from wordorder.report.table import printable_lines
from wordorder.scoring.options import InputOptions

COMMON = "order reference source target tokenize metrics picture draw format result_file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add = parser.add_argument
    add("order", help="a permutation of 1 to n ('2 4 1 3'), an alignment ('0-0 1-2', source-target), or a sentence")
    compared = "order, alignment (of the same source) or sentence to compare with"
    add("--reference", metavar="ORDER", help=compared)
    add("--source", metavar="TEXT", help="the source sentence, for the number of source words and for pictures")
    add("--target", metavar="TEXT", help="the target sentence, for the picture of an alignment")
    add("--policy", default="birch", metavar="NAME", help="how to convert alignments to permutations (default birch)")
    add("--base", type=int, choices=(0, 1), help="number of the first word in alignments, 0 or 1")
    add("--metrics", "-m", default="all", metavar="LIST", help="metrics, separated by commas (default all)")
    add_settings(parser.add_argument_group("sentences"), InputOptions, "tokenize")
    add_picture(parser)
    kinds = "grid or links (alignments), comparison (sentences), tree or forest (default: depends on the input)"
    add("--draw", metavar="KIND", help=f"kind of picture: {kinds}")
    add_output(parser, tables=False)


def run(options: argparse.Namespace) -> None:
    """Inspect the order or sentence, and print the result."""
    from wordorder.metrics.inspection import inspect

    itself = 'give the order or sentence itself, for example "$(head -n 1 FILE)"'
    refuse(not options.picture and (options.draw or options.target), "--draw and --target require --picture FILE")
    refuse(os.path.isfile(options.order), f"{options.order} is a file; {itself}")
    settings = ("reference", "source", "policy", "base")
    how: dict[str, Any] = {name: getattr(options, name) for name in settings} | {"tokenizer": options.tokenize}
    found = inspect(options.order, metrics=options.metrics, **how)
    if options.picture:
        from wordorder.show.pictures.kinds import draw

        draw(options.order, kind=options.draw, target=options.target, **how).save(options.picture)
    if options.format == "json":
        print_json(found.to_dict())
    else:
        print(printable_lines(str(found)))
