"""SVG pictures, and the canvas on which they are drawn.

The SVG is plain: it contains presentation attributes and text, but no scripts, style sheets or fonts, so that
Inkscape, browsers and LaTeX display it alike. The class and ``data-`` attributes of a mark state its meaning.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from wordorder.report.images import COLOURS as COLOURS
from wordorder.report.images import write_svg
from wordorder.report.table import printable
from wordorder.show.pictures.lettering import FONTS, fonts_for, text_width

SIZE = 14
"""The default text size in pixels."""

Look = dict[str, Any]
"""SVG attributes as keyword arguments: underscores become hyphens, and ``class_`` becomes ``class``."""

INK, GREY, PALE, PAPER = "#222222", "#767676", "#d9d9d9", "#ffffff"
BLUE, ORANGE, GREEN = COLOURS[:3]

_MARGIN = 16
_FORBIDDEN = {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}
_NARROWEST_LEGEND = 380


@dataclass(frozen=True)
class Picture:
    """An SVG document that notebooks display and that ``save`` writes to a file.

    Its ``title`` and ``description`` are included for screen readers.
    """

    svg: str
    title: str
    description: str
    width: float
    height: float

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as SVG, or as PDF or PNG if the optional extra ``pictures`` is installed."""
        write_svg(self.svg, path)

    def __repr__(self) -> str:
        return f"Picture({self.title!r}, {self.width:g} × {self.height:g})"

    def _repr_svg_(self) -> str:
        return self.svg


class Canvas:
    """The drawing area of a picture, which grows with its content; later marks cover earlier ones."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = self._top = float("inf")
        self._right = self._bottom = float("-inf")

    def reserve(self, x: float, y: float) -> None:
        """Extend the picture to include a point."""
        self._left, self._right = min(self._left, x), max(self._right, x)
        self._top, self._bottom = min(self._top, y), max(self._bottom, y)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = SIZE,
        anchor: str = "middle",
        turn: float = 0,
        **marks: str,
    ) -> None:
        """Write text whose ``anchor`` (``start``, ``middle`` or ``end``) is at the given point."""
        width = text_width(text, size)
        start = {"start": 0.0, "middle": -width / 2, "end": -width}[anchor]
        if turn:  # rotated text: reserve its length above the point, whatever the angle
            self.reserve(x + 0.7 * width, y - 0.85 * width - size)
            marks["transform"] = f"rotate({turn:g} {_number(x)} {_number(y)})"
        else:
            self.reserve(x + start, y - size)
            self.reserve(x + start + width, y + 0.3 * size)
        place: Look = {"x": x, "y": y, "font_size": size, "text_anchor": anchor if anchor != "start" else ""}
        place["font_family"] = fonts_for(text)
        self._add("text", place, {"fill": INK, **marks}, _escape(text))

    def line(self, x1: float, y1: float, x2: float, y2: float, **marks: str) -> None:
        """Draw a straight line."""
        self.reserve(x1, y1)
        self.reserve(x2, y2)
        self._add("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, {"stroke": INK, **marks})

    def rect(self, x: float, y: float, width: float, height: float, *, round: float = 0, **marks: str) -> None:
        """Draw a rectangle."""
        self.reserve(x, y)
        self.reserve(x + width, y + height)
        place: Look = {"x": x, "y": y, "width": width, "height": height, "rx": round}
        self._add("rect", {key: value for key, value in place.items() if key != "rx" or value}, marks)

    def circle(self, x: float, y: float, radius: float, **marks: str) -> None:
        """Draw a circle."""
        self.reserve(x - radius, y - radius)
        self.reserve(x + radius, y + radius)
        self._add("circle", {"cx": x, "cy": y, "r": radius}, marks)

    def path(self, points: str, corners: Iterable[tuple[float, float]], **marks: str) -> None:
        """Draw an SVG path, which must stay within the bounding box of ``corners``."""
        for corner in corners:
            self.reserve(*corner)
        self._add("path", {"d": points}, marks)

    def badge(self, x: float, y: float, text: str, colour: str) -> None:
        """Draw a short text in a filled circle, or in a filled pill shape if the text is too wide."""
        half = max(8.0, text_width(text, 10) / 2 + 4)
        self.rect(x - half, y - 8, 2 * half, 16, round=8, fill=colour)
        self.text(x, y + 3.6, text, size=10, fill=PAPER, font_weight="bold")

    def legend(self, notes: Iterable[str]) -> None:
        """Write explanatory notes below everything drawn so far, wrapped to the width of the drawing."""
        left, y = self._left, self._bottom + 26
        width = max(self._right - left, _NARROWEST_LEGEND)
        lines: list[str] = []
        for note in notes:
            lines.append("")
            for word in note.split():
                longer = f"{lines[-1]} {word}".strip()
                if text_width(longer, 12) > width:
                    lines.append(word)
                else:
                    lines[-1] = longer
        for place, line in enumerate(lines):
            self.text(left, y + 18 * place, line, size=12, anchor="start", fill=GREY)

    def picture(self, title: str, description: str) -> Picture:
        """Return the finished picture with a white background and a margin."""
        left, top = self._left - _MARGIN, self._top - _MARGIN
        width, height = self._right - left + _MARGIN, self._bottom - top + _MARGIN
        width, height = round(width), round(height)
        box = f"{_number(left)} {_number(top)} {width} {height}"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" viewBox="{box}" '
            f'font-family="{FONTS}">\n<title>{_escape(title)}</title>\n'
            f"<desc>{_escape(description)}</desc>\n"
            f'<rect x="{_number(left)}" y="{_number(top)}" width="{width}" height="{height}" fill="{PAPER}"/>\n'
        )
        return Picture(head + "\n".join(self._parts) + "\n</svg>\n", title, description, width, height)

    def _add(self, name: str, place: Look, marks: Look, content: str = "") -> None:
        written = {key: _number(value) if isinstance(value, (int, float)) else value for key, value in place.items()}
        pairs = {**{key: value for key, value in marks.items() if key.endswith("_")}, **written, **marks}
        kept = ((key.rstrip("_").replace("_", "-"), value) for key, value in pairs.items() if value)
        attributes = "".join(f' {key}="{_escape(value)}"' for key, value in kept)
        self._parts.append(f"<{name}{attributes}>{content}</{name}>" if content else f"<{name}{attributes}/>")


def _escape(text: str) -> str:
    """Escape text for XML, and replace characters that XML forbids.

    >>> _escape('<a "b" \uffff>')
    '&lt;a &quot;b&quot; \ufffd&gt;'
    """
    return escape(printable(text).translate(_FORBIDDEN))


def _number(value: float) -> str:
    """Return a coordinate with at most one decimal digit.

    >>> _number(12.04), _number(-0.01), _number(3.25)
    ('12', '0', '3.2')
    """
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written
