"""Write findings as a self-contained HTML page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from wordorder.report.html import browser_file
from wordorder.report.table import write_signature

if TYPE_CHECKING:
    from wordorder.apps.find.findings import Finding, Findings


def write_page(findings: Findings) -> str:
    """Return the HTML page: an article for each segment, worst first, then the notes."""
    parts = [_article(one) for one in findings] or ["<p>Nothing was found to be out of order.</p>"]
    small = "<br>\n".join(map(escape, [*findings.all_notes, write_signature(findings.signature)]))
    files = (browser_file("wordorder.apps.find", name) for name in ("palette.css", "find.css"))
    style = "".join(file.read_text(encoding="utf-8") for file in files)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Order errors</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>Order errors</h1>\n"
        + "\n".join(parts)
        + f'\n<p class="small">{small}</p>\n</body>\n</html>\n'
    )


def _article(one: Finding) -> str:
    tags = {"text": "{}", "move": "<mark>{}</mark>", "place": '<span class="place">{}</span>'}
    text = " ".join(tags[kind].format(escape(shown)) for kind, shown in one.pieces())
    lines = [("src", one.source_text), ("ref", one.reference_text)]
    rows = [(label, escape(shown)) for label, shown in lines if shown is not None] + [("hyp", text)]
    shown = "\n".join(f'<p dir="auto"><span class="label">{label}</span> {line}</p>' for label, line in rows)
    details = "<br>".join(map(escape, one.details))
    head = f"segment {one.segment}, {escape(one.system)}: {one.score:.2g}"
    return f'<article>\n<h2>{head}</h2>\n{shown}\n<p class="small">{details}</p>\n</article>'
