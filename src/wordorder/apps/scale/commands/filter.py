"""Keep the sentence pairs of a corpus that satisfy a condition on word order, or the N best of them.

A condition compares measures of a pair: any metric of source-target order or monotonicity (kendall, pef,
crossing-rate, anticipation:k=3, unaligned-source …), rquantity, reorderings, widest, crossings, cycles, links,
source-words, target-words, length-ratio, or a column of the corpus. It can use + - * /, comparisons, and, or, not and
parentheses. Pairs for which a condition is undefined are dropped.

examples:
  wordorder scale filter aligned --keep 'kendall >= .9 and rquantity <= .2 and unaligned_source <= .3' --out kept
  wordorder scale filter aligned --preset simt:k=3 --out kept --sample 20       for simultaneous translation
  wordorder scale filter aligned --top 5000000 --by kendall --out kept          the most monotone five million
  wordorder scale filter aligned --preset clean --keep 'bicleaner > 0.5' --bottom 100000 --by widest --out kept
  wordorder scale merge kept --columns source=kept.de target=kept.en            write the kept pairs to two files

presets:
  simt:k=3   anticipation:k=3 <= 0.1 and unaligned-source <= 0.3 and unaligned-target <= 0.3
  monotone   kendall >= 0.95 and rquantity <= 0.2 and both unaligned shares <= 0.3
  clean      1 to 100 words on both sides, length-ratio <= 3 and both unaligned shares <= 0.3
"""

import argparse

from wordorder.apps.scale.commands import arguments
from wordorder.cli.output import add_output, for_people, print_result
from wordorder.core.runtime.errors import UsageError, refuse

COMMON = "corpus out columns keep top bottom preset sample workers shard dask"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    arguments.add_corpus(parser, columns="columns of source, target and links (default: these names)", split=True)
    add = parser.add_argument_group("selection").add_argument
    add("--keep", metavar="CONDITION", help="keep only pairs that satisfy this condition, such as 'kendall >= .9'")
    add("--preset", metavar="NAME", help="keep only pairs that meet a preset condition: simt:k=3, monotone or clean")
    about = "keep only the N pairs with the largest values of --by, among those that satisfy the conditions"
    add("--top", type=int, metavar="N", help=about)
    about = "keep only the N pairs with the smallest values of --by, among those that satisfy the conditions"
    add("--bottom", type=int, metavar="N", help=about)
    add("--by", metavar="NAME", help="measure by which --top and --bottom rank pairs")
    add("--sample", type=int, default=0, metavar="N", help="print a random sample of N kept and N dropped pairs")
    arguments.add_running(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Filter the corpus, and print how many pairs were dropped and why."""
    arguments.require(options, "corpus", "out")
    refuse(options.top is not None and options.bottom is not None, "--top and --bottom cannot be combined; choose one")
    if (options.by is None) != (options.top is None and options.bottom is None):
        raise UsageError("--by names the ranking measure for --top or --bottom; give it together with one of them")
    refuse(options.sample < 0, f"--sample must be 0 or more, not {options.sample}")
    if not (options.keep or options.preset or options.by):
        raise UsageError("there is no condition; give --keep or --preset, or --by with --top or --bottom")
    from wordorder.apps.scale import filter_pairs
    from wordorder.apps.scale.filters import preset

    conditions = [preset(options.preset)] if options.preset else []
    conditions += [f"({options.keep})" if conditions else options.keep] if options.keep else []
    changed = {"keep": " and ".join(conditions), "tokenizer": options.tokenize}
    with arguments.end_of_shard(options):
        found = filter_pairs(**arguments.arguments_of(options, filter_pairs, **changed))
        print_result(options, found.table, found.to_dict)
        if options.sample and for_people(options):
            print("", *found.sample_lines(), sep="\n")
