"""What the world does to a command: signals, closed streams, full disks, odd locales."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_start import command, environment

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals and streams of POSIX")]

SEGMENTS = 30_000
LONG = {
    "score": "score --ref b.txt --hyp a.txt --threads 2 --samples 200000 --segments made.jsonl",
    "align": "align --source a.txt --target b.txt -o made.align",
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    draw = random.Random(3)
    lines = [[f"w{int(900 * draw.random() ** 3)}" for _ in range(draw.randint(5, 30))] for _ in range(SEGMENTS)]
    (folder / "b.txt").write_text("".join(" ".join(line) + "\n" for line in lines))
    for line in lines:
        draw.shuffle(line)
    (folder / "a.txt").write_text("".join(" ".join(line) + "\n" for line in lines))
    return folder


def wait_until_signals_are_caught(process: subprocess.Popen[str]) -> None:
    """Wait until the program is loaded so far: before, Python itself answers Ctrl-C."""
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = int(status.split("SigCgt:")[1].split()[0], 16)
        if caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def _signals_are_heard() -> Iterator[None]:
    """What a shell starts in the background may ignore signals, and every program it starts in turn."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    for number in before:
        signal.signal(number, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("name", LONG)
def test_a_signal_ends_a_long_command_and_nothing_is_left(texts: Path, name: str, number: signal.Signals) -> None:
    """At any moment, from loading to writing; ``benchmarks/signals.py`` measures how soon. A whole file may stay."""
    before = sorted(path.name for path in texts.iterdir())
    moment = random.Random(f"{name}{number}").uniform(0.0, 2.5)
    with subprocess.Popen(
        command(*LONG[name].split()),
        cwd=texts,
        env=environment(WORDORDER_CACHE=str(texts)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_until_signals_are_caught(process)
        time.sleep(moment)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]
    words = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
    assert (process.returncode, said) == (128 + number, f"wordorder: {words[number]}\n")
    if (made := texts / LONG[name].split()[-1]).exists():
        assert len(made.read_text().splitlines()) == SEGMENTS
        made.unlink()
    assert sorted(path.name for path in texts.iterdir()) == before


STUCK = """
import time
from wordorder.cli import start
from wordorder.core.runtime.drafts import draft_folder, open_draft
from wordorder.core.runtime.kernels import kernel

@kernel
def spin(turns):
    found = 0
    for turn in range(turns):
        found ^= (found + turn) % 7
    return found

start._catch_signals()
spin(10)
with draft_folder(".") as folder, open_draft(folder + "/inner.txt"), open_draft("whole.txt"):
    spin(1 << 60)
"""


def test_a_kernel_that_takes_forever_is_ended_too(tmp_path: Path) -> None:
    """The main thread never gets to hear of the signal; what it was writing is cleared all the same."""
    with subprocess.Popen(
        [sys.executable, "-c", STUCK],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not [path for path in tmp_path.iterdir() if path.name.endswith(".part") and path.is_file()]:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (143, "", "wordorder: terminated\n")
    assert list(tmp_path.iterdir()) == []


def test_a_hang_up_under_nohup_is_ignored(texts: Path) -> None:
    with subprocess.Popen(
        ["nohup", *command("score", "--ref", "b.txt", "--hyp", "a.txt", "--samples", "10", "-m", "kendall")],
        cwd=texts,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(0.7)
        process.send_signal(signal.SIGHUP)
        out = process.communicate(timeout=120)[0]
    assert process.returncode == 0
    assert b"kendall" in out


def shell(folder: Path, line: str, **more: str) -> tuple[int, str, str]:
    words = " ".join([sys.executable, "-m", "wordorder", line])
    found = subprocess.run(
        ["sh", "-c", words], cwd=folder, env=environment(**more), capture_output=True, text=True, check=False
    )
    return found.returncode, found.stdout, found.stderr


SCORE = "score --permutations a.orders b.orders --samples 10"


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (f"{SCORE} >&-", 1, "standard output: is closed"),
        ("--help >&-", 1, "standard output: is closed"),
        ("--help >/dev/full", 1, "standard output: No space left on device"),
        ("score --help >/dev/full", 1, "standard output: No space left on device"),
        ("metrics >/dev/full", 1, "standard output: No space left on device"),
        ("score --permutations - <&-", 2, "standard input: the file cannot be read (Bad file descriptor)"),
        (f"{SCORE} -m ''", 2, "a metric name is empty; expected names separated by commas"),
        (f"{SCORE} --samples 1000000000", 2, "--samples must be at most 1,000,000, not 1,000,000,000"),
    ],
)
def test_a_fault_is_one_line(tmp_path: Path, line: str, code: int, message: str) -> None:
    for name in ("a.orders", "b.orders"):
        (tmp_path / name).write_text("1 2 3\n2 1 3\n")
    assert shell(tmp_path, line) == (code, "", f"wordorder: {message}\n")


def test_complaints_without_a_place_are_not_printed_into_the_output(tmp_path: Path) -> None:
    (tmp_path / "a.orders").write_text("1 2 3\n")
    code, out, _ = shell(tmp_path, "score --permutations a.orders none.orders 2>&-")
    assert (code, out) == (2, "")
    code, out, _ = shell(tmp_path, "score --permutations a.orders --samples 0 2>&-")
    assert (code, out.split("\n")[1].split()[0]) == (0, "system")


def test_the_plain_locale_gets_escapes(tmp_path: Path) -> None:
    (tmp_path / "ä.orders").write_text("1 2 3\n2 1 3\n")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for line in (f"{SCORE} --format terminal".replace("a.orders b.orders", "*.orders"), "score --help"):
        code, out, err = shell(tmp_path, line, **plain)
        assert (code, err) == (0, "")
        assert "\\u" in out
