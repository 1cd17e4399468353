"""``wordorder score --runs`` and ``--versus``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from running import rows, run, write_files

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = "the cat sat down\na dog ran home\nit is late now\n" * 4
    write_files(
        tmp_path,
        {
            "ref.txt": good,
            "src.txt": "die katze setzte sich\nein hund lief heim\nes ist jetzt spät\n" * 4,
            "a1": good.replace("sat down", "down sat"),
            "a2": good.replace("late now", "now late"),
            "b1": good.replace("the cat sat down", "down sat cat the"),
            "b2": good.replace("a dog ran home", "home ran dog a"),
            "a1.align": "0-0 1-1 2-3 3-2\n0-0 1-1 2-2 3-3\n0-0 1-1 2-3 3-2\n" * 4,
            "b1.align": "0-3 1-2 2-1 3-0\n0-0 1-1 2-2 3-3\n0-0 1-1 2-3 3-2\n" * 4,
            "ref.align": "0-0 1-1 2-2 3-3\n0-0 1-1 2-2 3-3\n0-0 1-1 2-3 3-2\n" * 4,
        },
    )
    monkeypatch.chdir(tmp_path)


TEXT = ("score", "--ref", "ref.txt", "--metrics", "kendall", "--samples", "50")
RUNS = (*TEXT, "--runs", "--hyp", "ours=a1", "ours=a2", "base=b1", "base=b2")


def test_runs_of_a_system_have_its_name(capsys: Capture) -> None:
    found = rows(capsys, *RUNS)
    assert [(row["system"], row["runs"]) for row in found] == [("ours", "2"), ("base", "2")]
    assert float(found[0]["kendall s_opt"]) == pytest.approx(0, abs=1e-12)  # one swap in each run
    assert float(found[1]["kendall p"]) < 0.05
    document = run(capsys, *RUNS, "--json", "--baseline", "base").json()
    assert [each["name"] for each in document["runs"]] == ["ours/1", "ours/2", "base/1", "base/2"]
    assert [(test["a"], test["b"]) for test in document["tests"]] == [("ours", "base")]


def test_alignments_of_runs_are_named_alike_or_follow_their_order(capsys: Capture) -> None:
    command = ("score", "--ref-align", "ref.align", "--source", "src.txt", "--metrics", "kendall", "--samples", "0")
    files = ("ours=a1.align", "ours=b1.align", "base=b1.align", "base=b1.align")
    named = rows(capsys, *command, "--runs", "--hyp-align", *files)
    assert [row["system"] for row in named] == ["ours", "base"]
    assert float(named[0]["kendall s_opt"]) > float(named[1]["kendall s_opt"]) == 0


def test_versus_the_previous_system_and_beside_the_reference(capsys: Capture) -> None:
    command = (*TEXT, "--hyp", "a=a1", "b=b1", "--versus", "previous", "--test", "wilcoxon")
    assert [row["versus"] for row in rows(capsys, *command)] == ["", "a"]
    with_source = (*command, "--source", "src.txt", "--hyp-align", "a1.align", "b1.align", "--ref-align", "ref.align")
    told = run(capsys, *with_source)
    assert "amount of reordering" in told.out
    assert re.search(r"^reference +– +0\.\d+ +– ", told.out, re.MULTILINE)
    document = run(capsys, *with_source, "--json").json()
    assert [system["name"] for system in document["reordering"]["systems"]] == ["reference", "a", "b"]
    assert {test["test"] for test in document["tests"] + document["reordering"]["tests"]} == {"wilcoxon"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*TEXT, "--runs", "--hyp", "a=a1", "b=b1"), "only one run"),
        ((*RUNS, "--versus", "previous"), "omit --versus"),
        ((*RUNS, "--test", "sign"), "omit --test sign"),
        ((*RUNS, "--worst", "2"), "--runs prints a different table"),
        ((*TEXT, "--hyp", "a1", "b1", "--versus", "a1:b1"), "expected 'previous' or pairs of systems"),
        ((*TEXT, "--hyp", "a1", "b1", "--versus", "a1=b1", "--baseline", "a1"), "omit --baseline"),
        ((*TEXT, "--hyp", "a1", "b1", "--versus", "a1=b1", "--plot", "x.svg"), "--versus prints a different table"),
    ],
)
def test_mistakes(capsys: Capture, arguments: tuple[str, ...], message: str) -> None:
    found = run(capsys, *arguments)
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1
