"""``wordorder align``: links alone on standard output, models that come back, judgement, one-line errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from wordorder.cli.main import main
from wordorder.formats import pharaoh
from wordorder.linking.aligning import METHODS

SOURCE = ["La casa verde", "la casa", "una casa grande", "el perro verde", "un perro", "la puerta grande"] * 2
TARGET = ["The green house", "the house", "a big house", "the green dog", "a dog", "the big door"] * 2

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder that has a small parallel text; give exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    Path("s").write_text("\n".join(SOURCE) + "\n")
    Path("t").write_text("\n".join(TARGET) + "\n")
    Path("st").write_text("".join(f"{one} ||| {two}\n" for one, two in zip(SOURCE, TARGET, strict=True)))

    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(["align", *arguments])
        except SystemExit as stopped:  # argparse's own complaints
            code = int(stopped.code or 0)
        out, err = capfd.readouterr()
        return code, out, err

    return call


TEXT = ("--source", "s", "--target", "t")


def links_of(text: str) -> list[set[tuple[int, int]]]:
    return [{(int(s), int(t)) for s, t in (link.split("-") for link in line.split())} for line in text.splitlines()]


# --- links ---------------------------------------------------------------------------------------------------------


def test_links_and_nothing_else_go_to_standard_output(run: Run) -> None:
    code, out, err = run(*TEXT)
    assert (code, err) == (0, "")
    found = links_of(out)
    assert len(found) == len(SOURCE)
    assert {(0, 0), (1, 2), (2, 1)} == found[0]
    assert {(0, 0), (1, 1)} == found[1]


def test_output_goes_to_a_file_as_it_would_to_standard_output(run: Run) -> None:
    _, printed, _ = run(*TEXT)
    assert run(*TEXT, "-o", "out") == (0, "", "")
    assert Path("out").read_text() == printed
    assert run(*TEXT, "-o", "-") == (0, printed, "")
    assert run(*TEXT, "-o", "out.gz") == (0, "", "")
    assert [set(row.links) for row in pharaoh.read("out.gz")] == links_of(printed)


def test_parallel_text_in_one_file_is_the_same_text(run: Run) -> None:
    assert run("--bitext", "st") == run(*TEXT)


@pytest.mark.parametrize("model", ["model1", "diagonal", "hmm"])
def test_every_model_for_any_number_of_threads(run: Run, model: str) -> None:
    code, out, err = run(*TEXT, "--aligner", model)
    assert (code, err) == (0, "")
    assert run(*TEXT, "--aligner", model, "--threads", "2")[1] == out
    assert run(*TEXT, "--aligner", model, "--threads", "0")[1] == out


def test_every_symmetrisation(run: Run) -> None:
    run("--train-source", "s", "--train-target", "t", "--save", "model")
    found = {}
    for method in METHODS:
        code, out, err = run(*TEXT, "--align-model", "model", "--symmetrise", method)
        assert (code, err) == (0, "")
        found[method] = links_of(out)
    for row, common in enumerate(found["intersection"]):
        assert common == found["forward"][row] & found["backward"][row]
        assert found["union"][row] == found["forward"][row] | found["backward"][row]
        assert common <= found["grow-diag"][row] <= found["grow-diag-final"][row] <= found["union"][row]


def test_iterations_change_the_model(run: Run) -> None:
    posteriors = {run(*TEXT, "--iterations", count, "--posteriors")[1] for count in ("1", "5")}
    assert len(posteriors) == 2


def test_case_is_ignored_unless_it_is_kept(run: Run) -> None:
    Path("loud").write_text("\n".join(line.upper() for line in TARGET) + "\n")
    quiet, loud = run(*TEXT, "--posteriors"), run("--source", "s", "--target", "loud", "--posteriors")
    assert loud == quiet
    assert run("--source", "s", "--target", "loud", "--posteriors", "--keep-case")[1] != quiet[1]


def test_text_is_split_at_blanks_unless_a_tokeniser_is_named(run: Run) -> None:
    Path("s").write_text("la casa, verde\nla casa\n")
    Path("t").write_text("the house, green\nthe house\n")

    def widest(*options: str) -> int:
        return max(source for row in links_of(run(*TEXT, *options)[1]) for source, _ in row)

    assert widest() == 2
    assert widest("--tokenize", "13a") == 3


def test_training_text_is_learnt_from(run: Run) -> None:
    Path("one.s").write_text("la puerta verde\n")
    Path("one.t").write_text("the green door\n")
    code, out, _ = run("--source", "one.s", "--target", "one.t", "--train-source", "s", "--train-target", "t")
    assert (code, links_of(out)) == (0, [{(0, 0), (1, 2), (2, 1)}])


def test_posteriors_are_links_with_probabilities(run: Run) -> None:
    code, out, err = run(*TEXT, "--posteriors", "-o", "-")
    assert (code, err) == (0, "")
    Path("p").write_text(out)
    column = pharaoh.read("p")
    assert column.probability is not None
    assert 0 < column.probability.min() < column.probability.max() <= 1
    best = [set(row.links) for row in column]
    assert all(row <= found for row, found in zip(links_of(run(*TEXT)[1]), best, strict=True))


def test_empty_lines_and_a_single_sentence_are_fine(run: Run) -> None:
    Path("s").write_text("la casa\n\n\nla\n")
    Path("t").write_text("\nthe\n\nthe\n")
    code, out, err = run(*TEXT)
    assert (code, err) == (0, "")
    assert out.split("\n")[:3] == ["", "", ""]
    assert len(out.splitlines()) == 4


# --- models ---------------------------------------------------------------------------------------------------------


def test_a_saved_model_gives_the_same_links(run: Run) -> None:
    code, out, err = run(*TEXT, "--save", "model")
    assert (code, err) == (0, "")
    assert run(*TEXT, "--align-model", "model") == (0, out, "")
    assert run(*TEXT, "--align-model", "model", "--posteriors") == run(*TEXT, "--posteriors")
    assert run("--train-source", "s", "--train-target", "t", "--save", "other") == (0, "", "")
    assert run(*TEXT, "--align-model", "other") == (0, out, "")
    assert Path("model").read_bytes() == Path("other").read_bytes()


def test_a_model_meets_words_it_has_never_seen(run: Run) -> None:
    run(*TEXT, "--save", "model", "-o", "out")
    Path("new.s").write_text("ni idea de nada\n")
    Path("new.t").write_text("no idea of anything\n")
    code, out, err = run("--source", "new.s", "--target", "new.t", "--align-model", "model")
    assert (code, err, len(out.splitlines())) == (0, "", 1)


# --- judging --------------------------------------------------------------------------------------------------------

LINKS = "0-0 1-1\n0-0\n\n"
GOLD = {"pharaoh": "0-0 1?1 1-2\n0-1\n\n", "talp": "1-1 2p2 2-3\n1-2\n\n", "naacl": "1 1 1\n1 2 2 P\n1 2 3 S\n2 1 2\n"}
# A has three links, two of them at least possible, one of three sure ones.
EXPECTED = {"precision": 2 / 3, "recall": 1 / 3, "aer": 1 - 3 / 6, "links": 3, "sure": 3, "sentences": 3}


@pytest.mark.parametrize("format", GOLD)
def test_links_people_have_are_judged(run: Run, format: str) -> None:
    Path("links").write_text(LINKS)
    Path("gold").write_text(GOLD[format])
    judge = ("--align", "links", "--gold", "gold", "--gold-format", format)
    code, out, err = run(*judge, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == pytest.approx(EXPECTED)
    assert run(*judge, "--format", "tsv")[1].splitlines()[0] == "precision\trecall\taer\tlinks\tsure\tsentences"
    assert "0.667   0.333  0.500" in run(*judge, "--format", "table")[1]


def test_talp_is_the_default_of_gold_files(run: Run) -> None:
    Path("links").write_text(LINKS)
    Path("gold").write_text(GOLD["talp"])
    assert json.loads(run("--align", "links", "--gold", "gold", "--json")[1]) == pytest.approx(EXPECTED)


def test_bases_are_chosen_for_each_file(run: Run) -> None:
    Path("links").write_text("1-1 2-2\n1-1\n\n")
    Path("gold").write_text("0-0 1p1 1-2\n0-1\n\n")
    code, out, _ = run("--align", "links", "--base", "1", "--gold", "gold", "--gold-base", "0", "--json")
    assert (code, json.loads(out)) == (0, pytest.approx(EXPECTED))
    code, out, err = run("--align", "talp:links", "--gold", "gold")
    assert (code, out) == (1, "")
    assert "gold:1: index 0 in a 1-based file; use --gold-base 0 if it counts from 0" in err


def test_links_may_be_numbered_ones_too(run: Run) -> None:
    Path("links").write_text("1 1 1\n1 2 2\n2 1 1\n")
    Path("gold").write_text(GOLD["talp"])
    code, out, _ = run("--align", "links", "--align-format", "naacl", "--gold", "gold", "--json")
    assert (code, json.loads(out)) == (0, pytest.approx(EXPECTED))


def test_aligned_text_is_judged_and_not_printed(run: Run) -> None:
    Path("gold").write_text("1-1 2-3 3-2\n1-1 2-2\n1-1 2-3 3-2\n1-1 2-3 3-2\n1-1 2-2\n1-1 2-3 3-2\n" * 2)
    code, out, err = run(*TEXT, "--gold", "gold", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["aer"] < 0.1
    code, again, _ = run(*TEXT, "--gold", "gold", "--json", "-o", "out")
    assert (code, again) == (0, out)
    assert len(Path("out").read_text().splitlines()) == len(SOURCE)


@pytest.mark.parametrize("form", ["--json", "--format=tsv"])
def test_the_judgement_does_not_mix_with_links_on_standard_output(run: Run, form: str) -> None:
    Path("gold").write_text("1-1\n" * len(SOURCE))
    plain = run(*TEXT)[1]
    code, out, err = run(*TEXT, "--gold", "gold", "-o", "-", form)
    assert (code, out) == (0, plain)
    assert "precision" in err


# --- what is wrong is told in one line ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (),
            "nothing to align; give --source and --target, or --bitext (or, to train a model, training text and "
            "--save)",
        ),
        (("--source", "s"), "--source and --target must be given together"),
        (("--bitext", "st", "--source", "s", "--target", "t"), "--bitext contains both sides; leave out --source"),
        ((*TEXT, "--train-source", "s"), "give both --train-source and --train-target"),
        ((*TEXT, "--align-model", "m", "--save", "n"), "--align-model uses a model unchanged"),
        (
            (*TEXT, "--align-model", "m", "--train-source", "s", "--train-target", "t"),
            "--align-model uses a model unchanged",
        ),
        (("--align", "a"), "--align requires --gold, because it evaluates existing links"),
        (("--align", "a", "--gold", "g", *TEXT), "--align evaluates existing links"),
        (("--align", "a", "--gold", "g", "--save", "m"), "--align evaluates existing links"),
        (("--align", "a", "--gold", "g", "-o", "out"), "--align only evaluates links"),
        (("--train-source", "s", "--train-target", "t"), "nothing to align"),
        (("--train-source", "s", "--train-target", "t", "--save", "m", "-o", "x"), "no text to align; -o"),
        ((*TEXT, "--aligner", "hhm"), "unknown alignment model 'hhm'; did you mean 'hmm'? (valid: model1, diagonal"),
        ((*TEXT, "--symmetrise", "grow"), "unknown symmetrisation 'grow'"),
        ((*TEXT, "--iterations", "0"), "iterations must be at least 1, not 0"),
        ((*TEXT, "--threads", "-1"), "threads must be 0 (all cores) or more, not -1"),
        ((*TEXT, "--tokenize", "14a"), "unknown tokenizer '14a'"),
        (("--source", "s", "--target", "nowhere"), "nowhere: no such file"),
        ((*TEXT, "--align-model", "nowhere"), "nowhere: no such file"),
        ((*TEXT, "--gold", "nowhere"), "nowhere: no such file"),
        ((*TEXT, "-o", "no/folder/out"), "no/folder/out: there is no folder no/folder"),
        ((*TEXT, "--save", "no/folder/model"), "no/folder/model: there is no folder no/folder"),
        ((*TEXT, "--gold", "s", "--gold-format", "tulp"), "unknown alignment format 'tulp'; did you mean 'talp'?"),
        ((*TEXT, "--gold-base", "2"), "--gold-base: unknown value '2' (valid: 0, 1)"),
        ((*TEXT, "--no-such-option"), "unknown option --no-such-option"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("wordorder")
    assert message in err
    assert err.count("\n") == 1


def test_bad_content_is_one_line_and_exit_code_1(run: Run) -> None:
    Path("short").write_text("one line\n")
    Path("empty").write_text("")
    Path("latin").write_bytes("caf\u00e9\n".encode("latin-1"))
    Path("gold").write_text("1-1\n" * len(SOURCE) + "1-1\n")
    Path("far").write_text("1-1\n9-9\n" + "\n" * (len(SOURCE) - 2))
    cases = {
        ("--source", "s", "--target", "short"): "s has 12 lines, but short has 1",
        (*TEXT, "--train-source", "short", "--train-target", "t"): "short has 1 line, but t has 12",
        ("--source", "s", "--target", "empty"): "empty:1: the file is empty; expected one sentence per line",
        ("--source", "s", "--target", "latin"): "latin:1: byte 0xe9 at position 4 is not UTF-8",
        ("--bitext", "s"): "s:1: 'La casa verde' has 0 separators; expected 'source ||| target'",
        (*TEXT, "--align-model", "s"): "s: not an alignment model made by wordorder, or the file is damaged",
        (*TEXT, "--gold", "gold"): "gold:13: one sentence too many: lengths are given for 12 source sentences",
        (*TEXT, "--gold", "far"): "far:2: link 9-9 is out of range: the source sentence has 2 words",
        (*TEXT, "--gold", "s"): "s:1: expected links like '1-1 2-3', found 'La'",
        (
            "--align",
            "talp:far",
            "--gold",
            "gold",
        ): "gold: expected 12 gold alignments, one for each alignment, found 13",
    }
    for arguments, message in cases.items():
        code, out, err = run(*arguments)
        assert (code, out) == (1, ""), arguments
        assert message in err
        assert err.count("\n") == 1


def test_a_failure_leaves_what_was_there(run: Run) -> None:
    for name in ("out", "model"):
        Path(name).write_text("what was there\n")
    Path("gold").write_text("1-1\n")
    assert run(*TEXT, "--gold", "gold", "-o", "out", "--save", "model")[0] == 1
    assert run("--source", "s", "--target", "nowhere", "-o", "out", "--save", "model")[0] == 2
    assert Path("out").read_text() == Path("model").read_text() == "what was there\n"
    assert sorted(path.name for path in Path().iterdir()) == ["gold", "model", "out", "s", "st", "t"]


def test_help_tells_models_methods_and_examples(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    shown = " ".join(out.split()).replace("- ", "-")
    for word in (*METHODS, "model1", "diagonal", "hmm", "eflomal", "talp", "wordorder align --align"):
        assert word in shown, word


# --- real data -----------------------------------------------------------------------------------------------------


@pytest.mark.realdata
@pytest.mark.parametrize(("pair", "aer"), [("enfr", 0.041), ("roen", 0.207), ("zhen", 0.133)])
def test_the_output_of_a_neural_aligner_is_trivial_to_use(run: Run, shared: Path, pair: str, aer: float) -> None:
    folder = shared / "data" / "gold-align"
    judge = ("--align", f"{folder}/{pair}.awesome-align.out", "--gold", f"{folder}/{pair}.gold")
    code, out, err = run(*judge, "--json")
    assert (code, err) == (0, "")
    assert round(json.loads(out)["aer"], 3) == aer


def test_every_file_may_name_its_format(run: Run) -> None:
    Path("links").write_text("x |0-0| y |1-1|\nz |0-0|\nw |0-0|\n")
    Path("gold").write_text("1-1 2p2 2-3\n1-2\n\n")
    together = run("--align", "moses:links", "--gold", "talp:gold", "--json")
    assert together[0] == 0
    assert run("--align", "links", "--align-format", "moses", "--gold", "gold", "--json")[1] == together[1]
    Path("numbered").write_text("1 1 1\n1 2 2\n2 1 1\n")
    code, out, _ = run("--align", "naacl:numbered", "--gold", "talp:gold", "--json")
    assert (code, json.loads(out)["sentences"]) == (0, 3)
    code, _, err = run("--align", "talp:links", "--gold", "talp:gold")
    assert (code, "links:1: expected links like '1-1 2-3', found 'x'" in err) == (1, True)


def test_text_and_gold_in_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["a b c\tx y z\t0-0 1-1", "a\tx\t0-0", "b\ty\t0-0", "c\tz\t0-0"] * 2
    (tmp_path / "gold.tsv").write_text("\n".join(rows))
    asked = ["align", "--gold", f"xl-wa:{tmp_path}/gold.tsv", "--aligner", "model1", "--json"]
    assert main(asked) == 0
    whole = json.loads(capsys.readouterr().out)
    assert main([*asked, "--partial"]) == 0
    partial = json.loads(capsys.readouterr().out)
    assert (whole["sure"], whole["links"], whole["recall"]) == (10, 12, 1.0)
    assert (partial["links"], partial["precision"]) == (10, 1.0)  # nobody annotated the third word of the first pair
