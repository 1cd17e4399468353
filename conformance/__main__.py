"""Compare with every peer that is installed and write docs/conformance.md: ``make conformance``.

    python -m conformance              the page
    python -m conformance --print      the same to standard output; docs/conformance.md stays as it is

The exit code is 1 where two values differ and nobody has said why, or where a peer that differed no longer does.
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
KINDS = {"bug": "a bug of the peer", "definition": "another definition"}
INTRODUCTION = """# Beside other tools

The same inputs, our value and the peer's. Values closer than a billionth are equal; *within* says how close
estimates or printed digits have to be. Where there are many inputs, the columns show the mean, and the last one how
many values differ. Every difference is explained, on the smallest input that shows it:
[where they differ](#where-they-differ).

`make conformance` computes every number on this page anew. It fails where a difference is not explained, or where one
that is explained has gone."""


def compare_all() -> tuple[list[Section], list[str]]:
    """Run every comparison; return what was found and the peers that were needed and are absent."""
    found, absent = [], []
    for make in SECTIONS:
        start = time.process_time()
        try:
            found.append(make())
        except AbsentError as missing:
            absent.append(str(missing))
            continue
        print(f"{found[-1].title}: {time.process_time() - start:.0f} s of CPU time", file=sys.stderr)
    return found, absent


def write_page(sections: list[Section]) -> str:
    """The page, in Markdown."""
    count = sum(len(section.comparisons) for section in sections)
    equal = sum(row.equal for section in sections for row in section.comparisons)
    lines = [INTRODUCTION, f"\n{count} comparisons: {equal} equal, {count - equal} explained.\n", "## The peers\n"]
    lines += ["| peer | version | |", "|---|---|---|"]
    lines += [f"| {peer.name} | {peer.version or 'absent'} | `{peer.install}` |" for peer in PEERS]
    lines.append(f"\nPython {platform.python_version()}. fast_align is not packaged for Python; Thot has its model.")
    for section in sections:
        lines += [f"\n## {section.title}\n", f"Inputs: {section.inputs}.\n"]
        lines += ["| ours | peer | values | ours | peer's | |", "|---|---|--:|--:|--:|---|"]
        lines += [write_row(row) for row in section.comparisons]
    lines.append("\n## Where they differ")
    lines += [write_difference(each) for section in sections for each in section.differences]
    return "\n".join(lines) + "\n"


def write_row(row: Comparison) -> str:
    """A row of a table."""
    return f"| {row.what} | {row.peer} | {row.count:,} | {row.ours:.4f} | {row.theirs:.4f} | {row.verdict} |"


def write_difference(each: Difference) -> str:
    """A difference, with the input that shows it."""
    ours, theirs = (f"{x:.4f}" if isinstance(x, float) else x for x in (each.ours, each.theirs))
    shown = f"Given {each.given}: ours {ours}, the peer's {theirs}; {KINDS[each.kind]}."
    return f"\n### {each.title}\n\n{shown}\n\n{each.text}"


def main() -> int:
    """Compare, write, and say what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m conformance", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--print", action="store_true", help="print the page instead of writing docs/conformance.md")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    sections, absent = compare_all()
    page = write_page(sections)
    if options.print:
        print(page, end="")
    else:
        PAGE.write_text(page, encoding="utf-8")
    for peer in PEERS:
        if not peer.version:
            needed = " and nothing on the page is compared with it" if peer.name in absent else ""
            print(f"{peer.name} is not installed{needed}: {peer.install}", file=sys.stderr)
    wrong = [line for section in sections for line in section.check()]
    for line in wrong:
        print(f"to look at: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
