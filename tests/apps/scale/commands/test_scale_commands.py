"""``wordorder scale`` and the commands below it, from files to files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from running import run, write_files

Capture = pytest.CaptureFixture[str]

LINES = [
    ("der alte Hund", "the old dog", "old the dog"),
    ("die Katze schläft", "the cat sleeps", "the cat sleeps"),
    ("ich sehe den Hund", "i see the dog", "see i the dog"),
    ("der Hund schläft", "the dog sleeps", "dog sleeps the"),
]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"c.tsv": "".join("\t".join(line) + "\n" for line in LINES * 6) + "short\n"})
    columns = ["--columns", "source=1", "target=2", "hyp=3"]
    found = run(capsys, "scale", "import", "c.tsv", *columns, "--out", "corpus", "--json").json()
    assert found["rows"] == [{"corpus": "corpus", "parts": 1, "rows": 25, "unusable": 1}]
    return tmp_path


def test_from_a_table_to_a_filtered_corpus(corpus: Path, capsys: Capture) -> None:
    aligned = run(capsys, "scale", "align", "corpus", "--out", "aligned", "--json").json()
    assert (aligned["pairs"], aligned["unusable"]) == (24, {"source missing": 1})
    profile = run(capsys, "scale", "profile", "aligned", "--out", "profile", "--json").json()
    assert profile["corpora"][0]["figures"]["sentences"] == 24
    condition = "links >= 3 and source-words > 2"
    kept = run(capsys, "scale", "filter", "aligned", "--keep", condition, "--out", "kept", "--sample", "1")
    assert kept.code == 0
    assert "of 24 pairs kept" in kept.out
    assert "\nkept     " in kept.out
    ranked = ["--preset", "clean", "--keep", "links > 0", "--top", "5", "--by", "kendall", "--out", "best"]
    best = run(capsys, "scale", "filter", "aligned", *ranked, "--json").json()
    assert best["kept"] <= 5
    merged = run(capsys, "scale", "merge", "best", "--columns", "source=best.de", "target=best.en", "--json").json()
    assert merged == best
    assert len((corpus / "best.de").read_text().splitlines()) == best["kept"]


def test_scores_status_and_merge(corpus: Path, capsys: Capture) -> None:
    command = [
        "scale",
        "score",
        "corpus",
        "--columns",
        "reference=target",
        "A=hyp",
        "-m",
        "kendall,bleu1",
        "--out",
        "s",
    ]
    scored = run(capsys, *command, "--json").json()
    assert scored["segments"] == 24
    assert "1 unusable row left out (1 target missing)" in scored["notes"]
    status = run(capsys, "scale", "status", "s", "--json").json()
    assert (status["complete"], status["done"], status["unusable"]) == (True, 1, {"target missing": 1})
    merged = run(capsys, "scale", "merge", "s", "--rows", "s.jsonl", "--scores-jsonl", "o.jsonl", "--json").json()
    assert merged == scored
    assert len(list(map(json.loads, Path("s.jsonl").read_text().splitlines()))) == 25
    first = json.loads(Path("o.jsonl").read_text().splitlines()[0])
    assert first["WordOrder"]["kendall"] == pytest.approx(2 / 3)
    shard = run(capsys, *command[:-1], "t", "--shard", "2/2")
    assert shard.code == 0
    assert "shard 2/2 is done; t: not done yet: 1 of 1 parts" in shard.out
    assert run(capsys, "scale", "merge", "t").code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("score corpus --columns reference=target A=hypo --out s", 2, "no column 'hypo'; did you mean 'hyp'?"),
        ("score none --columns reference=target A=hyp --out s", 2, "none: no such file or folder"),
        ("score corpus --columns reference --out s", 2, "--columns reference: expected ROLE=COLUMN"),
        ("score corpus --columns A=hyp A=hyp --out s", 2, "'A' is given twice"),
        ("score corpus --columns reference=target A=hyp", 2, "--out is missing (see wordorder scale score --help)"),
        ("score --columns reference=target A=hyp --out s", 2, "the corpus is missing; give a folder"),
        ("score corpus --columns reference=target A=hyp --out s --strict", 1, "row 25: target missing"),
        ("score corpus --columns reference=target A=hyp --out s --shard 9", 2, "must have the form I/N"),
        ("score corpus --columns reference=target A=hyp --out s --jobs 3", 2, "only be used with --dask slurm"),
        ("score corpus --columns reference=target A=hyp --out s --workers -1", 2, "1 or more"),
        ("score c.tsv --columns reference=target A=hyp --out s", 2, "convert it with 'wordorder scale import' first"),
        ("score corpus --columns reference=target A=hyp --out s --dask x --shard 1/2", 2, "use one of them"),
        ("align corpus", 2, "or --save FILE to train a model"),
        ("align corpus --out a --shard 1/2", 2, "--shard needs --model"),
        ("align corpus --out a --model m --save n", 2, "--model loads a trained model"),
        ("filter corpus --out k", 2, "there is no condition; give --keep"),
        ("filter corpus --out k --keep 'kendall >'", 2, "invalid condition at the position marked ▸ in 'kendall >▸'"),
        ("filter corpus --out k --keep 'kendall > 1'", 2, "no column 'links'"),
        ("profile corpus --out p", 2, "hyp) for 'links'; run 'wordorder scale align' first"),
        ("filter corpus --out k --top 5", 2, "--by names the ranking measure"),
        ("status corpus/none", 2, "expected the output folder of a run"),
        ("merge none", 2, "expected the output folder of a run"),
        ("import none.tsv --columns a=1 --out x", 2, "none.tsv: no such file"),
        ("import c.tsv --columns a=de --out x", 2, "3 columns and no header; give a number from 1 to 3"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(corpus: Path, capsys: Capture, arguments: str, code: int, said: str) -> None:
    import shlex

    found = run(capsys, "scale", *shlex.split(arguments))
    assert said in found.err
    assert found.code == code
    assert len(found.err.strip().splitlines()) == 1


@pytest.mark.slow
def test_workers_of_the_command(corpus: Path, capsys: Capture) -> None:
    """Two processes, started by a process of its own."""
    write_files(corpus, {"d.tsv": "".join("\t".join(line) + "\n" for line in LINES)})
    columns = ["--columns", "target=2", "hyp=3"]
    assert run(capsys, "scale", "import", "c.tsv", "d.tsv", *columns, "--out", "two").code == 0
    command = ["scale", "score", "two", "--columns", "reference=target", "A=hyp", "-m", "kendall", "--json", "--out"]
    program = [sys.executable, "-m", "wordorder", *command, "two-workers", "--workers", "2"]
    found = subprocess.run(program, capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert json.loads(found.stdout) == run(capsys, *command, "one-worker").json()
