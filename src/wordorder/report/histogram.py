"""Histograms for a terminal: one row per class of values, with a bar for each series on the same scale."""

from collections.abc import Mapping, Sequence

from wordorder.report.table import printable

_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHORTEST_BAR = 8
_LONGEST_BAR = 40


def draw_histogram(
    classes: Sequence[str], series: Mapping[str, Sequence[float]], *, width: int = 80, number: str = ".3f"
) -> str:
    """Draw the histograms of all series next to each other; those that exceed ``width`` are drawn below.

    >>> print(draw_histogram(["2", "3–4"], {"one": [0.5, 0.25], "two": [1, 0]}, width=40, number=".2f"))
              one               two
    2    0.50 █████▌       1.00 ███████████
    3–4  0.25 ██▊          0.00
    """
    from rich.cells import cell_len

    if not series:
        return ""
    names, columns = [printable(name) for name in series], list(series.values())
    figures = [[format(float(value), number) for value in values] for values in columns]
    label = max(map(len, classes), default=0)
    figure = max((len(text) for texts in figures for text in texts), default=0)
    heading = max(map(cell_len, names))
    # A column has two spaces, the figure, a space and the bar; a long name makes it wider.
    fitting = max((width - label) // (2 + max(figure + 1 + _SHORTEST_BAR, heading)), 1)
    beside = min(fitting, len(names))
    bar = min(max((width - label) // beside - figure - 3, _SHORTEST_BAR), _LONGEST_BAR)
    cell = max(figure + 1 + bar, heading)
    room = cell - figure - 1
    largest = max((value for values in columns for value in values), default=0)
    lines: list[str] = []
    for start in range(0, len(names), beside):
        shown = range(start, min(start + beside, len(names)))
        lines += [""] * bool(start)
        leads = [" " * max(min(figure + 1, cell - cell_len(names[s])), 0) for s in shown]
        heads = [lead + names[s] for s, lead in zip(shown, leads, strict=True)]
        lines.append(" " * label + "".join("  " + head + " " * (cell - cell_len(head)) for head in heads))
        for row, name in enumerate(classes):
            cells = [f"{figures[s][row]:>{figure}} {_bar(columns[s][row], largest, bar):<{room}}" for s in shown]
            lines.append(f"{name:<{label}}" + "".join("  " + text for text in cells))
    return "\n".join(line.rstrip() for line in lines)


def _bar(value: float, largest: float, length: int) -> str:
    eighths = max(round(8 * length * value / largest), 1) if value > 0 else 0  # a positive value has a visible bar
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
