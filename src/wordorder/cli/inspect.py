"""Look at one word order: the permutation, its tree, the number of its PETs, its cycles, and every metric."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import print_json
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.orders import Permutation

LONGEST = 400
"""Words of an order that is looked at: its tree stays shallow enough to be written as JSON."""

HELP = "look at one permutation or alignment: tree, cycles, every metric"
EXAMPLES = """\
examples:
  wordorder inspect "2 4 5 6 1 3"
  wordorder inspect "0-0 1-2 2-1 3-3"                  an alignment: target order against the source
  wordorder inspect "0-0 1-2 2-1" --source "a b c d" --policy talbot
  wordorder inspect "2 1 3" --reference "1 3 2"        ranks of the same source words in two orders
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("order", help="a permutation ('2 4 1 3', from 1) or an alignment ('0-0 1-2', source-target)")
    parser.add_argument(
        "--reference", metavar="ORDER", help="judge against this order or alignment of the same source"
    )
    parser.add_argument("--source", metavar="TEXT", help="the source sentence: gives its length and shows its words")
    parser.add_argument(
        "--policy", default="birch", metavar="NAME", help="from alignment to permutation (default birch)"
    )
    parser.add_argument("--base", type=int, choices=(0, 1), help="do indices count from 0 or 1")
    parser.add_argument(
        "--metrics", "-m", default="all", metavar="LIST", help="metrics, comma-separated (default all)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document, unrounded")


def run(options: argparse.Namespace) -> None:
    """Inspect and print."""
    findings = inspect(
        options.order,
        reference=options.reference,
        source=options.source,
        policy=options.policy,
        base=options.base,
        metrics=options.metrics,
    )
    if options.json:
        print_json(findings)
        return
    from wordorder.orders import Permutation, PermutationTree

    order = Permutation.parse(findings["permutation"])
    tree = PermutationTree.of(order)
    print(
        f"permutation  {order}" if len(order) else "permutation  empty: no word is aligned, every metric is undefined"
    )
    if findings.get("words"):
        print(f"words        {findings['words']}")
    if tree is not None:
        print("tree         " + tree.drawing().replace("\n", "\n             "))
        print(f"PETs         {findings['pets']}")
        print("cycles       " + " ".join(f"({' '.join(map(str, cycle))})" for cycle in findings["cycles"]))
    print()
    width = max(len(name) for name in findings["scores"])
    for name, value in findings["scores"].items():
        print(f"{name:{width}}  " + ("undefined" if value is None else f"{value:.4f}"))


def inspect(
    order: str,
    *,
    reference: str | None = None,
    source: str | None = None,
    policy: str = "birch",
    base: int | None = None,
    metrics: str = "all",
) -> dict[str, Any]:
    """Give all findings on one word order as plain data."""
    from wordorder.metrics import Need, parse_metrics
    from wordorder.metrics.base import OrderMetric
    from wordorder.orders import PermutationTree

    judged, written = _read(order, reference, source=source, policy=policy, base=base)
    if len(judged) > LONGEST:
        raise UsageError(
            f"{len(judged)} words are too many to look at (at most {LONGEST}); score such orders instead"
        )
    tree = PermutationTree.of(judged)
    scores = {}
    for metric in parse_metrics(metrics, available=frozenset({Need.ORDER})):
        assert isinstance(metric, OrderMetric)
        value = metric(judged)
        scores[str(metric)] = None if value != value else value
    return {
        "permutation": str(judged),
        "length": len(judged),
        **({"words": written} if written else {}),
        "tree": None if tree is None else tree.to_json(),
        "pets": None if tree is None else tree.count_binarisations(),
        "cycles": [list(cycle) for cycle in judged.cycles()],
        "scores": scores,
    }


def _read(
    order: str, reference: str | None, *, source: str | None, policy: str, base: int | None
) -> tuple[Permutation, str]:
    from wordorder.orders import Permutation, order_against_reference, place

    words = source.split() if source is not None else None
    if not _is_alignment(order):
        if reference is not None and _is_alignment(reference):
            raise UsageError("the order is a permutation but the reference an alignment; give both in one form")
        if base == 0:
            raise UsageError("a permutation is written from 1 here; --base 0 is for alignments")
        judged = Permutation.parse(order)
        return (judged if reference is None else judged.relative_to(Permutation.parse(reference))), ""
    shift = base or 0
    links = _links(order, shift)
    gold = None if reference is None else _links(reference, shift)
    used = 1 + max((place for place, _ in links + (gold or ())), default=-1)
    length = used if words is None else len(words)
    column = _column(links, length)
    if gold is not None:
        return order_against_reference(column, _column(gold, length), policy=policy)[0], ""
    places = place(column, policy=policy)
    return places.against_source()[0], places.written(0, words) if words is not None else ""


def _is_alignment(text: str) -> bool:
    return bool(re.search(r"\d[-?p]\d", text))


def _links(text: str, base: int) -> tuple[tuple[int, int], ...]:
    links = []
    for item in text.split():
        match = re.fullmatch(r"(\d{1,6})[-?p](\d{1,6})(-[SPsp])?", item)
        if not match:
            raise UsageError(f"{item!r} is no link; expected source-target, like 3-4")
        source, target = int(match[1]) - base, int(match[2]) - base
        if min(source, target) < 0:
            raise UsageError(f"link {item!r} has an index 0, but --base 1 counts from 1")
        links.append((source, target))
    return tuple(links)


def _column(links: tuple[tuple[int, int], ...], length: int) -> Any:
    from wordorder.orders import Alignment

    return Alignment(tuple(dict.fromkeys(links)), length).column()
