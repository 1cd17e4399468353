"""Options under other names: what other tools call them, what they used to be called, and what is nearly right."""

from __future__ import annotations

from pathlib import Path

import pytest

from running import run, write_files
from stable_names import leaves
from wordorder.cli.main import COMMANDS, build_parser
from wordorder.cli.names import ANSWERS, OLD, SPELLINGS, translate, unknown
from wordorder.core.text.tokenizers import tokenizer_names
from wordorder.scoring.options import TOKENIZERS

Capture = pytest.CaptureFixture[str]

FILES: dict[str, str | bytes] = {
    "A.txt": "the cat sat\na b c d e\nx y\n",
    "B.txt": "sat the cat\ne d c b a\nx y\n",
    "ref.txt": "the cat sat\na b c d e\nx y z\n",
    "ref2.txt": "The cat is sitting\na b c e d\nx\n",
    "a.align": "0-0 1-1 2-2\n1-0 0-1\n0-0\n",
}
TEXT = ("score", "--ref", "ref.txt", "--hyp", "A.txt", "B.txt", "--samples", "10")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("-m bleu chrf", "--metrics bleu,chrf"),
        ("-m BLEU chrF", "--metrics bleu,chrf"),
        ("-w 2", "--digits 2"),
        ("-w2", "--digits 2"),
        ("-w ref-length", "--weight ref-length"),
        ("--tokenizer char", "--tokenize char"),
        ("--tokenise=char", "--tokenize char"),
        ("--test randomization", "--test randomisation"),
        ("--paired-ar", "--test randomisation"),
        ("-pbs --paired-bs-n 20", "--test bootstrap --samples 20"),
        ("--lower_case", "--lowercase"),
    ],
)
def test_what_was_meant_is_done(typed: str, meant: str, capsys: Capture) -> None:
    found = run(capsys, *TEXT, *typed.split())
    assert (found.code, found.err) == (0, "")
    assert found.out == run(capsys, *TEXT, *meant.split()).out


def test_references_by_their_other_names(capsys: Capture) -> None:
    usual = ("score", "--hyp", "A.txt", "-m", "bleu", "--samples", "0", "--json")
    expected = run(capsys, *usual, "--ref", "ref.txt", "ref2.txt").json()
    for name in ("--reference", "--references"):
        found = run(capsys, *usual, name, "ref.txt", "ref2.txt")
        assert found.json() == expected
        assert found.err == ""
    found = run(capsys, *usual, "--ref", "ref.txt", "ref2.txt", "--references", "closest")
    assert found.json() == expected
    assert found.err == "wordorder: note: --references is now called --reference-choice\n"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("score --hpy a", "unknown option --hpy; did you mean --hyp?"),
        ("score --alignment a", "unknown option --alignment (see"),
        ("score --sampl 3", "unknown option --sampl; did you mean --samples?"),
        ("score -t wmt22", "unknown option -t; give test sets as files: --ref, --hyp and --source"),
        ("score -l de-en", "unknown option -l; languages need not be given"),
        ("score --metricks=bleu", "unknown option --metricks; did you mean --metrics?"),
        ("preorder evaluate --rule r1", "unknown option --rule; did you mean --rules?"),
        ("metrics --qqqq", "unknown option --qqqq"),
        ("demo stray", "unexpected argument 'stray'"),
    ],
)
def test_an_unknown_option_is_answered_by_its_own_command(typed: str, told: str, capsys: Capture) -> None:
    words = typed.split()
    command = " ".join(words[:2] if words[0] == "preorder" else words[:1])
    found = run(capsys, *words)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert found.err.startswith(f"wordorder {command}: {told}")
    assert found.err.endswith(f"(see wordorder {command} --help)\n")


def test_an_old_name_works_with_a_note(capsys: Capture) -> None:
    judged = ("--gold", "pharaoh:a.align", "--json")
    found = run(capsys, "align", "--align-file=a.align", *judged)
    assert found.json() == run(capsys, "align", "--align", "a.align", *judged).json()
    assert found.err == "wordorder: note: --align-file is now called --align\n"


def test_every_other_name_leads_to_an_option_and_is_none_itself() -> None:
    parser = build_parser()
    known = [set(leaf._option_string_actions) for leaf in leaves(parser)]
    for name, new in [*SPELLINGS.items(), *((old, new) for old, several in OLD.items() for new in several)]:
        assert any(new in options for options in known), f"{name}: no command has {new}"
        assert any(name not in options and new in options for options in known), f"{name} is taken everywhere"
    assert len(COMMANDS) <= len(known)
    assert all(answer for answer in ANSWERS.values())


def test_no_option_is_abbreviated() -> None:
    for leaf in leaves(build_parser()):
        options = set(leaf._option_string_actions)
        for option in options:
            shorter = option[:-1]
            if len(shorter) > 3 and shorter not in options and translate([shorter], options)[0][0] not in options:
                assert unknown([shorter], options), shorter


def test_values_are_not_taken_for_options() -> None:
    known = {"--weight", "--digits", "-m"}
    assert translate(["-w", "2", "--", "-w", "2"], known) == (["--digits", "2", "--", "-w", "2"], [])
    assert translate(["2 4 1 3", "a=b", "-1 2"], known) == (["2 4 1 3", "a=b", "-1 2"], [])
    assert unknown(["-5", "-", "-mbleu", "-1 2", "--", "--odd"], known) is None


def test_the_help_lists_every_tokeniser() -> None:
    listed = [name.strip().partition(" ")[0] for name in TOKENIZERS.split(",")]
    assert sorted(listed) == sorted(tokenizer_names())
