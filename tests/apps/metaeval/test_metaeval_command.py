from __future__ import annotations

import json
from pathlib import Path

import pytest

from wordorder.cli.main import main

HEADER = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
REFERENCE = [f"a{n} b{n} c{n} d{n} e{n} f{n}" for n in range(12)]
GOOD = [f"a{n} b{n} c{n} d{n} e{n} x" for n in range(12)]
POOR = [f"f{n} e{n} d{n} c{n} b{n} x" for n in range(12)]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    for name, lines in (("ref", REFERENCE), ("good", GOOD), ("poor", POOR)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    rows = [f"deu,eng,{n},{n},j{n % 2},good,{1 if n % 4 else 2},poor,2,{n}" for n in range(1, 13)]
    rows += [row.replace("j0", "j2") for row in rows]
    (tmp_path / "rankings.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    (tmp_path / "da.tsv").write_text(
        "\n".join(
            [
                "system\tsegment\tscore\tjudge",
                *(f"{s}\t{n}\t{v + n % 3}\tj" for n in range(1, 13) for s, v in (("good", 5), ("poor", 1))),
            ]
        )
    )
    return tmp_path


def run(files: Path, *arguments: str, judged: bool = True) -> list[str]:
    shared = ["--ref", f"{files}/ref.txt", "--hyp", f"{files}/good.txt", f"{files}/poor.txt"] if judged else []
    return [*arguments, *shared]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_a_table_of_metrics(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wmt = [
        "metaeval",
        "--judgements",
        f"{files}/rankings.csv",
        "--pair",
        "de-en",
        "--samples",
        "20",
        "-m",
        "kendall,f1",
    ]
    out = call(capsys, *run(files, *wmt, "--segment", "tau,consistency", "--system", "r", "--format", "tsv"))
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0][:4] == ["metric", "tau", "consistency", "r"]
    assert [row[0] for row in rows[1:]] == ["kendall", "f1"]
    assert rows[1][1:3] == ["1.0", "1.0"]
    assert list((files / "cache").iterdir())
    again = call(capsys, *run(files, *wmt, "--segment", "tau,consistency", "--system", "r", "--format", "tsv"))
    assert again == out


def test_metrics_of_parses(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trees = [f"(S (NP (NN a{n}) (NN b{n}) (NN c{n})) (VP (VB d{n}) (NP (NN e{n}) (NN f{n}))))" for n in range(12)]
    (files / "some.trees").write_text("\n".join(trees))
    assert main(["parse", "train", f"{files}/some.trees", "-o", f"{files}/some.grammar"]) == 0
    wmt = ["metaeval", "--judgements", f"{files}/rankings.csv", "--pair", "de-en", "--samples", "20"]
    wmt += ["--format", "tsv", "-m", "edpm,f1", "--grammar", f"{files}/some.grammar"]
    out = call(capsys, *run(files, *wmt))
    assert [line.split("\t")[:2] for line in out.splitlines()[1:]] == [["edpm", "1.0"], ["f1", ""]]
    assert call(capsys, *run(files, *wmt)) == out
    assert main(run(files, *wmt[:-2])) == 2
    assert "metric edpm needs parses" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--compare"], "p_corrected"),
        (["--versus", "f1"], "kendall"),
        (["--agreement"], "between judges"),
        (["--influences"], "r² kendall-sqrt"),
    ],
)
def test_other_questions(files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str) -> None:
    wmt = ["metaeval", "--judgements", f"{files}/rankings.csv", "--samples", "10", "-m", "kendall,f1"]
    assert expected in call(capsys, *run(files, *wmt, *arguments))


def test_sets_and_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = [f"{files}/rankings.csv", f"{files}/ref.txt", f"{files}/good.txt", f"{files}/poor.txt"]
    out = call(capsys, "metaeval", "--set", "de-en", *parts, "--samples", "10", "--json", "-m", "kendall,bleu1")
    document = json.loads(out)
    assert document["sets"][0]["name"] == "de-en"
    assert document["sets"][0]["judgements"]["comparisons"] == 24
    assert document["signature"]["resampled"] == "segments"


def test_ratings(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    form = [
        "metaeval",
        "--judgement-format",
        "ratings",
        "--judgements",
        f"{files}/da.tsv",
        "--samples",
        "5",
        "-m",
        "kendall",
    ]
    out = call(capsys, *run(files, *form, "--format", "tsv"))
    assert out.splitlines()[0].split("\t")[:4] == ["metric", "pearson.none", "accuracy", "kendall.segment"]


@pytest.mark.slow
def test_probe_and_distinguish(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference = ["metaeval", "--ref", f"{files}/ref.txt", "-m", "kendall", "--samples", "0"]
    out = call(capsys, *reference, "--probe", "move,block", "--amounts", "1,2", "--format", "tsv")
    assert [line.split("\t")[:2] for line in out.splitlines()[1:]] == [
        ["move", "1"],
        ["move", "2"],
        ["block", "1"],
        ["block", "2"],
    ]
    real = call(capsys, *reference, "--probe", "real", "--amounts", "1", "--hyp", f"{files}/poor.txt")
    assert "real" in real
    two = ["metaeval", "--ref", f"{files}/ref.txt", f"{files}/good.txt", "--hyp", f"{files}/poor.txt", "-m", "kendall"]
    assert "2/2" in call(capsys, *two, "--distinguish")


def test_tune_saves_a_metric_that_score_takes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tune = [
        "tune",
        "full:order=kendall",
        "--vary",
        "alpha=0:1",
        "--judgements",
        f"{files}/rankings.csv",
        "--samples",
        "10",
    ]
    grid = ["--search", "grid", "--steps", "3", "--curve", "--save", f"{files}/spec", "--format", "tsv"]
    out = call(capsys, *run(files, *tune, *grid))
    assert [line.split("\t")[0] for line in out.splitlines()] == ["alpha", "0.0", "0.5", "1.0"]
    spec = (files / "spec").read_text().strip()
    call(capsys, *run(files, "score", "--metrics", spec, "--samples", "0"))
    document = json.loads(call(capsys, *run(files, *tune, "--restarts", "2", "--json")))
    assert document["spec"].startswith("full:order=kendall")
    assert "full:order=kendall" in call(capsys, *run(files, *tune, "--restarts", "2"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["metaeval"], "give --judgements"),
        (["metaeval", "--set", "de-en", "x"], "expected xx-yy"),
        (["metaeval", "--probe"], "--probe needs sentences to disturb; give them with --ref"),
        (["metaeval", "--compare", "--agreement"], "give only one of --compare and --agreement"),
        (["metaeval", "--mtme", "x"], "--mtme needs the language pair to read; give --pair"),
        (["tune", "full", "--vary", "alpha"], "expected a range key=low:high"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def mtme_folder(files: Path) -> Path:
    """A test set in the layout of mt-metrics-eval: refB is a poor reference, synthetic_ref one by a machine."""
    root = files / "wmt30"
    texts = {
        "sources/de-en": [f"s{n}" for n in range(12)],
        "references/de-en.refA": REFERENCE,
        "references/de-en.refB": POOR,
        "references/de-en.synthetic_ref": POOR,
        "system-outputs/de-en/good": GOOD,
        "system-outputs/de-en/poor": POOR,
        "system-outputs/de-en/refA": REFERENCE,
    }
    for name, lines in texts.items():
        path = root / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    (root / "human-scores").mkdir()
    scores = [f"{system}\t{value + n % 3}" for system, value in (("good", -1), ("poor", -9)) for n in range(12)]
    (root / "human-scores" / "de-en.mqm.seg.score").write_text("\n".join(scores) + "\n")
    return root


def test_a_folder_of_mt_metrics_eval_has_one_standard_reference(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["metaeval", "--mtme", str(mtme_folder(files)), "--pair", "de-en", "--samples", "5", "--json"]
    asked += ["--segment", "pearson.none", "-m", "f1"]
    found = json.loads(call(capsys, *asked))
    assert (found["signature"]["references"], found["signature"]["reference"]) == (1, ["refA"])
    judged = found["sets"][0]["judgements"]
    assert (judged["systems"], judged["ratings"]) == (2, 24)
    both = json.loads(call(capsys, *asked, "--ref", "all"))["signature"]
    assert (both["references"], both["reference"]) == (2, ["refA", "refB"])
    through = ["--order", "source", "--train-source", f"{files}/ref.txt", "--train-target", f"{files}/ref.txt"]
    assert json.loads(call(capsys, *asked[:-1], "kendall", *through))["signature"]["order"] == "source"
    tuned = ["tune", "full", "--vary", "alpha=0:1", *asked[1:8], "--coefficient", "pearson.none", "--json"]
    assert json.loads(call(capsys, *tuned))["held_out"][0]["signature"]["reference"] == ["refA"]
    assert main([*asked, "--hyp", "x"]) == 2
    assert "--mtme provides texts and judgements; leave out --judgements, --hyp and --set" in capsys.readouterr().err


def test_a_seed_is_not_negative(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    probed = ["metaeval", "--ref", f"{files}/ref.txt", "--probe", "--amounts", "1"]
    for arguments in (probed, ["score", *run(files)]):
        assert main([*arguments, "--seed", "-1"]) == 2
        assert capsys.readouterr().err == "wordorder: --seed must be 0 or more, not -1\n"


def test_a_judgement_without_a_line_names_its_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref", "good", "poor"):
        (files / f"{name}.txt").write_text("a b c\n" * 4)
    judged = run(files, "--judgement-format", "ratings", "--judgements", f"{files}/da.tsv", "--no-cache")
    assert main(["metaeval", *judged]) == 1
    assert f"{files}/da.tsv: found a judgement of segment 12, but the texts have only 4" in capsys.readouterr().err
    assert main(["tune", "full", "--vary", "alpha=0:1", *judged]) == 1
    assert f"{files}/good.txt: found 4 lines; expected at least 12" in capsys.readouterr().err


def test_translations_may_be_compared_on_common_words(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wmt = ["metaeval", "--judgements", f"{files}/rankings.csv", "--pair", "de-en", "--samples", "0", "-m", "kendall"]
    found = json.loads(call(capsys, *run(files, *wmt, "--common-words", "--json")))
    assert found["signature"]["words"] == "common"
    assert main([*run(files, *wmt, "--common-words", "--preferences")]) == 2
    assert "--common-words cannot be combined with --preferences" in capsys.readouterr().err
