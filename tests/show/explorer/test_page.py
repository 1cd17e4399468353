"""What a page holds, without a browser."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordorder
from reading import Written
from wordorder.cli.main import main
from wordorder.core.orders import Permutations
from wordorder.core.runtime.errors import UsageError
from wordorder.core.text import Tokens, tokenise
from wordorder.linking.matching import Chunks, match
from wordorder.report import Table
from wordorder.show import explorer
from wordorder.show.explorer import Page, scores_page, write_page
from wordorder.show.explorer.page import MODULES, join_modules, read_asset, render_page
from wordorder.show.explorer.segments import write_lines

SCRIPT = "<script>alert(1)</script></script><!-- &amp; 'x'"


def literal_chunks(matches: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Join matches (hypothesis word, reference word) that are adjacent on both sides, one after the other."""
    chunks: list[tuple[int, int, int]] = []
    for hypothesis, reference in matches:
        if chunks:
            first, second, size = chunks[-1]
            if hypothesis == first + size and reference == second + size:
                chunks[-1] = first, second, size + 1
                continue
        chunks.append((hypothesis, reference, 1))
    return chunks


@given(st.lists(st.tuples(*[st.lists(st.sampled_from("abcd"), max_size=9)] * 2), min_size=1, max_size=5))
def test_chunks_are_runs_of_matches(pairs: list[tuple[list[str], list[str]]]) -> None:
    columns = [[" ".join(pair[side]) for pair in pairs] for side in (0, 1)]
    matches = match(*tokenise(columns))
    chunks = Chunks.of_matches(matches)
    assert chunks.lengths.tolist() == matches.chunks.tolist()
    for row in range(len(pairs)):
        mine, theirs = (slice(*column.offsets[row : row + 2]) for column in (chunks, matches))
        found = zip(chunks.hypothesis[mine], chunks.reference[mine], chunks.hypothesis_size[mine], strict=True)
        given_pairs = zip(matches.hypothesis[theirs].tolist(), matches.reference[theirs].tolist(), strict=True)
        assert [tuple(map(int, chunk)) for chunk in found] == literal_chunks(list(given_pairs))
        assert chunks.reference_size[mine].sum() == len(matches.reference[theirs])


@given(st.lists(st.permutations(range(1, 7)), min_size=1, max_size=4))
def test_orders_are_chunks_of_consecutive_ranks(orders: list[list[int]]) -> None:
    chunks = Chunks.of_orders(Permutations.of(orders))
    ranks = [
        start + k + 1
        for start, size in zip(chunks.reference.tolist(), chunks.reference_size.tolist(), strict=True)
        for k in range(size)
    ]
    assert ranks == [rank for order in orders for rank in order]
    joints = [sum(two - one != 1 for one, two in pairwise(order)) for order in orders]
    assert chunks.lengths.tolist() == [joint + 1 for joint in joints]


def test_columns_without_a_row_or_a_match() -> None:
    empty = Chunks.of_matches(match(*tokenise([["a", ""], ["b", "c"]])))
    assert empty.lengths.tolist() == [0, 0]
    assert Chunks.concatenate([empty, empty]).lengths.tolist() == [0, 0, 0, 0]


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4), max_size=4)))
def test_a_line_per_sentence_a_space_per_gap(sentences: list[list[str]]) -> None:
    words = [[word for word in sentence if word.split()] for sentence in sentences]
    lines = write_lines(Tokens.of(words)).decode().split("\n")
    assert lines.pop() == ""
    assert [len(line.split(" ")) if line else 0 for line in lines] == [len(sentence) for sentence in words]


def scored(tmp_path: Path) -> tuple[wordorder.Scores, Written]:
    texts = {"A": ["the cat sat", f"{SCRIPT} x", ""], "B": ["sat the cat", "x y", "z"]}
    references = [["the cat sat", f"x {SCRIPT}", ""], ["a cat sat", "x", "z"]]
    scores = wordorder.score(
        texts, [tuple(reference) for reference in references], metrics="kendall,bleu", tokenize="none"
    )
    write_page(scores_page(scores, source=["s one", "s two", "s three"], command="wordorder score"), tmp_path / "p")
    return scores, Written(tmp_path / "p")


def test_a_page_holds_what_was_scored(tmp_path: Path) -> None:
    scores, written = scored(tmp_path)
    (found,) = written.page["sets"]
    assert found["systems"] == ["A", "B"]
    assert found["metrics"] == scores.names
    for m, metric in enumerate(scores.metrics):
        for s, system in enumerate(scores.systems):
            expected = scores.segment_scores(system, metric).astype(np.float32)
            np.testing.assert_array_equal(written.column(found["scores"][m][s]), expected)
    assert written.lines(found["texts"]["systems"][0])[1] == f"{SCRIPT} x"
    assert written.lines(found["texts"]["references"][1]) == ["a cat sat", "x", "z"]
    assert written.lines(found["texts"]["source"][0]) == ["s one", "s two", "s three"]
    assert written.chunks(found["matches"][1][0])[0] == [(0, 1, 2, 1), (1, 2, 0, 2)]
    shares = written.column(found["matched"][1])
    np.testing.assert_allclose(shares, [1, 1, 1])
    assert written.column(found["lengths"]).tolist()[0] == 3
    assert written.page["command"] == "wordorder score"


def test_systems_are_compared_on_the_words_that_both_match(tmp_path: Path) -> None:
    texts = {"A": ["c a b", "a b", "x y"], "B": ["b a x", "b a", "x y"], "C": ["b c a", "a", "a b"]}
    scores = wordorder.score(texts, ["a b c", "a b", "a b"], metrics="bleu,kendall", tokenize="none", samples=10)
    write_page(scores_page(scores), tmp_path / "p")
    written = Written(tmp_path / "p")
    (found,) = written.page["sets"]
    assert found["metrics"][found["main"]] == "kendall"
    assert found["common"][0] == {}  # BLEU is not a metric of order
    for a, b in combinations(range(3), 2):
        part = scores.on_common_words(scores.systems[a], scores.systems[b])
        one, two = (part.segment_scores(system, "kendall") for system in part.systems)
        for pair, expected in ((f"{a} {b}", one), (f"{b} {a}", two)):
            np.testing.assert_array_equal(written.column(found["common"][1][pair]), expected.astype(np.float32))
    assert written.column(found["commonWords"]["0 1"]).tolist() == [2, 2, 0]
    assert written.column(found["common"][1]["0 1"]).tolist()[:2] == [1, 1]  # A has "a b" in order
    assert written.column(found["common"][1]["1 0"]).tolist()[:2] == [0, 0]  # and B has not


def test_no_text_is_markup(tmp_path: Path) -> None:
    _, written = scored(tmp_path)
    assert written.html.count("</script>") == 3
    assert "alert" not in written.html
    nasty = Page(SCRIPT, (Table.of(SCRIPT, [SCRIPT], [[SCRIPT]], notes=[SCRIPT]),), command=SCRIPT)
    html = render_page(nasty)
    assert html.count("</script>") == 3
    assert html.count("<script") == 3
    assert "<!-- " not in html


def test_a_page_asks_for_nothing_and_allows_its_own_script_alone() -> None:
    html = render_page(Page("t", ()))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.search(r"(src|href)\s*=", html.partition("<script")[0])
    code = join_modules()
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "fetch(",
        "http:",
        "XMLHttp",
    ):
        assert forbidden not in code.replace("http://www.w3.org/2000/svg", "")


def test_modules_can_be_put_into_one_file() -> None:
    """Each module comes after what it imports, takes only what is exported, and shares no name with another."""
    names: Counter[str] = Counter()
    exported: dict[str, set[str]] = {}
    for name in MODULES:
        code = read_asset(f"{name}.js")
        for wanted, module in re.findall(r"^import \{ (.*?) \} from \"\./(\w+)\.js\";$", code, re.MULTILINE):
            assert set(wanted.split(", ")) <= exported[module], f"{name} imports {wanted} from {module}"
        top = re.findall(r"^(export )?(?:async )?(?:const|let|function|class) (\w+)", code, re.MULTILINE)
        exported[name] = {one for export, one in top if export}
        names.update(one for _, one in top)
        assert "export default" not in code
    assert [name for name, count in names.items() if count > 1] == []
    assert not re.search(r"^(import|export)", join_modules(), re.MULTILINE)
    own = Path(explorer.__file__).parent.glob("browser/*.js")
    assert {path.stem for path in own} == set(MODULES) - {"elements"}


def test_orders_and_sources_are_shown_too(tmp_path: Path) -> None:
    orders = wordorder.score(permutations={"A": ["2 1 3", ""]}, metrics="kendall")
    write_page(scores_page(orders), tmp_path / "orders")
    written = Written(tmp_path / "orders")
    (found,) = written.page["sets"]
    assert written.chunks(found["orders"][0][0]) == [[(0, 1, 1, 1), (1, 1, 0, 1), (2, 1, 2, 1)], []]
    texts: dict[str, Any] = {"hyp": {"A": ["b a"]}, "ref": ["a b"], "source": ["x y"]}
    (tmp_path / "a").write_text("0-1 1-0\n")
    (tmp_path / "r").write_text("0-0 1-1\n")
    links: dict[str, Any] = {"hyp_align": {"A": tmp_path / "a"}, "ref_align": [tmp_path / "r"]}
    for order, systems in (("source", ["A"]), ("monotone", ["reference", "A"])):
        scores = wordorder.score(order=order, metrics="kendall", **texts, **links)
        write_page(scores_page(scores), tmp_path / order)
        written = Written(tmp_path / order)
        (found,) = written.page["sets"]
        assert found["systems"] == systems
        assert written.lines(found["texts"]["source"][0]) == ["x y"]
        assert written.lines(found["texts"]["systems"][-1]) == ["b a"]
        last = found["links"]["systems"][-1]
        pairs = zip(written.column(last["first"]).tolist(), written.column(last["second"]).tolist(), strict=True)
        assert set(pairs) == {(0, 1), (1, 0)}


def test_the_command_line_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ref").write_text("a b c\n")
    (tmp_path / "A").write_text("b a c\n")
    text = ["score", "--ref", str(tmp_path / "ref"), "--hyp", str(tmp_path / "A"), "--metrics", "kendall"]
    assert main([*text, "--html", str(tmp_path / "x.html")]) == 0
    written = Written(tmp_path / "x.html")
    assert written.page["command"].startswith("wordorder score --ref")
    assert "kendall" in capsys.readouterr().out
    missing = str(tmp_path / "none" / "x.html")
    for arguments, complaint in (
        ([*text, "--html", missing], "there is no folder"),
        ([*text, "--html", str(tmp_path)], "expected a file, found a folder"),
        ([*text, "--html", "report.pdf"], "report.pdf: the name of an HTML page must end in .html"),
        ([*text, "--html", "-"], "cannot be written to standard output"),
        ([*text[:4], "-", "--html", str(tmp_path / "y.html")], "give a file instead of standard input"),
    ):
        assert main(arguments) == 2
        assert complaint in capsys.readouterr().err
    os.mkfifo(tmp_path / "pipe")
    assert main([*text[:4], str(tmp_path / "pipe"), "--html", str(tmp_path / "y.html")]) == 2
    assert f"give a file instead of {tmp_path / 'pipe'}" in capsys.readouterr().err
    assert not (tmp_path / "y.html").exists()


def test_scores_without_what_was_judged_have_no_page() -> None:
    scores = wordorder.score(permutations={"A": ["2 1", "1 2"]}, metrics="kendall").subset(np.array([0]))
    with pytest.raises(UsageError, match="these scores do not include them"):
        scores_page(scores)
