"""Sixteen systems in one table, and two in one sentence: what ``wordorder score`` shows first."""

from __future__ import annotations

from papers.writing import Page

PAIR = "wmt12/system-outputs/de-en/newstest2012.de-en"


def make() -> Page:
    """Make the page."""
    page = Page("systems", "Sixteen systems of WMT12 in one table")
    page.say(
        "Which system orders words best, is that certain, and what does it rest on? These are the 16 German–English"
        " systems of WMT12 on 3,003 segments, as a terminal of 80 columns shows them."
    )
    everything = page.screen(f"score --ref wmt12/newstest2012-ref.en --hyp {PAIR}.*")
    page.conclude(
        "All systems are in one table of at most 80 columns, with at most twelve more lines. A rank such as 1–3 says"
        " that no system is significantly better and that all but two others are significantly worse.",
        len(everything) <= 16 + 12,
        all(len(line) <= 80 for line in everything if not line.startswith("metrics:")),
        sum("±" in line for line in everything) == 16 + 1,
    )
    page.say("Two systems are compared in a sentence.")
    two = page.screen(f"score --ref wmt12/newstest2012-ref.en --hyp {PAIR}.onlineA {PAIR}.onlineB")
    page.conclude(
        "The difference is small, but far too large for chance.",
        "onlineB orders words better than onlineA" in " ".join(two),
    )
    return page
