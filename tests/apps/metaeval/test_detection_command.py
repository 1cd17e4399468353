from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wordorder.cli.main import main

HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
REFERENCE = [f"a{n} b{n} c{n} d{n}" for n in range(8)]
TEXTS = {"good": REFERENCE, "poor": [f"d{n} c{n} b{n} a{n}" if n % 2 else f"a{n} b{n} c{n} x" for n in range(8)]}


def table(number: str = "{}") -> list[str]:
    rows = [HEAD]
    for system, lines in TEXTS.items():
        for n, line in enumerate(lines):
            kind = "No-error\tNo-error" if system == "good" else "Word order\tMajor" if n % 2 else "Lexis\tMinor"
            rows.append(f"{system}\td{n // 2}\t{n % 2}\t{number.format(n + 1)}\tr\ts{n}\t<v>{line}</v>\t{kind}")
    return rows


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    contents = {"ref.txt": REFERENCE, "source.txt": [f"s{n}" for n in range(8)], "mqm.tsv": table()}
    contents |= {f"{system}.txt": lines for system, lines in TEXTS.items()} | {"unnumbered.tsv": table("-1")}
    for name, lines in contents.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["metaeval", *arguments, "-m", "kendall", "--samples", "10", "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_texts_inside_or_beside_a_table_give_the_same(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--detect", "word order", "--judgements", "mqm.tsv", "--ref", "ref.txt", "--at", "2"]
    inside = found(capsys, *asked)
    assert (inside["marked"], inside["segments"], inside["other_errors"]) == (4, 16, 4)
    assert inside["findings"][0]["auc"]["value"] == inside["findings"][0]["P@2"]["value"] == 1.0
    assert found(capsys, *asked, "--hyp", "good.txt", "poor.txt") == inside
    unnumbered = ["unnumbered.tsv" if part == "mqm.tsv" else part for part in asked]
    assert found(capsys, *unnumbered) == inside
    assert found(capsys, *unnumbered, "--hyp", "good.txt", "poor.txt", "--source", "source.txt") == inside
    several = ["--set", "x-y", "mqm.tsv", "ref.txt", "--set", "y-z", "mqm.tsv", "ref.txt"]
    both = found(capsys, "--detect", "word order", *several, "--language", "english", "german", "--match", "stem+exact")
    assert (both["marked"], both["findings"][0]["auc"]["value"]) == (8, 1.0)


def test_the_sources_of_a_table_serve_files(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--detect", "word order", "--judgements", "mqm.tsv", "--ref", "ref.txt", "--at", "2", "--order", "source"]
    asked += ["--train-source", "source.txt", "--train-target", "ref.txt"]
    inside = found(capsys, *asked)
    assert found(capsys, *asked, "--hyp", "good.txt", "poor.txt") == inside
    assert found(capsys, *asked, "--hyp", "good.txt", "poor.txt", "--source", "source.txt") == inside
    (files / "mqm.tsv").write_text("\n".join(row for row in table() if "\ts7\t" not in row) + "\n")
    assert found(capsys, *asked, "--hyp", "good.txt", "poor.txt")["segments"] == 14


def test_a_system_of_the_table_is_the_reference(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--detect", "word order", "--judgements", "mqm.tsv", "--at", "2"]
    beside = found(capsys, *asked, "--ref", "good.txt", "--hyp", "good.txt", "poor.txt")
    inside = found(capsys, *asked, "--ref", "good")
    assert (inside["references"], inside["segments"], inside["marked"]) == (["good"], 8, 4)
    assert beside["segments"] == 16
    for name in ("ref-A", "refA", "Human-A.0", "HUMAN", "ref"):
        content = "\n".join(table()).replace("\ngood\t", f"\n{name}\t") + "\n"
        (files / "human.tsv").write_text(content + content.split("\n", 1)[1].replace(name, "Refined"))
        result = found(capsys, "--detect", "word order", "--judgements", "human.tsv")
        assert (result["references"], result["segments"]) == ([name], 16), name
    whole = ["--judgement-format", "mqm", "--judgements", "human.tsv", "--segment", "pearson.none"]
    assert found(capsys, *whole)["signature"]["reference"] == ["ref"]
    (files / "human.tsv").write_text("\n".join(row for row in content.splitlines() if "ref\td0\t0" not in row) + "\n")
    assert found(capsys, "--detect", "word order", "--judgements", "human.tsv")["segments"] == 7
    assert main(["metaeval", "--detect", "word order", "--judgements", "mqm.tsv", "--ref", "gold"]) == 2
    assert "gold: neither a file nor a system of mqm.tsv (good, poor)" in capsys.readouterr().err
    assert main(["metaeval", "--detect", "word order", "--judgements", "mqm.tsv", "--ref", "good", "poor"]) == 2
    assert "every system of the table is a reference" in capsys.readouterr().err


def test_a_table_of_errors_is_a_table_of_ratings(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--judgement-format", "mqm", "--judgements", "mqm.tsv", "--ref", "ref.txt", "--segment", "pearson.none"]
    inside = found(capsys, *asked, "--system", "spa", "--document", "r")
    assert found(capsys, *asked, "--system", "spa", "--document", "r", "--hyp", "good.txt", "poor.txt") == inside
    assert [row["coefficient"] for row in inside["sets"][0]["findings"]] == ["pearson.none", "spa", "r"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--judgements", "mqm.tsv"],
            "mqm.tsv: the table contains no references; give --ref: a file, or a system (good, poor)",
        ),
        (["--judgements", "mqm.tsv", "--hyp", "good.txt"], "--hyp needs --ref"),
        (
            ["--judgements", "mqm.tsv", "--ref", "ref.txt", "--hyp", "good.txt"],
            "mqm.tsv: no text for 1 system with judgements: 'poor' (8 judgements); found texts for good; --",
        ),
        (
            ["--judgements", "unnumbered.tsv", "--ref", "ref.txt", "--hyp", "good.txt", "poor.txt"],
            "the table has no segment numbers; give --source",
        ),
        (
            ["--judgements", "unnumbered.tsv", "--ref", "ref.txt", "--source", "good.txt"],
            "8 source sentences of the table cannot be found in good.txt; the first is 's0'",
        ),
        (["--judgements", "mqm.tsv", "--ref", "ref.txt", "--at", "0"], "--at 0: expected positive whole numbers"),
        ([], "give --judgements with a table of errors"),
        (["--set", "x-y", "mqm.tsv", "ref.txt", "--language", "a", "b"], "--language has 2 languages for 1 set"),
    ],
)
def test_mistakes_say_what_is_missing(
    files: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["metaeval", "--detect", "word order", "--pair", "x-y", *arguments]) in (1, 2)
    assert message in capsys.readouterr().err


def test_unplaced_judgements_may_be_left_out(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--detect", "word order", "--judgements", "mqm.tsv", "--ref", "ref.txt", "--allow-unplaced"]
    assert found(capsys, *asked, "--hyp", "poor.txt", "other=good.txt", "--at", "3")["segments"] == 8


def test_scores_are_written_for_a_metrics_task(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["score", "--ref", "ref.txt", "--hyp", "good.txt", "poor.txt", "-m", "kendall", "--samples", "0"]
    assert main([*asked, "--mtme-scores", "out", "--undefined", "-1"]) == 0
    assert (files / "out" / "kendall-ref.seg.score").read_text().splitlines()[8:10] == ["poor\t1.0", "poor\t0.0"]
    assert main([*asked, "--undefined", "1"]) == 2
    assert "--undefined requires --mtme-scores" in capsys.readouterr().err
