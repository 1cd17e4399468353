"""Reading drawn pictures, for the tests of this room."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from wordorder.show.pictures import Picture

SVG = "{http://www.w3.org/2000/svg}"


def marks(picture: Picture, name: str, kind: str = "") -> list[ElementTree.Element]:
    """Return the elements of a name whose class begins with some words."""
    found = ElementTree.fromstring(picture.svg).iter(SVG + name)
    return [one for one in found if kind in ("", " ".join(one.get("class", "").split()[: len(kind.split())]))]


def box(mark: ElementTree.Element) -> tuple[float, float, float, float]:
    """Return the left, upper, right and lower edge of a rectangle."""
    x, y, width, height = (float(mark.get(key, "")) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def ends(mark: ElementTree.Element) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return both ends of a line."""
    x1, y1, x2, y2 = (float(mark.get(key, "")) for key in ("x1", "y1", "x2", "y2"))
    return (x1, y1), (x2, y2)


def texts(picture: Picture, kind: str = "") -> list[str]:
    """Return what is written."""
    return [one.text or "" for one in marks(picture, "text", kind)]


def cross(one: ElementTree.Element, two: ElementTree.Element) -> bool:
    """Whether two lines cross at a point that is an end of neither."""

    def side(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    (a, b), (c, d) = ends(one), ends(two)
    if {a, b} & {c, d}:
        return False
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def everything_inside(picture: Picture) -> bool:
    """Whether every coordinate lies within the view box."""
    root = ElementTree.fromstring(picture.svg)
    left, top, width, height = map(float, root.get("viewBox", "").split())
    for one in root.iter():
        points = re.findall(r"(-?[\d.]+)[ ,](-?[\d.]+)", one.get("d", "")) if "H" not in one.get("d", "") else []
        points += [(one.get(x, ""), one.get(y, "")) for x, y in (("x", "y"), ("x1", "y1"), ("x2", "y2"), ("cx", "cy"))]
        for x, y in points:
            if x and y and not (left <= float(x) <= left + width and top <= float(y) <= top + height):
                return False
    return True
