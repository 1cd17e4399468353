"""The pages of the papers: what can be computed without large data is computed anew, and stands on them."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from charted import rows_of
from papers import __main__ as program
from papers import complexity_2016, forests_2014, framework_2011, thesis_2011, writing
from papers.writing import RESULTS, Page
from wordorder.apps.metaeval.plots import plot_scaled
from wordorder.apps.profile import europarl
from wordorder.apps.profile.language_pairs import read_cognates


def page_of(name: str) -> str:
    return (RESULTS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", program.PAPERS)
def test_every_paper_has_its_page(name: str) -> None:
    page = page_of(name)
    assert "## What cannot be reproduced" in page
    assert "```text\nwordorder " in page
    for figure in (line for line in page.splitlines() if line.startswith("![")):
        assert (RESULTS / figure.rpartition("(")[2].rstrip(")")).exists()


@pytest.mark.parametrize("name", program.PAGES)
def test_every_page_is_made_and_listed(name: str) -> None:
    assert f"`python -m papers {name}` recomputes this page (`papers/{name}.py`)" in page_of(name)
    assert f"(results/{name}.md)" in (RESULTS.parent / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", program.PAGES)
def test_every_page_begins_with_what_was_found(name: str) -> None:
    assert page_of(name).split("\n\n")[1].startswith("**In short.** ")


@pytest.mark.parametrize("name", program.PAGES)
def test_sentences_of_a_program_are_those_of_its_page(name: str) -> None:
    """So a sentence that is reworded in the one is reworded in the other; what an ``if`` decides is left out."""
    tree = ast.parse((RESULTS.parents[1] / "papers" / f"{name}.py").read_text(encoding="utf-8"))
    decided = {inner for node in ast.walk(tree) if isinstance(node, ast.If) for inner in ast.walk(node)}
    page = page_of(name)
    sentences = [
        call.args[0]
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and call not in decided and isinstance(call.func, ast.Attribute)
        if call.func.attr in ("say", "conclude", "sum_up") and isinstance(call.args[0], ast.Constant | ast.JoinedStr)
    ]
    assert len(sentences) >= 5
    for sentence in sentences:
        parts = sentence.values if isinstance(sentence, ast.JoinedStr) else [sentence]
        pattern = "".join(re.escape(str(x.value)) if isinstance(x, ast.Constant) else ".*?" for x in parts)
        assert re.search(pattern, page, re.DOTALL), ast.unparse(sentence)


@pytest.mark.parametrize("name", program.PAPERS)
def test_what_cannot_be_reproduced_is_listed_in_one_place(name: str) -> None:
    listed = (RESULTS.parent / "results.md").read_text(encoding="utf-8")
    assert f"(results/{name}.md#what-cannot-be-reproduced)" in listed


def test_no_page_of_results_is_made_by_hand() -> None:
    assert {path.stem for path in RESULTS.glob("*.md")} == set(program.PAGES)


def test_without_data_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "DATA", tmp_path / "none")
    monkeypatch.setattr("sys.argv", ["papers"])
    assert program.main() == 1
    assert "the folder of real data is not here" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["papers", "nobody_1999"])
    with pytest.raises(SystemExit):
        program.main()
    assert "there is no page 'nobody_1999'" in capsys.readouterr().err


def test_table_3_of_2014_follows_from_its_tables_1_and_2() -> None:
    tables = (forests_2014.OUT, forests_2014.INTO)
    columns = [[table[order][pair] for order in forests_2014.METRICS] for table in tables for pair in range(5)]
    means = [sum(row) / len(columns) for row in zip(*columns, strict=True)]
    for order, rank, mean in zip(forests_2014.METRICS, forests_2014.ranks(columns), means, strict=True):
        assert (rank, mean) == pytest.approx(forests_2014.MEANS[order], abs=6e-4), order


def test_figures_9_and_10_of_2014_say_what_its_section_5_3_says() -> None:
    for pairs, table in ((forests_2014.FROM_ENGLISH, forests_2014.OUT), (forests_2014.INTO_ENGLISH, forests_2014.INTO)):
        drawn = rows_of(plot_scaled(forests_2014.printed(pairs, table)))
        scaled = {(row["set"], row["metric"]): row["scaled"] for row in drawn}
        assert {scaled[pair, "hamming"] for pair in pairs} == {0}, "the worst everywhere"
        for pair in set(pairs) - {"en-cs"}:
            better = [name for name in forests_2014.METRICS if scaled[pair, name] > scaled[pair, "pef"]]
            assert better == (["ulam"] if pair == "en-fr" else [])
    assert scaled["ru-en", "kendall"] == pytest.approx((0.173 - 0.157) / (0.181 - 0.157))


def test_tables_4_and_5_of_2014_begin_with_its_tables_1_and_2() -> None:
    columns = dict(zip(forests_2014.FROM_ENGLISH, range(5), strict=True))
    columns |= dict(zip(forests_2014.INTO_ENGLISH, range(5), strict=True))
    for pair, rows in forests_2014.GAMMA.items():
        table = forests_2014.OUT if pair.startswith("en-") else forests_2014.INTO
        assert all(row[0] == table[order][columns[pair]] for order, row in rows.items())


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("thesis_2011", thesis_2011.shuffled_orders),
        ("thesis_2011", thesis_2011.worked_examples),
        ("thesis_2011", thesis_2011.objectives),
        ("thesis_2011", thesis_2011.annotators),
        ("thesis_2011", thesis_2011.ranks_and_weights),
        ("framework_2011", framework_2011.reference_orders),
        ("complexity_2016", complexity_2016.examples),
    ],
)
def test_what_needs_no_data_stands_on_the_page(name: str, part: Callable[[Page], None]) -> None:
    page = Page(name, "")
    part(page)
    for block in page.blocks:
        assert block in page_of(name), f"run python -m papers {name}"


def test_figure_6_2_of_the_thesis_is_met_to_the_first_decimal() -> None:
    page = Page("x", "")
    thesis_2011.shuffled_orders(page)
    cells = [cell for line in page.blocks[-1].splitlines()[2:] for cell in line.split(" | ")[1:]]
    assert len(cells) == 20
    assert all(one == two.rstrip(" |") for one, two in (cell.split(" / ") for cell in cells))


def test_tables_4_3_and_4_4_of_the_thesis(tmp_path: Path) -> None:
    pairs = europarl()
    found = dict(zip(("-".join(pair) for pair in pairs.named()), pairs.column("rquantity").tolist(), strict=True))
    ranked = sorted(found, key=found.__getitem__)
    assert set(ranked[:5] + ranked[-5:]) == set(thesis_2011.EXTREMES)
    assert [found[pair] for pair in ("pt-es", "it-pt", "fr-de", "de-fr")] == [0.202, 0.246, 0.613, 0.637]
    table = tmp_path / "cognates.tsv"
    table.write_text("\n".join("\t".join(row) for row in thesis_2011.COGNATES) + "\n")
    classes = read_cognates(table)
    shared = {two: classes.compare("French", two) for two in ("Italian", "English", "German")}
    assert shared == {"Italian": (2, 2), "English": (1, 2), "German": (0, 2)}


def test_table_7_5_of_the_thesis_has_lrscore_first_for_six_pairs_of_eight() -> None:
    most = thesis_2011.MOST_CONSISTENT
    assert [combined > other for combined, other in most.values()].count(True) == 6
    for place, pair in enumerate(("de-en", "cz-en", "en-de")):
        columns = {name: row[place] for name, row in thesis_2011.CONSISTENCY.items()}
        assert most[pair][0] == max(columns.pop(name) for name in thesis_2011.LR)
        assert most[pair][1] == max(columns.values())


def test_reference_orders_are_those_of_the_paper() -> None:
    page = Page("x", "")
    framework_2011.reference_orders(page)
    assert page.blocks[-1].count("| the same |") == len(framework_2011.ORDERS) == 4


def test_how_pages_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctest.testmod(writing).failed == 0
    monkeypatch.setattr(writing, "RESULTS", tmp_path)
    monkeypatch.setattr(writing, "DATA", tmp_path / "data")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("a text\n")
    page = Page("one", "One")
    page.table(["", "a"], [["x", 0.5], ["y", None]])
    page.cannot({"all": "why"})
    written = page.write().read_text(encoding="utf-8")
    assert written.endswith("| x | .500 |\n| y | – |\n\n## What cannot be reproduced\n\n* all: why\n")
    with pytest.raises(SystemExit, match="nobody"):
        page.run("metrics nobody")
    assert page.shell("cat a.txt > b.txt", "cat b.txt") == "a text\n"
    assert not (tmp_path / "data" / "b.txt").exists()
    commands = page.write().read_text(encoding="utf-8").rpartition("```text\n")[2]
    assert commands.startswith("wordorder metrics nobody\ncat a.txt > b.txt\n")  # in one block
    with pytest.raises(SystemExit, match="no longer say what the page says: all is well"):
        page.conclude("all is well", True, False)
    listed = writing.wrap("wordorder metaeval --metrics " + ",".join(["full:order=kendall"] * 9))
    assert max(map(len, listed.splitlines())) <= 111
    assert listed.replace("\\\n  ", "").replace("\\\n", "").count("full:order=kendall") == 9
