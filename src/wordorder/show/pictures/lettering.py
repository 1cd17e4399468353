"""Find the direction of text, and estimate its width without a font file, from the letter widths of Helvetica."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

FONTS = "Noto Sans, DejaVu Sans, Helvetica, Arial, sans-serif"

# Widths in Helvetica of the characters from space to tilde, in thousandths of the font size.
_LATIN = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_OTHER = 620
_SCRIPTS = ("ARABIC", "HEBREW", "THAI", "DEVANAGARI", "BENGALI", "TAMIL", "TELUGU", "KHMER", "GEORGIAN", "ETHIOPIC")
_CJK = {"HANGUL": "KR", "HIRAGANA": "JP", "KATAKANA": "JP", "CJK": "SC", "IDEOGRAPHIC": "SC", "FULLWIDTH": "SC"}
_FAMILIES = {script: script.title() for script in _SCRIPTS} | {script: f"CJK {_CJK[script]}" for script in _CJK}
_ROOMIER = 1.1
"""A factor that allows for fonts wider than Helvetica."""


def text_width(text: str, size: float = 14) -> float:
    """Return the approximate width of a text in pixels.

    >>> round(text_width("word", 10)), round(text_width("言葉", 10)), text_width("", 10)
    (24, 22, 0.0)
    """
    return sum(map(_width, text)) * size * _ROOMIER / 1000


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1000
    base = unicodedata.normalize("NFD", character)[0]
    return _LATIN[ord(base) - 32] if " " <= base <= "~" else _OTHER


def fonts_for(text: str) -> str:
    """Return names of fonts for the script of a text, or '' if the default fonts contain its letters.

    Naming the fonts helps programs that do not choose a fallback font by themselves.

    >>> fonts_for("word"), fonts_for("本").split(",")[0], fonts_for("ذهب").split(",")[0]
    ('', 'Noto Sans CJK SC', 'Noto Sans Arabic')
    """
    scripts = [unicodedata.name(character, "LATIN").split()[0] for character in text if ord(character) > 0x58F]
    known = [f"Noto Sans {_FAMILIES[script]}" for script in scripts if script in _FAMILIES]
    return f"{max(known)}, {FONTS}" if known else ""


def runs_right_to_left(words: Iterable[str]) -> bool:
    """Return whether most words that have a direction are in a right-to-left script such as Hebrew or Arabic.

    >>> runs_right_to_left(["ذهب", "2024", "."]), runs_right_to_left(["he", "went"]), runs_right_to_left([])
    (True, False, False)
    """
    balance = 0
    for word in words:
        kinds = {unicodedata.bidirectional(character) for character in word}
        balance += bool(kinds & {"R", "AL"}) - ("L" in kinds)
    return balance > 0
