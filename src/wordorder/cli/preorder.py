"""Reorder parsed source sentences by rules, and find out how good the order is and what is to blame.

Parses, reordering rules and reference orders (from word alignments) go in; no translation system is run (Talbot et
al. 2011).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from wordorder.cli.arguments import add_output, add_resampling, listed, named_files, print_json, wants_json
from wordorder.cli.preordering import add_parses, add_reference, read_links, read_parses, read_reference
from wordorder.runtime.errors import InputError, UsageError

if TYPE_CHECKING:
    from wordorder.preordering import CrossValidation, Learner, RuleSet
    from wordorder.report import Table
    from wordorder.scoring import Resampling
    from wordorder.trees import DependencyTrees

HELP = "reorder parsed sentences by rules: how good is the order, and what is to blame?"
EXAMPLES = """\
examples:
  wordorder preorder rules r5 > mine.rules                                        a rule set to start from
  wordorder preorder apply --trees en.conllu --rules mine.rules > reordered.txt
  wordorder preorder evaluate --trees en.conllu --align en-ja.align --rules r1 r4 r5 mine.rules learned
  wordorder preorder blame --trees en.conllu --align en-ja.align --rules mine.rules
  wordorder preorder COMMAND --help                                               what each takes, with examples
"""

LEARNED = "learned"
_Run = Callable[[argparse.Namespace], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands below this one."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in _COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=command.help,
            description=command.run.__doc__,
            epilog=command.examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add(sub)
        sub.set_defaults(work=command.run)


def run(options: argparse.Namespace) -> None:
    """Run the chosen command."""
    options.work(options)


def _add_rules(parser: argparse.ArgumentParser, *, several: bool) -> None:
    help_ = "a rule file or a built-in set: r1 … r5, head-initial-r3 …; see 'wordorder preorder rules'"
    if several:
        parser.add_argument(
            "--rules",
            nargs="+",
            required=True,
            metavar="[NAME=]RULES",
            help=f"{help_}; '{LEARNED}': rules learned from these data, in cross-validation",
        )
        _add_learning(parser)
    else:
        parser.add_argument("--rules", required=True, metavar="RULES", help=help_)


def _add_learning(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("learned rules")
    group.add_argument("--folds", type=int, default=10, metavar="N", help="parts for cross-validation (default 10)")
    group.add_argument(
        "--least", type=int, default=5, metavar="N", help="examples a label, category or move needs (default 5)"
    )
    group.add_argument(
        "--learn-metric", default="fuzzy", metavar="METRIC", help="what labels have to pay under (default fuzzy)"
    )


def _add_metrics(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--metrics",
        "-m",
        metavar="LIST",
        help="comma-separated order metrics (default fuzzy,kendall,kendall-sqrt,pef); see 'wordorder metrics'",
    )


def _resampling(options: argparse.Namespace) -> Resampling:
    from wordorder.scoring import Resampling

    return Resampling(options.samples, options.seed, options.threads)


def _learner(options: argparse.Namespace) -> Learner:
    from wordorder.preordering import Learner

    return Learner(least=options.least, metric=options.learn_metric)


def _rule_sets(options: argparse.Namespace) -> dict[str, RuleSet | CrossValidation]:
    from wordorder.preordering import CrossValidation, load_rules

    found: dict[str, RuleSet | CrossValidation] = {}
    for name, source in _named_rules(options.rules).items():
        found[name] = CrossValidation(options.folds, _learner(options)) if source == LEARNED else load_rules(source)
    return found


def _named_rules(items: list[str], *, taken: tuple[str, ...] = ()) -> dict[str, str]:
    """Read ``NAME=RULES`` or ``RULES``; ``mine.rules`` is called ``mine``."""
    found: dict[str, str] = {}
    for written, source in named_files(items, what="rule sets").items():
        name = written.removesuffix(".rules")
        if name in found or name in taken:
            raise UsageError(f"two rule sets are called {name!r}; name them: NAME={source}")
        found[name] = source
    return found


def _warn(rule_sets: Mapping[str, RuleSet | CrossValidation], parses: Mapping[str, DependencyTrees]) -> None:
    """Warn of crossing arcs, and of rules that name nothing these trees have: they are of another scheme."""
    import numpy as np

    from wordorder.preordering import RuleSet
    from wordorder.trees import lift

    for parser, trees in parses.items():
        lifted = lift(trees)[1]
        if lifted.any():
            told = f"{np.count_nonzero(lifted)} of {len(trees)} trees of {parser} have crossing arcs"
            print(f"wordorder: {told}; {lifted.sum()} words are attached higher", file=sys.stderr)
        labels = set(trees.strings.take(np.unique(trees.labels)).to_pylist())
        labels |= {label.partition(":")[0] for label in labels}
        tags = set(trees.strings.take(np.unique(np.concatenate((trees.tags, trees.fine_tags)))).to_pylist())
        for name, rules in rule_sets.items():
            if not isinstance(rules, RuleSet):
                continue
            for what, named, found in (("label", rules.named_labels, labels), ("tag", rules.named_tags, tags)):
                if named and found and named.isdisjoint(found):
                    told = f"{name} names no {what} that {parser} has ({', '.join(sorted(found)[:3])} …)"
                    print(f"wordorder: warning: {told}; much of it does not apply", file=sys.stderr)


def _print(options: argparse.Namespace, tables: dict[str, Table]) -> None:
    """Print tables one after the other, or one JSON document with all of them."""
    from wordorder.report import print_table, table_records

    if wants_json(options):
        print_json({name: table_records(table) for name, table in tables.items()})
        return
    for number, table in enumerate(tables.values()):
        if number:
            print()
        print_table(table, options.format)


# --- evaluate -------------------------------------------------------------------------------------------------------


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    add_parses(parser, several=True)
    parser.add_argument(
        "--gold", metavar="FILE", help="gold trees (CoNLL-U): accuracy of the parses beside the order"
    )
    add_reference(parser)
    _add_rules(parser, several=True)
    _add_metrics(parser)
    parser.add_argument("--baseline", metavar="SYSTEM", help="compare with this system, not with the best one")
    parser.add_argument("--segments", metavar="OUT.jsonl", help="write one JSON object per sentence and system")
    add_resampling(parser)
    add_output(parser)


def _evaluate(options: argparse.Namespace) -> None:
    """Score every rule set under every parser: one table with intervals, and which differences are real."""
    from wordorder.formats import conllu
    from wordorder.preordering import evaluate_orders, order_systems, parser_table
    from wordorder.scoring.comparison import compare_pairs, pair_table

    rule_sets = _rule_sets(options)
    parses = read_parses(options)
    reference = read_reference(options, next(iter(parses.values())))
    _warn(rule_sets, parses)
    gold = conllu.read(options.gold) if options.gold else None
    scores = evaluate_orders(
        order_systems(parses, rule_sets, reference),
        reference,
        metrics=options.metrics,
        resampling=_resampling(options),
        baseline=options.baseline,
    )
    if options.segments:
        scores.write_segments(options.segments)
    parsers = parser_table(parses, gold)
    tested = len(scores.systems) > 1 and options.samples > 0
    if wants_json(options):
        from wordorder.report import table_records

        pairs = [test.to_json() for test in compare_pairs(scores, scores.metrics[0])] if tested else []
        print_json(scores.to_json() | {"pairs": pairs, "parsers": table_records(parsers)})
        return
    tables = {"scores": scores.table()}
    if tested and len(scores.systems) > 2:
        tables["pairs"] = pair_table(scores, scores.metrics[0])
    if gold is not None:
        tables["parsers"] = parsers
    _print(options, tables)


# --- apply ----------------------------------------------------------------------------------------------------------


def _add_apply(parser: argparse.ArgumentParser) -> None:
    add_parses(parser, several=False)
    _add_rules(parser, several=False)
    parser.add_argument(
        "--as",
        dest="form",
        choices=("text", "orders"),
        default="text",
        help="text: the words in their new order; orders: their places in the source, from 1 (default text)",
    )


def _apply(options: argparse.Namespace) -> None:
    """Write every sentence in its new order, one a line."""
    from wordorder.formats import permutations
    from wordorder.preordering import load_rules, reorder

    rules = load_rules(options.rules)
    parses = read_parses(options)
    _warn({rules.name: rules}, parses)
    (trees,) = parses.values()
    orders = reorder(trees, rules)
    if options.form == "orders":
        permutations.write(sys.stdout, orders)
        return
    # A blank within a word would make two words of it.
    strings = [string.replace(" ", "\u00a0") for string in trees.strings.to_pylist()]
    for row in range(len(trees)):
        span = slice(trees.offsets[row], trees.offsets[row + 1])
        words = trees.words[span][orders.ranks[span]].tolist()
        print(" ".join(strings[word] for word in words))


# --- blame ----------------------------------------------------------------------------------------------------------


def _add_blame(parser: argparse.ArgumentParser) -> None:
    add_parses(parser, several=False)
    add_reference(parser)
    _add_rules(parser, several=False)
    _add_metrics(parser)
    parser.add_argument("--top", type=int, default=15, metavar="N", help="rows of each list (default 15)")
    parser.add_argument("--worst", type=int, default=5, metavar="N", help="worst sentences to show (default 5)")
    add_resampling(parser)
    add_output(parser)


def _blame(options: argparse.Namespace) -> None:
    """Say what goes wrong: rules or parse, the gain of each rule, misplaced words, tags, labels, worst sentences."""
    from wordorder.preordering import Blame, load_rules

    for name in ("top", "worst"):
        if getattr(options, name) < 0:
            raise UsageError(f"--{name} must be 0 or more, not {getattr(options, name)}")
    rules = load_rules(options.rules)
    parses = read_parses(options)
    (trees,) = parses.values()
    blame = Blame.of(trees, rules, read_reference(options, trees))
    _warn({rules.name: rules}, parses)
    resampling = _resampling(options)
    first = (options.metrics or "fuzzy").split(",")[0]
    tables = {
        "losses": blame.loss_table(metrics=options.metrics, resampling=resampling),
        "rules": blame.rule_table(metric=first, resampling=resampling),
    }
    tables |= {f"{kind}s": blame.misplaced_table(kind, count=options.top) for kind in ("word", "tag", "label")}
    _print(options, tables)
    if options.worst and not wants_json(options):
        print("\n" + blame.show_worst(count=options.worst, metric=first), end="")


# --- learn ----------------------------------------------------------------------------------------------------------


def _add_learn(parser: argparse.ArgumentParser) -> None:
    add_parses(parser, several=False)
    add_reference(parser)
    _add_learning(parser)
    _add_metrics(parser)
    parser.add_argument("-o", "--output", required=True, metavar="RULES", help="where the rules are written")
    parser.add_argument(
        "--beside",
        nargs="*",
        default=["r1", "r2", "r3", "r4", "r5"],
        metavar="RULES",
        help="rule sets to compare with (default r1 to r5)",
    )
    add_resampling(parser)
    add_output(parser)


def _learn(options: argparse.Namespace) -> None:
    """Learn rules from reference orders, write them, and score them by cross-validation beside other rule sets."""
    from wordorder.preordering import CrossValidation, evaluate_orders, load_rules, order_systems, write_rules

    learner = _learner(options)
    others = {name: load_rules(source) for name, source in _named_rules(options.beside, taken=(LEARNED,)).items()}
    parses = read_parses(options)
    (trees,) = parses.values()
    reference = read_reference(options, trees)
    _warn(others, parses)
    systems = order_systems(parses, others | {LEARNED: CrossValidation(options.folds, learner)}, reference)
    rules = learner.learn(trees, reference)
    scores = evaluate_orders(systems, reference, metrics=options.metrics, resampling=_resampling(options))
    first = scores.metrics[0]
    told = f"{first} {scores.values[-1, 0]:.3f} in {options.folds}-fold cross-validation"
    write_rules(options.output, rules, comments=[f"learned from {len(trees)} sentences (judge it on others); {told}"])
    if wants_json(options):
        print_json(scores.to_json())
    else:
        _print(options, {"scores": scores.table()})


# --- select ---------------------------------------------------------------------------------------------------------


def _add_select(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nbest", required=True, metavar="FILE", help="several parses of each sentence")
    parser.add_argument(
        "--nbest-format",
        choices=("nbest", "conllu"),
        help="conllu: parses with the same sent_id and parse_prob; nbest: lists of bracketed trees (default: as the "
        "file looks; conllu on standard input)",
    )
    parser.add_argument(
        "--gold", metavar="FILE", help="gold trees (CoNLL-U): accuracy of the parses beside the order"
    )
    add_reference(parser)
    _add_rules(parser, several=False)
    _add_metrics(parser)
    parser.add_argument(
        "--by", default="fuzzy", metavar="METRIC", help="what the best parse is best in (default fuzzy)"
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where the chosen trees are written")
    add_resampling(parser)
    add_output(parser)


def _select(options: argparse.Namespace) -> None:
    """Choose of several parses the one whose reordering scores best, and write the treebank of the chosen ones.

    From CoNLL-U comes CoNLL-U, from lists of bracketed trees come bracketed trees.
    """
    from wordorder.formats import brackets, conllu, nbest_parses
    from wordorder.preordering import load_rules, select_parses
    from wordorder.trees import best_trees, to_dependency_lists

    rules = load_rules(options.rules)
    gold = conllu.read(options.gold) if options.gold else None
    form = options.nbest_format or ("conllu" if options.nbest == "-" else nbest_parses.guess_format(options.nbest))
    if form == "brackets":
        raise InputError("holds one tree a sentence; expected several parses of each", path=options.nbest)
    bracketed = nbest_parses.read(options.nbest) if form == "nbest" else None
    sentences: list[conllu.Sentence] = []
    if bracketed:
        parses = to_dependency_lists(bracketed)
    else:
        parses, sentences = nbest_parses.read_conllu_sentences(options.nbest)
    reference = read_reference(options, best_trees(parses))
    _warn({rules.name: rules}, {options.nbest: parses.trees})
    found = select_parses(
        parses,
        rules,
        reference,
        metric=options.by,
        metrics=options.metrics,
        resampling=_resampling(options),
    )
    table = found.table(gold)  # a gold treebank of other words is told before anything is written
    if bracketed:
        brackets.write(options.output, (bracketed.trees[parse] for parse in found.parses.tolist()))
    else:  # as they were read, with lemmas and all
        conllu.write(options.output, (sentences[parse] for parse in found.parses.tolist()))
    _print(options, {"scores": table})


# --- reference ------------------------------------------------------------------------------------------------------


def _add_reference(parser: argparse.ArgumentParser) -> None:
    add_parses(parser, several=False)
    add_reference(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where the orders are written (default: standard output)"
    )
    check = parser.add_argument_group("checks of the annotation, instead of orders")
    check.add_argument("--check", action="store_true", help="does the alignment keep the guidelines of the paper?")
    check.add_argument("--target", metavar="FILE", help="the target text (tokenised, or .conllu)")
    check.add_argument("--allow", metavar="WORDS", help="words that may be unaligned (a,an,the; @FILE: from a file)")
    check.add_argument("--allow-pos", metavar="TAGS", help="parts of speech that may be unaligned")
    check.add_argument("--report", metavar="OUT", help="write every finding, sentence by sentence")
    add_output(parser)


def _reference(options: argparse.Namespace) -> None:
    """Write reference orders as text people can edit, or check whether alignments keep the guidelines for them.

    A line has the source words of a sentence in the order of the target. In {{ double braces }} the order is free. Of
    a word that the source has several times, the first instance not yet used is meant; another one is written with
    its place in the source, the@7. An empty line is a sentence without an order.
    """
    from wordorder.formats import reference_orders
    from wordorder.preordering import check_annotation
    from wordorder.preordering.annotation import ARTICLES
    from wordorder.runtime.files import atomic_write

    if options.report and not options.check:
        raise UsageError("--report is for --check")
    if options.check and options.output:
        raise UsageError("--check writes no orders; leave out -o (--report writes every finding)")
    if not options.check and options.policy == "drop":
        raise UsageError("--policy drop leaves unaligned words without a place; orders to edit need all words")
    if options.check and options.reference:
        raise UsageError("--check looks at alignments, not at orders: give --align or --treebank, not --reference")
    (trees,) = read_parses(options).values()
    if not options.check:
        reference_orders.write(options.output or sys.stdout, read_reference(options, trees).places, trees)
        return
    alignments, target = read_links(options, trees)
    found = check_annotation(
        alignments,
        trees,
        target,
        allowed_words=listed(options.allow) if options.allow else ARTICLES,
        allowed_tags=listed(options.allow_pos),
    )
    if options.report:
        with atomic_write(options.report) as file:
            file.writelines(f"{line}\n" for line in found.lines())
    _print(options, {"findings": found.table()})


# --- rules ----------------------------------------------------------------------------------------------------------


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="print this set; a file is checked and printed too")


def _show(options: argparse.Namespace) -> None:
    """List the rule sets that come along, or print one: the text to start a set of your own from."""
    from wordorder.preordering import BUILT_IN, format_rules, load_rules
    from wordorder.preordering.language import built_in

    if options.name is None:
        for name in BUILT_IN:
            print(f"{name:16} {built_in(name).partition(chr(10))[0].removeprefix('# ').partition(': ')[2]}")
    elif options.name in BUILT_IN:
        print(built_in(options.name), end="")
    else:
        print(format_rules(load_rules(options.name)), end="")


class _Command:
    """One command below ``preorder``."""

    def __init__(self, help: str, add: Callable[[argparse.ArgumentParser], None], run: _Run, examples: str) -> None:
        self.help = help
        self.add = add
        self.run = run
        self.examples = f"examples:\n{examples}"


_COMMANDS = {
    "evaluate": _Command(
        "score rule sets and parsers",
        _add_evaluate,
        _evaluate,
        """\
  wordorder preorder evaluate --trees en.conllu --align en-ja.align --rules r1 r2 r3 r4 r5 learned
  wordorder preorder evaluate --trees P1=a.conllu P2=b.conllu --gold gold.conllu --align x.align --rules r5
  wordorder preorder evaluate --treebank pud/en-jp --rules r1 r5 mine.rules --metrics fuzzy,pef --policy drop
  wordorder preorder evaluate --source fr.txt --spacy fr_core_news_sm --align fr-en.align --rules r1 learned
""",
    ),
    "apply": _Command(
        "write the reordered sentences",
        _add_apply,
        _apply,
        """\
  wordorder preorder apply --trees en.conllu --rules r5 > reordered.txt
  wordorder preorder apply --trees en.conllu --rules mine.rules --as orders > new.orders
""",
    ),
    "blame": _Command(
        "what goes wrong, and is it the rules or the parse?",
        _add_blame,
        _blame,
        """\
  wordorder preorder blame --trees en.conllu --align en-ja.align --rules mine.rules
  wordorder preorder blame --treebank pud/en-jp --rules r5 --top 30 --worst 20
""",
    ),
    "learn": _Command(
        "learn rules from reference orders",
        _add_learn,
        _learn,
        """\
  wordorder preorder learn --trees en.conllu --align en-ja.align -o en-ja.rules
  wordorder preorder learn --treebank pud/en-jp --least 10 -o en-jp.rules
""",
    ),
    "select": _Command(
        "choose of several parses the one that reorders best",
        _add_select,
        _select,
        """\
  wordorder preorder select --nbest en.50best.conllu --align en-ja.align --rules r5 -o chosen.conllu
  wordorder preorder select --nbest en.nbest --nbest-format nbest --align en-ja.align --rules r4 -o chosen.mrg
""",
    ),
    "reference": _Command(
        "write reference orders people can edit, or check the alignments they come from",
        _add_reference,
        _reference,
        """\
  wordorder preorder reference --trees en.conllu --align en-ja.align -o en-ja.orders
  wordorder preorder evaluate --trees en.conllu --reference en-ja.orders --rules r5
  wordorder preorder reference --treebank pud/en-jp --check --allow-pos DET,PUNCT --report findings.txt
""",
    ),
    "rules": _Command(
        "list or print the rule sets that come along",
        _add_show,
        _show,
        """\
  wordorder preorder rules
  wordorder preorder rules r5 > mine.rules
  wordorder preorder rules mine.rules              is my file right?
""",
    ),
}
