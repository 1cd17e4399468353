"""Find translations whose words are in the wrong order, and show the words that must move, worst segments first.

examples:
  wordorder find --source src.de --hyp A.en --ref ref.en --train-source train.de --train-target train.en
  wordorder find --source src.de --hyp A.en B.en --ref ref.en --match exact+stem --language english --worst 50
  wordorder find --hyp A.en --ref ref.en                    compares matched words only
  wordorder find --source src.de --hyp A.en                 works without a reference, but much less reliably
  wordorder find … --html errors.html                       writes a page with the words that must move in colour
  wordorder find … --all --format tsv > errors.tsv          prints every segment in which a word must move
  wordorder find … --given comet=comet.seg.score --by comet
                                                            sorts by the scores of another metric, lowest first
  wordorder find … --label-studio tasks.json                writes tasks for annotators
  wordorder find --answers export.json                      compares their answers with these marks
  wordorder find --source src.de --ref ref.en --measure     measures how reliably words out of order are found
                                                            in texts like these
"""

import argparse

from wordorder.cli.arguments import add_settings, add_threads
from wordorder.cli.inputs import add_aligner, add_given, add_words, input_arguments, read_names
from wordorder.cli.output import add_output, check_html, for_people, print_result, report_page
from wordorder.core.runtime.errors import refuse
from wordorder.report.table import printable_lines
from wordorder.scoring.options import InputOptions

COMMON = "source hyp ref train_source train_target worst all by confidence html measure format threads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_texts(parser)
    what = parser.add_argument_group("what is shown")
    add = what.add_argument
    add("--worst", type=int, metavar="N", help="show the N worst segments over all systems (default 10)")
    add("--all", action="store_true", help="show every segment in which a word must move")
    add_given(what)
    by = (
        "show segments in which a word must move, sorted by the --given scores with this name, lowest first "
        "(if lower scores are better: NAME:low=25:high=0)"
    )
    add("--by", metavar="NAME", help=by)
    sure = "show only moves with at least this confidence, from 0 (all moves) to 1 (default 0.5)"
    add("--confidence", type=float, default=0.5, metavar="X", help=sure)
    alike = (
        "without --ref: file with a label for each segment, one per line; the usual order is learnt separately "
        "for each label"
    )
    add("--labels", metavar="FILE", help=alike)
    add("--html", metavar="FILE", help="also write an HTML page with the words that must move in colour")
    tasks = "also write tasks for Label Studio (JSON) in which the words that must move are marked"
    add("--label-studio", metavar="FILE", help=tasks)
    answers = "instead, compare the marks in an export of such tasks from Label Studio (JSON) with those of annotators"
    add("--answers", metavar="FILE", help=answers)
    moved = "instead, swap blocks of words in half of the references, and measure how reliably the swaps are found"
    add("--measure", action="store_true", help=moved)
    add("--seed", type=int, default=12345, metavar="N", help="random seed for --measure (default 12345)")
    add_threads(what)
    add_output(parser)


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for texts, for matching their words, and for their links with the source."""
    text = parser.add_argument_group("text (a system may be named: NAME=FILE)")
    text.add_argument("--source", metavar="FILE", help="the source text, used with alignments to find more errors")
    text.add_argument("--hyp", nargs="+", metavar="FILE", help="translations, one file per system (text, .sgm, .xml)")
    text.add_argument("--ref", nargs="+", metavar="FILE", help="reference translations, one sentence per line")
    add_words(text)
    text.add_argument(
        "--keep-case",
        action="store_false",
        dest="lowercase",
        help="keep the case of the text; by default, it is lowercased for matching and alignment",
    )
    parser.set_defaults(lowercase=True, weight=None)

    through = parser.add_argument_group("alignment with the source (parallel text of the same kind helps)")
    add_aligner(through)
    add_settings(through, InputOptions, "hyp_align", "ref_align", "align_format", "base")


def run(options: argparse.Namespace) -> None:
    """Find order errors, print them, and write the HTML page if one is requested."""
    if options.answers:
        from wordorder.apps.find.label_studio import compare_answers

        refuse(options.hyp, "--answers reads an export and no translations; leave out --hyp")
        print_result(options, lambda: compare_answers(options.answers))
        return
    through = (options.aligner, options.align_model, options.train_source, options.hyp_align, options.ref_align)
    refuse(not options.measure and not options.hyp, "no translations were given; add --hyp FILE")
    compared = options.ref or options.source
    refuse(not compared, "word order must be compared with a reference or the source; give --ref, --source or both")
    refuse(options.worst is not None and options.worst < 1, f"--worst must be 1 or more, not {options.worst}")
    refuse(options.worst and options.all, "--worst and --all cannot be combined; leave out one of them")
    refuse(not options.source and any(through), "alignment options need the source text; add --source FILE")
    refuse(options.labels and options.ref, "--labels works only without a reference; leave out --labels or --ref")
    refuse(
        options.measure and options.hyp,
        "--measure swaps words in the reference and does not use translations; leave out --hyp",
    )
    refuse(options.by and not options.given, "--by needs external scores to sort by; add --given NAME=FILE")
    refuse(options.measure and options.given, "--measure does not use external scores; leave out --given")
    refuse(options.measure and len(options.ref or []) != 1, "--measure needs exactly one reference; give --ref FILE")
    own = options.measure and (options.html or options.all or options.worst)
    refuse(own, "--measure prints a single table instead of segments; leave out --html, --all and --worst")
    if options.html:
        check_html(options)
    if options.measure:
        _measure(options)
        return
    from wordorder.apps.find import find

    labels = read_names(options.labels) if options.labels else None
    worst = None if options.all else options.worst or 10
    shown = {"worst": worst, "confidence": options.confidence, "by": options.by}
    found = find(**input_arguments(options), **shown, labels=labels, threads=options.threads)
    if options.html:
        from wordorder.core.runtime.files import atomic_write

        with atomic_write(options.html) as target:
            target.write(found.page())
        report_page(options.html)
    if options.label_studio:
        from wordorder.apps.find.label_studio import label_studio_tasks
        from wordorder.core.runtime.files import atomic_write
        from wordorder.core.runtime.plain import dump_json

        with atomic_write(options.label_studio) as target:
            target.write(dump_json(label_studio_tasks(found)))
    if for_people(options):
        print(printable_lines(str(found)))
    else:
        print_result(options, found.table, found.to_dict)


def _measure(options: argparse.Namespace) -> None:
    from wordorder.apps.find.measuring import measure

    arguments = input_arguments(options)
    del arguments["hyp"]
    found = measure(arguments.pop("ref")[0], **arguments, seed=options.seed, threads=options.threads)
    print_result(options, lambda: found)
