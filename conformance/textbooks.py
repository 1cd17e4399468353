"""Worked examples that books and papers print, with what they find."""

from __future__ import annotations

NAN = float("nan")

OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
"""Krippendorff 2011, "Computing Krippendorff's alpha-reliability": four observers, twelve units."""

OBSERVERS_ALPHA = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}

FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
"""The worked example of Fleiss' κ that most textbooks repeat: fourteen raters, ten items, five categories; κ .210."""


THREE_DIETS = [[6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12]]
"""A one-way analysis of variance by hand: means 5, 9, 10, between 84/2, within 68/15, F = 9.26, p = .0024."""

PREFERENCES = (189, 158)
"""Birch 2011, 8.2.1.6: preferred 189 times of 347; exact one-sided p .0536 (the thesis prints the normal .048)."""
