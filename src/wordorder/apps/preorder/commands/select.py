"""Choose the parse of each sentence that leads to the best reordering, and write the chosen parses as a treebank.

If the parses are lists of bracketed trees, the treebank is in bracket notation, otherwise in CoNLL-U.

examples:
  wordorder preorder select --parses en.50best.conllu --align en-ja.align --rules r5 -o chosen.conllu
  wordorder preorder select --source en.txt --parser en.parser --align en-ja.align --rules r5 -o chosen.conllu
  wordorder preorder select --parses en.nbest --parse-format nbest --align en-ja.align --rules r4 -o chosen.mrg
"""

import argparse
from typing import Any

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import add_metrics, add_resampling, resampling
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import refuse, reject

COMMON = "parses align reference rules by metrics format"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add = parser.add_argument
    add("--parses", metavar="FILE", help="file with several parses of each sentence")
    formats = (
        "conllu: parses with the same sent_id and parse_prob; nbest: lists of bracketed trees (default: "
        "recognised from the file; conllu on standard input)"
    )
    add("--parse-format", choices=("nbest", "conllu"), help=formats)
    add("--source", metavar="FILE", help="tokenised text to parse with --parser, instead of --parses")
    add("--parser", metavar="FILE", help="parse --source with a parser made by 'wordorder parse train'")
    add("--nbest", type=int, default=50, metavar="N", help="parses per sentence made by --parser (default 50)")
    arguments.add_gold(parser)
    arguments.add_reference(parser)
    arguments.add_rules(parser, several=False)
    add_metrics(parser, arguments.METRICS)
    add("--by", default="fuzzy", metavar="METRIC", help="metric for choosing the best reordering (default fuzzy)")
    add("-o", "--output", required=True, metavar="FILE", help="file to which the chosen parses are written")
    add_resampling(parser)
    add_output(parser, file=False)


def run(options: argparse.Namespace) -> None:
    """Choose and write the parses, and print their scores."""
    from wordorder.apps.preorder import load_rules, select_parses
    from wordorder.core.trees import best_trees, to_dependency_lists
    from wordorder.formats import brackets, conllu, parse_lists

    rules = load_rules(options.rules)
    gold = conllu.read(options.gold) if options.gold else None
    _check(options)
    form = None if options.parser else options.parse_format or arguments.guess_format(options.parses)
    reject(form == "brackets", "expected several parses of each sentence, found only one", path=options.parses)
    bracketed = parse_lists.read(options.parses) if form == "nbest" else None
    sentences: Any  # as they were read, or trees
    if bracketed:
        parses, sentences = to_dependency_lists(bracketed), []
    elif form == "conllu":
        parses, sentences = parse_lists.read_conllu_sentences(options.parses)
    else:
        parses = arguments.parse_source(options.source, options.parser, n=options.nbest)
        sentences = parses.trees
    reference = arguments.read_reference(options, best_trees(parses))
    arguments.print_cautions({rules.name: rules}, {options.parses or options.parser: parses.trees})
    how: dict[str, Any] = {"metrics": options.metrics, "resampling": resampling(options)}
    found = select_parses(parses, rules, reference, metric=options.by, **how)
    table = found.table(gold)  # refuses gold trees with other words before anything is written
    if bracketed:
        brackets.write(options.output, (bracketed.trees[parse] for parse in found.parses.tolist()))
    else:  # the sentences as they were read, including lemmas and other columns
        conllu.write(options.output, (sentences[parse] for parse in found.parses.tolist()))
    print_result(options, lambda: {"scores": table})


def _check(options: argparse.Namespace) -> None:
    refuse(bool(options.parses) == bool(options.parser), "give either --parses, or --source and --parser")
    refuse(bool(options.source) != bool(options.parser), "--source and --parser must be given together")
