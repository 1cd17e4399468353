"""``wordorder preorder`` and the commands below it, on files small enough to follow by hand."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from running import Outcome, run, write_files
from wordorder.apps.preorder import BUILT_IN, load_rules
from wordorder.formats import conllu

Capture = pytest.CaptureFixture[str]


def treebank(*sentences: str, comments: tuple[str, ...] = ()) -> str:
    """Write ``word/TAG/label/head`` as CoNLL-U."""
    text = ""
    for place, sentence in enumerate(sentences):
        if comments:
            text += comments[place]
        for number, token in enumerate(sentence.split(), start=1):
            word, tag, label, head = token.split("/")
            text += "\t".join([str(number), word, word.lower(), tag, "_", "_", head, label, "_", "_"]) + "\n"
        text += "\n"
    return text


EAT = "I/PRON/nsubj/2 eat/VERB/root/0 red/ADJ/amod/4 fish/NOUN/obj/2"
FLAT = "I/PRON/nsubj/2 eat/VERB/root/0 red/ADJ/obl/2 fish/NOUN/obj/2"
SEE = "you/PRON/nsubj/2 see/VERB/root/0 me/PRON/obj/2"
NOT = "they/PRON/nsubj/3 not/PART/advmod/3 sleep/VERB/root/0 now/ADV/advmod/3"
CROSSING = "a/DET/det/2 talk/NOUN/nsubj/3 began/VERB/root/0 of/ADP/case/5 it/PRON/nmod/2"


def parse_of(sentence: int, probability: float) -> str:
    return f"# sent_id = {sentence}\n# parse_prob = {probability}\n"


FILES: dict[str, str | bytes] = {
    "t.conllu": treebank(EAT, SEE, NOT),
    "u.conllu": treebank(FLAT, SEE, NOT),
    "a.align": "0-0 1-3 2-1 3-2\n0-0 1-2 2-1\n0-0 1-3 2-2 3-1\n",  # I red fish eat; you me see; they now sleep not
    "mine.rules": "# my own\nVERB -> nsubj, [other children], HEAD\n",
    "n.conllu": treebank(
        *(FLAT, EAT, SEE, NOT), comments=(parse_of(1, 0.5), parse_of(1, 0.4), parse_of(2, 0.9), "# sent_id = 3\n")
    ),
    "crossing.conllu": treebank(CROSSING),
    "source.txt": "I eat red fish\nyou see me\nthey not sleep now\n",
    "edited.orders": "I red fish eat\n{{ you me }} see\n\n",
    "missing.orders": "I eat red fish\nsee you\n\n",
    "cyclic.conllu": treebank(EAT, "a/X/dep/2 b/X/dep/1", NOT),
    "roots.conllu": treebank(EAT, "a/X/root/0 b/X/root/0", NOT),
    "other.conllu": treebank(EAT, SEE.replace("me", "us"), NOT),
    "fewer.conllu": treebank(EAT, SEE),
    "broken.conllu": "1\ta\n",
    "far.align": "0-0 1-3 2-1 3-2\n0-0 1-2 2-1 7-3\n0-0\n",
    "two.align": "0-0\n0-0\n",
    "four.align": "0-0\n0-0\n0-0\n0-0\n",
    "none.align": "\n\n\n",
    "label.rules": "# one\nVERB -> HEAD, [other children]\nNOUN -> nsbj, HEAD, [other children]\n",
    "latin.rules": 'ANY -> HEAD, [other children]("\xe4")'.encode("latin-1"),
    "no.rules": "# nothing\n",
    "r5.rules": "VERB -> [other children], HEAD\n",
    "empty": "",
    "trees.mrg": "( (S (NP (PRP I)) (VP (VBP eat) (NP (NN fish)))) )\n",
    "lists.nbest": (
        "2\tone\n-1\n(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN fish)))))\n"
        "-2\n(S1 (S (NP (PRP I)) (VP (VBP eat) (ADVP (RB fish)))))\n"
    ),
    "one.align": "0-0 1-2 2-1\n",
}
TREES = ("--parses", "t.conllu")
ALIGNED = (*TREES, "--align", "a.align")


@pytest.fixture
def preorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Preorder:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, FILES)
    return Preorder(capsys, tmp_path)


class Preorder:
    """Runs the commands in a folder with the files above."""

    def __init__(self, capsys: Capture, folder: Path) -> None:
        self.capsys = capsys
        self.folder = folder

    def __call__(self, *arguments: str) -> Outcome:
        return run(self.capsys, "preorder", *arguments)

    def tables(self, *arguments: str) -> list[list[list[str]]]:
        """Run, and give the TSV tables, which an empty line separates, without signature and notes."""
        found = self(*arguments, "--format", "tsv")
        assert found.code == 0, found.err
        blocks = [[line.split("\t") for line in block.splitlines()] for block in found.out.split("\n\n") if block]
        ends = [sum(name not in ("signature", "notes") for name in block[0]) for block in blocks]
        return [[line[:end] for line in block] for block, end in zip(blocks, ends, strict=True)]


# --- evaluate ------------------------------------------------------------------------------------------------------


def test_evaluate_as_data(preorder: Preorder) -> None:
    scores, pairs = preorder.tables(
        "evaluate", *ALIGNED, "--rules", "r1", "r5", "mine.rules", "-m", "fuzzy,kendall", "--samples", "50"
    )
    assert scores[0][:3] == ["system", "fuzzy", "kendall"]
    assert [row[0] for row in scores[1:]] == ["r5", "mine", "r1"]
    # r1: 1 4 2 3, 1 3 2 and 1 4 3 2; r5 is right; mine is wrong in "they not now sleep", 1 4 2 3
    fuzzy = [float(row[1]) for row in scores[1:]]
    assert fuzzy == pytest.approx([1, (1 + 1 + 1 / 3) / 3, (1 / 3 + 0 + 0) / 3])
    kendall = [float(row[2]) for row in scores[1:]]
    assert kendall == pytest.approx([1, (1 + 1 + 4 / 6) / 3, (4 / 6 + 2 / 3 + 3 / 6) / 3])
    assert pairs[0] == ["", "2", "3"]
    assert [row[0] for row in pairs[1:]] == [" 1 r5", " 2 mine"]


def test_the_table_and_json_give_the_same_p_values(preorder: Preorder) -> None:
    command = ("evaluate", *ALIGNED, "--rules", "r1", "r5", "mine.rules", "-m", "kendall", "--samples", "50")
    _, table = preorder.tables(*command)
    shown = {
        (row[0][3:], other): cell for row in table[1:] for other, cell in zip(("mine", "r1"), row[1:], strict=True)
    }
    found = preorder(*command, "--json").json()["pairs"]
    p_values = {(pair["a"], pair["b"]): f"{pair['p_corrected']:.3f}".removeprefix("0") for pair in found}
    assert p_values | {("mine", "mine"): ""} == shown


def test_evaluate_as_json_with_several_parsers_and_gold_trees(preorder: Preorder) -> None:
    found = preorder(
        *("evaluate", "--parses", "t.conllu", "B=u.conllu", "--align", "a.align", "--gold", "t.conllu"),
        *("--rules", "r5", "none=r1", "--samples", "20", "--json"),
    ).json()
    assert [system["name"] for system in found["systems"]] == ["t+r5", "t+none", "B+r5", "B+none"]
    assert found["systems"][0]["scores"]["fuzzy"]["value"] == 1.0
    assert found["signature"]["policy"] == "talbot"
    assert found["signature"]["instances"] == "words"
    assert found["signature"]["order"] == "preordered"
    assert len(found["pairs"]) == 6
    assert [(row["parser"], row["UAS"], row["crossing trees"]) for row in found["parsers"]] == [
        ("t", 1.0, 0),
        ("B", pytest.approx(10 / 11), 0),
    ]


def test_evaluate_learned_rules_and_write_segments(preorder: Preorder) -> None:
    (scores,) = preorder.tables(
        *("evaluate", *ALIGNED, "--rules", "learned", "--folds", "3", "--least", "1", "--samples", "0"),
        *("--segments", "out.jsonl", "-m", "fuzzy"),
    )
    assert scores[1][0] == "learned"
    lines = [json.loads(line) for line in (preorder.folder / "out.jsonl").read_text().splitlines()]
    assert len(lines) == 3
    assert float(scores[1][1]) == pytest.approx(sum(line["scores"]["fuzzy"] for line in lines) / 3)


def test_evaluate_against_edited_orders(preorder: Preorder) -> None:
    found = preorder(
        "evaluate", *TREES, "--reference", "edited.orders", "--rules", "r1", "-m", "fuzzy", "--json"
    ).json()
    # "you see me" against {you me} see: 1 3 2; the last sentence has no order
    score = found["systems"][0]["scores"]["fuzzy"]
    assert score["value"] == pytest.approx((1 / 3 + 0) / 2)
    assert (score["defined"], score["undefined"]) == (2, 1)


def test_sentences_without_links_are_undefined_not_zero(preorder: Preorder) -> None:
    for policy in ("talbot", "drop"):
        found = preorder(
            "evaluate", *TREES, "--align", "none.align", "--rules", "r1", "r2", "--policy", policy, "--json"
        ).json()
        assert {system["scores"]["fuzzy"]["value"] for system in found["systems"]} == {None}
        assert found["pairs"] == []  # nothing can be tested
    unaligned = (*TREES, "--align", "none.align", "--samples", "10")
    (scores,) = preorder.tables("evaluate", *unaligned, "--rules", "r1", "r2", "r3")  # no pairs can be compared
    assert [row[1] for row in scores[1:]] == ["", "", ""]
    losses = preorder("blame", *unaligned, "--rules", "r1", "--json").json()["losses"]
    assert {loss["lost to the parse"] for loss in losses} == {None}
    assert "the whole set: undefined" in preorder("blame", *unaligned, "--rules", "r1", "--format", "markdown").out
    chosen = preorder("select", "--parses", "n.conllu", "--align", "none.align", "--rules", "r1", "-o", "x", "--json")
    assert {row["fuzzy"] for row in chosen.json()["scores"]} == {None}


def test_sentences_without_words(preorder: Preorder) -> None:
    write_files(preorder.folder, {"e.conllu": "# text =\n\n", "e.align": "\n"})
    aligned = ("--parses", "e.conllu", "--align", "e.align", "--rules", "r5")
    for command in ("evaluate", "blame"):
        found = preorder(command, *aligned, "--json")
        assert found.code == 0
        assert found.err == ""
    assert preorder("apply", "--parses", "e.conllu", "--rules", "r5").out == "\n"
    assert preorder("reference", *aligned[:4]).out == "\n"


def test_instances_of_a_word(preorder: Preorder) -> None:
    (preorder.folder / "w.conllu").write_text(treebank("no/INTJ/discourse/2 no/VERB/root/0"))
    (preorder.folder / "w.align").write_text("0-1 1-0\n")
    for kind, expected in (("words", 1.0), ("positions", 0.0)):
        arguments = ("--parses", "w.conllu", "--align", "w.align", "--rules", "r1", "-m", "kendall")
        found = preorder("evaluate", *arguments, "--instances", kind, "--json").json()
        assert found["systems"][0]["scores"]["kendall"]["value"] == expected


def test_crossing_arcs_and_rules_of_another_scheme_are_told(preorder: Preorder) -> None:
    found = preorder("apply", "--parses", "crossing.conllu", "--rules", "r1")
    assert found.out == "a talk began of it\n"
    assert found.err == "wordorder: crossing: 1 of 1 trees have crossing arcs; 1 word is attached higher\n"
    found = preorder("apply", "--parses", "trees.mrg", "--parse-format", "brackets", "--rules", "r5")
    assert found.code == 0
    assert "warning: r5 names no label that" in found.err


# --- apply ---------------------------------------------------------------------------------------------------------


def test_apply(preorder: Preorder) -> None:
    assert preorder("apply", *TREES, "--rules", "r5").out == "I red fish eat\nyou me see\nthey now sleep not\n"
    assert preorder("apply", *TREES, "--rules", "r5", "--format", "orders").out == "1 3 4 2\n1 3 2\n1 4 3 2\n"
    assert preorder("apply", "--parses", "empty", "--rules", "r5").out == ""


def test_a_word_with_a_blank_stays_one_word(preorder: Preorder) -> None:
    text = "1\t10 000\t_\tNUM\t_\t_\t2\tnummod\t_\t_\n2\tcats\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n# text =\n\n"
    (preorder.folder / "w.conllu").write_text(text)
    assert preorder("apply", "--parses", "w.conllu", "--rules", "r2").out == "cats 10\u00a0000\n\n"


def test_apply_to_lists_takes_the_likeliest_parse(preorder: Preorder) -> None:
    (preorder.folder / "final.rules").write_text("tags VBP\nlabels NP/VP\nVBP -> [other children], HEAD\n")
    found = preorder("apply", "--parses", "lists.nbest", "--parse-format", "nbest", "--rules", "final.rules")
    assert found.out == "I fish eat\n"


# --- blame ---------------------------------------------------------------------------------------------------------


def test_blame(preorder: Preorder) -> None:
    command = ("blame", *ALIGNED, "--rules", "mine.rules", "--samples", "20", "--top", "2", "--worst", "1")
    losses, rules, words, tags, labels = preorder.tables(*command)
    assert losses[0][:5] == ["metric", "rules", "best order of the tree", "lost to rules", "lost to the parse"]
    assert rules[1][:4] == ["2", "VERB", "3", "3"]
    assert words[1][:3] == ["not", "1", "1"]
    assert len(words) == 2
    assert tags[1][:3] == ["PART", "1", "1"]
    assert labels[1][:3] == ["advmod", "1", "2"]
    found = preorder(*command)
    assert found.code == 0
    assert found.out.split("\n\n")[5].splitlines() == [
        "sentence 3  fuzzy 0.333",
        "  source     they not sleep now",
        "  rules      they not now sleep",
        "  reference  they now sleep not",
    ]


def test_blame_as_json_under_groups_of_metrics_and_without_samples(preorder: Preorder) -> None:
    found = preorder("blame", *ALIGNED, "--rules", "r1", "-m", "order", "--samples", "0", "--json").json()
    assert list(found) == ["losses", "rules", "words", "tags", "labels", "notes"]
    assert list(found["notes"]) == ["losses", "rules", "words", "tags", "labels"]
    assert found["notes"]["rules"][0].startswith("gain in kendall against the set without the rule")
    assert found["losses"][0]["metric"] == "kendall"
    assert found["losses"][0]["lost to the parse"] == 0.0
    assert found["rules"] == [{"line": 3, "rule for": "ANY", "heads": 4, "reordered": 0, "gain": 0.0}]


# --- learn ---------------------------------------------------------------------------------------------------------


def test_learn(preorder: Preorder) -> None:
    (scores,) = preorder.tables(
        *("learn", *ALIGNED, "-o", "new.rules", "--folds", "3", "--least", "1", "--samples", "0"),
        *("--beside", "r1", "mine.rules", "-m", "fuzzy"),
    )
    assert [row[0] for row in scores[1:]] == ["mine", "learned", "r1"]
    text = (preorder.folder / "new.rules").read_text()
    assert text.startswith(
        f"# learned from 3 sentences (judge it on others); fuzzy {float(scores[2][1]):.3f} in 3-fold cross-validation\n"
    )
    assert load_rules("new.rules").name == "new"
    # the rules fit what they were learned from
    found = preorder("evaluate", *ALIGNED, "--rules", "new.rules", "-m", "fuzzy", "--json").json()
    assert found["systems"][0]["scores"]["fuzzy"]["value"] == 1.0


def test_learn_as_json_alone(preorder: Preorder) -> None:
    found = preorder(
        *("learn", *ALIGNED, "-o", "new.rules", "--folds", "2", "--least", "1", "--samples", "10", "--beside", "--json")
    ).json()
    assert [system["name"] for system in found["systems"]] == ["learned"]


# --- select --------------------------------------------------------------------------------------------------------


def test_select(preorder: Preorder) -> None:
    (scores,) = preorder.tables(
        *("select", "--parses", "n.conllu", "--align", "a.align", "--rules", "r5", "-o", "new.conllu"),
        *("--gold", "t.conllu", "--samples", "0"),
    )
    # obl before obj: both parses give "I red fish eat", so the likeliest stays
    assert scores[0] == ["parse", "fuzzy", "kendall", "UAS", "LAS", "LAS without subtypes", "part of speech"]
    assert [row[:2] for row in scores[1:]] == [["likeliest parse", "1.0"], ["chosen parse", "1.0"]]
    found = preorder(
        *("select", "--parses", "n.conllu", "--align", "a.align", "--rules", "r3", "-o", "new.conllu", "--json"),
        *("--gold", "t.conllu", "--by", "kendall", "--samples", "0"),
    ).json()
    assert [row["parse"] for row in found["scores"]] == ["likeliest parse", "chosen parse"]
    sentences = list(conllu.read_sentences(preorder.folder / "new.conllu"))
    assert [sentence.comment("sent_id") for sentence in sentences] == ["1", "2", "3"]
    assert [row[2] for row in sentences[0].rows] == ["i", "eat", "red", "fish"]  # lemmas and all


def test_select_another_parse(preorder: Preorder) -> None:
    # wanted "fish red eat I": with children reversed before the head, the flat parse alone gives it
    (preorder.folder / "x.align").write_text("0-3 1-2 2-1 3-0\n0-0 1-2 2-1\n0-0\n")
    (preorder.folder / "x.rules").write_text(
        "VERB -> obj|obl reversed, HEAD, nsubj, [other children]\nNOUN -> [other children], HEAD\n"
    )
    text = treebank(EAT, FLAT, SEE, NOT, comments=(parse_of(1, 0.5), parse_of(1, 0.4), "", ""))
    (preorder.folder / "x.conllu").write_text(text)
    found = preorder(
        *("select", "--parses", "x.conllu", "--align", "x.align", "--rules", "x.rules", "-o", "new.conllu"),
        *("--format", "markdown"),
    )
    assert "1 of 3 sentences get a parse other than the likeliest (on average, number 2.0 in the list)" in found.out
    assert conllu.read("new.conllu")[0].labels == ("nsubj", "root", "obl", "obj")


def test_select_from_a_pipe_and_from_brackets(preorder: Preorder, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(str(FILES["n.conllu"]).encode())

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", Input())
    found = preorder("select", "--parses", "-", "--align", "a.align", "--rules", "r5", "-o", "new.conllu")
    assert found.code == 0, found.err
    assert len(conllu.read("new.conllu")) == 3
    found = preorder(
        *("select", "--parses", "lists.nbest", "--parse-format", "nbest", "--align", "one.align"),
        *("--rules", "r4", "-o", "new.mrg"),
    )
    assert found.code == 0, found.err
    assert (preorder.folder / "new.mrg").read_text() == "(ROOT (S (NP (PRP I)) (VP (VBP eat) (NP (NN fish)))))\n"


# --- reference and rules -------------------------------------------------------------------------------------------


def test_reference_orders_are_written_and_read_back(preorder: Preorder) -> None:
    assert preorder("reference", *ALIGNED).out == "I red fish eat\nyou me see\nthey now sleep not\n"
    assert preorder("reference", *ALIGNED, "-o", "new.orders").out == ""
    by_align = preorder("evaluate", *ALIGNED, "--rules", "r1", "r5", "--json").json()
    by_orders = preorder("evaluate", *TREES, "--reference", "new.orders", "--rules", "r1", "r5", "--json").json()
    assert by_align["systems"] == by_orders["systems"]


def test_the_annotation_is_checked(preorder: Preorder) -> None:
    found = preorder("reference", *TREES, "--align", "none.align", "--check", "--report", "out.txt", "--json").json()
    assert found["findings"][0]["finding"] == "unaligned source word"
    report = (preorder.folder / "out.txt").read_text()
    assert report.count("is unaligned") + report.count("is a pronoun and not translated") == 11


def test_pronouns_and_particles_are_checked_by_tag(preorder: Preorder) -> None:
    # Talbot et al. 2011, §3.1
    options = ("reference", *TREES, "--align", "none.align", "--check", "--json")
    kinds = [row["finding"] for row in preorder(*options).json()["findings"]]
    assert "untranslated pronoun" in kinds
    assert "particle apart from its word" not in kinds
    kinds = [row["finding"] for row in preorder(*options, "--pronoun-pos", "").json()["findings"]]
    assert "untranslated pronoun" not in kinds


def test_rules_are_listed_and_printed(preorder: Preorder) -> None:
    lines = preorder("rules").out.splitlines()
    assert [line.split()[0] for line in lines] == list(BUILT_IN)
    assert all(len(line.split()) > 2 for line in lines)
    printed = preorder("rules", "r4").out
    assert printed.startswith("# R4: head-final")
    assert preorder("rules", "r4", "-o", "r4.rules").out == ""
    assert (preorder.folder / "r4.rules").read_text() == printed
    (preorder.folder / "copy.rules").write_text(printed)
    assert load_rules("copy.rules").rules == load_rules("r4").rules
    assert preorder("rules", "mine.rules").out == "VERB -> nsubj, [other children], HEAD\n"


# --- mistakes ------------------------------------------------------------------------------------------------------

EVALUATE = ("evaluate", *ALIGNED, "--rules")
R1 = ("--rules", "r1")
MISTAKES: dict[str, tuple[tuple[str, ...], int, str]] = {
    "a cycle": (
        ("evaluate", "--parses", "cyclic.conllu", "--align", "a.align", *R1),
        1,
        "cyclic.conllu:6: no word has head 0; expected exactly one root",
    ),
    "two roots": (
        ("apply", "--parses", "roots.conllu", *R1),
        1,
        "roots.conllu:7: word 2 'b' is a second root; expected exactly one",
    ),
    "no tree at all": (("apply", "--parses", "broken.conllu", *R1), 1, "broken.conllu:1: expected 10 columns"),
    "more words in the alignment": (
        ("evaluate", *TREES, "--align", "far.align", *R1),
        1,
        "far.align:2: link 7-3 is out of range: the source sentence has 3 words (indices 0 to 2); is this the",
    ),
    "fewer alignments": (
        ("evaluate", *TREES, "--align", "two.align", *R1),
        1,
        "two.align: the file ends after 2 sentences",
    ),
    "more alignments": (("evaluate", *TREES, "--align", "four.align", *R1), 1, "four.align:4: one sentence too many"),
    "an unknown label": ((*EVALUATE, "label.rules"), 1, "label.rules:3: unknown label 'nsbj'; did you mean 'nsubj'?"),
    "no UTF-8": (("rules", "latin.rules"), 1, "latin.rules:1: "),
    "no rules": (("apply", *TREES, "--rules", "no.rules"), 1, "no.rules:1: no rule"),
    "other words": (
        ("evaluate", "--parses", "t.conllu", "other.conllu", "--align", "a.align", *R1),
        1,
        "sentence 2: word 3 of other is 'us'; expected 'me' as in t",
    ),
    "other gold trees": (
        (*EVALUATE, "r1", "--gold", "other.conllu"),
        1,
        "sentence 2: word 3 of the parse is 'me'; expected 'us' as in the gold tree",
    ),
    "parsers of other lengths": (
        ("evaluate", "--parses", "t.conllu", "fewer.conllu", "--align", "a.align", *R1),
        1,
        "fewer has 2 sentences; expected 3 as in t",
    ),
    "two parsers of one name": (
        ("evaluate", "--parses", "t.conllu", "t=u.conllu", "--align", "a.align", *R1),
        2,
        "two parsers have the name 't'",
    ),
    "two rule sets of one name": (
        (*EVALUATE, "r5", "r5.rules"),
        2,
        "two rule sets have the name 'r5'; rename one of them, as in NAME=",
    ),
    "learned beside learned": (
        ("learn", *ALIGNED, "-o", "x.rules", "--folds", "3", "--beside", "learned=mine.rules"),
        2,
        "two rule sets have the name 'learned'",
    ),
    "no such trees": (("apply", "--parses", "nowhere", *R1), 2, "nowhere: no such file"),
    "no such alignment": (("evaluate", *TREES, "--align", "nowhere", *R1), 2, "nowhere: no such file"),
    "no such rules": (
        (*EVALUATE, "r9"),
        2,
        "there is no rule set or file named 'r9'; the built-in rule sets are r1, r2, r3, r4, r5, head-initial-r3, "
        "head-initial-r4, head-initial-r5, learned",
    ),
    "no such gold": ((*EVALUATE, "r1", "--gold", "nowhere"), 2, "nowhere: no such file"),
    "no such orders": (("evaluate", *TREES, "--reference", "nowhere", *R1), 2, "nowhere: no such file"),
    "no such list": (
        ("select", "--parses", "nowhere", "--align", "a.align", *R1, "-o", "x"),
        2,
        "nowhere: no such file",
    ),
    "no treebank": (("evaluate", "--treebank", ".", *R1), 2, ". has no en.conllu"),
    "spaCy without text": (
        ("evaluate", "--spacy", "m", "--align", "a.align", *R1),
        2,
        "--parser and --spacy need the text to parse",
    ),
    "text without spaCy": (
        ("apply", *TREES, "--source", "source.txt", *R1),
        2,
        "--source can only be used with --parser or --spacy",
    ),
    "nothing parsed": (("apply", *R1), 2, "no parses were given; use --parses, --treebank, or --source"),
    "no orders": (
        ("evaluate", *TREES, *R1),
        2,
        "no reference orders were given; add --align, --reference or --treebank",
    ),
    "orders and alignment": (
        (*EVALUATE, "r1", "--reference", "edited.orders"),
        2,
        "--reference already gives the reference orders; leave out --align and --policy",
    ),
    "particles without tags": (
        ("reference", *TREES, "--align", "none.align", "--check", "--particle-pos", "ADP", "--target", "x.txt"),
        2,
        "--particle-pos needs a parsed target text; add --target FILE.conllu",
    ),
    "orders to check": (
        ("reference", *TREES, "--reference", "edited.orders", "--check"),
        2,
        "--check needs alignments",
    ),
    "orders with words missing": (
        ("evaluate", *TREES, "--reference", "missing.orders", *R1),
        1,
        "missing.orders:2: word 3 of the source, 'me', is missing",
    ),
    "an unknown metric": ((*EVALUATE, "r1", "-m", "fuzy"), 2, "unknown metric 'fuzy'; did you mean 'fuzzy'?"),
    "a metric of text": ((*EVALUATE, "r1", "-m", "bleu"), 2, "metric bleu needs text"),
    "a metric of text to learn by": (
        (*EVALUATE, "learned", "--folds", "3", "--learn-metric", "bleu"),
        2,
        "metric bleu needs text",
    ),
    "a metric of text to select by": (
        ("select", "--parses", "n.conllu", "--align", "a.align", *R1, "-o", "x", "--by", "bleu"),
        2,
        "metric bleu needs text",
    ),
    "an unknown baseline": ((*EVALUATE, "r1", "--baseline", "r2"), 2, "unknown baseline 'r2' (valid: r1)"),
    "an unknown policy": ((*EVALUATE, "r1", "--policy", "talbott"), 2, "unknown policy 'talbott'; did you mean"),
    "an unknown format": ((*EVALUATE, "r1", "--align-format", "x"), 2, "unknown alignment format 'x'"),
    "more folds than sentences": ((*EVALUATE, "learned"), 1, "3 sentences cannot be split into 10 folds"),
    "one fold": ((*EVALUATE, "learned", "--folds", "1"), 2, "cross-validation needs 2 folds or more, not 1"),
    "no examples": ((*EVALUATE, "learned", "--least", "0"), 2, "the minimum number of examples must be 1 or more"),
    "there is nothing to learn from": (
        ("learn", *TREES, "--align", "none.align", "-o", "x.rules", "--folds", "3"),
        1,
        "there is nothing to learn from",
    ),
    "fewer rows than none": (("blame", *ALIGNED, *R1, "--top", "-1"), 2, "--top must be 0 or more, not -1"),
    "no samples at all": ((*EVALUATE, "r1", "--samples", "-1"), 2, "--samples must be from 0 to 1,000,000, not -1"),
    "no sentences": (
        ("evaluate", "--parses", "empty", "--reference", "empty", *R1),
        1,
        "empty:1: not a file of parses: expected",
    ),
    "other sentences in the list": (
        ("select", "--parses", "n.conllu", "--align", "two.align", *R1, "-o", "x"),
        1,
        "two.align: the file ends after 2 sentences",
    ),
    "a folder that is not there": (
        ("learn", *ALIGNED, "-o", "nowhere/x.rules", "--folds", "3", "--beside"),
        2,
        "nowhere/x.rules: there is no folder nowhere",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_one_clear_line(preorder: Preorder, case: str) -> None:
    arguments, code, message = MISTAKES[case]
    before = sorted(path.name for path in preorder.folder.iterdir())
    found = preorder(*arguments)
    assert found.code == code, found.err
    assert found.out == ""
    assert found.err.startswith(f"wordorder: {message}"), found.err
    assert found.err.count("\n") == 1
    assert sorted(path.name for path in preorder.folder.iterdir()) == before  # nothing half-written


def test_an_unknown_command(preorder: Preorder) -> None:
    for arguments in ((), ("evalute",)):
        found = preorder(*arguments)
        assert found.code == 2
        assert "command" in found.err.lower()
        assert found.err.count("\n") == 1
    for command in ("evaluate", "apply", "blame", "learn", "select", "reference", "rules"):
        assert "examples:" in preorder(command, "--help").out


def test_rules_learned_from_bracketed_trees_are_read_back(preorder: Preorder) -> None:
    trees = (
        "( (S (NP (PRP$ My) (NN cat)) (VP (VBZ eats) (NP (NN fish)) (, ,) (ADVP (RB now))) (. .)) )\n"
        "( (S (NP (NNS Cats)) (VP (MD can) (VP (VB see) (NP (-LRB- -LRB-) (NN fish) (-RRB- -RRB-)))) (. .)) )\n"
        "( (S (NP (PRP I)) (VP (VBP like) (NP (`` ``) (NN milk) ('' ''))) (: ;)) )\n"
    )
    links = "0-0 1-1 2-3 3-2 4-4 5-5 6-6\n0-0 1-6 2-5 3-1 4-2 5-3 6-7\n0-0 1-4 2-1 3-2 4-3 5-5\n"
    write_files(preorder.folder, {"b.mrg": trees, "b.align": links})
    aligned = ("--parses", "b.mrg", "--parse-format", "brackets", "--align", "b.align", "--samples", "0")
    found = preorder("learn", *aligned, "--folds", "3", "--least", "1", "--parts", "0", "--beside", "-o", "b.rules")
    assert found.code == 0, found.err
    rules = load_rules("b.rules")
    assert "VP/NP" in rules.labels
    assert {"VBZ", "VB", "VBP"} <= set(rules.tags)
    scores = preorder("evaluate", *aligned, "--rules", "b.rules", "--json").json()["systems"][0]["scores"]
    assert scores["fuzzy"]["value"] == 1.0
