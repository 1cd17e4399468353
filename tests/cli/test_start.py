"""The command line as a process of its own: pipes, terminals, full disks, and what it loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import wordorder
from running import write_files

pytestmark = pytest.mark.slow

PACKAGE = str(Path(wordorder.__file__).resolve().parents[1])


def environment(**more: str) -> dict[str, str]:
    paths = [PACKAGE, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path), **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "wordorder", *arguments]


def start(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command(*arguments), cwd=folder, env=environment(**more), capture_output=True, check=False, timeout=300
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(
        tmp_path,
        {
            "a.orders": "1 2 3\n2 1 3\n\n3 1 2\n",
            "b.orders": "1 2 3\n2 2 3\n",
            "many.orders": "2 1 3\n" * 3000,
            "A.txt": "the cat sat\nä b c\n",
            "ref.txt": "sat the cat\nä b c\n",
        },
    )
    return tmp_path


LOADED = """
import json
import sys
from wordorder.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded(folder: Path, *arguments: str) -> tuple[str, set[str]]:
    """Run a command as users do, compiling nothing small; return what it prints, and which modules it has imported."""
    found = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        cwd=folder,
        env=environment(NUMBA_DISABLE_JIT=""),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return found.stdout, set(json.loads(found.stderr))


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"], []])
def test_help_loads_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    printed, modules = loaded(tmp_path, *arguments)
    assert not modules & {"numba", "llvmlite", "pyarrow", "scipy", "pandas", "sacrebleu", "rich"}
    assert printed.startswith(("usage: wordorder", "wordorder "))


@pytest.mark.parametrize(
    ("line", "others"),
    [
        ("find --ref ref.txt --hyp A.txt", ""),
        ("patterns --ref ref.txt --hyp A.txt", ""),
        ("monotone --hyp-align links --ref-align links --source ref.txt", ""),
        ("align --source ref.txt --target A.txt", "rich scipy sqlite3 zipfile wordorder.linking.aligning.eflomal"),
        ("profile links --source ref.txt --target A.txt", "numpy.ma sqlite3 wordorder.linking.aligning.training"),
        (
            "metaeval --ref ref.txt --probe move --amounts 1,2 --samples 10",
            "scipy wordorder.apps.metaeval.coefficients",
        ),
        ("nbest oracle lists --ref ref.txt", ""),
        ("demo", "importlib.readers zipfile"),
    ],
)
def test_two_sentences_load_no_large_library(line: str, others: str, folder: Path) -> None:
    lists = "0 ||| sat the cat ||| lm: -1 ||| -1\n1 ||| b a c ||| lm: -1 ||| -1\n"
    write_files(folder, {"links": "0-1 1-2 2-0\n0-0 1-1 2-2\n", "lists": lists})
    printed, modules = loaded(folder, *line.split(), "-q")
    assert not modules & {"numba", "pandas", "sacrebleu", "scipy.special", "scipy.stats", *others.split()}
    assert printed


def test_scores_of_alignments_and_their_table_load_no_library_of_texts_and_terminals(folder: Path) -> None:
    write_files(folder, {"links": "0-1 1-2 2-0\n0-0 1-1 2-2\n"})
    line = ("score", "--hyp-align", "links", "--ref-align", "links", "--source", "ref.txt", "-q")
    printed, modules = loaded(folder, *line)
    assert not modules & {"pyarrow", "rich.console"}
    assert printed


ENDING = """
import atexit
import sys
import threading
import time
from wordorder.cli import start
atexit.register(print, "the end")
if sys.argv.pop(1) == "thread":
    threading.Thread(target=lambda: (time.sleep(0.5), print("a thread"))).start()
start.main()
"""


@pytest.mark.parametrize(("thread", "printed"), [("none", []), ("thread", ["a thread"])])
def test_the_end_waits_for_threads_and_runs_exit_handlers(thread: str, printed: list[str], folder: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", ENDING, thread, "score", "--permutations", "b.orders"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (found.returncode, found.stdout.splitlines()) == (1, [*printed, "the end"])


def test_a_pipe_gets_a_table_and_the_exit_code_tells(folder: Path) -> None:
    found = start(folder, "score", "--permutations", "a.orders", "--samples", "10")
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.splitlines()[1].startswith(b"system    kendall-sqrt")
    found = start(folder, "score", "--permutations", "a.orders", "--samples", "10", "--format", "tsv")
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.startswith(b"system\tkendall-sqrt\thamming\tfuzzy\tpef\t")
    found = start(folder, "score", "--permutations", "b.orders")
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"wordorder: b.orders:2: not a permutation of 3 words: 2 appears twice and 1 is missing\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes of a POSIX system")
@pytest.mark.parametrize("shape", [("--format", "table"), ("--segments", "-")])
def test_a_reader_that_goes_away_ends_it_quietly(shape: tuple[str, str], folder: Path) -> None:
    """What ``| head -1`` does: read a line, close the pipe."""
    with subprocess.Popen(
        command("score", "--permutations", "many.orders", "--samples", "10", *shape),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        if shape[0] == "--segments":
            assert json.loads(process.stdout.readline())["segment"] == 1
        process.stdout.close()
        complaints = process.stderr.read()
        assert (process.wait(timeout=300), complaints) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("target", ["stdout", "segments"])
def test_a_full_disk_is_told_in_one_line(target: str, folder: Path) -> None:
    with open("/dev/full" if target == "stdout" else os.devnull, "wb") as output:
        extra = ("--segments", "/dev/full") if target == "segments" else ()
        found = subprocess.run(
            command("score", "--permutations", "a.orders", "--samples", "10", *extra),
            cwd=folder,
            env=environment(),
            stdout=output,
            stderr=subprocess.PIPE,
            check=False,
            timeout=300,
        )
    assert found.returncode == 1
    assert found.stderr.startswith(b"wordorder: ")
    assert b"No space left on device" in found.stderr
    assert found.stderr.count(b"\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no names for open files")
def test_texts_may_come_through_pipes(folder: Path) -> None:
    """The reference through standard input, the hypothesis as a shell's ``<(…)``: neither can be read twice."""
    files = start(folder, "score", "--hyp", "A=A.txt", "--ref", "ref.txt", "--samples", "10")
    out, into = os.pipe()
    os.write(into, (folder / "A.txt").read_bytes())
    os.close(into)
    piped = subprocess.run(
        command("score", "--hyp", f"A=/dev/fd/{out}", "--ref", "-", "--samples", "10"),
        cwd=folder,
        env=environment(),
        input=(folder / "ref.txt").read_bytes(),
        capture_output=True,
        check=False,
        pass_fds=[out],
        timeout=300,
    )
    os.close(out)
    assert (piped.returncode, piped.stderr, piped.stdout) == (0, b"", files.stdout)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no names for open files")
def test_a_reference_through_a_pipe_is_not_spent_on_a_look_at_its_script(folder: Path) -> None:
    out, into = os.pipe()
    os.write(into, (folder / "ref.txt").read_bytes())
    os.close(into)
    arguments = command("score", "--hyp", "A.txt", "--ref", f"/dev/fd/{out}", "--samples", "10")
    piped = subprocess.run(
        arguments, cwd=folder, env=environment(), capture_output=True, check=False, pass_fds=[out], timeout=300
    )
    os.close(out)
    assert (piped.returncode, piped.stderr) == (0, b"")


def test_a_terminal_without_utf8_sees_escapes_and_no_traceback(folder: Path) -> None:
    found = start(folder, "score", "--hyp", "A.txt", "--ref", "ref.txt", "--format", "table", PYTHONIOENCODING="ascii")
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"\\u2500" in found.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_a_file_name_may_be_any_bytes(folder: Path) -> None:
    odd = os.fsencode(folder) + b"/\xff.txt"
    with open(odd, "wb") as file:
        file.write((folder / "A.txt").read_bytes())
    found = subprocess.run(
        [*map(os.fsencode, command("score", "--ref", "ref.txt", "--segments", "out", "--json", "--hyp")), odd],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (found.returncode, found.stderr) == (0, b"")
    assert json.loads(found.stdout.decode("utf-8"))["systems"][0]["name"] == "\ufffd"
    assert json.loads((folder / "out").read_text(encoding="utf-8").splitlines()[0])["system"] == "\ufffd"


SCORED = """
import sys
import wordorder
wordorder.score(["the cat sat down", "it rained all day"], ["down sat the cat", "all day it rained"])
wordorder.score(["the cat sat down", "it rained all day"], ["down sat the cat", "all day it rained"])
print(sorted({"numba.np.linalg", "scipy.linalg", "sacrebleu", "rich"} & set(sys.modules)))
"""


def test_a_score_loads_no_linear_algebra(tmp_path: Path) -> None:
    """A kernel that takes the maximum of an array makes numba load it, which takes a quarter of a second."""
    for _ in range(2):  # compiling loads it; kernels from the cache must not
        found = subprocess.run(
            [sys.executable, "-c", SCORED], env=environment(), capture_output=True, text=True, check=True, timeout=300
        )
    assert found.stdout == "[]\n"
