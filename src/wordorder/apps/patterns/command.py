"""Find patterns of order errors: which words, classes and relations stand too early or too late in translations.

examples:
  wordorder patterns --hyp A.en --ref ref.en               which words are out of place more often than others?
  wordorder patterns --hyp A.en --ref ref.en --tags ref.conllu      which parts of speech, which relations?
  wordorder patterns --hyp A.en B.en --ref ref.en --tags ref.conllu         which patterns differ between A and B?
  wordorder patterns --source src.de --source-tags src.conllu --hyp A.en --ref ref.en     classes of the source words
  wordorder patterns --source src.de --ref ref.en --source-tags src.conllu  what moves between the languages?
  wordorder parse ref.en --parser en.parser -o ref.conllu           our parser or spaCy makes the tags
  wordorder patterns … --html patterns.html                writes a page with the segments of each pattern
  wordorder patterns … --all --format tsv > patterns.tsv   prints every pattern that was tried
  wordorder patterns --ref ref.en --tags ref.conllu --measure       plants errors, and measures what is recovered
"""

import argparse

from wordorder.apps.find.command import add_texts
from wordorder.cli.arguments import add_plot, add_resampling, resampling, write_plot
from wordorder.cli.inputs import input_arguments
from wordorder.cli.output import add_output, check_html, for_people, print_result, print_table, write_html
from wordorder.core.runtime.errors import refuse
from wordorder.report.table import printable_lines

COMMON = "source hyp ref tags source_tags train_source train_target all html measure format threads"

_EXAMPLES_OF_A_PAGE = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_texts(parser)
    labels = parser.add_argument_group("labels of words (besides the words themselves)")
    forms = "CoNLL-U, bracketed trees, or a line of tags per sentence with one tag per word"
    labels.add_argument("--tags", metavar="FILE", help=f"labels of the reference's words: {forms}")
    labels.add_argument("--source-tags", metavar="FILE", help="labels of the source's words, in the same formats")
    what = parser.add_argument_group("what is shown")
    add = what.add_argument
    add("--all", action="store_true", help="show a table of all patterns tried, not only of the significant ones")
    add("--html", metavar="FILE", help="also write an HTML page with the segments of each pattern")
    planted = "instead, plant errors in the reference (or in --hyp), and measure how reliably they are found"
    add("--measure", action="store_true", help=planted)
    add("--runs", type=int, default=20, metavar="N", help="number of random samples of 1,000 sentences for --measure")
    add_resampling(parser)
    add_output(parser)
    add_plot(parser)


def run(options: argparse.Namespace) -> None:
    """Find patterns and print them, and write the page and the chart if they are requested."""
    _check(options)
    arguments = input_arguments(options)
    if options.measure:
        from wordorder.apps.patterns.measuring import measure

        arguments["ref"] = arguments["ref"][0]
        made = measure(tags=options.tags, **arguments, runs=options.runs, seed=options.seed, threads=options.threads)
        print_result(options, lambda: made)
        return
    from wordorder.apps.patterns import patterns

    found = patterns(
        **arguments,
        tags=options.tags,
        source_tags=options.source_tags,
        examples=_EXAMPLES_OF_A_PAGE if options.html else 2,
        resampling=resampling(options),
        threads=options.threads,
    )
    if options.html:
        from wordorder.apps.patterns.page import patterns_page

        write_html(options, patterns_page(found, command=options.command, resampling=resampling(options)))
    write_plot(options, found.plot)
    if not for_people(options) or options.all:
        print_result(options, lambda: found.tables(all_tried=options.all), found.to_dict)
        return
    if len(found.systems) > 2:
        for table in found.overview():
            print_table(table)
            print()
    else:
        print(printable_lines(str(found)))
    print(printable_lines(found.footer))


def _check(options: argparse.Namespace) -> None:
    """Check that the options can be combined, before any text is aligned."""
    through = (options.aligner, options.align_model, options.train_source, options.hyp_align, options.ref_align)
    given = options.hyp or options.source or options.measure
    refuse(not options.ref, "patterns are differences in order from a reference; add --ref FILE")
    refuse(len(options.ref or []) > 1, "patterns are differences from one reference; leave out the others")
    refuse(not given, "there is nothing to compare with the reference; add --hyp FILE, --source FILE or both")
    refuse(not options.source and any(through), "alignment options need the source text; add --source FILE")
    refuse(not options.source and options.source_tags, "--source-tags needs the source text; add --source FILE")
    own = options.measure and (options.html or options.all)
    refuse(own, "--measure prints a single table; leave out --html and --all")
    refuse(options.runs < 1, f"--runs must be 1 or more, not {options.runs}")
    refuse(options.html and not options.hyp, "--html shows translations; add --hyp FILE")
    check_html(options)
