"""Promises about what a command does beside its work: nothing, as a watched run of one command of every kind shows.

The run has no network, its own home, cache and temporary folder, and an audit hook that notes whatever Python opens,
connects to, starts or unpickles.
"""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import wordorder
from running import run
from wordorder.core.text.tokenizers import tokenise, tokenizer_names
from wordorder.core.text.tokens import lines_of

pytestmark = pytest.mark.slow

Capture = pytest.CaptureFixture[str]

DEMO = Path(str(files("wordorder"))) / "data" / "demo"
PACKAGE = Path(wordorder.__file__).resolve().parent

_TEXT = "--ref reference.txt --hyp good.txt monotone.txt"
_JUDGED = "--judgements rankings.csv --pair de-en --ref reference.txt --hyp good.txt monotone.txt scrambled.txt"
TOUR = {
    f"score {_TEXT} -m all --segments segments.jsonl --html score.html --json": "segments.jsonl score.html",
    f"score {_TEXT} --samples 10 -m kendall,pef --plot score.svg -o scores.tsv": "score.svg scores.tsv",
    f"score {_TEXT} --samples 10 -m kendall,pef --plot chart.html -o chart.tsv": "chart.html chart.tsv",
    "score --ref zh-en/reference.txt --hyp zh-en/reference.txt -m kendall --samples 0 --json": "",
    "inspect '2 4 5 6 1 3' --json --picture order.svg": "order.svg",
    "metrics --json": "",
    "align --source source.txt --target reference.txt -o made.align --save de-en.model": "made.align de-en.model",
    "align --align made.align --gold gold.talp --json": "",
    f"find --source source.txt {_TEXT} --align-model de-en.model --html find.html --json": "find.html",
    "parse train english.mrg -o en.grammar": "en.grammar",
    "parse train source.conllu -o de.parser": "de.parser",
    f"score {_TEXT} --grammar en.grammar --metrics edpm,bleu --samples 10 --json": "",
    f"patterns {_TEXT} --html patterns.html --json": "patterns.html",
    "monotone --source source.txt --hyp good.txt --ref reference.txt --align-model de-en.model --json": "",
    "profile reference.align --source source.txt --target reference.txt --html profile.html --json": "profile.html",
    "preorder evaluate --parses source.conllu --align reference.align --samples 10 --rules r1 learned --json": "",
    "preorder apply --parses source.conllu --rules german.rules -o reordered.txt": "reordered.txt",
    f"metaeval {_JUDGED} --samples 10 --json": "",
    f"tune lr-kb4 --vary alpha=0:1 {_JUDGED} --samples 10 --restarts 1 --save tuned --json": "tuned",
    "nbest oracle dev.nbest.gz --ref reference.txt --json": "",
    "nbest tune dev.nbest.gz --ref reference.txt --restarts 1 --json": "",
    "nbest mbr samples.nbest.gz -o best.txt": "best.txt",
    "scale import --columns ref=reference.txt A=good.txt --out corpus": "corpus",
    "scale score corpus --columns reference=ref A=A --out kept --workers 2 --json": "kept",
    "study new rate study --ref reference.txt --hyp A=good.txt": "study",
    "study simulate study --people 3 --json": "study",
    "demo --json": "",
    "completion bash": "",
}
"""A command of every kind, and what it may write besides standard output."""

WATCH = """
import json, os, shlex, sys
commands = json.loads(sys.argv[1])
seen = []
here = os.getpid()
KEPT = ("socket.connect", "socket.getaddrinfo", "socket.bind", "socket.gethostbyname", "os.system",
        "subprocess.Popen", "os.exec", "os.posix_spawn", "pickle.find_class", "urllib.Request", "webbrowser.open")
def watch(event, arguments):
    if event in KEPT and os.getpid() == here:
        frame, callers = sys._getframe(), []
        while frame is not None:
            callers.append(frame.f_globals.get("__name__", ""))
            frame = frame.f_back
        seen.append((event, repr(arguments)[:200], callers))
sys.addaudithook(watch)
import contextlib, io
from wordorder.cli.main import main
found = []
for command in commands:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*shlex.split(command), "-q"])
    made = sorted(name for name in os.listdir("."))
    found.append((command, code, out.getvalue(), err.getvalue(), made))
with open(sys.argv[2], "w") as file:
    json.dump({"found": found, "seen": seen}, file)
"""


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder, with its size and time."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run every command of the tour in one watched process, without a network where the system allows that."""
    place = tmp_path_factory.mktemp("tour")
    shutil.copytree(DEMO, place / "demo")
    for name in ("home", "tmp", "cache"):
        (place / name).mkdir()
    paths = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "SACREBLEU", "DASK"))},
        "PYTHONPATH": paths,
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "WORDORDER_CACHE": str(place / "cache"),
        "NUMBA_DISABLE_JIT": "1",
    }
    without = ["unshare", "--net"]
    alone = (
        shutil.which("unshare") and subprocess.run([*without, "true"], capture_output=True, check=False).returncode == 0
    )
    before, package = tree(place), tree(PACKAGE)
    subprocess.run(
        [*(without if alone else []), sys.executable, "-c", WATCH, json.dumps(list(TOUR)), str(place / "record")],
        cwd=place / "demo",
        env=environment,
        check=True,
        timeout=300,
    )
    record: dict[str, Any] = json.loads((place / "record").read_text())
    after = tree(place)
    record["place"] = place
    record["written"] = {name for name in after if after[name] != before.get(name)} - {"record"}
    record["gone"] = before.keys() - after.keys()
    record["package"] = {name for name, state in tree(PACKAGE).items() if state != package.get(name)}
    return record


def test_every_command_is_in_the_tour(tour: dict[str, Any]) -> None:
    """| 0 | everything went well |"""
    from wordorder.cli.main import COMMANDS

    assert {command.split()[0] for command in TOUR} | {"smt"} == set(COMMANDS)
    assert [(command, err) for command, code, _, err, _ in tour["found"] if code != 0] == []


def test_streams(tour: dict[str, Any]) -> None:
    """Results go to standard output, and everything else to standard error; `-q` leaves only errors."""
    for command, _, out, err, _ in tour["found"]:
        assert err == ""
        if command.endswith("--json"):
            json.loads(out)
        elif re.search(r" -o ", command) and "--save" not in command:
            assert out == "" or command.startswith("parse train")


@pytest.mark.filterwarnings("default")
def test_notes_do_not_mix_with_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Results go to standard output, and everything else to standard error; `-q` leaves only errors."""
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("a b c\n" * 40)
    Path("hyp").write_text("x y z\n" * 40)
    loud = run(capsys, "score", "--ref", "ref", "--hyp", "hyp", "--references", "closest", "--json", "--samples", "0")
    assert "note: --references is now called" in loud.err
    assert "warning: " in loud.err
    loud.json()
    quiet = run(
        capsys, "score", "--ref", "ref", "--hyp", "hyp", "--references", "closest", "--json", "--samples", "0", "-q"
    )
    assert (quiet.out, quiet.err) == (loud.out, "")
    wrong = run(capsys, "score", "--ref", "ref", "--hyp", "none", "-q")
    assert wrong.err == "wordorder: none: no such file\n"


def test_no_network(tour: dict[str, Any]) -> None:
    """Nothing about you or your work is collected or sent, and nothing is looked up online. A command opens a
    connection only if you ask for it:"""
    network = [each[:2] for each in tour["seen"] if each[0].startswith(("socket.", "urllib.", "webbrowser."))]
    assert [
        each for each in network if not re.search(r"'/tmp|'\\\\x00|/tour", each[1])
    ] == []  # sockets between processes


def test_nothing_is_executed(tour: dict[str, Any]) -> None:
    """Nothing in a file is executed. Models are plain arrays, never pickles; conditions and rules have a language of
    their own."""
    names = {name for event, name, callers in tour["seen"] if event == "pickle.find_class" and _of_ours(callers)}
    assert names == set()
    assert [each[:2] for each in tour["seen"] if each[0] in ("os.system", "os.exec") and _of_ours(each[2])] == []
    ours = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    assert re.findall(r"(?<![\w.])(?:eval|exec)\(|allow_pickle=True|yaml\.load|marshal\.|joblib", ours) == []


def _of_ours(callers: list[str]) -> bool:
    """Whether a module of wordorder that reads files is among the callers: not numba, nor the start of processes."""
    nearest = next((name for name in callers if name.startswith("wordorder.")), "")
    started = any(name.startswith(("multiprocessing", "numba", "concurrent")) for name in callers)
    return nearest != "" and not started


def test_where_files_are_written(tour: dict[str, Any]) -> None:
    """Files are written where you say, and to three more places: the cache (`$WORDORDER_CACHE`, or the user's cache
    folder), which can be deleted at any time, the system's temporary folder, and, for compiled code, the
    `__pycache__` folders of the package (where these cannot be written, numba's own cache folder)."""
    said = {name for names in TOUR.values() for name in names.split()}
    others = {name for name in tour["written"] if not name.startswith(("cache/", "tmp/"))}
    assert {name for name in others if Path(name).parts[1] not in said} == set()
    assert said <= {Path(name).parts[1] for name in others}
    assert tour["gone"] == set()
    assert {name for name in tour["package"] if "__pycache__" not in name} == set()
    assert [name for name in tour["written"] if name.startswith("tmp/")] == []  # cleared, too
    assert any(name.startswith("cache/") for name in tour["written"])


@pytest.mark.parametrize("writable", [True, False])
def test_where_compiled_code_is_written(writable: bool, tmp_path: Path) -> None:
    """Files are written where you say, and to three more places: the cache (`$WORDORDER_CACHE`, or the user's cache
    folder), which can be deleted at any time, the system's temporary folder, and, for compiled code, the
    `__pycache__` folders of the package (where these cannot be written, numba's own cache folder)."""
    package = tmp_path / "lib" / "wordorder"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    if not writable:  # a file stands where the folder would be, since the superuser can write to any folder
        for folder in [package, *filter(Path.is_dir, package.rglob("*"))]:
            (folder / "__pycache__").touch()
    before = tree(tmp_path)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NUMBA_"))},
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(tmp_path),
        "NUMBA_DISABLE_JIT": "0",
    }
    command = [sys.executable, "-m", "wordorder", "inspect", "2 4 1 3", "-m", "kendall"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    written = set(tree(tmp_path)) - set(before)
    compiled = {name for name in written if name.endswith((".nbi", ".nbc"))}
    assert compiled
    assert {name for name in compiled if ("__pycache__/" in name) != writable} == set()
    assert {name for name in written if not name.startswith(("lib/", ".cache/"))} == set()


def test_the_cache_can_be_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Files are written where you say, and to three more places: the cache (`$WORDORDER_CACHE`, or the user's cache
    folder), which can be deleted at any time, the system's temporary folder, and, for compiled code, the
    `__pycache__` folders of the package (where these cannot be written, numba's own cache folder)."""
    shutil.copytree(DEMO, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    assert run(capsys, "parse", "train", "english.mrg", "-o", "en.grammar").code == 0
    outputs = []
    for _ in range(2):
        outputs.append(run(capsys, *shlex.split(f"score {_TEXT} --grammar en.grammar -m edpm --samples 5 --json")).out)
        assert any(path.is_file() for path in (tmp_path / "cache").rglob("*"))
        shutil.rmtree(tmp_path / "cache")
    assert outputs[0] == outputs[1] != ""


LOADING = re.compile(
    rb"""<(?:script|img|iframe|audio|video|source|embed)[^>]*\ssrc\s*=|<link\b|<object\b|@import|url\((?!["']?(?:data:|\#))"""
    rb"""|\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\(|importScripts"""
)


def test_pages_load_nothing(tour: dict[str, Any]) -> None:
    """The pages that wordorder writes (`--html`, `--plot …html`) load nothing from anywhere else."""
    chart, *pages = sorted((tour["place"] / "demo").glob("*.html"))
    text = chart.read_text(encoding="utf-8")
    assert LOADING.findall(re.sub(r"(<script[^>]*>).*?</script>", r"\1", text, flags=re.DOTALL).encode()) == []
    (drawn,) = re.findall(r"const spec = (.*);\n", text)
    assert '"values": [' in drawn
    assert '"url"' not in drawn  # Vega can load data, but only what a chart names
    assert [page.name for page in pages] == ["find.html", "patterns.html", "profile.html", "score.html"]
    for page in pages:
        assert [found[0] for found in LOADING.finditer(page.read_bytes())] == []
        text = html.unescape(page.read_text(encoding="utf-8"))
        assert "<script" not in text or "default-src 'none'" in text


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tokenisers_that_download(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """| `--tokenize spm`, `spBLEU-1K`, `flores101` or `flores200` | sacreBLEU downloads the model for this tokeniser,
    once, to a folder of its own (`$SACREBLEU`, or `~/.sacrebleu`) |"""
    import types

    spm = pytest.importorskip("sacrebleu.tokenizers.tokenizer_spm")
    asked: list[str] = []

    class Processor:
        def Load(self, path: str) -> None:
            assert path.startswith(str(tmp_path))

        def EncodeAsPieces(self, line: str) -> list[str]:
            return line.split()

    def download(url: str, path: str) -> None:
        asked.append(url)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(b"")

    monkeypatch.setitem(sys.modules, "sentencepiece", types.SimpleNamespace(SentencePieceProcessor=Processor))
    monkeypatch.setattr(spm, "download_file", download)
    monkeypatch.setattr(spm, "SACREBLEU_DIR", str(tmp_path))
    downloading = {"spm", "spBLEU-1K", "flores101", "flores200"}
    assert downloading <= set(tokenizer_names())
    for name in tokenizer_names():
        if name in ("ja-mecab", "ko-mecab"):
            continue
        for time in (1, 2):
            tokenise([lines_of(["a b"])], tokenizer=name)
            if time == 1:
                before = len(asked)
        assert len(asked) == before
    assert len(asked) == 3  # spm and flores101 share one
