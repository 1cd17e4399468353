"""Find the causes of errors in the orders that a rule set produces.

The tables show the losses due to rules and to parses, the gain from each rule, and the words, tags and labels that
are most often misplaced. The worst sentences follow.

examples:
  wordorder preorder blame --parses en.conllu --align en-ja.align --rules mine.rules
  wordorder preorder blame --treebank pud/en-jp --rules r5 --top 30 --worst 20
"""

import argparse

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import add_metrics, add_resampling, resampling
from wordorder.cli.output import add_html, add_output, check_html, for_people, print_result, write_html
from wordorder.core.runtime.errors import refuse

COMMON = "parses treebank source align reference rules top worst metrics html format"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    arguments.add_parses(parser, several=False)
    arguments.add_reference(parser)
    arguments.add_rules(parser, several=False)
    add_metrics(parser, arguments.METRICS)
    about = "number of rows in each table of misplaced words, tags or labels (default 15)"
    parser.add_argument("--top", type=int, default=15, metavar="N", help=about)
    parser.add_argument("--worst", type=int, default=5, metavar="N", help="show the N worst sentences (default 5)")
    add_resampling(parser)
    add_html(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Find the causes of errors, and print the tables and the worst sentences."""
    from wordorder.apps.preorder import Blame, load_rules

    for name in ("top", "worst"):
        refuse(getattr(options, name) < 0, f"--{name} must be 0 or more, not {getattr(options, name)}")
    check_html(options, rereads=False)
    rules = load_rules(options.rules)
    parses = arguments.read_parses(options)
    (trees,) = parses.values()
    blame = Blame.of(trees, rules, arguments.read_reference(options, trees))
    arguments.print_cautions({rules.name: rules}, parses)
    first = (options.metrics or "fuzzy").split(",")[0]
    tables = {
        "losses": blame.loss_table(metrics=options.metrics, resampling=resampling(options)),
        "rules": blame.rule_table(metric=first, resampling=resampling(options)),
    }
    tables |= {f"{kind}s": blame.misplaced_table(kind, count=options.top) for kind in ("word", "tag", "label")}
    if options.html:
        from wordorder.apps.preorder.page import blame_page

        write_html(options, blame_page(blame, [*tables.values()], metrics=options.metrics, command=options.command))
    print_result(options, lambda: tables)
    if options.worst and for_people(options):
        print("\n" + blame.show_worst(count=options.worst, metric=first), end="")
