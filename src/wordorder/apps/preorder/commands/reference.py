"""Write reference orders as text that people can edit, or check alignments against annotation guidelines.

Each line has the source words of a sentence in target order. Words within {{ double braces }} may be in any order. If
a word occurs several times in the source, it stands for the first instance that is not used yet; to choose another
instance, the source position is added to the word, as in the@7. An empty line is a sentence without a reference
order.

examples:
  wordorder preorder reference --parses en.conllu --align en-ja.align -o en-ja.orders
  wordorder preorder evaluate --parses en.conllu --reference en-ja.orders --rules r5
  wordorder preorder reference --treebank pud/en-jp --check --allow-pos DET,PUNCT --report findings.txt
  wordorder preorder reference --treebank pud/en-jp --check --pronoun-pos PRP,PRP$ --particle-pos ADP,PART
"""

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
    output = "the file to which the orders are written (default: standard output)"
    parser.add_argument("-o", "--output", metavar="FILE", help=output)
    add = parser.add_argument_group("check the alignments instead of writing orders").add_argument
    add("--check", action="store_true", help="check whether alignments follow the guidelines of Talbot et al. (2011)")
    add("--target", metavar="FILE", help="target text, tokenised or in CoNLL-U (.conllu)")
    add("--allow", metavar="WORDS", help="words that may be unaligned, as a list or in @FILE (default a,an,the)")
    add("--allow-pos", metavar="TAGS", help="part-of-speech tags of words that may be unaligned")
    pronouns = "tags of source words that must be aligned (default PRP,PRP$ or, without these, PRON; '' for none)"
    add("--pronoun-pos", metavar="TAGS", help=pronouns)
    particles = (
        "parts of speech of target words that must be aligned together with their head (such as ADP,PART in "
        "Japanese); --target must be a .conllu file"
    )
    add("--particle-pos", metavar="TAGS", help=particles)
    add("--report", metavar="OUT", help="write all findings, sentence by sentence, to this file")
    add_output(parser, file=False)


def run(options: argparse.Namespace) -> None:
    """Write the reference orders, or check the alignments and print the findings."""
    from wordorder.apps.preorder import check_annotation
    from wordorder.core.runtime.files import atomic_write
    from wordorder.formats import reference_orders
    from wordorder.linking.annotation import ARTICLES

    refuse(options.report and not options.check, "--report can only be used with --check")
    saved = "--check writes no reference orders; use --report instead of --output to save the findings"
    refuse(options.check and options.output, saved)
    if not options.check and options.policy == "drop":
        raise UsageError("--policy drop cannot be used here, because the written orders must contain every word")
    if options.check and options.reference:
        raise UsageError("--check needs alignments: give --align or --treebank instead of --reference")
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
        pronoun_tags=None if options.pronoun_pos is None else comma_list(options.pronoun_pos),
        particle_tags=comma_list(options.particle_pos),
    )
    if options.report:
        with atomic_write(options.report) as file:
            file.writelines(f"{line}\n" for line in found.lines())
    print_result(options, lambda: {"findings": found.table()})
