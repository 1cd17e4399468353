"""``wordorder nbest loop``: the command and its mistakes; what it does is tested in ``tests/translation``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from running import run, write_files

Capture = pytest.CaptureFixture[str]

TOY = Path(__file__).parents[3] / "toy_decoder.py"
DECODER = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(TOY))} {{source}} {{weights}} {{nbest}}"
COMMAND = (
    "nbest", "loop", "--decoder", DECODER, "--start", "start.tsv", "--source", "dev", "--ref", "dev",
    "--objective", "bleu", "--restarts", "2", "--iterations", "2",
)  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a b c d\ne f g h\nc a d b\n"
    write_files(tmp_path, {"dev": text, "start.tsv": "order -1\nfirst .1\nnoise .3\n"})
    monkeypatch.chdir(tmp_path)


def test_a_loop_is_shown_and_can_be_asked_again(capsys: Capture) -> None:
    found = run(capsys, *COMMAND, "--work", "tuning", "--fix", "noise=0.1")
    assert found.code == 0, found.err
    assert "bleu decoded" in found.out
    assert Path("tuning/weights.tsv").read_text().splitlines()[0] == "feature\tbleu"
    assert run(capsys, *COMMAND, "--work", "tuning", "--fix", "noise=0.1").out == found.out


def test_several_runs(capsys: Capture) -> None:
    found = run(capsys, *COMMAND, "--work", "tuning", "--runs", "2", "--format", "tsv")
    assert [row["run"] for row in found.tsv()] == ["1", "2"]
    assert Path("tuning/average.tsv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--work", "w", "--decoder", "moses {source}"), "lacks {weights}"),
        (("--work", "w", "--fix", "noise"), "--fix noise: expected NAME=X"),
        (("--work", "w", "--order", "source"), "--order source needs --ref-align"),
        (("--work", "w", "--ref-align", "dev"), "requires --order source"),
        (("--work", "."), "is not empty and does not belong to a tuning loop"),
        (("--work", "w", "--decoder", "nonsense {source} {weights} {nbest}"), "exit code 127; the end of w/01/decoder"),
        (("--work", "w", "--source", "missing\nx"), "wordorder: missing\\nx: no such file"),
        (("--work", "w", "--runs", "0"), "runs must be 1 or more"),
        *(
            (
                ("--work", "w", "--decoder", f"cat {quoted}; {DECODER}"),
                "{source} is inside quotes in the decoder command",
            )
            for quoted in ('"{source}"', "'{source}'", '"a\\"{source}"', "sh -c 'cat {source}'", "\\{source}")
        ),
    ],
)
def test_mistakes(capsys: Capture, arguments: tuple[str, ...], message: str) -> None:
    found = run(capsys, *COMMAND, *arguments)
    assert found.code in (1, 2)
    assert message in found.err
    assert found.err.count("\n") == 1


@pytest.mark.filterwarnings("default")
def test_a_metric_of_order_alone_is_warned_of_once(capsys: Capture) -> None:
    found = run(capsys, *COMMAND, "--work", "tuning", "--objective", "kendall")
    assert found.err.count("kendall scores word order alone") == 1


def test_nothing_in_the_name_of_a_file_is_executed(capsys: Capture) -> None:
    name = """a 'b' "c" $(touch ran) `touch ran`; touch ran; {weights} &.txt"""
    Path(name).write_bytes(Path("dev").read_bytes())
    for number, decoder in enumerate((DECODER, DECODER.replace("{source}", '"$WORDORDER_SOURCE"'))):
        found = run(capsys, *COMMAND, "--source", name, "--work", f"w{number} $(touch ran)'", "--decoder", decoder)
        assert found.code == 0, found.err
    assert not Path("ran").exists()
