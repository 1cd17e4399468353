"""Write findings as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from wordorder.report.table import write_signature

if TYPE_CHECKING:
    from wordorder.apps.find.findings import Finding, Findings

_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #222; background: #fff; }
article { border-top: 1px solid #ccc; padding: .75rem 0; }
h2 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: .15rem 0; }
.label { display: inline-block; width: 2.5rem; color: #666; }
.small { color: #555; font-size: .875rem; }
mark { background: #ffd9b3; color: inherit; padding: 0 .15em; border-radius: .2em; }
.scale { display: inline-block; width: 6rem; margin-right: .5rem; }
.bar { display: inline-block; height: .75rem; background: #e08a3c; }
.late { background: #3b78c2; }
summary { cursor: pointer; margin: .35rem 0; }
.place { color: #0b57a4; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1b1b1b; } article { border-color: #444; } .label, .small { color: #aaa; }
  mark { background: #6b3f12; } .place { color: #8ec2ff; }
}
"""


def write_page(findings: Findings) -> str:
    """Return the HTML page: an article for each segment, worst first, then the notes."""
    parts = [_article(one) for one in findings] or ["<p>Nothing was found to be out of order.</p>"]
    return write_document("Order errors", parts, [*findings.all_notes, write_signature(findings.signature)])


def write_document(title: str, parts: Iterable[str], notes: Iterable[str]) -> str:
    """Return a self-contained HTML page with a title, some elements and notes."""
    small = "<br>\n".join(map(escape, notes))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        + "\n".join(parts)
        + f'\n<p class="small">{small}</p>\n</body>\n</html>\n'
    )


def mark_pieces(pieces: Iterable[tuple[str, str]]) -> str:
    """Return the pieces of a marked translation as HTML, with the words that must move in colour."""
    tags = {"text": "{}", "move": "<mark>{}</mark>", "place": '<span class="place">{}</span>'}
    return " ".join(tags[kind].format(escape(shown)) for kind, shown in pieces)


def _article(one: Finding) -> str:
    text = mark_pieces(one.pieces())
    lines = [("src", one.source_text), ("ref", one.reference_text)]
    rows = [(label, escape(shown)) for label, shown in lines if shown is not None] + [("hyp", text)]
    shown = "\n".join(f'<p dir="auto"><span class="label">{label}</span> {line}</p>' for label, line in rows)
    details = "<br>".join(map(escape, one.details))
    head = f"segment {one.segment}, {escape(one.system)}: {one.score:.2g}"
    return f'<article>\n<h2>{head}</h2>\n{shown}\n<p class="small">{details}</p>\n</article>'
