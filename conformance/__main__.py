"""Compare with every peer that is installed and write docs/conformance.md: ``make conformance``.

    python -m conformance              the page
    python -m conformance --print      the same to standard output; docs/conformance.md stays as it is

The exit code is 1 where two values differ and nobody has said why, where a peer that differed no longer does, or
where one is installed and cannot be imported. What the page had before and lacks now is named.
"""

from __future__ import annotations

import argparse
import logging
import platform
import sys
import time
from collections.abc import Callable

from conformance import alignments, inputs, numbers, orders, parses, translations
from conformance.comparing import AbsentError, Comparison, Difference, Section
from conformance.peers import PEERS

SECTIONS: tuple[Callable[[], Section], ...] = (
    *translations.sections(),
    *orders.sections(),
    *alignments.sections(),
    *parses.sections(),
    *numbers.sections(),
)
PAGE = inputs.ROOT / "docs" / "conformance.md"
KINDS = {"bug": "This is a bug in the peer", "definition": "The two use different definitions"}
INTRODUCTION = """# Comparison with other tools

This page compares our values with those of other tools, the *peers*, on the same inputs. Values that differ by less
than a billionth count as equal. For estimates and for printed values, which have few digits, *within* gives the
tolerance. Where there are many inputs, the columns show the mean, and the last column says how many values differ.
Every difference is explained: differences between the error rates of trained aligners in the tables, and all others
[below](#where-they-differ), on the smallest input that shows them.

`make conformance` recomputes every number on this page. It fails if a difference is not explained, or if an explained
difference has disappeared."""


def compare_all() -> list[Section]:
    """Run every comparison that can be run, and name the others."""
    found = []
    for make in SECTIONS:
        start = time.process_time()
        try:
            found.append(make())
        except AbsentError as missing:
            print(f"{make.__module__}.{make.__name__} is left out; {missing}", file=sys.stderr)
            continue
        print(f"{found[-1].title}: {time.process_time() - start:.0f} s of CPU time", file=sys.stderr)
    return found


def write_page(sections: list[Section]) -> str:
    """The page, in Markdown."""
    count = sum(len(section.comparisons) for section in sections)
    equal = sum(row.equal for section in sections for row in section.comparisons)
    lines = [
        INTRODUCTION,
        f"\nIn {equal} of {count} comparisons, the values are equal; in the other {count - equal}, they differ, and the"
        " difference is explained.\n",
        "## The peers\n",
    ]
    lines += ["| peer | version | |", "|---|---|---|"]
    lines += [f"| {peer.name} | {peer.version} | `{peer.install}` |" for peer in PEERS if peer.version]
    lines += [f"\nNot compared: {peer.name} ({peer.problem})." for peer in PEERS if peer.problem]
    itself = "[word alignment](align.md#beside-other-aligners) compares wordorder with fast_align itself"
    lines.append(f"\nPython {platform.python_version()}. Thot implements the model of fast_align; {itself}.")
    for section in sections:
        lines += [f"\n## {section.title}\n", f"Inputs: {section.inputs}.\n"]
        lines += ["| ours | peer | values | ours | peer's | |", "|---|---|--:|--:|--:|---|"]
        lines += [write_row(row) for row in section.comparisons]
    lines.append("\n## Where they differ")
    lines += [write_difference(each) for section in sections for each in section.differences]
    return "\n".join(lines) + "\n"


def rows_gone(before: str, now: str) -> list[str]:
    """Name the comparisons that one page has and the other lacks."""
    had, has = (
        dict.fromkeys(
            ", ".join(cells[:2])
            for cells in (line.strip("| ").split(" | ") for line in page.splitlines())
            if len(cells) == 6
        )
        for page in (before, now)
    )
    return [row for row in had if row not in has]


def write_row(row: Comparison) -> str:
    """A row of a table."""
    return f"| {row.what} | {row.peer} | {row.count:,} | {row.ours:.4f} | {row.theirs:.4f} | {row.verdict} |"


def write_difference(each: Difference) -> str:
    """A difference, with the input that shows it."""
    ours, theirs = (f"{x:.4f}" if isinstance(x, float) else x for x in (each.ours, each.theirs))
    shown = f"Given {each.given}, wordorder gives {ours} and the peer gives {theirs}. {KINDS[each.kind]}."
    return f"\n### {each.title}\n\n{shown}\n\n{each.text}"


def main() -> int:
    """Compare, write, and say what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m conformance", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--print", action="store_true", help="print the page instead of writing docs/conformance.md")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    sections = compare_all()
    page = write_page(sections)
    for row in rows_gone(PAGE.read_text(encoding="utf-8"), page):
        print(f"on the page before and not now: {row}", file=sys.stderr)
    if options.print:
        print(page, end="")
    else:
        PAGE.write_text(page, encoding="utf-8")
    for peer in PEERS:
        if peer.problem:
            print(f"nothing is compared with {peer.name} ({peer.problem}): {peer.install}", file=sys.stderr)
    wrong = [line for section in sections for line in section.check()]
    wrong += [f"{peer.name}: {peer.problem}" for peer in PEERS if peer.problem.startswith("installed")]
    for line in wrong:
        print(f"to look at: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
