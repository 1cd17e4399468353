"""What texts and names contain does not control the terminal: a run of each kind of command on a real one."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from running import run, write_files

Capture = pytest.CaptureFixture[str]

TITLE, RED, TURNED, HIDDEN = "\x1b]0;title\x07", "\x9b31m", "\u202e", "\U000e0041\u200b"
WORDS = [f"a{TITLE}b", f"c{RED}d", f"e{TURNED}f{HIDDEN}g"]
TEXT = f"{' '.join(WORDS)}\n"
NAME = f"x{RED}{TURNED}"
HARMFUL = re.compile("\x1b\\]|\x07|\x9b|\u202e|\u200b|\U000e0041")
TREE = "".join(
    f"{row}\t{word}\t_\tVERB\tV{word}\t_\t{int(row > 1)}\t{'z' + word if row > 1 else 'root'}\t_\t_\n"
    for row, word in enumerate(WORDS, start=1)
)
BRACKETS = f"(S (A {WORDS[0]}) (B (C {WORDS[1]}) (D {WORDS[2]})))\n"
BLAME = ("preorder", "blame", "--parses", "tree.conllu", "--align", "links", "--rules", "r5")
SCORE = ("score", "--hyp", f"{NAME}=text", "--ref", "other", "-tok", "none", "-m", "kendall")
COMMANDS = [
    ("nbest", "rerank", "lists"),
    ("nbest", "mbr", "lists", "--utility", "bleu1", "--tokenize", "none"),
    ("preorder", "apply", "--parses", "tree.conllu", "--rules", "r5"),
    ("parse", "text", "--grammar", "grammar", "--tokenize", "none"),
    BLAME,
    (*BLAME, "--json"),
    SCORE,
    (*SCORE, "--json"),
    (*SCORE, "--worst", "1"),
    (*SCORE, "--format", "tsv"),
    ("score", "--hyp", f"{NAME}", "--ref", "other"),
    ("score", f"--{NAME}"),
    ("find", "--source", "text", "--hyp", f"{NAME}=text", "--ref", "other", "-tok", "none"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    other = f"{' '.join(WORDS[::-1])}\n"
    lists = f"0 ||| {TEXT[:-1]} ||| lm: -1 ||| -1\n0 ||| b ||| lm: -2 ||| -2\n"
    files = {"text": TEXT, "other": other, "lists": lists, "tree.conllu": f"{TREE}\n", "links": "0-2 1-1 2-0\n"}
    write_files(tmp_path, {**files, "trees": BRACKETS})
    assert run(capsys, "parse", "train", "trees", "-o", "grammar").code == 0


def on_terminal(*arguments: str) -> str:
    """Run ``wordorder`` on a terminal of its own and return what this gets."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "wordorder", *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 1 << 16):
                shown += piece
        except OSError:  # how a terminal ends on Linux
            pass
    os.close(ours)
    return shown.decode(errors="surrogateescape")


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(ascii, command)))
def test_nothing_in_a_text_or_a_name_controls_the_terminal(command: tuple[str, ...]) -> None:
    shown = on_terminal(*command)
    assert HARMFUL.search(shown) is None
    assert not shown.endswith("[0m")
    assert "31m" in shown.replace("\x1b[31m", "")  # what is left of it is shown


def test_a_pipe_gets_the_text_as_it_is(capsys: Capture) -> None:
    assert run(capsys, "nbest", "rerank", "lists").out == TEXT
    assert run(capsys, "nbest", "rerank", "lists", "-o", "chosen").code == 0
    assert Path("chosen").read_text(encoding="utf-8") == TEXT


def test_messages_show_escapes_wherever_they_go(capsys: Capture) -> None:
    found = run(capsys, *BLAME).err
    assert r"zc\x9b31md, ze\u202ef\U000e0041\u200bg" in found
    assert HARMFUL.search(found) is None
    assert run(capsys, "score", "--hyp", NAME, "--ref", "text").err == "wordorder: x\\x9b31m\\u202e: no such file\n"


def test_json_shows_escapes_wherever_it_goes(capsys: Capture) -> None:
    found = run(capsys, *SCORE, "--json")
    assert r'"x\u009b31m\u202e"' in found.out
    assert found.json()["systems"][0]["name"] == NAME
    assert HARMFUL.search(run(capsys, *SCORE, "--format", "json").out) is None
