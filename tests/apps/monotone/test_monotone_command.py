"""``wordorder monotone``: what is printed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from running import rows, run

SEGMENTS = 30


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of six words: people and ``free`` exchange halves in one or two of three segments, ``literal`` never."""
    monkeypatch.chdir(tmp_path)
    straight, turned = "0-0 1-1 2-2 3-3 4-4 5-5", "3-0 4-1 5-2 0-3 1-4 2-5"
    rng = np.random.default_rng(1)
    for name, share in (("one", 0.4), ("two", 0.5), ("free", 0.99), ("literal", 0.0)):
        lines = [turned if some else straight for some in rng.random(SEGMENTS) < share]
        Path(f"{name}.align").write_text("\n".join(lines) + "\n")
        words = ["D E F A B C" if line == turned else "A B C D E F" for line in lines]
        Path(f"{name}.txt").write_text("\n".join(words) + "\n")
    Path("source.txt").write_text("a b c d e f\n" * SEGMENTS)
    Path("docs.txt").write_text("".join(f"d{row // 3}\n" for row in range(SEGMENTS)))
    Path("quality").write_text("".join(f"free\t{row / 10}\n" for row in range(SEGMENTS)))


TEXTS = ("--source", "source.txt", "--hyp", "free.txt", "literal.txt", "--ref", "one.txt", "two.txt")
LINKS = ("--hyp-align", "free.align", "literal.align", "--ref-align", "one.align", "two.align", "--tokenize", "none")


def test_the_answer_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "monotone", *TEXTS, *LINKS)
    assert (shown.code, shown.err) == (0, "")
    first, *_ = shown.out.splitlines()
    assert first == (
        "By kendall-sqrt, 1 of 2 systems translates more literally than both human references; "
        "1 of 2 systems translates more freely than both human references."
    )
    assert "!: significantly different from every human reference" in shown.out
    table = rows(capsys, "monotone", *TEXTS, *LINKS, "--metrics", "kendall-sqrt,jump")
    assert [(row["system"], row["verdict"]) for row in table] == [
        *(("people min", ""), ("people max", ""), ("reference1", "human"), ("reference2", "human")),
        *(("literal", "more literal"), ("free", "freer")),
    ]
    data = run(capsys, "monotone", *TEXTS, *LINKS, "--json").json()
    assert data["people"]["kendall-sqrt"]["low"] == float(table[0]["kendall-sqrt"])
    for form in ("csv", "markdown", "latex", "html"):
        assert "literal" in run(capsys, "monotone", *TEXTS, *LINKS, "--format", form).out


def test_alignments_alone_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    Path("lengths").write_text("6\n" * SEGMENTS)
    alone = ("--hyp-align", "free.align", "--ref-align", "one.align", "--source-lengths", "lengths")
    table = rows(capsys, "monotone", *alone)
    assert "unaligned-source" in table[0]
    assert "anticipation" not in table[0]  # the lengths of the translations are unknown
    assert table[-1]["verdict"] == "freer"


def test_documents_scores_of_others_and_charts(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("altair")
    more = ("--docs", "docs.txt", "--given", "comet=quality", "--plot", "chart.svg")
    texts = ("--source", "source.txt", "--hyp", "free.txt", "--ref", "one.txt")
    links = ("--hyp-align", "free.align", "--ref-align", "one.align", "--tokenize", "none")
    shown = run(capsys, "monotone", *texts, *links, *more)
    assert " comet\n" in shown.out  # folded: given: above, comet below
    assert "paired bootstrap tests of documents" in shown.out
    assert "<svg" in Path("chart.svg").read_text()


def test_simulated_waiting(capsys: pytest.CaptureFixture[str]) -> None:
    links = ("--hyp-align", "free.align", "literal.align", "--tokenize", "none")
    table = rows(capsys, "monotone", *TEXTS[:5], *links, "--wait-k", "1", "4")
    assert [(row["system"], row["k"]) for row in table] == [
        *(("free", "1"), ("free", "4"), ("literal", "1"), ("literal", "4"))
    ]
    assert [float(row["guessed"]) for row in table[1:]] == [0, 0, 0]
    assert 0 < float(table[0]["guessed"]) <= 0.5


def test_logs(capsys: pytest.CaptureFixture[str]) -> None:
    record = '{"prediction": "A B", "delays": [1, 2], "source": "a b", "source_length": 2}\n'
    Path("eager.log").write_text(record * SEGMENTS)
    Path("patient.log").write_text(record.replace("[1, 2]", "[2, 2]") * SEGMENTS)
    Path("links").write_text("0-0 1-1\n" * SEGMENTS)
    logs = ("--delays", "eager=eager.log", "patient=patient.log", "--hyp-align", "links", "links")
    table = rows(capsys, "monotone", *logs)
    assert [(row["system"], float(row["al"]), float(row["lag"])) for row in table] == [
        *(("eager", 1, 0), ("patient", 2, 0.5))
    ]
    assert rows(capsys, "monotone", "--delays", "eager.log", "--ref", "source.txt")[0]["system"] == "eager.log"


def test_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    Path("marked").write_text("a b c <p> d e f\n" * SEGMENTS)
    swapped = Path("free.txt").read_text().replace("D E F A B C", "D E F <p> A B C")
    Path("swapped").write_text(swapped.replace("A B C D E F", "A B C <p> D E F"))
    links = ("--hyp-align", "free.align", "--tokenize", "none")
    data = run(capsys, "monotone", "--source", "marked", "--hyp", "swapped", *links, "--sentences", "--json").json()
    turned = sum(line.startswith("3") for line in Path("free.align").read_text().splitlines())
    assert data["systems"][0]["scores"]["swapped"]["value"] == pytest.approx(turned / SEGMENTS)
    assert len(data["findings"]) == turned


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--delays", "x.log", "--hyp", "free.txt"), "logs contain texts; leave out --hyp and --source"),
        (("--delays", "x.log", "--wait-k", "3"), "--delays and --wait-k cannot be combined; leave out one of them"),
        (("--delays", "x.log", "--cut"), "--cut needs a reference with one line per segment; add --ref FILE"),
        (("--delays", "x.log", "--cut", "--ref", "one.txt"), "--cut needs the segments of the recordings: --cut FILE"),
        (("--delays", "x.log", "--ref", "one.txt", "two.txt"), "--delays allows only one reference"),
        ((*TEXTS, "--cut", "x"), "--cut needs --delays LOG or --sentences"),
        ((*TEXTS, "--characters"), "--characters needs --delays LOG"),
        ((*TEXTS, "--sentences", "--wait-k", "3"), "--sentences cannot be combined with --wait-k"),
        ((*TEXTS, "--sentences", "-m", "jump"), "--sentences has its own measures; leave out --metrics"),
        ((*TEXTS, "--wait-k", "0"), "--wait-k must be 1 or more, not 0"),
        (("--hyp-align", "free.align", "--sentences"), "--sentences needs the texts; add --hyp FILE"),
        (("--source", "source.txt"), "no translations were given; add --hyp FILE"),
        (("--hyp", "free.txt"), "word order is compared with the source; add --source FILE"),
        (("--source", "source.txt", "--hyp", "free.txt", "-m", "bleu"), "metric bleu needs text with a reference"),
    ],
)
def test_what_cannot_be_done_is_explained(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    outcome = run(capsys, "monotone", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
