"""Promises about files and exit codes: whole or not there, never over an input, and what a failing command says.

What the tests are called says little; their docstrings are the sentences of docs/promises.md that they prove.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pytest

import wordorder
from running import run

Capture = pytest.CaptureFixture[str]

DEMO = Path(str(files("wordorder"))) / "data" / "demo"
PACKAGE = str(Path(wordorder.__file__).resolve().parents[1])

_TEXT = "--ref reference.txt --hyp good.txt monotone.txt --samples 10"
_JUDGED = "--judgements rankings.csv --pair de-en --ref reference.txt --hyp good.txt monotone.txt scrambled.txt"
_SET = "rankings.csv reference.txt good.txt monotone.txt scrambled.txt"
WRITING = (
    "score --permutations good.orders --samples 10 -o OUT",
    "score --permutations good.orders --samples 10 --segments OUT",
    f"score {_TEXT} --html OUT.html",
    f"score {_TEXT} --plot OUT.svg",
    "inspect '2 4 1 3' -o OUT",
    "inspect '2 4 1 3' --picture OUT.svg",
    "metrics -o OUT",
    "completion bash -o OUT",
    "align --source source.txt --target reference.txt --aligner model1 -o OUT.gz",
    "align --train-source source.txt --train-target reference.txt --aligner model1 --save OUT",
    f"find {_TEXT.removesuffix(' --samples 10')} --html OUT.html",
    f"patterns {_TEXT} --html OUT.html",
    "parse train english.mrg -o OUT",
    "profile reference.align --source source.txt --target reference.txt -o OUT",
    "profile reference.align --source source.txt --target reference.txt --write-buckets OUT",
    "preorder apply --parses source.conllu --rules german.rules -o OUT",
    "preorder reference --parses source.conllu --align reference.align -o OUT",
    f"metaeval {_JUDGED} --samples 10 -m kendall -o OUT",
    f"tune lr-kb4 --vary alpha=0:1 {_JUDGED} --samples 10 --save OUT",
    "nbest oracle dev.nbest.gz --ref reference.txt -m kendall -o OUT",
    "nbest mbr samples.nbest.gz -o OUT",
)
"""A command for every option that names a file to write."""


def words(command: str) -> list[str]:
    return shlex.split(command.replace("OUT", "out"))


def target(command: str) -> str:
    return next(word for word in words(command) if word.startswith("out"))


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(DEMO, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes, as on a disk that is full."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


@pytest.mark.parametrize("command", WRITING)
def test_temporary_name(command: str, demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """A result is written under a temporary name and renamed when it is complete."""
    renamed: list[tuple[str, str, bytes]] = []
    rename = os.replace

    def watch(source: str, to: str) -> None:
        renamed.append((os.path.basename(source), os.path.relpath(to), Path(source).read_bytes()))
        assert os.path.relpath(to) != target(command) or not os.path.exists(to)
        rename(source, to)

    monkeypatch.setattr(os, "replace", watch)
    found = run(capsys, *words(command))
    assert found.code == 0, found.err
    ((draft, written, complete),) = [each for each in renamed if each[1] == target(command)]
    assert re.fullmatch(r"\..*\.part", draft)
    assert complete == (demo / written).read_bytes() != b""


@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize("end", ["full disk", "Ctrl-C", "error"])
def test_as_it_was(end: str, command: str, demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """After an error, Ctrl-C, a full disk or a killed process, the file is left as it was before."""
    (demo / target(command)).write_text("as it was")
    before = content(demo)
    if end == "full disk":
        with full_disk(16):
            found = run(capsys, *words(command))
    else:

        def fail(*_: object) -> None:
            raise KeyboardInterrupt if end == "Ctrl-C" else OSError(5, "Input/output error", target(command))

        monkeypatch.setattr(os, "replace", fail)
        found = run(capsys, *words(command))
    assert content(demo) == before
    assert found.code == (130 if end == "Ctrl-C" else 1)
    assert found.err.splitlines()[-1].startswith("wordorder: ")
    assert "Traceback" not in found.err


@contextmanager
def started(folder: Path, command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command as a shell in the foreground would: it hears signals, and waits for standard input."""
    paths = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")]))

    def hear() -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-m", "wordorder", *words(command)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def draft_in(folder: Path, *, least: int = 0) -> Path:
    """Wait until a command has begun to write, and return its temporary file."""
    for _ in range(30_000):
        for path in folder.glob(".*.part"):
            if path.stat().st_size >= least:
                return path
        time.sleep(0.002)
    raise AssertionError("nothing was written for a minute")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGHUP, 129, "wordorder: hung up\n"),
        (signal.SIGINT, 130, "wordorder: interrupted\n"),
        (signal.SIGTERM, 143, "wordorder: terminated\n"),
    ],
)
def test_ended_by_a_signal(number: signal.Signals, code: int, said: str, demo: Path) -> None:
    """| 129, 130, 143 | the command was ended by a closed terminal, Ctrl-C or SIGTERM |
    After an error, Ctrl-C, a full disk or a killed process, the file is left as it was before."""
    (demo / "out").write_text("as it was")
    before = content(demo)
    with started(demo, "score --permutations - --samples 10 -o OUT") as process:
        draft_in(demo)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.decode()) == (code, b"", said)
    assert content(demo) == before


@pytest.mark.slow
def test_killed_while_writing(demo: Path) -> None:
    """After an error, Ctrl-C, a full disk or a killed process, the file is left as it was before.

    A process that is killed at once (SIGKILL, or a power failure) can leave its temporary file behind, whose name
    begins with a dot and ends in `.part`.
    """
    (demo / "out").write_text("as it was")
    (demo / "many.orders").write_text("2 1 3\n" * 200_000)
    before = content(demo)
    with started(demo, "score --permutations many.orders -m kendall --samples 0 --segments OUT") as process:
        left = draft_in(demo, least=1)
        process.kill()
        process.wait(timeout=60)
    after = content(demo)
    assert after.pop(left.name).startswith(b'{"system": "many.orders", "segment": 1')
    assert after == before


@pytest.mark.parametrize("command", [command for command in WRITING if re.search(r"\.\w", command)])
def test_never_an_input(command: str, demo: Path, capsys: Capture) -> None:
    """No command overwrites one of its own inputs."""
    inputs = [word for word in words(command) if (demo / word).is_file()]
    ending = Path(target(command)).suffix
    for place, path in enumerate(inputs):
        os.symlink(path, f"symbolic{place}{ending}")
        os.link(path, f"hard{place}{ending}")
    before = content(demo)
    for place, path in enumerate(inputs):
        for name in (path, f"./{path}", f"symbolic{place}{ending}", f"hard{place}{ending}"):
            if not name.endswith(ending):
                continue  # the ending says how to write
            arguments = [name if word == target(command) else word for word in words(command)]
            found = run(capsys, *arguments)
            assert (found.code, found.err.count("\n")) == (2, 1), (name, found.err)
            assert found.err.startswith(f"wordorder: {name}")
            assert content(demo) == before


@pytest.mark.parametrize(
    "command",
    [
        "score --ref reference.txt --hyp good=table.tsv:2 --samples 10 -o table.tsv",
        "score --hyp-align talp:gold.talp --ref-align talp:gold.talp --policy drop -o gold.talp --format tsv",
        "score --hyp-align A=talp:gold.talp --ref-align talp:gold.talp --policy drop -o out=gold.talp --format tsv",
        "nbest oracle moses:dev.nbest.gz --ref reference.txt -o dev.nbest.gz --format tsv",
        "nbest tune dev.nbest.gz --ref reference.txt --restarts 1 --test samples.nbest.gz --test-ref reference2.txt"
        " --save samples.nbest.gz",
        "nbest tune dev.nbest.gz --ref reference.txt --restarts 1 --test samples.nbest.gz --test-ref reference2.txt"
        " --save reference2.txt",
        f"metaeval --set de-en {_SET} --samples 10 -o good.txt",
        f"metaeval --set de-en {_SET} --samples 10 -o rankings.csv",
        "profile en-de -o en-de/en.conllu --format tsv",
        "metaeval --mtme mtme --pair de-en --human-score mqm --samples 10 -o mtme/sources/de-en.txt",
        "metaeval --mtme mtme --pair de-en --human-score mqm --samples 10 -o mtme/documents/de-en.docs --format tsv",
        "metaeval --mtme mtme --pair de-en --human-score mqm --samples 9 -o mtme/human-scores/de-en.mqm.seg.score"
        " --format tsv",
        "study check study -o study/items.jsonl --format tsv",
        "study analyse study --simulated -o study/simulated.jsonl --format tsv",
        "study simulate study --people 2 -o study/simulated.jsonl --format tsv",
        "scale score corpus --columns reference=target A=source --out more -o corpus/_job.json",
        "scale merge scores --rows scores/part-00000.parquet",
        "scale merge kept --columns source=kept/part-00000.parquet",
        "score --ref reference.txt --hyp a=b=good.txt --samples 10 -o b=good.txt",
    ],
)
def test_never_an_input_whatever_it_is_called(command: str, demo: Path, capsys: Capture) -> None:
    """No command overwrites one of its own inputs."""
    lines = (demo / "good.txt").read_text().splitlines()
    (demo / "table.tsv").write_text("".join(f"{number}\t{line}\n" for number, line in enumerate(lines)))
    shutil.copy("good.txt", "b=good.txt")
    if "out=" in command:
        os.symlink("gold.talp", "out=gold.talp")
    if command.startswith("study"):
        assert run(capsys, *words("study new prefer study --ref reference.txt --hyp good.txt monotone.txt")).code == 0
        assert run(capsys, *words("study simulate study --people 2")).code == 0
    if command.startswith("scale"):
        for made in (
            "scale import --columns source=source.txt target=reference.txt --out corpus",
            "scale score corpus --columns reference=target A=source --out scores",
            "scale align corpus --aligner model1 --out aligned",
            "scale filter aligned --keep 'kendall >= 0' --out kept",
        ):
            assert run(capsys, *words(made)).code == 0
    before = content(demo)
    found = run(capsys, *words(command))
    assert content(demo) == before
    assert (found.code, found.err.count("\n")) == (2, 1), found.err
    assert "an input of this command" in found.err


@pytest.mark.parametrize(
    "command",
    [
        f"score {_TEXT} -o OUT --segments OUT",
        f"score {_TEXT} -o OUT --segments ./OUT",
        f"score {_TEXT} -o OUT.html --html link.html",
        f"score {_TEXT} -o - --segments -",
        "align --source source.txt --target reference.txt --aligner model1 -o OUT --save OUT",
    ],
)
def test_two_results_in_one_file(command: str, demo: Path, capsys: Capture) -> None:
    """Two results of a command never go into the same file."""
    os.symlink("out.html", "link.html")
    before = content(demo)
    found = run(capsys, *words(command))
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert re.match(r"wordorder: (-|(\./)?out|link\.html): two results cannot be", found.err), found.err
    assert content(demo) == before


def test_any_number_of_results_may_go_to_dev_null(demo: Path, capsys: Capture) -> None:
    """Two results of a command never go into the same file."""
    assert run(capsys, *words(f"score {_TEXT} -o /dev/null --segments /dev/null")).code == 0


def test_code_0(demo: Path, capsys: Capture) -> None:
    """| 0 | everything went well |"""
    for arguments in (
        ["metrics", "pef"],
        ["--version"],
        ["score", "--help"],
        ["score", "--permutations", "good.orders"],
    ):
        assert run(capsys, *arguments).code == 0


WRONG = (
    "score --permutations BAD",
    "score --ref reference.txt --hyp BAD",
    "score --ref BAD --hyp good.txt",
    "score --hyp-align BAD --ref-align reference.align --source source.txt",
    "score --ref reference.txt --hyp good.txt --align-model BAD --order source --source source.txt",
    "score --ref reference.txt --hyp good.txt --grammar BAD -m edpm",
    "score --ref reference.txt --hyp good.txt --given x=BAD",
    "find --source BAD --ref reference.txt --hyp good.txt",
    "align --source BAD --target reference.txt",
    "align --align good.align --gold BAD",
    "parse train BAD -o out",
    "parse --parser BAD reference.txt",
    "profile BAD",
    "preorder evaluate --parses BAD --align reference.align --rules r1",
    "preorder apply --parses source.conllu --rules BAD",
    "metaeval --judgements BAD --pair de-en --ref reference.txt --hyp good.txt monotone.txt",
    "tune full --vary alpha=0:1 --judgements BAD --pair de-en --ref reference.txt --hyp good.txt monotone.txt",
    "nbest oracle BAD --ref reference.txt",
    "nbest rerank dev.nbest.gz --weights BAD",
)


@pytest.mark.parametrize("command", WRONG)
@pytest.mark.parametrize("kind", ["bytes", "words"])
def test_code_1(kind: str, command: str, demo: Path, capsys: Capture) -> None:
    """| 1 | the content of a file is wrong, or the work failed |
    A mistake in your input never causes a traceback: you get one line on standard error with the file, its line if it
    has lines, and what was found or expected."""
    (demo / "BAD").write_bytes(
        b"fine words\n\xff\xfe\x00 x\n" if kind == "bytes" else b"some words\nthat fit nowhere\n" * 3
    )
    if "--align-model" in command:
        expected = "BAD: not "  # an archive has no lines
    elif kind == "words" and re.search("--(source|hyp|ref) BAD", command):
        expected = "(the inputs differ in length: .*)?BAD has 6"  # texts, of which no line is wrong
    else:
        expected = "BAD:[12]: .*(expected|found|is not)"
    found = run(capsys, *shlex.split(command), "-q")
    assert found.code == 1, found.err
    assert re.match(rf"wordorder: {expected}", found.err), found.err
    assert found.err.count("\n") == 1
    assert found.out == ""
    assert not (demo / "out").is_file()


@pytest.mark.parametrize(
    "command",
    [
        "score --ref LONG --hyp good.txt",
        "score --ref reference.txt --hyp LONG",
        "score --ref CHARACTERS --hyp good.txt --tokenize char",
        "score --ref reference.txt --hyp good.txt --source LONG --order source --aligner model1",
        "score --permutations ORDERS",
        "score --hyp-align LINKS --ref-align reference.align",
        "find --ref reference.txt --hyp LONG",
        "align --source source.txt --target LONG --aligner model1",
        "parse --grammar en.grammar LONG",
        "profile reference.align --source source.txt --target LONG",
        "nbest oracle LISTS --ref reference.txt",
    ],
)
def test_a_long_sentence(command: str, demo: Path, capsys: Capture) -> None:
    """| one sentence | 65,536 words |"""
    made = {
        "LONG": ("a " * 65_536, 16),
        "CHARACTERS": ("語" * 65_536, 16),
        "ORDERS": (" ".join(map(str, range(1, 65_537))), 16),
        "LINKS": ("0-0 65535-65535", 16),
        "LISTS": ("0 ||| " + "a " * 65_536, 1),
    }
    (name,) = [name for name in made if name in command]
    line, count = made[name]
    ending = " ||| f= 1 ||| 1\n" if name == "LISTS" else "\n"
    if "grammar" in command:
        assert run(capsys, *words("parse train english.mrg -o en.grammar")).code == 0
    longer = {"ORDERS": " 65537", "LINKS": " 65536-0"}.get(name, line[-2:])
    (demo / name).write_text((line + longer + ending) * count, encoding="utf-8")
    found = run(capsys, *words(command), "-q")
    assert (found.code, found.err.count("\n")) == (1, 1), found.err
    assert re.match(rf"wordorder: {name}:1: .*exceeds the maximum (sentence )?length", found.err), found.err


def test_a_sentence_that_is_not_too_long(demo: Path, capsys: Capture) -> None:
    """| one sentence | 65,536 words |"""
    (demo / "long").write_text("a " * 65_536 + "\n")
    assert run(capsys, *words("score --ref long --hyp long -m f1 --samples 0")).code == 0


def test_code_3(demo: Path, capsys: Capture) -> None:
    """| 3 | the result is written, but a system fails a gate (`score --fail-under`, `--fail-if-worse`) |"""
    for gate in ("--fail-under kendall=1", "--fail-if-worse --baseline good"):
        found = run(capsys, *f"score --ref reference.txt --hyp good.txt scrambled.txt -m kendall -o out {gate}".split())
        assert (found.code, found.out) == (3, "")
        assert "scrambled" in found.err
        assert len(found.err.splitlines()) == 1
        assert "scrambled" in (demo / "out").read_text()


@pytest.mark.parametrize("command", WRONG)
def test_code_2(command: str, demo: Path, capsys: Capture) -> None:
    """| 2 | the arguments are wrong, a metric is unknown, or a file is missing |"""
    for arguments, named in (
        (shlex.split(command), "BAD"),
        ([*shlex.split(command), "--oddity"], "--oddity"),
        (["score", "--permutations", "good.orders", "-m", "kendal"], "did you mean 'kendall'?"),
    ):
        found = run(capsys, *arguments)
        assert (found.code, found.out, found.err.count("\n")) == (2, "", 1), found.err
        assert named in found.err
    assert not (demo / "out").exists()


@pytest.mark.parametrize(
    "command",
    [
        "score --ref reference.txt --hyp missing good.txt --given c=theirs -m given:c",
        "score --ref missing:2 --hyp good.txt",
        f"metaeval {_JUDGED.replace('good.txt', 'missing')} --samples 10",
        f"metaeval {_JUDGED.replace('good.txt', 'missing')} --agreement",
    ],
)
def test_code_2_even_if_more_is_wrong(command: str, demo: Path, capsys: Capture) -> None:
    """| 2 | the arguments are wrong, a metric is unknown, or a file is missing |"""
    found = run(capsys, *words(command))
    assert (found.code, found.out) == (2, "")
    assert re.fullmatch(r"wordorder: missing(:2)?: no such file\n", found.err)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_head(demo: Path) -> None:
    """A closed pipe (`| head`) is not an error."""
    (demo / "many.orders").write_text("2 1 3\n" * 20_000)
    command = "score --permutations many.orders -m kendall --samples 0 --segments -"
    line = f"{sys.executable} -m wordorder {command} | head -1; echo ${{PIPESTATUS[0]}}"
    paths = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=demo,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    first, code = done.stdout.splitlines()
    assert '"segment": 1' in first
    assert code == "0"


@pytest.mark.parametrize("command", [command for command in WRITING if "OUT." in command])
def test_a_full_disk_is_named(command: str, demo: Path, capsys: Capture) -> None:
    """A mistake in your input never causes a traceback: you get one line on standard error with the file, its
    line if it has lines, and what was found or expected."""
    with full_disk(16):
        found = run(capsys, *words(command), "-q")
    assert found.err.startswith(f"wordorder: {target(command)}: ")
    assert found.err.count("\n") == 1
