"""The explorer in a real browser: Chromium, opened from a disk, without a network."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import wordorder
from browsers import start_browser
from browsing import Visit
from wordorder.cli.main import main
from wordorder.core.orders import Permutation, Permutations, PermutationTree
from wordorder.metrics import metric
from wordorder.report.images import COLOURS
from wordorder.report.table import write_p
from wordorder.scoring.verdicts import answer
from wordorder.show.explorer import scores_page, write_page
from wordorder.show.explorer.page import _EXPORT, _IMPORT, read_asset

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as BrowserPage

pytestmark = pytest.mark.slow
Open = Callable[..., Visit]

REFERENCES = [
    "the cat sat on the mat",
    "it rained all day in the north",
    "<script>document.title = 'broken'</script> & <b>bold</b>",
    "she said that he had missed the train",
    "",
    "لقد ذهب الولد إلى المدرسة",
    "私 は 本 を 読み まし た",
]
SYSTEMS = {
    "good": [*REFERENCES[:4], "something", "ذهب الولد لقد إلى المدرسة", "本 を 私 は 読み まし た"],
    "bad": [
        "mat the on sat cat the",
        "all day in the north it rained",
        "<b>bold</b> & <script>document.title = 'broken'</script>",
        "that she he said train the missed had",
        "",
        "المدرسة إلى الولد ذهب",
        "読み まし た 本 は 私 を",
    ],
    "other": [f"word {number}" for number in range(7)],
}
DOCUMENTS = ["one", "one", "two", "two", "two", "three", "three"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from start_browser()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Open a file in a page of its own; a page that complains or asks the network for anything fails the test."""
    visits: list[Visit] = []

    def open_page(path: Path, end: str = "", *, width: int = 1280, dark: bool = False) -> Visit:
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light")
        page.set_default_timeout(60_000)
        found = Visit(page)
        page.on("console", lambda message: found.complaints.append(message.text))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("request", lambda request: found.requests.append(request.url))
        visits.append(found)
        found.go(path, end)
        return found

    yield open_page
    for found in visits:
        found.page.close()
        assert found.complaints == []
        assert all(url.startswith(("file:", "about:")) for url in found.requests), found.requests


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", docs=DOCUMENTS, tokenize="none")
    path = tmp_path_factory.mktemp("explorer") / "report.html"
    write_page(scores_page(scores, source=[f"source {n}" for n in range(7)], command="wordorder score …"), path)
    return path


def heading_of(page: BrowserPage) -> str:
    return page.locator("#segment-title").text_content() or ""


def heading(visit: Visit) -> str:
    return heading_of(visit.page)


def test_the_overview_has_every_score(visit: Open, report: Path) -> None:
    page = visit(report).page
    table = page.locator(".overview .numbers").first
    assert table.locator("tbody tr").count() == len(SYSTEMS)
    heads = table.locator("thead").inner_text().split()
    assert heads == ["system", "kendall", "bleu1", "matched", "segments", "words"]
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    shown = table.locator("tbody tr", has_text="bad").locator("td").first.inner_text()
    assert shown.startswith(f"{scores['bad', 'kendall']:.3f} ±")
    assert page.locator(".signature").first.inner_text().startswith("metrics:kendall,bleu1|")
    assert page.locator("pre").inner_text() == "wordorder score …"
    table.locator("a", has_text="bad").click()
    page.wait_for_selector(".list")
    assert page.evaluate("location.hash") == "#view=segments&a=bad"


def test_the_overview_answers_first(visit: Open, report: Path) -> None:
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    page = visit(report).page
    assert page.locator(".answer").inner_text() == f"{answer(scores)}."
    ranking = scores.rankings[0]
    assert ranking is not None
    rows = page.locator(".dots tbody tr")
    assert rows.locator("th").all_inner_texts() == ["good", "bad", "other"]  # "other" matches nothing
    assert rows.locator(".rank").all_inner_texts() == [ranking.write(system) for system in ("good", "bad", "other")]
    assert rows.locator(".value").first.inner_text() == f"{scores['good', 'kendall']:.3f}"
    assert page.locator("text=other is not ranked or tested").count() > 0
    cells = page.locator(".matrix a")
    assert cells.count() == 2
    difference = scores["good", "kendall"] - scores["bad", "kendall"]
    assert cells.first.inner_text() == f"+{difference:.3f}"
    (test,) = ranking.tests
    label = cells.first.get_attribute("aria-label") or ""
    assert label.startswith(f"good against bad: good is better than bad by kendall: difference {test.difference:.3f} (")
    assert f"p {write_p(test.p_corrected)}" in label
    cells.first.click()
    page.wait_for_selector(".scatter")
    assert page.evaluate("location.hash") == "#view=compare&a=good&b=bad&metric=kendall"


def test_a_chosen_system_shows_its_scores_and_worst_segments(visit: Open, report: Path) -> None:
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    found = visit(report)
    found.page.locator(".dots a", has_text="bad").click()
    found.page.wait_for_selector(".worst h2 >> text=bad")
    worst = [example.segment for example in scores.worst(5) if "bad" in example.scores]
    assert found.page.locator(".worst li a").all_inner_texts() == [f"Segment {segment}" for segment in worst]
    moved = found.page.locator(".worst li", has_text="Segment 2").locator(".move")
    assert moved.all_inner_texts() == ["it rained", "←it rained"]
    bars = found.page.locator(".histogram a")
    values = scores.segment_scores("bad", "kendall")
    classes = np.minimum(np.round(20 * values[~np.isnan(values)], 6), 19).astype(int)
    counts = np.bincount(classes, minlength=20).tolist()
    labels = [bar.get_attribute("aria-label") or "" for bar in bars.all()]
    assert [int(label.split()[0]) for label in labels] == counts
    bars.nth(9).click()  # from .45 to .50
    found.page.wait_for_selector(".list")
    assert found.numbers() == (np.flatnonzero((values >= 0.45) & (values < 0.5)) + 1).tolist()


def test_lists_open_on_what_matters(visit: Open, report: Path) -> None:
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    found = visit(report, "#view=segments&a=bad")
    worst = [example.segment for example in scores.worst(5) if "bad" in example.scores]
    assert found.numbers()[: len(worst)] == worst
    assert found.page.get_by_role("columnheader").all_inner_texts() == ["#", "reference", "bad", "loss ▼"]
    found.go(report, "#view=compare&a=good&b=bad")
    differing = [example.segment for example in scores.worst(5, between=("good", "bad"))]
    assert found.numbers()[: len(differing)] == differing


def test_differences_are_those_of_common_words(visit: Open, report: Path) -> None:
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    part = scores.on_common_words("bad", "good")
    expected = [[f"{value:.3f}" for value in part.segment_scores(system, "kendall")] for system in ("bad", "good")]
    found = visit(report, "#view=compare&a=bad&b=good&sort=segment")
    shown = [found.page.locator(f".list .body .row > :nth-child({place})").all_inner_texts() for place in (3, 4)]
    assert shown == [[value.replace("nan", "–") for value in each] for each in expected]
    assert shown[1] != [f"{value:.3f}".replace("nan", "–") for value in scores.segment_scores("good", "kendall")]
    basis = found.page.get_by_text("Scores and differences on the words that both match")
    assert basis.is_visible()
    assert "on the words that both match" in found.page.locator(".scatter p").first.inner_text()
    (test,) = scores.comparisons[:1]
    assert test.common is not None
    size = f"{test.common.difference:.3f} ({test.common.low:.3f} to {test.common.high:.3f})".replace("-", "−")
    end = f"on the words that both match, {size}, p {write_p(test.common.p_corrected)}"
    assert end in found.page.locator(".scatter p").first.inner_text()
    found.go(report, "#view=compare&a=bad&b=good&sort=segment&segment=6")
    assert "on all matched words" in found.page.locator(".detail").inner_text()
    found.go(report, "#view=compare&a=bad&b=good&metric=bleu1")
    assert not basis.is_visible()
    assert "on the words" not in found.page.locator(".scatter p").first.inner_text()


def test_rows_subtract_as_shown(visit: Open, crowd: tuple[wordorder.Scores, Path]) -> None:
    scores, path = crowd
    found = visit(path)
    a, b = scores.systems[3], scores.systems[9]
    for name, view, one, two in product(scores.labels, ("segments", "compare"), (a, b), (a, b)):
        if one == two:
            continue
        found.go(path, f"#view={view}&a={one}&b={two}&metric={name}&sort=difference")
        rows = [row.locator("> *").all_inner_texts() for row in found.page.locator(".list .body .row").all()]
        assert rows
        for first, second, difference in ([text.replace("−", "-") for text in row[2:5]] for row in rows):
            if "–" in (first, second):
                assert difference == "–"
            else:
                assert Decimal(first) - Decimal(second) == Decimal(difference), name


def test_the_keyboard_stays_where_it_was(visit: Open, report: Path) -> None:
    page = visit(report, "#view=segments&a=bad&segment=7").page
    summary = page.locator("summary", has_text="2 more systems")
    summary.click()
    assert not page.locator("details", has=summary).evaluate("(node) => node.open")
    page.get_by_role("button", name="Next segment (j)").focus()
    for _ in range(2):
        before = heading_of(page)
        page.keyboard.press("Enter")
        page.wait_for_function("(old) => document.querySelector('#segment-title').textContent !== old", arg=before)
        assert page.evaluate("document.activeElement.title") == "Next segment (j)"
    assert not page.locator("details", has=summary).evaluate("(node) => node.open")
    page.get_by_role("columnheader").get_by_role("button", name="bad").focus()
    for order in ("ascending", "descending"):
        page.keyboard.press("Enter")
        page.wait_for_selector(f"[aria-sort={order}]")
        assert page.evaluate("document.activeElement.textContent").startswith("bad")


def test_arrow_keys_move_in_the_matrix(visit: Open, tmp_path: Path) -> None:
    texts = {"A": REFERENCES, "B": SYSTEMS["good"], "C": SYSTEMS["bad"]}
    write_page(scores_page(wordorder.score(texts, REFERENCES, metrics="kendall", tokenize="none")), tmp_path / "p.html")
    page = visit(tmp_path / "p.html").page
    assert page.locator(".matrix a[tabindex='0']").count() == 1
    page.locator(".matrix a").first.focus()
    reached = []
    for key in (
        "ArrowRight",
        "ArrowDown",
        "ArrowLeft",
        "ArrowUp",
    ):  # over the empty cell of B against B, and no further
        page.keyboard.press(key)
        reached.append((page.evaluate("document.activeElement.ariaLabel") or "").partition(":")[0])
    assert reached == ["A against C", "B against C", "B against A", "B against A"]


def test_damaged_files_say_so(browser: Browser, report: Path, tmp_path: Path) -> None:
    html = report.read_text(encoding="utf-8")
    data, described = html.index('id="data">') + 10, html.index('id="page">') + 10
    damaged = {
        "half of the segments": html[: (data + len(html)) // 2],
        "no segment": html[: html.rindex("<script", 0, data)],
        "half of the script": html[: data - 20_000],
        "a changed character": html[: data + 400] + ("A" if html[data + 400] != "A" else "B") + html[data + 401 :],
        "a foreign character": html[: data + 400] + "!" + html[data + 401 :],
        "a cut description": html[: described + 300] + html[html.index("</script>", described) :],
    }
    for what, content in damaged.items():
        (tmp_path / "damaged.html").write_text(content, encoding="utf-8")
        page = browser.new_page()
        page.goto((tmp_path / "damaged.html").as_uri())
        page.locator("main p >> text=/damaged or incomplete/").wait_for()
        if what not in ("half of the script", "a cut description"):
            assert page.locator(".dots tbody tr").count() == len(SYSTEMS), what
            page.locator("nav a", has_text="Segments").click()
            page.wait_for_selector("nav a[aria-current] >> text=Segments")
            assert "damaged or incomplete" in page.locator("main").inner_text(), what
        page.close()


def test_a_message_has_the_whole_row(visit: Open, report: Path) -> None:
    page = visit(report, "#view=segments&find=nowhere", width=390).page
    row = page.locator(".row.message").bounding_box()
    assert row is not None
    assert row["width"] > 370
    assert row["height"] <= 62


def test_scores_are_on_the_first_screen_of_a_phone(visit: Open, report: Path) -> None:
    page = visit(report, width=390).page
    for cell in page.locator(".dots .value").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 800
    found = page.locator(".numbers").first
    found.locator("..").evaluate("(node) => (node.scrollLeft = 1000)")
    name = found.locator("tbody th").first.bounding_box()
    assert name is not None
    assert 0 <= name["x"] < 20  # names stay while the numbers are scrolled


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> tuple[wordorder.Scores, Path]:
    """A page of 16 systems with long names, each worse than the one before, and some of them nearly equal."""
    chance = random.Random(4)
    references = [" ".join(chance.sample("abcdefghijklmnopqrstuvwxyz", 20)) for _ in range(60)]

    def disturb(line: str, swaps: int) -> str:
        words = line.split()
        for place in chance.sample(range(19), swaps):
            words[place : place + 2] = reversed(words[place : place + 2])
        return " ".join(words)

    texts = {
        f"some-test-set.xx-yy.{chr(65 + s) * 14}": [disturb(line, chance.randint(0, 1 + s // 2)) for line in references]
        for s in range(16)
    }
    scores = wordorder.score(texts, references, metrics="kendall-sqrt,pef,bleu", samples=300)
    path = tmp_path_factory.mktemp("crowd") / "crowd.html"
    write_page(scores_page(scores), path)
    return scores, path


def test_the_first_screen_of_a_phone_answers_three_questions(visit: Open, crowd: tuple[wordorder.Scores, Path]) -> None:
    scores, path = crowd
    page = visit(path, width=390).page
    page.set_viewport_size({"width": 390, "height": 844})
    shown = {"best": ".answer", "certain": ".trust", "worst": ".worst li >> nth=0"}
    for question, place in shown.items():
        box = page.locator(place).bounding_box()
        assert box is not None, question
        assert box["y"] + box["height"] <= 844, question
        assert box["x"] + box["width"] <= 390, question
    for place in (".dots .value", ".dots .matched", ".dots .rank"):
        box = page.locator(place).first.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
    ranking = scores.rankings[0]
    assert ranking is not None
    assert page.locator(".trust").inner_text() == "Could be as good: {} (p {}).".format(
        ranking.tied[0].rpartition(".")[2], write_p(ranking.tests[0].p_corrected)
    )


def test_the_p_value_of_a_chosen_pair(visit: Open, crowd: tuple[wordorder.Scores, Path]) -> None:
    scores, path = crowd
    first, last = scores.systems[0], scores.systems[-1]
    found = visit(path, f"#a={last}")
    assert scores.rankings[0] is not None
    (test,) = (one for one in scores.rankings[0].tests if {one.a, one.b} == {first, last})
    size = f"difference {test.difference:.3f} ({test.low:.3f} to {test.high:.3f}), p {write_p(test.p_corrected)}."
    short = [name.rpartition(".")[2] for name in (first, last)]
    assert found.page.locator(".trust").inner_text() == f"{short[0]} is better than {short[1]} by kendall-sqrt: {size}"
    for name in scores.labels:  # of every metric, whichever system comes first
        for a, b in ((3, 9), (9, 3), (4, 5)):
            one, two = scores.systems[a], scores.systems[b]
            found.go(path, f"#view=compare&a={one}&b={two}&metric={name}")
            ranking = scores.rankings[scores.metric_place(name)]
            assert ranking is not None
            (test,) = (each for each in ranking.tests if {each.a, each.b} == {one, two})
            text = found.page.locator(".scatter p").first.inner_text()
            assert ("cannot be told apart" if not test.significant else "is better than") in text
            assert f"by {name}: difference {test.difference:.3f} (" in text
            assert text.endswith(f"p {write_p(test.p_corrected)}.")
            if test.significant:
                assert text.startswith(test.a.rpartition(".")[2])


def test_narrow_lists_say_whose_text_it_is(visit: Open, report: Path) -> None:
    for width in (390, 1280):
        page = visit(report, "#view=compare&a=good&b=bad", width=width).page
        assert page.locator(".list .head .words").is_visible()
        assert page.locator(".list .head .words").inner_text() == "reference"


def test_pages_and_pictures_have_the_same_colours() -> None:
    found = re.findall(r"\.colour\d \{ --own: light-dark\((#\w+),", read_asset("style.css"))
    assert tuple(found) == COLOURS


def wait_for_numbers(found: Visit, expected: list[int]) -> None:
    """Wait until the list shows these segments: the address changes before the page does."""
    for _ in range(200):
        if found.numbers() == expected:
            return
        found.page.wait_for_timeout(50)
    assert found.numbers() == expected


def test_segments_are_sorted(visit: Open, report: Path) -> None:
    found = visit(report, "#view=segments&a=bad&sort=a")
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    values = scores.segment_scores("bad", "kendall")
    defined = [row for row in range(7) if values[row] == values[row]]
    expected = sorted(defined, key=lambda row: (values[row], row))
    undefined = [row for row in range(7) if row not in defined]
    assert undefined
    assert found.numbers() == [row + 1 for row in expected + undefined]
    found.page.get_by_role("columnheader").get_by_role("button", name="bad").click()
    upward = sorted(defined, key=lambda row: (-values[row], row))
    wait_for_numbers(found, [row + 1 for row in upward + undefined])
    found.page.get_by_label("Sort by").select_option("length")
    found.page.get_by_label("Order", exact=True).select_option("0")
    wait_for_numbers(found, [5, 3, 6, 1, 2, 7, 4])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("find=CAT", [1]),
        ("find=the+train", [4]),
        ("find=%22on+the%22", [1]),
        ("find=nowhere", []),
        ("find=%3Cscript%3E", [3]),
        ("find=本を", [7]),
        ("find=something", [5]),
        ("find=something&within=references", []),
        ("find=source+3", [4]),
        ("find=source+3&within=source", [4]),
        ("find=something&within=system+good", [5]),
        ("document=two", [3, 4, 5]),
        ("shortest=7", [2, 4, 7]),
        ("longest=6", [1, 3, 5, 6]),
        ("a=bad&most=90", [6]),
        ("a=bad&low=0.3&high=0.5", [1, 3]),
    ],
)
def test_segments_are_filtered(visit: Open, report: Path, query: str, expected: list[int]) -> None:
    found = visit(report, f"#view=segments&sort=segment&{query}")
    if expected:
        assert found.numbers() == expected
    assert found.page.locator(".count").inner_text() == (f"{len(expected)} of 7 segments")


def test_a_segment_shows_everything(visit: Open, report: Path) -> None:
    found = visit(report, "#view=segments")
    page = found.page
    page.locator(".list .row", has_text="missed the train").click()
    assert heading(found) == "Segment 4"
    assert page.evaluate("location.hash") == "#view=segments&segment=4"
    assert "source 3" in page.locator(".texts").inner_text()
    for name in SYSTEMS:
        assert page.locator(".segment h3", has_text=re.compile(f"^{name}$")).count() == 1
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    row = page.locator(".segment table tbody tr", has_text="bad").locator("td").all_inner_texts()
    assert row == [f"{scores.segment_scores('bad', name)[3]:.3f}" for name in scores.names]
    found.go(report, "#view=segments&segment=4&a=bad")
    chunks = page.locator(".segment .text", has=page.locator("h3", has_text="bad")).locator(".chunk")
    assert [text.strip() for text in chunks.all_inner_texts()] == [
        "3that",
        "1she",
        "4he",
        "2said",
        "8train",
        "7the",
        "6missed",
        "5had",
    ]
    assert "6 crossings" not in page.locator("figcaption").first.inner_text()
    order = Permutation.parse("3 1 4 2 8 7 6 5")
    crossings = sum(one > two for k, two in enumerate(order.ranks) for one in order.ranks[:k])
    assert page.locator("figcaption").first.inner_text() == f"bad: {crossings} crossings in 8 lines"
    assert page.locator("figure path.line").count() == 8
    nodes = [node for node in (PermutationTree.of(order) or pytest.fail("no tree")).nodes() if not node.is_word]
    assert page.locator("figure rect.node").count() == len(nodes)


def test_a_link_shows_the_same(visit: Open, report: Path) -> None:
    one = visit(report, "#view=compare&a=good&b=bad&sort=difference")
    one.page.locator(".list .row").nth(2).click()
    one.page.wait_for_selector("#segment-title")
    address = one.page.url
    two = visit(report, address[address.index("#") :])
    assert heading(two) == heading(one)
    assert two.numbers() == one.numbers()
    assert two.page.get_by_label("System", exact=True).input_value() == "good"
    assert two.page.get_by_label("and", exact=True).input_value() == "bad"
    one.page.go_back()
    one.page.wait_for_selector("#segment-title", state="detached")


def test_keys_are_enough(visit: Open, report: Path) -> None:
    found = visit(report, "#sort=segment")
    press = found.page.keyboard.press
    press("2")
    found.page.wait_for_selector(".list")
    press("j")
    found.page.wait_for_selector("#segment-title >> text=Segment 1")
    press("j")
    found.page.wait_for_selector("#segment-title >> text=Segment 2")
    press("k")
    found.page.wait_for_selector("#segment-title >> text=Segment 1")
    press("Escape")
    found.page.wait_for_selector("#segment-title", state="detached")
    press("/")
    found.page.keyboard.type("train")
    wait_for_numbers(found, [4])
    press("Escape")
    press("?")
    assert found.page.locator("#help").is_visible()
    press("Escape")
    assert not found.page.locator("#help").is_visible()
    press("3")
    found.page.wait_for_selector(".scatter")
    found.page.locator(".list").focus()
    press("ArrowDown")
    found.page.wait_for_selector("#segment-title")
    assert heading(found) == "Segment 4"


def test_a_point_leads_to_its_segment(visit: Open, report: Path) -> None:
    found = visit(report, "#view=compare&a=good&b=bad&find=train")
    box = found.page.locator(".points").bounding_box()
    assert box is not None
    scale = box["width"] / 420  # the only point is in a corner of the frame: 40 of 420 from the edges
    scores = wordorder.score(SYSTEMS, REFERENCES, metrics="kendall,bleu1", tokenize="none")
    assert scores.segment_scores("good", "kendall")[3] > scores.segment_scores("bad", "kendall")[3]
    found.page.mouse.click(box["x"] + (420 - 40) * scale, box["y"] + (420 - 40) * scale)
    found.page.wait_for_selector("#segment-title")
    assert heading(found) == "Segment 4"


def test_text_is_never_markup(visit: Open, report: Path) -> None:
    found = visit(report, "#view=segments&segment=3")
    assert "<script>document.title = 'broken'</script>" in found.page.locator(".texts").inner_text()
    assert found.page.title() == "Scores of 3 systems"
    assert found.page.locator("main script, main b").count() == 0


def test_right_to_left_is_drawn_from_the_right(visit: Open, report: Path) -> None:
    found = visit(report, "#view=segments&segment=6")
    boxes = [
        found.page.locator("figure svg text.word", has_text=word).first.bounding_box() for word in ("ذهب", "المدرسة")
    ]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] > boxes[1]["x"]
    found.go(report, "#view=segments&segment=6&a=bad")  # all its words are in chunks
    assert found.page.locator(".sentence[dir=rtl] .chunk", has_text="المدرسة").count() == 3


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 800, 390])
def test_axe_finds_nothing_serious(visit: Open, report: Path, dark: bool, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for end in ("", "#view=segments", "#view=segments&segment=4&a=bad", "#view=compare&a=good&b=bad&segment=1"):
        found = visit(report, end, width=width, dark=dark)
        result = axe.run(found.page).response
        grave = [one for one in result["violations"] if one["impact"] in ("serious", "critical")]
        assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in grave] == []


def test_nothing_is_wider_than_a_telephone(visit: Open, report: Path) -> None:
    for end in ("", "#view=segments", "#view=segments&segment=4&a=bad", "#view=compare&a=good&b=bad"):
        found = visit(report, end, width=390)
        assert found.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_print_shows_the_list(visit: Open, report: Path) -> None:
    found = visit(report, "#view=segments")
    found.page.emulate_media(media="print")
    found.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert found.page.locator(".list .row", has_text="missed the train").is_visible()
    assert not found.page.locator(".toolbar").is_visible()
    assert len(found.page.pdf()) > 1000


def test_a_long_list_has_few_rows(visit: Open, tmp_path: Path) -> None:
    lines = [f"line {number} of many" for number in range(20_000)]
    scores = wordorder.score({"A": lines}, lines, metrics="kendall", samples=0)
    write_page(scores_page(scores), tmp_path / "long.html")
    found = visit(tmp_path / "long.html", "#view=segments&segment=15000")
    assert found.page.locator(".list .row").count() < 80
    assert 15_000 in found.numbers()
    found.page.evaluate("document.querySelector('.list').scrollTop = 1e9")
    found.page.wait_for_selector("#segment20000")
    assert found.page.locator(".list .row").count() < 80


KINDS = {
    "given orders": "score --permutations good.orders monotone.orders",
    "orders through the source": "score --source source.txt --hyp good.txt --ref reference.txt --order source",
    "monotone": "score --source source.txt --hyp good.txt",
    "alignments": "score --hyp-align good.align --ref-align reference.align --source source.txt",
    "two references": "score --hyp good.txt monotone.txt --ref reference.txt reference2.txt",
    "people": "metaeval --judgements rankings.csv --pair de-en --ref reference.txt "
    "--hyp good.txt monotone.txt scrambled.txt",
    "corpora": "profile de=reference.align --source source.txt --target reference.txt",
    "corpora without text": "profile de=reference.align --source-lengths source.len --target-lengths reference.len",
    "reproduced": "profile --ref-align reference.align --hyp-align good.align --source source.txt",
    "rules": "preorder evaluate --trees source.conllu --align reference.align --rules r1 german.rules",
    "blame": "preorder blame --trees source.conllu --align reference.align --rules german.rules",
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_page_opens(visit: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    assert main(["demo", "--files", str(tmp_path / "demo")]) == 0
    monkeypatch.chdir(tmp_path / "demo")
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    assert main([*KINDS[kind].split(), "--samples", "10", "--html", "page.html"]) == 0
    found = visit(tmp_path / "demo" / "page.html")
    assert found.page.locator(".overview table tbody tr").count() > 0
    if kind == "given orders":
        worst = found.page.locator(".worst li", has_text="Segment 9").locator(".sentence")
        assert (
            worst.inner_text().replace("→", "").split()
            == (tmp_path / "demo/good.orders").read_text().split("\n")[8].split()
        )
    found.go(tmp_path / "demo" / "page.html", "#view=segments&segment=3")
    assert found.page.locator(".list .row").count() == 17
    assert heading(found) == "Segment 3"
    assert found.page.locator("figure path.line").count() > 0
    assert "undefined" not in found.page.locator("main").inner_text()
    if kind == "two references":
        marked = found.page.locator(".texts .text", has=found.page.locator(".chunk")).locator("h3")
        assert marked.inner_text() == "Reference 1"  # it shares one word more with the hypothesis
        found.page.get_by_role("button", name="compare with this one").click()
        marked.filter(has_text="Reference 2").wait_for()  # the address changes before the page does


# --- what the browser computes, beside what Python does -----------------------------------------------------------


@pytest.fixture
def orders_module(browser: Browser) -> Callable[[str], object]:
    """Evaluate an expression with the functions of ``orders.js``."""
    page = browser.new_page()
    code = _EXPORT.sub("", _IMPORT.sub("", read_asset("orders.js")))
    return lambda expression: page.evaluate(f"(() => {{ {code}\nreturn {expression}; }})()")


def random_orders() -> list[list[int]]:
    chance = random.Random(7)
    orders = [chance.sample(range(size), size) for size in range(1, 13) for _ in range(20)]
    for size in (20, 60):  # long ones that are nearly in order have trees of many kinds of nodes
        for _ in range(20):
            order = list(range(size))
            for _ in range(4):
                start, middle, stop = sorted(chance.sample(range(size + 1), 3))
                order[start:stop] = order[middle:stop] + order[start:middle]
            orders.append(order)
    return orders


def test_trees_are_those_of_python(orders_module: Callable[[str], object]) -> None:
    orders = random_orders()
    found = orders_module(f"{orders}.map((ranks) => writeTree(permutationTree(ranks)))")
    assert found == [str(PermutationTree.of(Permutation(tuple(order)))) for order in orders]


def test_what_has_to_move_is_what_ulam_counts(orders_module: Callable[[str], object]) -> None:
    orders = random_orders()
    chunks = [[{"first": k, "size": 1, "second": rank, "secondSize": 1} for k, rank in enumerate(o)] for o in orders]
    found = orders_module(f"{chunks}.map((one) => findMoved(one).filter(Boolean).length)".replace("'", '"'))
    ulam = metric("ulam")
    for order, moved in zip(orders, found, strict=True):  # type: ignore[call-overload]
        if len(order) > 1:
            expected = ulam(Permutations.of([[rank + 1 for rank in order]])[0])
            assert 1 - moved / (len(order) - 1) == pytest.approx(expected)


def test_chunks_become_the_order_python_scores(orders_module: Callable[[str], object]) -> None:
    chunks = "[{first: 2, size: 1, second: 7, secondSize: 2}, {first: 4, size: 2, second: 1, secondSize: 2}]"
    assert orders_module(f"orderOf({chunks})") == {"ranks": [2, 3, 0, 1], "words": [2, 2, 4, 5]}
    assert orders_module(f"numberChunks({chunks})") == [2, 1]
    assert orders_module("countCrossings([[0, 1], [1, 0], [2, 2]])") == 1
