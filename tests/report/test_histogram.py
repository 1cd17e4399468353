"""Histograms for a terminal: room, scale, order."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from wordorder.report.histogram import draw_histogram

amounts = st.lists(st.floats(0, 100), min_size=3, max_size=3)


@given(st.dictionaries(st.text(max_size=12), amounts, min_size=1, max_size=6), st.integers(40, 120))
@example({"\x00": [1, 2, 3], "\x01": [4, 5, 6]}, 80)
def test_a_histogram_stays_within_its_width(series: dict[str, list[float]], width: int) -> None:
    drawn = draw_histogram(["2", "3–4", "5–8"], series, width=width)
    assert all(cell_len(line) <= width for line in drawn.split("\n"))
    shown = [line for line in drawn.split("\n") if line.startswith("3–4")]
    assert sum(line.count(".") for line in shown) == len(series)


def bar_length(row: str) -> float:
    """Measure the bar of a row in characters; the last one may be a part of a block."""
    parts = "▏▎▍▌▋▊▉"
    return row.count("█") + sum((parts.index(sign) + 1) / 8 for sign in row if sign in parts)


@given(amounts)
def test_bars_have_the_proportions_of_the_values(values: list[float]) -> None:
    rows = draw_histogram(["a", "b", "c"], {"x": values}, width=60).split("\n")[1:]
    bars = [bar_length(row) for row in rows]
    for value, bar in zip(values, bars, strict=True):
        assert (bar > 0) == (value > 0)
        if value > 0:
            assert abs(bar / max(bars) - value / max(values)) <= 1 / 8 / max(bars) + 1e-9


def test_nothing_and_zeros_are_drawn() -> None:
    assert draw_histogram(["a"], {}) == ""
    assert draw_histogram(["a"], {"x": [0]}, number=".1f").split("\n")[1] == "a  0.0"
    assert draw_histogram([], {"x": []}).strip() == "x"


def test_what_does_not_fit_goes_below() -> None:
    drawn = draw_histogram(["a"], {name * 9: [1.0] for name in "xyz"}, width=40).split("\n")
    assert ["x" * 9 in drawn[0], "z" * 9 in drawn[0], "z" * 9 in drawn[3]] == [True, False, True]
    assert drawn[2] == ""
