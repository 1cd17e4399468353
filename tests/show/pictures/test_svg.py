"""SVG documents that every program reads, files of all kinds, and the commands that write them."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from drawn import SVG, texts
from wordorder import UsageError
from wordorder.cli.main import main
from wordorder.show.pictures import draw_comparison, draw_links, draw_tree
from wordorder.show.pictures.kinds import draw
from wordorder.show.pictures.lettering import text_width

DEMO = Path(wordorder.__file__).parent / "data" / "demo"
words = st.text(min_size=1, max_size=6).filter(lambda text: bool(text.split()) and text.split()[0] == text)


@settings(deadline=None, max_examples=80)
@given(st.lists(words, min_size=1, max_size=4))
def test_any_text_makes_a_document_that_can_be_read(sentence: list[str]) -> None:
    picture = draw_links([sentence, sentence], [" ".join(f"{n}-{n}" for n in range(len(sentence)))])
    root = ElementTree.fromstring(picture.svg.encode("utf-8"))
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [SVG + "title", SVG + "desc"]


def test_text_is_text_and_never_markup() -> None:
    nasty = ["<script>alert(1)</script>", "a&b", "]]>", '"quoted"', "\x00\x1b[31m", "\udcff\uffff"]
    picture = draw_tree("1 2 3 4 5 6", nasty, title="<b>")
    assert texts(picture, "word")[:4] == nasty[:4]
    assert "<script" not in picture.svg
    assert ElementTree.fromstring(picture.svg).findtext(SVG + "title") == "<b>"


def test_documents_need_nothing_from_outside() -> None:
    picture = draw_comparison("sat the cat", "the cat sat")
    assert picture._repr_svg_() == picture.svg
    for outside in ("href", "style", "script", "url(", "@import"):
        assert outside not in picture.svg
    assert picture.svg.count("http") == 1  # the name space
    assert len(picture.svg) < 4000


def test_wide_letters_take_more_room() -> None:
    assert text_width("iii") < text_width("mmm") < text_width("言葉語")
    assert text_width("é") == text_width("e") == text_width("e\u0301")


def test_the_name_says_what_is_written(tmp_path: Path) -> None:
    picture = draw_tree("2 1 3")
    for name, start in (("a.svg", b"<svg"), ("a.pdf", b"%PDF"), ("a.PNG", b"\x89PNG")):
        picture.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    with pytest.raises(UsageError, match=r"must end in \.svg, \.pdf or \.png"):
        picture.save(tmp_path / "a.jpeg")


def test_without_the_extra_svg_is_written_and_the_rest_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    picture = draw_tree("2 1 3")
    picture.save(tmp_path / "a.svg")
    with pytest.raises(UsageError, match=r"a PDF file needs vl_convert.*pip install 'wordorder\[pictures\]'"):
        picture.save(tmp_path / "a.pdf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg"]


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        (["2 4 1 3"], "Permutation tree of 2 4 1 3"),
        (["2 4 1 3", "--draw", "forest"], "Permutation forest of 2 4 1 3"),
        (["0-1 1-0", "--source", "a b", "--target", "B A"], "Word alignment"),
        (["0-1 1-0", "--draw", "links"], "Word alignment with 1 crossings"),
        (["1-2 2-1", "--reference", "1-1 2-2", "--base", "1"], "Word alignment with 1 crossings"),
        (["0-1 1-0", "--source", "a b", "--draw", "tree"], "Permutation tree of 2 1"),
        (["sat the cat", "--reference", "the cat sat"], "Hypothesis and reference"),
        (["sat the cat", "--reference", "the cat sat", "--draw", "tree"], "Permutation tree of 3 1 2"),
    ],
)
def test_inspect_draws_what_it_looks_at(arguments: list[str], title: str, tmp_path: Path) -> None:
    path = tmp_path / "out.svg"
    assert main(["inspect", *arguments, "--picture", str(path)]) == 0
    assert ElementTree.parse(path).findtext(SVG + "title") == title


def test_free_groups_have_their_words() -> None:
    picture = draw("0-1 1-0 2-0", source="x a b", policy="talbot", kind="tree")
    assert texts(picture, "word") == ["a", "b", "x"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2 1", "--picture", "out.gif"], "must end in .svg, .pdf or .png"),
        (
            ["2 1", "--picture", "out.svg", "--draw", "grid"],
            "a permutation cannot be drawn as 'grid' (valid: tree, forest)",
        ),
        (["2 1", "--picture", "out.svg", "--draw", "map"], "unknown kind of picture 'map'"),
        (["2 1", "--draw", "tree"], "--draw and --target require --picture"),
        (["2 1", "--picture", "none/out.svg"], "none/out.svg: there is no folder none"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["inspect", *arguments])
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]
    assert code == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1
    assert not list(tmp_path.iterdir())
