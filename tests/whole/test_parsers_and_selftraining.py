"""``wordorder parse train`` on CoNLL-U, parsing with what it learned, and the loop of self-training."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import wordorder
from running import run, write_files
from wordorder.formats import conllu, parse_lists

pytestmark = pytest.mark.slow

Capture = pytest.CaptureFixture[str]
DEMO = Path(wordorder.__file__).parent / "data" / "demo"


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with demo data and a parser learned from them."""
    from wordorder.cli.main import main

    folder = tmp_path_factory.mktemp("parsers")
    for name in ("source.conllu", "source.txt", "reference.align", "german.rules", "english.mrg", "reference.txt"):
        shutil.copy(DEMO / name, folder / name)
    shutil.copy(DEMO / "good.txt", folder / "good.txt")
    assert main(["parse", "train", str(folder / "source.conllu"), "-o", str(folder / "de.parser"), "-q"]) == 0
    write_files(folder, {"gap.txt": "Der Hund schläft .\n\nJetzt .\n"})
    return folder


@pytest.fixture
def folder(learned: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(learned)
    monkeypatch.setenv("WORDORDER_CACHE", str(learned / "cache"))
    return learned


def test_training_says_what_was_learned(folder: Path, capsys: Capture) -> None:
    options = ["--beam", "1", "--tags", "given", "--passes", "2", "--caseless", "--seed", "7"]
    found = run(capsys, "parse", "train", "source.conllu", "-o", "given.parser", *options)
    assert (found.code, found.out) == (0, "")
    first = (folder / "given.parser").read_text().split("\n")
    assert "given.parser: 16 trees, 153 words" in found.err
    assert f"fingerprint {first[0].split()[2]}" in found.err
    settings = {"beam": 1, "tags": "given", "passes": 2, "caseless": True, "seed": 7}
    assert json.loads(first[1])["options"] == settings


def test_text_and_treebanks_are_parsed(folder: Path, capsys: Capture) -> None:
    text = run(capsys, "parse", "--parser", "de.parser", "--tokenize", "none", "source.txt")
    words = run(capsys, "parse", "--parser", "de.parser", "source.conllu", "--threads", "2")
    assert (text.code, text.out) == (0, words.out)
    write_files(folder, {"parsed.conllu": text.out, "bare.conllu": text.out.replace("\t0\troot", "\t_\t_")})
    assert len(conllu.read("parsed.conllu")) == 16
    for extra in ([], ["--tags", "given"], ["--beam", "2"]):
        found = run(capsys, "parse", "--parser", "de.parser", "bare.conllu", *extra)
        assert (found.code, found.out.count("# sent_id")) == (0, 16)


def test_empty_lines_keep_their_place_in_lists(folder: Path, capsys: Capture) -> None:
    options = ["--parser", "de.parser", "--nbest", "5", "gap.txt", "-o", "gap.conllu"]
    assert run(capsys, "parse", *options).code == 0
    lists = parse_lists.read_dependencies("gap.conllu")
    sizes = (lists.offsets[1:] - lists.offsets[:-1]).tolist()
    assert sizes[1] == 0
    assert 1 < sizes[0] <= 5


def test_a_parser_is_judged_by_gold_trees(folder: Path, capsys: Capture) -> None:
    found = run(capsys, "parse", "--parser", "de.parser", "--gold", "source.conllu", "--json").json()
    assert (found["sentences"], found["words"]) == (16, 153)
    assert found["LAS"] <= found["UAS"] <= 1
    assert found["UAS"] > 0.9


def test_metrics_of_dependencies_take_a_parser(folder: Path, capsys: Capture) -> None:
    options = ["--ref", "reference.txt", "--hyp", "good.txt", "--metrics", "dpm", "--samples", "0", "--json"]
    found = run(capsys, "score", *options, "--parser", "de.parser").json()
    assert found["signature"]["parses"].startswith("transition:")
    assert 0 < found["systems"][0]["scores"]["dpm"]["value"] < 1


def test_the_loop(folder: Path, capsys: Capture) -> None:
    reference = ["--align", "reference.align", "--rules", "german.rules", "--samples", "50"]
    source = ["--source", "source.txt", "--parser", "de.parser"]
    chosen = run(capsys, "preorder", "select", *source, "--nbest", "8", *reference, "-o", "chosen.conllu", "--json")
    rows = chosen.json()["scores"]
    assert rows[0]["parse"] == "likeliest parse"
    assert rows[1]["fuzzy"] >= rows[0]["fuzzy"]
    made = run(capsys, "parse", "train", "source.conllu", "chosen.conllu", "-o", "next.parser", "--passes", "3")
    assert "next.parser: 32 trees" in made.err
    parsers = ["--source", "source.conllu", "--parser", "before=de.parser", "next.parser", "--gold", "source.conllu"]
    found = run(capsys, "preorder", "evaluate", *parsers, *reference, "--json").json()
    assert [system["name"] for system in found["systems"]] == ["before+german", "next+german"]
    assert found["parsers"][0]["UAS"] > 0.9


def test_folds_of_self_training(folder: Path, capsys: Capture) -> None:
    options = ["--folds", "2", "--nbest", "4", "--passes", "2", "--samples", "50", "--json"]
    data = ["--gold", "source.conllu", "--align", "reference.align", "--rules", "german.rules"]
    found = run(capsys, "preorder", "selftrain", *data, *options).json()
    assert [system["name"] for system in found["systems"]] == [f"{row['parser']}+german" for row in found["parsers"]]
    assert [row["parser"] for row in found["parsers"]] == ["before", "self-trained", "targeted"]
    assert all(0 < row["UAS"] < 1 for row in found["parsers"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("parse source.txt", 2, "use --grammar, --parser or --spacy"),
        ("parse --parser none.parser source.txt", 2, "none.parser: no such file"),
        ("parse --parser source.txt source.txt", 1, "source.txt:1: not a parser file"),
        ("parse --parser de.parser --grammar x source.txt", 2, "--grammar and --parser cannot be combined"),
        ("parse --parser de.parser --parse-format nbest source.txt", 2, "a dependency parser produces no constituents"),
        ("parse --parser de.parser --tags given source.txt", 2, "but the text has none"),
        ("parse --parser de.parser --passes 3 source.txt", 2, "--passes: allowed only with 'wordorder parse train'"),
        ("parse --parser de.parser --beam 0 source.txt", 2, "must both be 1 or more, not 0"),
        ("parse --parser de.parser --gold english.mrg", 1, "english.mrg:1: expected 10 columns"),
        ("parse --grammar x --beam 4 source.txt", 2, "--beam: allowed only with dependency parsers (--parser)"),
        ("parse train source.conllu --vertical 2 -o x", 2, "--vertical: allowed only for learning grammars"),
        ("parse train english.mrg --caseless -o x", 2, "--caseless: allowed only for learning dependency parsers"),
        ("parse train source.conllu english.mrg -o x", 1, "english.mrg:1: expected 10 columns"),
        ("parse train source.conllu --parser de.parser -o x", 2, "'train' learns a new parser"),
        ("score --ref source.txt --hyp source.txt --parser de.parser -m bleu", 2, "no metric uses parses"),
        ("preorder select --align a --rules r1 -o x", 2, "give either --parses, or --source and --parser"),
        ("preorder select --parser de.parser --align a --rules r1 -o x", 2, "must be given together"),
        ("preorder evaluate --parser de.parser --align a --rules r1", 2, "add --source"),
        ("preorder selftrain --align reference.align --rules r1", 2, "give gold trees"),
        ("preorder selftrain --gold source.conllu --align reference.align --rules r1", 1, "at least 20 sentences"),
    ],
)
def test_mistakes(folder: Path, capsys: Capture, arguments: str, code: int, message: str) -> None:
    found = run(capsys, *arguments.split())
    assert (found.code, len(found.err.splitlines())) == (code, 1)
    assert message in found.err
    assert not (folder / "x").exists()
