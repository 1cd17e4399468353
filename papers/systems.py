"""Sixteen systems in one table, and two in one sentence: what ``wordorder score`` shows first."""

from __future__ import annotations

import re

from papers.writing import Page, write_cell

PAIR = "wmt12/system-outputs/de-en/newstest2012.de-en"


def make() -> Page:
    """Make the page."""
    page = Page("systems", "Sixteen systems of WMT12 in one table")
    page.say(
        "Which system orders words best, and how certain is the answer? The table shows the 16 German–English systems"
        " of WMT12 on 3,003 segments, as they appear in a terminal of 80 columns."
    )
    everything = page.screen(f"score --ref wmt12/newstest2012-ref.en --hyp {PAIR}.*")
    page.conclude(
        "The output is one table of all systems, at most 80 columns wide, and at most twelve further lines. A rank"
        " such as 1–3 means that no system is significantly better and that all but two others are significantly"
        " worse.",
        len(everything) <= 16 + 12,
        all(len(line) <= 80 for line in everything if not line.startswith("metrics:")),
        sum("±" in line for line in everything) == 16 + 1,
    )
    page.sum_up(f"{next(line for line in everything if 'orders words best' in line)}.")
    page.say("If there are only two systems, `score` compares them in sentences below the table.")
    two = page.screen(f"score --ref wmt12/newstest2012-ref.en --hyp {PAIR}.onlineA {PAIR}.onlineB")
    page.conclude(
        "The difference is small, but far too large to be due to chance.",
        "onlineB orders words better than onlineA" in " ".join(two),
    )
    found = re.search(r"kendall-sqrt .* difference (0\.\d+)", " ".join(two))
    assert found is not None
    page.sum_up(
        f"With 3,003 segments, a difference of {write_cell(float(found[1]))} between two systems is far too large to"
        " be due to chance."
    )
    return page
