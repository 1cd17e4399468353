"""Rule sets as the command line takes them: files, built-in ones, and ones that are learned."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wordorder.cli.arguments import named_files
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.preordering import CrossValidation, Learner, RuleSet
    from wordorder.trees import DependencyTrees

LEARNED = "learned"


def add_rules(parser: argparse.ArgumentParser, *, several: bool) -> None:
    """Add ``--rules``: one set, or several, which may be learned."""
    help_ = "a rule file or a built-in set: r1 … r5, head-initial-r3 …; see 'wordorder preorder rules'"
    if several:
        parser.add_argument(
            "--rules",
            nargs="+",
            required=True,
            metavar="[NAME=]RULES",
            help=f"{help_}; '{LEARNED}': rules learned from these data, in cross-validation",
        )
        add_learning(parser)
    else:
        parser.add_argument("--rules", required=True, metavar="RULES", help=help_)


def add_learning(parser: argparse.ArgumentParser) -> None:
    """Add how rules are learned."""
    group = parser.add_argument_group("learned rules")
    group.add_argument("--folds", type=int, default=10, metavar="N", help="parts for cross-validation (default 10)")
    group.add_argument(
        "--least", type=int, default=5, metavar="N", help="examples a label, category or move needs (default 5)"
    )
    group.add_argument(
        "--learn-metric", default="fuzzy", metavar="METRIC", help="what labels have to pay under (default fuzzy)"
    )


def read_learner(options: argparse.Namespace) -> Learner:
    """Gather how rules are learned."""
    from wordorder.preordering import Learner

    return Learner(least=options.least, metric=options.learn_metric)


def read_rule_sets(options: argparse.Namespace) -> dict[str, RuleSet | CrossValidation]:
    """Load the rule sets of ``--rules``."""
    from wordorder.preordering import CrossValidation, load_rules

    found: dict[str, RuleSet | CrossValidation] = {}
    for name, source in named_rules(options.rules).items():
        found[name] = (
            CrossValidation(options.folds, read_learner(options)) if source == LEARNED else load_rules(source)
        )
    return found


def named_rules(items: list[str], *, taken: tuple[str, ...] = ()) -> dict[str, str]:
    """Read ``NAME=RULES`` or ``RULES``; ``mine.rules`` is called ``mine``."""
    found: dict[str, str] = {}
    for written, source in named_files(items, what="rule sets").items():
        name = written.removesuffix(".rules")
        if name in found or name in taken:
            raise UsageError(f"two rule sets are called {name!r}; name them: NAME={source}")
        found[name] = source
    return found


def print_cautions(rule_sets: Mapping[str, RuleSet | CrossValidation], parses: Mapping[str, DependencyTrees]) -> None:
    """Print what a person should know before believing the numbers, on standard error."""
    from wordorder.preordering import find_cautions

    for caution in find_cautions(rule_sets, parses):
        print(f"wordorder: {caution}", file=sys.stderr)
