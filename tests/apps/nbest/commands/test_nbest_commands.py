"""``wordorder nbest``: what it prints and writes, and what it says of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordorder
from running import rows, run, write_files

Capture = pytest.CaptureFixture[str]

LISTS = (
    "0 ||| sat the cat ||| lm= -2 tm= -1 ||| -1\n0 ||| the cat sat ||| lm= -1 tm= -2 ||| -2\n"
    "1 ||| a dog barks ||| lm= -1 tm= -2 ||| -2\n1 ||| barks a dog ||| lm= -3 tm= -1 ||| -1\n"
)
FILES: dict[str, str | bytes] = {
    "dev": LISTS,
    "ref": "the cat sat\na dog barks\n",
    "src": "x y z\nx y z\n",
    "plain": "lm 0.5\ntm 0.5\n",
    "weights": "feature\tbleu\tlr\nlm\t1\t0\ntm\t0.1\t1\n",
    "aligned": "".join(f"{line} ||| 0-0 1-1 2-2\n" for line in LISTS.splitlines()),
    "ref.align": "0-0 1-1 2-2\n" * 2,
    "lines": "the cat sat\nsat the cat\nbarks a dog\na dog barks\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_oracle(capsys: Capture) -> None:
    found = rows(capsys, "nbest", "oracle", "dev", "--ref", "ref", "--metrics", "bleu1,kendall")
    assert [row["metric"] for row in found] == ["bleu1", "kendall"]
    assert float(found[1]["worst"]) == pytest.approx(1 / 3)
    assert float(found[1]["best"]) == 1
    assert float(found[1]["gap"]) == pytest.approx(2 / 3)
    plain = rows(capsys, "nbest", "oracle", "lines:lines", "--count", "2", "--ref", "ref", "--metrics", "kendall")
    assert float(plain[0]["model"]) == pytest.approx(2 / 3)
    through = ("--order", "source", "--source", "src", "--ref-align", "ref.align", "--metrics", "kendall")
    assert float(rows(capsys, "nbest", "oracle", "aligned", "--ref", "ref", *through)[0]["worst"]) == 1
    document = run(capsys, "nbest", "oracle", "dev", "--ref", "ref", "--metrics", "bleu1", "--json").json()
    assert document["rows"][0]["metric"] == "bleu1"


def test_rerank(capsys: Capture, folder: Path) -> None:
    assert run(capsys, "nbest", "rerank", "dev").out == "sat the cat\nbarks a dog\n"
    chosen = ("--weights", "weights", "--objective", "bleu", "-o", "best")
    assert run(capsys, "nbest", "rerank", "dev", *chosen).code == 0
    assert (folder / "best").read_text() == "the cat sat\na dog barks\n"


def test_a_second_pass_by_parses(capsys: Capture, folder: Path) -> None:
    demo = Path(wordorder.__file__).parent / "data" / "demo"
    assert run(capsys, "parse", "train", str(demo / "english.mrg"), "-o", "en.grammar").code == 0
    parses = ("--grammar", "en.grammar")
    (row,) = rows(capsys, "nbest", "oracle", "dev", "--ref", "ref", "--metrics", "edpm", *parses)
    assert float(row["worst"]) < float(row["best"]) == 1
    lists = "".join(
        f"0 ||| {text} ||| lm= {-n} ||| {-n}\n" for n, text in enumerate(["a b", "a c", "a c", "x", "x", "x"])
    )
    (folder / "late").write_text(lists)
    assert run(capsys, "nbest", "rerank", "late").out == "a b\n"
    assert run(capsys, "nbest", "rerank", "late", "--utility", "edpm", "--best", "3", *parses).out == "a c\n"
    assert run(capsys, "nbest", "rerank", "late", "--utility", "edpm", *parses).out == "x\n"
    assert run(capsys, "nbest", "mbr", "late", "--utility", "edpm", *parses).out == "x\n"
    refused = run(capsys, "nbest", "rerank", "late", *parses)
    assert (refused.code, "add --utility METRIC" in refused.err) == (2, True)


def test_tune(capsys: Capture, folder: Path) -> None:
    base = ("nbest", "tune", "dev", "--ref", "ref", "--restarts", "2", "--objective", "bleu1", "lr-kb1", "--runs", "2")
    found = rows(capsys, *base, "--metrics", "lr-kb1,kendall", "--save", "w.tsv")
    assert [row["tuned for"] for row in found] == ["(model)", "bleu1", "lr-kb1"]
    assert float(found[2]["lr-kb1"]) == 1
    assert list(found[0])[:4] == ["tuned for", "tuning", "lr-kb1", "sd lr-kb1"]
    best = run(capsys, "nbest", "rerank", "dev", "--weights", "w.tsv", "--objective", "lr-kb1")
    assert best.out == "the cat sat\na dog barks\n"
    tested = rows(capsys, *base, "--test", "dev", "--test-ref", "ref", "--average-runs", "--start", "plain")
    assert list(tested[0])[:4] == ["tuned for", "tuning", "bleu1", "lr-kb1"]
    document = run(capsys, *base, "--fix", "tm=0.5", "--bound", "lm=0:", "--smooth", "minimum:1", "--json").json()
    assert [one["weights"]["tm"] for one in document["tuned"]["lr-kb1"]["runs"]] == [0.5, 0.5]
    ranked = rows(capsys, *["nbest", "tune", "dev", "--ref", "ref", "--objective", "lr-kb1", "--method", "pro"])
    assert float(ranked[1]["lr-kb1"]) == 1
    assert run(capsys, *base, "--threads", "2").out == run(capsys, *base).out


def test_mbr(capsys: Capture, folder: Path) -> None:
    assert run(capsys, "nbest", "mbr", "lines:lines", "--count", "4", "--utility", "lr-kb1").out == "the cat sat\n"
    chosen = ("--evidence", "dev", "--posterior", "score:scale=9", "--utility", "bleu", "-o", "best")
    assert run(capsys, "nbest", "mbr", "dev", *chosen).code == 0
    assert (folder / "best").read_text() == "sat the cat\nbarks a dog\n"


@pytest.mark.filterwarnings("default")
def test_order_alone_is_no_objective(capsys: Capture) -> None:
    found = run(capsys, "nbest", "tune", "dev", "--ref", "ref", "--objective", "kendall", "--restarts", "1")
    assert found.code == 0
    assert "wordorder: warning: kendall scores word order alone: tuning for it" in found.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("oracle none --ref ref", 2, "none: no such file"),
        ("oracle dev --ref src none", 2, "none: no such file"),
        ("oracle ref --ref ref", 1, "ref:1: expected 'sentence ||| hypothesis"),
        ("oracle lines:lines --ref ref", 2, "the list format 'lines' requires --count N"),
        ("oracle lines --nbest-format lines --count 3 --ref ref", 1, "lines:4: expected 3 lines per sentence"),
        ("oracle dev --ref ref --order source", 2, "--order source needs --ref-align"),
        ("oracle dev --ref ref --source src", 2, "--source requires --order source"),
        ("oracle dev --ref ref --log-base 1", 2, "--log-base 1: expected 2, 10, e"),
        ("oracle dev --ref ref --keys id", 2, "--keys id: expected KEY=NAME"),
        ("oracle dev --ref ref --count 2", 2, "n-best lists in moses format have no option 'count'"),
        ("oracle dev --ref ref --order source --source src --ref-align ref.align", 1, "dev:1: no alignment for"),
        ("rerank dev --weights weights", 2, "weights has weights for several objectives; choose one of bleu, lr"),
        ("rerank dev --objective bleu", 2, "--objective selects a column of the weights file"),
        ("rerank lines:lines --count 2 --weights weights --objective lr", 2, "unknown feature of lines 'lm'"),
        ("tune dev --ref ref --test dev", 2, "give --test (the test lists) and --test-ref (their references) together"),
        ("tune dev --ref ref --fix lm", 2, "--fix lm: expected NAME=X"),
        ("tune dev --ref ref --fix lm=x", 2, "--fix lm: expected a number, found 'x'"),
        ("tune dev --ref ref --bound lm=1", 2, "--bound lm 1: expected LOW:HIGH"),
        ("tune dev --ref ref --positive ml", 2, "unknown feature of dev 'ml'; did you mean 'lm'? (valid: lm, tm)"),
        ("tune dev --ref ref --smooth mean", 2, "unknown smoothing 'mean'"),
        ("tune dev --ref ref --start weights", 2, "weights has weights for several objectives"),
        ("tune lines:lines --count 2 --ref ref", 2, "lines has no features, so there are no weights to tune"),
        ("mbr dev --posterior often", 2, "unknown posterior 'often'"),
        ("mbr dev --evidence lines:lines --count 4", 2, "n-best lists in moses format have no option 'count'"),
        ("oracle dev", 2, "the following arguments are required: --ref"),
        ("", 2, "wordorder nbest: expected a command: oracle, tune, rerank, mbr, loop (see wordorder nbest --help)"),
    ],
)
def test_mistakes(arguments: str, code: int, message: str, capsys: Capture) -> None:
    found = run(capsys, "nbest", *arguments.split())
    assert (found.code, found.out) == (code, "")
    assert message in found.err
    assert "Traceback" not in found.err
