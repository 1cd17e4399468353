"""Write patterns as a self-contained HTML page, in which the segments of each pattern can be opened."""

from __future__ import annotations

from html import escape

from wordorder.apps.find.page import mark_pieces, write_document
from wordorder.apps.patterns.results import Pattern, Patterns


def write_page(found: Patterns) -> str:
    """Return the HTML page, which shows the patterns of each system; a click on a pattern opens its segments."""
    names = list(dict.fromkeys(one.system for one in found.tried))
    grouped = {name: [one for one in found.found if one.system == name] for name in names}
    largest = max((one.rate for one in found.found), default=1.0)
    parts = []
    for name, mine in grouped.items():
        if mine:
            parts += [f"<h2>{escape(name)}</h2>", *(_details(one, one.rate / largest) for one in mine)]
    if none := [escape(name) for name, mine in grouped.items() if not mine]:
        parts.append(f"<p>No pattern was found in: {', '.join(none)}</p>")
    if found.differences:
        parts.append("<h2>Differences</h2>")
        parts += [f"<p>{escape(one.system)}: {escape(one.sentence)}</p>" for one in found.differences]
    return write_document("Patterns of order errors", parts, found.footer.splitlines())


def _details(one: Pattern, length: float) -> str:
    shown = "\n".join(
        f'<p class="small">segment {each.segment}</p>\n'
        f'<p dir="auto"><span class="label">ref</span> {escape(each.reference)}</p>\n'
        f'<p dir="auto"><span class="label">hyp</span> {mark_pieces(each.pieces)}</p>'
        for each in one.examples
    )
    words = ", ".join(f"{escape(word)} ({count:.0f})" for word, count in one.mostly)
    bar = f'<span class="scale"><span class="bar {one.direction}" style="width: {100 * length:.1f}%"></span></span>'
    head = f"<summary>{bar} {escape(one.sentence)}</summary>"
    return f"<details>\n{head}\n<article>\n<p>mostly {words}</p>\n{shown}\n</article>\n</details>"
