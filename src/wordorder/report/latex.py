"""Tables in LaTeX for papers: booktabs rules, best values in bold, all special characters escaped."""

import re

from wordorder.report.table import UNBOLD, Cell, Column, Mark, Table, footer, printable, show_cell

# fmt: off
_MATHS = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "θ": r"\theta",
    "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau",
    "φ": r"\varphi", "χ": r"\chi", "ω": r"\omega", "Δ": r"\Delta", "Σ": r"\Sigma",
    "±": r"\pm", "−": "-", "×": r"\times", "·": r"\cdot", "√": r"\surd", "⅓": r"\frac{1}{3}", "′": "'",
    "²": "^2", "₁": "_1", "₂": "_2", "≤": r"\leq", "≥": r"\geq", "→": r"\rightarrow", "∩": r"\cap",
    "∅": r"\emptyset", "⟨": r"\langle", "⟩": r"\rangle",
}
# fmt: on
"""Characters in notes and headings that LaTeX allows only in math mode."""

_ESCAPES = str.maketrans(
    {sign: f"${command}$" for sign, command in _MATHS.items()}
    | {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}"}
    | {">": r"\textgreater{}", "|": r"\textbar{}", "–": r"\textendash{}", "…": r"\dots{}", "’": "'", "§": r"\S{}"}
)


def render_latex(table: Table) -> str:
    r"""Return a table as a ``table`` environment; a comment says that it needs ``\usepackage{booktabs}``."""
    lines = [r"% needs \usepackage{booktabs} in the preamble", r"\begin{table}", r"\centering"]
    if table.title:
        lines.append(rf"\caption{{{_escape(table.title)}}}")
    if table.columns:
        lines += _tabular(table)
    notes = [_begin(_escape(note)) for note in footer(table, marks=UNBOLD)]
    if notes:
        lines += [r"\par\smallskip", rf"{{\footnotesize {(chr(92) * 2).join(notes)}}}"]
    return "\n".join([*lines, r"\end{table}"])


def _tabular(table: Table) -> list[str]:
    sides = "".join("l" if column.align == "left" else "r" for column in table.columns)
    return [
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        _line([_escape(column.heading or column.name) for column in table.columns]),
        r"\midrule",
        *(_line([_cell(*pair) for pair in zip(row, table.columns, strict=True)]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _line(cells: list[str]) -> str:
    return _begin(" & ".join(cells)) + r" \\"


def _begin(line: str) -> str:
    r"""Protect a star or bracket at the start of a line, which LaTeX would read as an argument of a command."""
    return "{}" + line if line.lstrip().startswith(("*", "[")) else line


def _cell(cell: Cell, column: Column) -> str:
    shown = show_cell(cell, column, marks=UNBOLD)
    value = _escape(shown.value)
    if isinstance(cell.value, (int, float)):
        value = value.replace("-", "$-$")
    bold = rf"\textbf{{{value}}}" if Mark.BEST in cell.marks else value
    interval = rf"\,{{\scriptsize {_escape(shown.interval)}}}" if shown.interval else ""
    marks = rf"\textsuperscript{{{_escape(shown.marks)}}}" if shown.marks else ""
    return bold + interval + marks


def _escape(text: str) -> str:
    # LaTeX would turn two hyphens into a dash.
    return re.sub("-(?=-)", "-{}", printable(text).translate(_ESCAPES))
