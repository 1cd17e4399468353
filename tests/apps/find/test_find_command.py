"""``wordorder find``: what is printed and written, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from running import run

FILES = {
    "src": "a b c d\ne f g\n",
    "A.txt": "C d a b\nE f g\n",
    "ref": "a b c d\ne f g\n",
    "turned": "0-2 1-3 2-0 3-1\n0-0 1-1 2-2\n",
    "numbers": "0.25\n0.75\n",
    "straight": "0-0 1-1 2-2 3-3\n0-0 1-1 2-2\n",
}
BOTH = ("--hyp", "A.txt", "--ref", "ref", "--source", "src", "--hyp-align", "turned", "--ref-align", "straight")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)


def test_people_get_text_and_programs_data(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "find", *BOTH, "--html", "page.html")
    assert (shown.code, shown.err) == (0, "wordorder: page.html written; open it in a browser\n")
    assert "  hyp  →1 C d [1 a b]" in shown.out
    assert "pairs in the wrong order: 4 of matched words, 4.0 of source words" in shown.out
    assert "find:order-errors|order:source" in shown.out
    assert "<mark>[1 a b]</mark>" in Path("page.html").read_text()
    (row,) = run(capsys, "find", *BOTH, "--format", "tsv").tsv()
    assert (row["segment"], row["text"]) == ("1", "→1 C d [1 a b]")
    document = run(capsys, "find", *BOTH, "--all", "--json").json()
    assert [one["score"] for one in document["found"]] == [pytest.approx(1 / 25)]


def test_case_and_one_view(capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "find", "--hyp", "A.txt", "--ref", "ref", "--keep-case", "--json").json()["found"]
    assert found[0]["matched_pairs"] == 2
    alone = run(capsys, "find", "--hyp", "A.txt", "--source", "src", "--hyp-align", "turned", "--worst", "1", "--json")
    assert alone.json()["found"][0]["usual_pairs"] == 2.0


def test_scores_of_others_stand_beside_ours(capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.seg.score").write_text("A\t3\nA\t4\nB\t5\nB\t6\n")
    given = ("--hyp", "A.txt", "--ref", "ref", "--given", "comet=numbers", "x.seg.score", "--by", "x")
    assert "       given: comet 0.25, x 3\n" in run(capsys, "find", *given).out
    (row,) = run(capsys, "find", *given, "--format", "tsv").tsv()
    assert (row["given:comet"], row["given:x"]) == ("0.25", "3.0")
    (found,) = run(capsys, "find", *given, "--json").json()["found"]
    assert found["given"] == {"comet": 0.25, "x": 3.0}


def test_measuring_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    Path("long").write_text("one two three four five six seven .\nx y\n")
    rows = run(capsys, "find", "--measure", "--ref", "long", "--format", "tsv").tsv()
    assert [row["recall"] for row in rows] == ["1.0"] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ref", "ref"), "no translations were given; add --hyp FILE"),
        (("--hyp", "A.txt"), "give --ref, --source or both"),
        (("--hyp", "A.txt", "--ref", "ref", "--worst", "0"), "--worst must be 1 or more, not 0"),
        (("--hyp", "A.txt", "--ref", "ref", "--worst", "3", "--all"), "--worst and --all cannot be combined"),
        (("--hyp", "A.txt", "--ref", "ref", "--aligner", "hmm"), "alignment options need the source text"),
        (("--hyp", "A.txt", "--ref", "ref", "--labels", "src"), "leave out --labels or --ref"),
        (("--hyp", "A.txt", "--ref", "ref", "--measure"), "leave out --hyp"),
        (("--ref", "ref", "--measure", "--given", "c=src"), "leave out --given"),
        (("--hyp", "A.txt", "--ref", "ref", "--by", "c"), "--by needs external scores to sort by; add --given"),
        (("--hyp", "A.txt", "B=ref", "--ref", "ref", "--given", "c=numbers"), "numbers does not name the system"),
        (("--source", "src", "--measure"), "--measure needs exactly one reference"),
        (("--hyp", "A.txt", "--ref", "ref", "--html", "page.txt"), "the name of an HTML page must end in .html"),
        (("--hyp", "none.txt", "--ref", "ref"), "none.txt"),
        (("--hyp", "A.txt", "--ref", "ref", "--confidence", "2"), "--confidence must be from 0 to 1, not 2"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    found = run(capsys, "find", *arguments)
    assert (found.code, found.out) == (2, "")
    assert message in found.err
    assert found.err.count("\n") == 1


def test_translations_on_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments that are shown are read a second time."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"b a\n")))
    Path("one").write_text("a b\n")
    found = run(capsys, "find", "--hyp", "-", "--ref", "one")
    assert (found.code, found.out) == (2, "")
    assert "the input cannot be read a second time; give a file instead of a pipe" in found.err
