"""A system may be named as tables show it: without the part that all names share, and with its middle cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from running import run, write_files
from wordorder.core.runtime.errors import UnknownNameError, UsageError
from wordorder.report.table import find_name
from wordorder.scoring.runs import Runs
from wordorder.scoring.shortcuts import score

NAMES = ("test.de-en.onlineA", "test.de-en.onlineB", "test.de-en.LIMSI-Ncode-Primary")
REFERENCE = ["a b c d e", "e d c b a f", "g h i j", "k l m n o"]
TEXTS = {
    NAMES[0]: REFERENCE,
    NAMES[1]: ["b a c d e", "d e c b a f", "h g i j", "k l m n o"],
    NAMES[2]: ["e d c b a", "f a b c d e", "j i h g", "o n m l k"],
}


def test_names_that_mean_one_system() -> None:
    for place, name in enumerate(NAMES):
        assert find_name(name, NAMES) == place
        assert find_name(name.removeprefix("test.de-en."), NAMES) == place
    assert find_name("LIMSI…mary", NAMES) == find_name("…Primary", NAMES) == 2
    assert find_name("B", ["A", "A.B", "B"]) == 2  # a whole name comes before all others
    for wrong in ("online…", "onlin", "…", "", "test", 1):
        with pytest.raises(UnknownNameError):
            find_name(wrong, NAMES)  # type: ignore[arg-type]


def test_everywhere_in_python() -> None:
    scores = score(TEXTS, REFERENCE, metrics="kendall,pef", samples=50)
    assert scores["onlineB", "pef"] == scores[NAMES[1], "pef"]
    assert scores["onlineB"] == scores[NAMES[1]]
    assert [(one.segment, *one.scores) for one in scores.worst(1, of="onlineB")] == [(3, NAMES[1])]
    assert [*scores.worst(1, between=("onlineB", "LIMSI…mary"))[0].scores] == [NAMES[1], NAMES[2]]
    assert scores.on_common_words("onlineB", "onlineA").systems == (NAMES[1], NAMES[0])
    assert {found.b for found in scores.compare(baseline="onlineB")} == {NAMES[1]}
    assert scores.versus("onlineA=onlineB").pairs == ((NAMES[0], NAMES[1]),)
    assert scores.lines("onlineA")["hypothesis"].to_pylist() == REFERENCE
    assert score(TEXTS, REFERENCE, metrics="kendall", samples=50, baseline="onlineA").baseline == NAMES[0]
    assert Runs(scores, {"x.run.A": NAMES[:1] * 2, "x.run.B": NAMES[1:]}, "B").baseline == "x.run.B"
    with pytest.raises(KeyError, match=r"unknown system 'onlnieA'; did you mean 'onlineA'\? \(valid: onlineA, onlineB"):
        scores["onlnieA", "pef"]
    with pytest.raises(KeyError, match="did you mean 'onlineA'"):
        scores["test.de-en.onlnieA", "pef"]


def test_the_worst_of_some_systems() -> None:
    scores = score(TEXTS, REFERENCE, metrics="kendall", samples=0)
    every = scores.worst(2)
    assert scores.worst(2, of=NAMES[2]) == [one for one in every if NAMES[2] in one.scores]
    assert scores.worst(2, of=[NAMES[1], NAMES[2]]) == every  # the first one is perfect
    assert scores.worst(2, of=NAMES[0]) == []


def test_everywhere_in_commands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {name: "".join(f"{line}\n" for line in lines) for name, lines in TEXTS.items()})
    write_files(tmp_path, {"ref": "".join(f"{line}\n" for line in REFERENCE), "given": "1\n2\n3\n4\n"})
    command = ("score", "--ref", "ref", "--hyp", *NAMES, "-m", "kendall,pef", "--samples", "50")
    whole = run(capsys, *command, "--baseline", NAMES[1], "--json").out
    assert run(capsys, *command, "--baseline", "onlineB", "--json").out == whole
    worst = run(capsys, *command, "--worst-of", "onlineB", "--worst", "1").out.partition("\n\n")[2]
    assert worst.count("segment ") == worst.count("segment 3  test.de-en.onlineB") == 1
    between = run(capsys, *command, "--worst-between", "onlineB", "LIMSI…mary", "--worst", "1").out
    assert "\n  onlineB" in between
    for name, lines in TEXTS.items():
        write_files(tmp_path, {f"{name}.long": "".join(f"{line}\n" for line in lines * 20)})
    write_files(tmp_path, {"long": "".join(f"{line}\n" for line in REFERENCE * 20)})
    names = [f"{name}={name}.long" for name in NAMES]
    gate = ("score", "--ref", "long", "--hyp", *names, "-m", "kendall", "--samples", "50")
    failed = run(capsys, *gate, "--baseline", "onlineA", "--fail-if-worse", "--test", "randomisation")
    assert failed.code == 3
    assert "significantly worse than onlineA: " in failed.err
    given = run(capsys, *command, *(f"--given=x/{name}=given" for name in ("onlineA", "onlineB", "LIMSI…mary")))
    assert (given.code, given.out.count("2.5")) == (0, 3)
    unknown = run(capsys, *command, "--worst-of", "online")
    assert unknown.code == 2
    assert "unknown system 'online'" in unknown.err
    with pytest.raises(UsageError, match="not both"):
        score(TEXTS, REFERENCE, metrics="kendall", samples=0).worst(of="onlineA", between=NAMES[:2])
    both = run(capsys, *command, "--worst-of", "onlineA", "--worst-between", "onlineA", "onlineB")
    assert both.err.endswith("--worst-of cannot be combined with --worst-between\n")


def test_a_pair_cannot_be_one_system_under_two_names() -> None:
    scores = score(TEXTS, REFERENCE, metrics="kendall", samples=0)
    with pytest.raises(UsageError, match="cannot be compared with itself"):
        scores.versus([("onlineA", NAMES[0])])
