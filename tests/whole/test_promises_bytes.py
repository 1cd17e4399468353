"""Promises about results: the same bytes every time, and signatures that say how a score came about."""

from __future__ import annotations

import gzip
import json
import shlex
import shutil
import tracemalloc
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import wordorder
from running import run

Capture = pytest.CaptureFixture[str]

DEMO = Path(str(files("wordorder"))) / "data" / "demo"

_TEXT = "--ref reference.txt --hyp good.txt monotone.txt scrambled.txt --samples 50"
_JUDGED = "--judgements rankings.csv --pair de-en --ref reference.txt --hyp good.txt monotone.txt scrambled.txt"
SEEDED = f"score {_TEXT} -m kendall,bleu"
COMMANDS = (
    f"score {_TEXT} -m all --segments -",
    f"score {_TEXT} --test randomisation --json",
    f"score {_TEXT} --source source.txt --order source --expected 2 --json",
    f"score {_TEXT} --grammar en.grammar -m edpm,bleu --json",
    "align --source source.txt --target reference.txt",
    f"find --source source.txt {_TEXT.removesuffix(' --samples 50')}",
    f"patterns {_TEXT} --source source.txt --source-tags source.conllu --all --json",
    "parse --grammar en.grammar reference.txt",
    "profile reference.align --source source.txt --target reference.txt --json",
    "preorder evaluate --parses source.conllu --align reference.align --rules r1 learned --least 2 --samples 50",
    f"metaeval {_JUDGED} --samples 50 --json",
    f"tune full --vary alpha=0:1 {_JUDGED} --samples 50 --json",
    "nbest tune dev.nbest.gz --ref reference.txt --restarts 1 --json",
    "nbest mbr samples.nbest.gz",
)


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    shutil.copytree(DEMO, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    assert run(capsys, "parse", "train", "english.mrg", "-o", "en.grammar").code == 0
    assert run(capsys, "parse", "train", "english.mrg", "--vertical", "1", "-o", "flat.grammar").code == 0
    return tmp_path / "demo"


@pytest.mark.parametrize("command", COMMANDS)
def test_same_bytes(command: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """The same input, options, seed and version give the same output, byte for byte, on the same kind of machine: for
    any number of threads or processes, and with or without a cache."""
    outputs = []
    threads = (
        "--threads"
        in run(capsys, *command.split()[: 2 if "preorder" in command or "nbest" in command else 1], "--help").out
    )
    for cache, number, day in (("cold", "1", 1.7e9), ("cold", "2", 1.8e9), ("another", "3", 1.9e9)):
        monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / cache))
        monkeypatch.setattr("time.time", lambda day=day: day)
        found = run(capsys, *shlex.split(command), *(["--threads", number] if threads else []))
        assert found.code == 0, found.err
        outputs.append(found.out)
    assert outputs[0] != ""
    assert outputs[0] == outputs[1] == outputs[2]


def test_same_bytes_of_processes(demo: Path, capsys: Capture) -> None:
    """The same input, options, seed and version give the same output, byte for byte, on the same kind of machine: for
    any number of threads or processes, and with or without a cache."""
    texts = {
        name: (demo / f"{text}.txt").read_text().splitlines() for name, text in (("ref", "reference"), ("A", "good"))
    }
    (demo / "corpus").mkdir()
    for part in range(4):
        rows = {name: lines[4 * part : 4 * part + 4] for name, lines in texts.items()}
        pq.write_table(pa.table(rows), demo / "corpus" / f"part-{part}.parquet")
    for workers in ("1", "2"):
        columns = ("--columns", "reference=ref", "A=A", "--samples", "20")
        found = run(capsys, "scale", "score", "corpus", *columns, "--out", f"s{workers}", "--workers", workers)
        assert found.code == 0, found.err
    one, two = ({path.name: path.read_bytes() for path in (demo / name).iterdir()} for name in ("s1", "s2"))
    assert len(one) == 5
    assert one == two


def test_seed(demo: Path, capsys: Capture) -> None:
    """The seed is 12345 unless you set another one."""
    plain, same, other = (run(capsys, *f"{SEEDED} --json {seed}".split()) for seed in ("", "--seed 12345", "--seed 1"))
    assert plain.out == same.out != other.out
    assert plain.json()["signature"]["seed"] == 12345


_ALIGNED = (
    "score --ref reference.txt --hyp good.txt scrambled.txt --source source.txt --order source -m order --samples 20"
)
_LINKS = "score --hyp-align scrambled.align --ref-align reference.align --source source.txt --samples 20"
_MATCHED = "score --ref reference.txt --hyp good.txt scrambled.txt -m order,pef,bleu,meteor --samples 20"
_PARSED = "score --ref reference.txt --hyp good.txt --grammar en.grammar -m edpm --samples 20"
_GIVEN = "score --ref-parses ref.nbest --hyp-parses good.nbest -m edpm --samples 20"
_ORDERED = "preorder evaluate --parses source.conllu --align reference.align --rules r1 learned --least 2 --samples 20"
_NBEST = "nbest oracle dev.nbest.gz --ref reference.txt -m kendall,bleu"

VARIED = [
    *((_MATCHED, more) for more in (
        "--tokenize char", "--match exact+stem", "--ref reference.txt reference2.txt", "--weight ref-length",
        "--ref reference.txt reference2.txt --reference-choice average", "--seed 7", "--samples 30", "--match first",
        "-m order,pef:beta=0.3,bleu", "--docs documents.txt --resample documents", "--samples 0",
        "--match exact+paraphrase --paraphrases one.gz", "--match exact+synonym --wordnet one",
    )),
    ("score --ref upper.txt --hyp good.txt -m bleu --samples 20", "--lowercase"),
    (f"{_MATCHED} --match exact+paraphrase --paraphrases one.gz", "--paraphrases two.gz"),
    (f"{_MATCHED} --match exact+synonym --wordnet one", "--wordnet two"),
    (f"{_MATCHED} --given x=one.scores -m given:x", f"{_MATCHED} --given x=two.scores -m given:x"),
    *((_ALIGNED, more) for more in (
        "--aligner model1", "--symmetrise union", "--policy drop", "--align-model de-en.model", "--expected 2",
        "--train-source train.de --train-target train.en", "--order matched",
    )),
    (f"{_ALIGNED} --align-model de-en.model", "--align-model other.model"),
    *((_LINKS, more) for more in ("--policy drop", "--policy talbot", "--order monotone")),
    *((_PARSED, more) for more in ("--grammar flat.grammar", "--tokenize char")),
    (_GIVEN, "--log-base e"),
    *((_ORDERED, more) for more in ("--policy drop", "--least 3", "--folds 3", "--learn-metric kendall")),
    *((f"metaeval {_JUDGED} --samples 20 -m pef,bleu", more) for more in (
        "--weight ref-length", "--match exact+stem", "--tokenize char", "--seed 3", "--resample judgements",
    )),
    *((_NBEST, more) for more in ("--tokenize char", "-m pef,bleu")),
    ("find --source source.txt --ref reference.txt --hyp scrambled.txt", "--aligner model1"),
]  # fmt: skip


def _resources(folder: Path, capsys: Capture) -> None:
    """Write what a signature names by a digest, in two versions each."""
    for name, pair in (("one", ("book", "car")), ("two", ("museum", "family"))):
        (folder / f"{name}.gz").write_bytes(gzip.compress(f"0.5\n{pair[0]}\n{pair[1]}\n0.5\nthe\nwas\n".encode()))
        (folder / name).mkdir()
        for part in ("noun", "verb", "adj", "adv"):
            line = f"{pair[0]} n 1 0 1 1 00000001\n{pair[1]} n 1 0 1 1 00000001\n" if part == "noun" else ""
            (folder / name / f"index.{part}").write_text(line)
            (folder / name / f"{part}.exc").write_text("")
    for name, scores in (("one", "0.1 0.5"), ("two", "0.3 0.2")):
        (folder / f"{name}.scores").write_text(
            "".join(f"{line}\n" * 16 for line in (f"good\t{scores[:3]}", f"scrambled\t{scores[4:]}"))
        )
    (folder / "upper.txt").write_text((folder / "reference.txt").read_text().upper())
    for name, source, target in (("de-en", "train.de", "train.en"), ("other", "source.txt", "reference.txt")):
        trained = run(capsys, "align", "--train-source", source, "--train-target", target, "--save", f"{name}.model")
        assert trained.code == 0, trained.err
    for name, text in (("ref", "reference.txt"), ("good", "good.txt")):
        assert run(capsys, "parse", "--grammar", "en.grammar", "--nbest", "3", text, "-o", f"{name}.nbest").code == 0


@pytest.mark.filterwarnings("default")
def test_signature(demo: Path, capsys: Capture) -> None:
    """Every score of translations or orders carries a signature with the version and everything else that determines
    it: the settings, and digests of models, training texts, lexical databases and tables of paraphrases."""
    _resources(demo, capsys)
    results: dict[str, tuple[object, object]] = {}

    def scored(command: str) -> tuple[object, object]:
        if command not in results:
            document = run(capsys, *command.split(), "--json", "-q").json()
            signature = document.pop("signature")
            assert wordorder.__version__ in json.dumps(signature) or document.get("version") in json.dumps(signature)
            results[command] = signature, {name: part for name, part in document.items() if name != "notes"}
        return results[command]

    silent, alike = [], []
    for command, more in VARIED:
        (one, before), (two, after) = (
            scored(command),
            scored(more if more.startswith("score") else f"{command} {more}"),
        )
        if one == two:
            silent.append(f"{command} {more}")
        if before == after:
            alike.append(f"{command} {more}")
    assert silent == []
    assert len(alike) <= len(VARIED) // 4, alike


@pytest.mark.slow
def test_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Texts are read in blocks, and scoring keeps only the statistics of each segment: memory [grows by a few hundred
    bytes](speed.md#sentence-pairs) for each segment of a system, however long the segment is. To compare systems,
    scoring also keeps the positions of the matched words. Commands that must hold a whole text, such as `align`, need
    more."""
    monkeypatch.chdir(tmp_path)
    short, long = "the old cat sat in the red house", " ".join(f"word{number}" for number in range(60))
    score = "score --ref text --hyp text -m kendall --samples 0 --no-cache -q --threads 1"
    align = "align --source text --target text --aligner model1 --iterations 1 -o out -q --threads 1"

    def grown(command: str, line: str) -> float:
        """Return how many bytes of memory a command takes for each further segment of its two texts."""
        peaks = []
        for blocks in (4, 4, 10):  # the first run compiles
            (tmp_path / "text").write_text(f"{line}\n" * 16_384 * blocks)
            tracemalloc.start()
            assert run(capsys, *command.split()).code == 0
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        return (peaks[2] - peaks[1]) / (6 * 16_384)

    assert grown(score, short) < 300
    assert grown(score, long) < 300
    assert grown(align, short) > 2 * grown(score, short)
