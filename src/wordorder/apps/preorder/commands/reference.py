"""Write reference orders as text that people can edit, or check whether alignments follow the guidelines.

A line holds the source words of a sentence in the order of the target. Within {{ double braces }} the order is free.
A word that occurs several times in the source means its first instance that is not used yet; any other instance is
written with its place in the source, as in the@7. An empty line is a sentence without an order.

examples:
  wordorder preorder reference --parses en.conllu --align en-ja.align -o en-ja.orders
  wordorder preorder evaluate --parses en.conllu --reference en-ja.orders --rules r5
  wordorder preorder reference --treebank pud/en-jp --check --allow-pos DET,PUNCT --report findings.txt
  wordorder preorder reference --treebank pud/en-jp --check --pronoun-pos PRP,PRP$ --particle-pos ADP,PART
"""

from __future__ import annotations

import argparse
import sys

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import comma_list
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import UsageError, refuse

COMMON = "parses treebank source align check allow_pos report output"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    arguments.add_parses(parser, several=False)
    arguments.add_reference(parser)
    output = "where the orders are written (default: standard output)"
    parser.add_argument("-o", "--output", metavar="FILE", help=output)
    add = parser.add_argument_group("checks of the annotation, instead of orders").add_argument
    add("--check", action="store_true", help="does the alignment follow the guidelines of the paper?")
    add("--target", metavar="FILE", help="the target text (tokenised, or .conllu)")
    add("--allow", metavar="WORDS", help="words that may be unaligned (default a,an,the; or @FILE)")
    add("--allow-pos", metavar="TAGS", help="parts of speech that may be unaligned")
    pronouns = "source words that must be translated, by part of speech (default PRON,PRP,PRP$; '' for none)"
    add("--pronoun-pos", metavar="TAGS", help=pronouns)
    particles = (
        "target words that must be aligned together with the word they depend on, by part of speech (such as "
        "ADP,PART in Japanese); the target must be .conllu"
    )
    add("--particle-pos", metavar="TAGS", help=particles)
    add("--report", metavar="OUT", help="write every finding, sentence by sentence")
    add_output(parser, file=False)


def run(options: argparse.Namespace) -> None:
    """Write the reference orders, or check the alignments and print what was found."""
    from wordorder.apps.preorder import check_annotation
    from wordorder.core.runtime.files import atomic_write
    from wordorder.formats import reference_orders
    from wordorder.linking.annotation import ARTICLES, PRONOUNS

    refuse(options.report and not options.check, "--report needs --check")
    refuse(options.check and options.output, "--check writes no orders; leave out -o (--report writes every finding)")
    if not options.check and options.policy == "drop":
        raise UsageError("--policy drop leaves unaligned words without a place; orders to edit need all words")
    if options.check and options.reference:
        raise UsageError("--check looks at alignments, not at orders: give --align or --treebank, not --reference")
    (trees,) = arguments.read_parses(options).values()
    if not options.check:
        reference_orders.write(options.output or sys.stdout, arguments.read_reference(options, trees).places, trees)
        return
    target_trees = arguments.read_target_trees(options) if options.particle_pos else None
    alignments, target = arguments.read_links(options, trees)
    found = check_annotation(
        alignments,
        trees,
        target if target_trees is None else target_trees,
        allowed_words=comma_list(options.allow) if options.allow else ARTICLES,
        allowed_tags=comma_list(options.allow_pos),
        pronoun_tags=PRONOUNS if options.pronoun_pos is None else comma_list(options.pronoun_pos),
        particle_tags=comma_list(options.particle_pos),
    )
    if options.report:
        with atomic_write(options.report) as file:
            file.writelines(f"{line}\n" for line in found.lines())
    print_result(options, lambda: {"findings": found.table()})
