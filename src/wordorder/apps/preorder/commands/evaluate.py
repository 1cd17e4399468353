"""Score every combination of rule set and parser, with confidence intervals and significance tests.

examples:
  wordorder preorder evaluate --parses en.conllu --align en-ja.align --rules r1 r2 r3 r4 r5 learned
  wordorder preorder evaluate --parses P1=a.conllu P2=b.conllu --gold gold.conllu --align x.align --rules r5
  wordorder preorder evaluate --treebank pud/en-jp --rules r1 r5 mine.rules --metrics fuzzy,pef --policy drop
  wordorder preorder evaluate --source fr.txt --spacy fr_core_news_sm --align fr-en.align --rules r1 learned
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import add_metrics, add_plot, add_resampling, resampling, write_plot
from wordorder.cli.output import add_html, add_output, check_html, print_result, write_html

if TYPE_CHECKING:
    from wordorder.report import Table

COMMON = "parses treebank source align reference rules gold metrics policy html format threads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    arguments.add_parses(parser, several=True)
    arguments.add_gold(parser)
    arguments.add_reference(parser)
    arguments.add_rules(parser, several=True)
    add_metrics(parser, arguments.METRICS)
    parser.add_argument("--baseline", metavar="SYSTEM", help="test all systems against this one instead of the best")
    parser.add_argument("--segments", metavar="OUT.jsonl", help="write one JSON object per sentence and system")
    add_resampling(parser)
    add_html(parser)
    add_output(parser, percent=True)
    add_plot(parser)


def run(options: argparse.Namespace) -> None:
    """Score every combination of rule set and parser, and print the tables."""
    from wordorder.apps.preorder import CrossValidation, evaluate_orders, order_systems, parser_table
    from wordorder.formats import conllu
    from wordorder.report import table_records
    from wordorder.scoring.tables import p_tables, write_segments

    check_html(options, rereads=False)
    rule_sets = arguments.read_rules(options, options.rules)
    parses = arguments.read_parses(options)
    reference = arguments.read_reference(options, next(iter(parses.values())))
    arguments.print_cautions(rule_sets, parses)
    gold = conllu.read(options.gold) if options.gold else None
    systems = order_systems(parses, rule_sets, reference)
    learned = next((rules for rules in rule_sets.values() if isinstance(rules, CrossValidation)), None)
    how = {"metrics": options.metrics, "baseline": options.baseline, "learned": learned}
    scores = evaluate_orders(systems, reference, resampling=resampling(options), **how)
    write_plot(options, scores.plot)
    if options.segments:
        write_segments(scores, options.segments)
    parsers = parser_table(parses, gold)

    def tables() -> dict[str, Table]:
        found = {"scores": scores.table(digits=options.digits, percent=options.percent)}
        return found | dict(list(p_tables(scores).items())[:1]) | ({"parsers": parsers} if gold is not None else {})

    def document() -> dict[str, Any]:
        pairs = [test.to_dict() for test in ranking.tests] if (ranking := scores.rankings[0]) else []
        return scores.to_dict() | {"pairs": pairs, "parsers": table_records(parsers)}

    if options.html:
        from wordorder.apps.preorder.page import preordering_page

        shown = scores, systems, reference, next(iter(parses.values()))
        write_html(options, preordering_page(*shown, tables=list(tables().values()), command=options.command))
    print_result(options, tables, document)
