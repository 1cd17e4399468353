"""Every rendering of small tables, character by character, and what no rendering may ever do."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.cli.output import print_table
from wordorder.core.runtime.errors import UsageError
from wordorder.report import FORMATS, Cell, Column, Mark, Style, Table, render, table_records
from wordorder.report.html import render_html
from wordorder.report.table import show_cell
from wordorder.report.terminal import fold_heading, render_terminal

BEST, TIED, BASELINE = (frozenset({mark}) for mark in (Mark.BEST, Mark.TIED, Mark.BASELINE))

SCORES = Table.of(
    "Scores",
    [Column("system", "left"), Column("kendall-sqrt", share=True), Column("p", number=".2g"), Column("words")],
    [
        [Cell("a_b|c & 50%", marks=BASELINE), Cell(0.53412, (0.52, 0.544), TIED, {"p": 0.25}), None, 1200],
        ["北京", Cell(0.5456, (0.5, 0.6), BEST), 0.0123, 7],
        ["none", float("nan"), float("nan"), None],
    ],
    notes=["95% intervals"],
    signature={"metrics": ["kendall-sqrt"], "seed": 1},
)


def test_terminal() -> None:
    assert (
        render(SCORES, "table")
        == """\
Scores
system        kendall-sqrt      p  words
────────────────────────────────────────
a_b|c & 50%#  0.534 ±.012~      –   1200
北京          0.546 ±.050*  0.012      7
none              –             –      –
95% intervals
metrics:kendall-sqrt|seed:1
±: half the width of the interval
*: best
~: not significantly different from the best
#: baseline"""
    )


def test_tsv_is_unrounded_and_undefined_is_empty() -> None:
    header, *lines = (line.split("\t") for line in render(SCORES, "tsv").split("\n"))
    assert header[:4] == ["system", "kendall-sqrt", "p", "words"]
    kendall = ["kendall-sqrt.low", "kendall-sqrt.high", "kendall-sqrt.p", "kendall-sqrt.marks"]
    assert header[4:] == ["system.marks", *kendall, "signature", "notes"]
    told = ["metrics:kendall-sqrt|seed:1", "95% intervals; tied: not significantly different from the best"]
    assert lines == [
        ["a_b|c & 50%", "0.53412", "", "1200", "baseline", "0.52", "0.544", "0.25", "tied", *told],
        ["北京", "0.5456", "0.0123", "7", "", "0.5", "0.6", "", "best", *told],
        ["none", "", "", "", "", "", "", "", "", *told],
    ]


def test_csv_holds_what_tsv_does_and_quotes_what_must_be_quoted() -> None:
    table = Table.of("", [Column("system", "left"), "x"], [['a,"b"', Cell(0.5, (0.25, 0.75))], ["c\nd", None]])
    assert render(table, "csv") == 'system,x,x.low,x.high\n"a,""b""",0.5,0.25,0.75\nc d,,,'
    lines = list(csv.reader(io.StringIO(render(SCORES, "csv"))))
    assert lines == [line.split("\t") for line in render(SCORES, "tsv").split("\n")]


def test_json_holds_records_and_null() -> None:
    document = json.loads(render(SCORES, "json"))
    assert document["title"] == "Scores"
    assert document["notes"] == ["95% intervals", "tied: not significantly different from the best"]
    assert document["signature"] == "metrics:kendall-sqrt|seed:1"
    assert document["rows"] == table_records(SCORES)
    assert document["rows"][1] == {
        "system": "北京",
        "kendall-sqrt": 0.5456,
        "p": 0.0123,
        "words": 7,
        "system.marks": [],
        "kendall-sqrt.low": 0.5,
        "kendall-sqrt.high": 0.6,
        "kendall-sqrt.p": None,
        "kendall-sqrt.marks": ["best"],
    }
    assert document["rows"][2]["kendall-sqrt"] is None
    assert json.loads(render(Table.of("", ["x"], [[float("inf")]]), "json"))["rows"] == [{"x": None}]


def test_markdown() -> None:
    assert render(SCORES, "markdown") == "\n".join(
        [
            "**Scores**",
            "",
            "| system | kendall-sqrt | p | words |",
            "| :--- | ---: | ---: | ---: |",
            r"| a\_b\|c \& 50%\# | 0.534 ±.012\~ | – | 1200 |",
            "| 北京 | **0.546** ±.050 | 0.012 | 7 |",
            "| none | – | – | – |",
            "",
            "95% intervals  ",
            r"metrics:kendall-sqrt\|seed:1  ",
            "±: half the width of the interval  ",
            r"\~: not significantly different from the best  ",
            r"\#: baseline",
        ]
    )


def test_latex() -> None:
    assert render(SCORES, "latex") == "\n".join(
        [
            r"% needs \usepackage{booktabs} in the preamble",
            r"\begin{table}",
            r"\centering",
            r"\caption{Scores}",
            r"\begin{tabular}{lrrr}",
            r"\toprule",
            r"system & kendall-sqrt & p & words \\",
            r"\midrule",
            r"a\_b\textbar{}c \& 50\%\textsuperscript{\#} & 0.534\,{\scriptsize $\pm$.012}"
            r"\textsuperscript{\textasciitilde{}} & \textendash{} & 1200 \\",
            r"北京 & \textbf{0.546}\,{\scriptsize $\pm$.050} & 0.012 & 7 \\",
            r"none & \textendash{} & \textendash{} & \textendash{} \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip",
            r"{\footnotesize 95\% intervals\\metrics:kendall-sqrt\textbar{}seed:1\\"
            r"$\pm$: half the width of the interval\\"
            r"\textasciitilde{}: not significantly different from the best\\\#: baseline}",
            r"\end{table}",
        ]
    )


def test_latex_signs() -> None:
    table = Table.of("", [Column("name", "left"), "x"], [["a--b\\{~^}$<>", -0.5]])
    assert (
        r"a-{}-b\textbackslash{}\{\textasciitilde{}\textasciicircum{}\}\$\textless{}\textgreater{} & $-$0.500 \\"
        in render(table, "latex")
    )


def test_latex_sets_the_signs_of_our_tables_without_more_packages() -> None:
    notes = ["Krippendorff's α, Cohen's κ′: χ²", "t₁ − t₂ ≥ ⅓ × ε → 1 … é"]
    written = render(Table.of("", ["Spearman's ρ", "x"], [["a", 1]], notes=notes), "latex")
    assert r"Spearman's $\rho$ & x \\" in written
    assert r"Krippendorff's $\alpha$, Cohen's $\kappa$$'$: $\chi$$^2$\\t$_1$ $-$ t$_2$ $\geq$ " in written
    assert r"$\frac{1}{3}$ $\times$ $\varepsilon$ $\rightarrow$ 1 \dots{} é}" in written


def test_latex_takes_no_star_or_bracket_for_an_argument() -> None:
    table = Table.of("", [Column("[x]", "left")], [["[a]"], [" [b]"], ["*"]], notes=["one", "***: p < 0.001", "[c]"])
    lines = render(table, "latex").split("\n")
    assert lines[lines.index(r"\toprule") + 1 : -3] == [
        r"{}[x] \\", r"\midrule", r"{}[a] \\", r"{} [b] \\", r"{}* \\", r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    assert lines[-2] == r"{\footnotesize one\\{}***: p \textless{} 0.001\\{}[c]}"


def wide(metrics: int) -> Table:
    cells = [Cell(0.123, (0.1, 0.14), BEST)] * metrics
    columns = [Column("system", "left"), *(Column(f"metric-name-{number}") for number in range(metrics))]
    return Table.of("Wide", columns, [["system-with-name", *cells]])


def body(text: str) -> list[str]:
    return [line for line in text.split("\n") if line and not line.startswith(("Wide", "±", "*"))]


def test_a_wide_table_first_folds_its_headings() -> None:
    assert body(render_terminal(wide(2), width=80))[0] == "system            metric-name-0  metric-name-1"
    assert body(render_terminal(wide(2), width=45)) == [
        "                  metric-name-  metric-name-",
        "system                       0             1",
        "─" * 44,
        "system-with-name  0.123 ±.020*  0.123 ±.020*",
    ]


def test_then_moves_closer_together() -> None:
    lines = body(render_terminal(wide(5), width=80))
    assert lines[-1] == "system-with-name" + " 0.123±.020*" * 5


def test_and_at_last_goes_into_blocks_that_repeat_the_first_column() -> None:
    text = render_terminal(wide(7), width=80)
    assert max(map(len, text.split("\n"))) <= 80
    rows = [line for line in body(text) if line.startswith("system-with-name")]
    assert [row.count("0.123 ±.020*") for row in rows] == [4, 3]
    headings = [line for line in body(text) if line.startswith("system ")]
    assert [heading.split() for heading in headings] == [["system", *"0123"], ["system", *"456"]]


def test_a_column_wider_than_the_terminal_is_not_cut() -> None:
    long = "x" * 100
    text = render_terminal(Table.of("", [Column("system", "left"), "a"], [[long, 1]]), width=40)
    assert text.count(long) == 1


@given(st.text(alphabet="ab:- ", min_size=1), st.integers(1, 8))
def test_folding_a_heading_loses_nothing(heading: str, width: int) -> None:
    lines = fold_heading(heading, width)
    assert "".join(lines).replace(" ", "") == heading.replace(" ", "")
    assert all(lines[1:]) or not heading.strip()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def draw(table: Table, **environment: str) -> str:
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "80", **environment}.items():
            monkeypatch.setenv(name, value)
        file = Terminal()
        print_table(table, file=file)
        return file.getvalue()

    return draw


def test_a_terminal_gets_colour_and_the_same_characters(terminal: Callable[..., str]) -> None:
    import re

    text = terminal(SCORES)
    assert "\x1b[1;32m" in text
    plain = [line.rstrip() for line in re.sub("\x1b\\[[0-9;]*m", "", text).split("\n")]
    assert "\n".join(plain) == render(SCORES, "table") + "\n"


def test_no_colour_where_it_is_not_wanted(terminal: Callable[..., str]) -> None:
    assert "\x1b[1;32m" not in terminal(SCORES, NO_COLOR="1")
    assert terminal(SCORES, TERM="dumb") == render(SCORES, "table") + "\n"


def test_a_terminal_is_used_to_its_width(terminal: Callable[..., str]) -> None:
    assert "metric-name-6" in terminal(wide(7), COLUMNS="150")


def test_a_pipe_gets_a_table_unless_told_otherwise(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    print_table(SCORES)
    print_table(SCORES, "tsv")
    assert capsys.readouterr().out == render(SCORES, "table") + "\n" + render(SCORES, "tsv") + "\n"
    file = io.StringIO()
    print_table(SCORES, "table", file=file)
    assert file.getvalue() == render(SCORES, "table") + "\n"


def test_digits_and_percent() -> None:
    shown = Style(digits=1).apply(SCORES)
    assert [show_cell(row[1], shown.columns[1]).value for row in shown.rows] == ["0.5", "0.5", "–"]
    shown = Style(percent=True).apply(SCORES)
    assert show_cell(shown.rows[0][1], shown.columns[1])[:2] == ("53.4", "±1.2")
    assert [cell.value for cell in shown.rows[1]][2:] == [0.0123, 7]  # neither p nor a count is a share
    assert Style(percent=True).apply(shown) == shown
    shown = Style(digits=2, percent=True).apply(SCORES, rounded=True)
    assert (shown.rows[0][1].value, shown.rows[0][1].interval) == (53.41, (52.0, 54.4))
    assert Style().apply(SCORES).rows == SCORES.rows
    with pytest.raises(UsageError, match="digits must be from 0 to 15, not -1"):
        Style(digits=-1)
    with pytest.raises(UsageError, match="digits must be a whole number, not 'x'"):
        Style(digits="x")  # type: ignore[arg-type]


def test_an_unknown_format_is_told() -> None:
    with pytest.raises(UsageError, match="unknown format 'markdwon'; did you mean 'markdown'"):
        render(SCORES, "markdwon")


def test_a_field_name_is_never_used_twice() -> None:
    table = Table.of("", ["x", "x.low"], [[Cell(1.0, (0.0, 2.0)), 3]])
    with pytest.raises(UsageError, match="same name"):
        render(table, "tsv")


@pytest.mark.parametrize("format", FORMATS)
def test_a_broken_file_name_can_be_written(format: str) -> None:
    render(Table.of("\udcff", ["a\udcff"], [["b\udcff\tc\nd"]], notes=["\udcff"]), format).encode("utf-8")


def test_a_notebook_shows_html() -> None:
    assert SCORES._repr_html_() == render_html(SCORES)


TEXTS = st.text(st.characters(exclude_categories=()))  # also halves of characters, as in broken file names
NUMBERS = st.none() | st.floats() | st.integers()
CELLS = st.builds(
    Cell, TEXTS | NUMBERS, st.none() | st.tuples(st.floats(), st.floats()), st.frozensets(st.sampled_from(Mark))
)
NAMES = st.lists(TEXTS, unique=True, max_size=5)


@st.composite
def tables(draw: Any) -> Table:
    names = draw(NAMES)
    columns = [Column(name, draw(st.sampled_from(["left", "right"]))) for name in names]
    rows = draw(st.lists(st.tuples(*[CELLS] * len(names)), max_size=4))
    return Table.of(draw(TEXTS), columns, rows, notes=draw(st.lists(TEXTS, max_size=2)))


@given(tables(), st.sampled_from(FORMATS))
def test_any_table_can_be_written_in_any_format(table: Table, format: str) -> None:
    text = render(table, format)
    text.encode("utf-8")
    if format == "csv":
        sizes = [len(record) for record in csv.reader(io.StringIO(text))]
        assert len(set(sizes)) <= 1
        assert not table.columns or len(sizes) == 1 + len(table.rows)
    elif format == "tsv":
        fields = {line.count("\t") for line in text.split("\n")}
        assert len(fields) == 1
        assert len(text.split("\n")) == 1 + len(table.rows)
    elif format == "json":
        assert len(json.loads(text)["rows"]) == len(table.rows)
    else:
        assert "\x1b" not in text
        assert "\r" not in text
    if format == "markdown" and table.columns:
        lines = [line for line in text.split("\n") if line.startswith("| ")]
        bars = {line.replace("\\\\", "").replace("\\|", "").count("|") for line in lines}
        assert bars == {len(table.columns) + 1}
