"""``wordorder patterns``: what is printed and written, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from running import run

OBJECTS = ("bread", "milk", "tea", "soup", "rice", "fish", "corn", "cake")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gold = [f"We saw {thing} in town today ." for thing in OBJECTS] * 12
    late = [f"We {thing} in town today saw ." for thing in OBJECTS] * 6 + gold[48:]
    Path("ref").write_text("\n".join(gold) + "\n")
    Path("A.txt").write_text("\n".join(late) + "\n")
    Path("tags").write_text("PRON VERB NOUN ADP NOUN ADV PUNCT\n" * 96)


TEXTS = ("--hyp", "A.txt", "--ref", "ref", "--tags", "tags")


def test_people_get_sentences_and_a_table_and_programs_data(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "patterns", *TEXTS, "--html", "page.html")
    assert (shown.code, shown.err) == (0, "wordorder: page.html written; open it in a browser\n")
    assert "stands too late 50.0% of the time (other words 0.0%), by 4.0 words on average\n" in shown.out
    assert "     hyp  We →1 bread in town today [1 saw] .\n" in shown.out
    assert "patterns:moved-words|order:matched" in shown.out
    assert '"patterns":{"groups":' in Path("page.html").read_text()
    rows = run(capsys, "patterns", *TEXTS, "--format", "tsv").tsv()
    assert {(row["kind"], row["label"], row["too"]) for row in rows} == {
        ("word", "saw", "late"),
        ("class", "VERB", "late"),
        ("type", "content word", "late"),
    }
    everything = run(capsys, "patterns", *TEXTS, "--all", "--format", "tsv").tsv()
    assert len(everything) > 10
    document = run(capsys, "patterns", *TEXTS, "--json").json()
    assert document["patterns"][0]["examples"][0]["marked"] == "We →1 bread in town today [1 saw] ."
    assert document["tried"] == len(everything)


def test_differences_are_a_second_table(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "patterns", *TEXTS[2:], "--hyp", "B=ref", "A.txt")
    assert "  'saw' stands too late more often than in B: 50.0% against 0.0%\n" in shown.out
    made = run(capsys, "patterns", *TEXTS[2:], "--hyp", "B=ref", "A.txt", "--format", "markdown")
    assert "Differences from B" in made.out


def test_measuring_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    rows = run(capsys, "patterns", *TEXTS[2:], "--measure", "--runs", "2", "--format", "tsv").tsv()
    assert len(rows) == 10
    assert (rows[2]["planted"], rows[2]["sentences"], rows[2]["found"]) == ("verbs at the end", "28.0", "1.0")
    assert rows[-1]["planted"] == "nothing (labels shuffled)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hyp", "A.txt"), "add --ref FILE"),
        (("--ref", "ref"), "add --hyp FILE, --source FILE or both"),
        (("--hyp", "A.txt", "--ref", "ref", "--aligner", "hmm"), "alignment options need the source text"),
        (("--hyp", "A.txt", "--ref", "ref", "--source-tags", "tags"), "--source-tags needs the source text"),
        (("--ref", "ref", "--measure"), "give --tags for the reference"),
        (("--ref", "ref", "--measure", "--all"), "leave out --html and --all"),
        (("--ref", "ref", "--source", "ref", "--html", "page.html"), "--html shows translations; add --hyp FILE"),
        (("--ref", "ref", "--tags", "tags", "--measure", "--runs", "0"), "--runs must be 1 or more, not 0"),
    ],
)
def test_what_cannot_work_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    shown = run(capsys, "patterns", *arguments)
    assert shown.code == 2
    assert message in shown.err
