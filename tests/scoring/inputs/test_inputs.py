"""The values that are judged: what each refuses and in which words, what it says of itself, some of its segments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordorder
from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.linking.aligning import Aligning
from wordorder.linking.matching import Matching
from wordorder.linking.parsing import Parsing
from wordorder.metrics import METRICS, Need, metric
from wordorder.scoring.inputs import AlignedOrders, GivenOrders, Inputs, MatchedTexts, MonotoneAlignments, make_inputs
from wordorder.scoring.inputs.monotone import MonotoneTexts
from wordorder.scoring.inputs.parsed import ParsedTexts
from wordorder.scoring.inputs.source import SourceTexts
from wordorder.scoring.score import score

HYPOTHESES = {"A": ["a b c", "d e"], "B": ["c b a", "e d"]}
REFERENCE = ["a c b", "d e"]
SOURCE = ["x y z", "u v"]
LINKS = {"A": [Alignment(((0, 0), (1, 1), (2, 2))), Alignment(((0, 0), (1, 1)))]}
GOLD = [Alignment(((0, 0), (1, 2), (2, 1))), Alignment(((0, 1), (1, 0)))]
TREES = ["(S (NN a) (VB b) (NN c))", "(S (NN d) (VB e))"]
GOLD_TREES = ["(S (NN a) (NN c) (VB b))", "(S (NN d) (VB e))"]
NAMES = tuple(METRICS)


@pytest.fixture
def inputs() -> dict[str, Inputs]:
    """One input of each kind."""
    texts = MatchedTexts({"A": HYPOTHESES["A"]}, REFERENCE)
    return {
        "matched": MatchedTexts(HYPOTHESES, REFERENCE, weight="ref-length", lowercase=True),
        "source": SourceTexts({"A": HYPOTHESES["A"]}, REFERENCE, SOURCE, hyp_align=LINKS, ref_align=GOLD),
        "monotone": MonotoneTexts({"A": HYPOTHESES["A"]}, (), SOURCE, hyp_align=LINKS, policy="drop"),
        "aligned": AlignedOrders(LINKS, GOLD, source=SOURCE),
        "monotone-aligned": MonotoneAlignments(LINKS, GOLD, policy="drop"),
        "given": GivenOrders({"A": ["1 2 3", "2 1"]}),
        "parsed": ParsedTexts(texts, hyp_parses={"A": TREES}, ref_parses=GOLD_TREES),
    }


# --- what they say of themselves ----------------------------------------------------------------------------------


def test_systems(inputs: dict[str, Inputs]) -> None:
    assert {name: kind.systems for name, kind in inputs.items()} == {
        "matched": ("A", "B"),
        "source": ("A",),
        "monotone": ("A",),
        "aligned": ("A",),
        "monotone-aligned": ("reference", "A"),
        "given": ("A",),
        "parsed": ("A",),
    }
    assert inputs["monotone-aligned"].baseline == "reference"
    assert MatchedTexts("runs/online-A.txt", REFERENCE).systems == ("online-A",)
    assert MatchedTexts(["a"], ["a"]).systems == ("system",)


def test_signatures(inputs: dict[str, Inputs]) -> None:
    words = {"match": "exact", "matcher": 2, "tokenizer": "13a", "case": "mixed", "references": 1}
    assert {name: kind.signature([]) for name, kind in inputs.items()} == {
        "matched": {"order": "matched", **words, "case": "lower", "weight": "ref-length"},
        "source": {"order": "source", "policy": "birch", "unlinked": "monotone", "aligner": "given", **words},
        "monotone": {"order": "monotone", "policy": "drop", "aligner": "given", "tokenizer": "13a", "case": "mixed"},
        "aligned": {"order": "source", "policy": "birch", "unlinked": "monotone", "references": 1},
        "monotone-aligned": {"order": "monotone", "policy": "drop"},
        "given": {"order": "permutations", "base": 1},
        "parsed": {"order": "matched", **words, "parses": "given"},
    }


def test_what_they_offer(inputs: dict[str, Inputs]) -> None:
    text = {Need.ORDER, Need.TEXT}
    monotone = {Need.ORDER, Need.SOURCE_ORDER, Need.PAIRS}
    assert {name: set(kind.offers) for name, kind in inputs.items()} == {
        "matched": text,
        "source": {*text, Need.PAIRS},
        "monotone": {*monotone, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS},
        "aligned": {Need.ORDER, Need.PAIRS},
        "monotone-aligned": monotone,
        "given": {Need.ORDER},
        "parsed": {*text, Need.PARSES},
    }


@pytest.mark.parametrize("kind", ["matched", "source", "monotone", "aligned", "monotone-aligned", "given", "parsed"])
def test_each_is_scored_with_its_own_defaults(inputs: dict[str, Inputs], kind: str) -> None:
    scores = score(inputs[kind])
    assert scores.systems == inputs[kind].systems
    assert len(scores) == 2
    assert scores.scored_inputs is inputs[kind]
    with pytest.raises(UsageError, match="which this input does not include"):
        score(inputs[kind], metrics=["anticipation", "edpm"])


def test_an_input_is_scored_by_either_score() -> None:
    texts = MatchedTexts(HYPOTHESES, REFERENCE)
    assert wordorder.score(texts, samples=0).to_dict() == wordorder.score(HYPOTHESES, REFERENCE, samples=0).to_dict()


# --- what they refuse ---------------------------------------------------------------------------------------------

REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (MatchedTexts, {"hyp": {}, "ref": REFERENCE}, "no system to score"),
    (
        MatchedTexts,
        {"hyp": HYPOTHESES},
        "hypotheses require references or a source to compare with: give ref or source",
    ),
    (MatchedTexts, {"hyp": HYPOTHESES, "ref": REFERENCE, "weight": "words"}, "unknown weight 'words'"),
    (SourceTexts, {"hyp": HYPOTHESES, "ref": REFERENCE}, "through the source needs its text"),
    (
        SourceTexts,
        {"hyp": HYPOTHESES, "source": SOURCE},
        "order='source' requires a reference; order='monotone' does not",
    ),
    (SourceTexts, {"hyp": HYPOTHESES, "ref": REFERENCE, "source": SOURCE, "policy": "best"}, "unknown policy 'best'"),
    (
        SourceTexts,
        {"hyp": HYPOTHESES, "ref": REFERENCE, "source": SOURCE, "hyp_align": LINKS},
        "alignments are given for A, but the systems are A, B; give them for every system or for none",
    ),
    (
        SourceTexts,
        {"hyp": HYPOTHESES, "ref": REFERENCE, "source": SOURCE, "ref_align": [GOLD, GOLD]},
        "expected alignments of 1 reference, found 2",
    ),
    (
        MonotoneTexts,
        {"hyp": HYPOTHESES, "source": SOURCE, "weight": "ref-length"},
        "weight='ref-length' applies only to comparisons with references",
    ),
    (
        MonotoneTexts,
        {"hyp": {"A": HYPOTHESES["A"]}, "ref": [REFERENCE], "source": SOURCE, "hyp_align": LINKS},
        "alignments are given for the systems alone; give ref_align",
    ),
    (
        MonotoneTexts,
        {"hyp": {"A": HYPOTHESES["A"]}, "ref": [REFERENCE] * 2, "source": SOURCE, "ref_align": [GOLD, GOLD]},
        "alignments are given for the references alone; give hyp_align",
    ),
    (AlignedOrders, {"hyp_align": LINKS}, "there is no reference: give ref_align or order='monotone'"),
    (AlignedOrders, {"hyp_align": LINKS, "ref_align": GOLD, "policy": "x"}, "unknown policy"),
    (
        AlignedOrders,
        {"hyp_align": "a.align", "ref_align": "r.align", "align_format": "x"},
        "unknown alignment format 'x'",
    ),
    (
        AlignedOrders,
        {"hyp_align": "a.align", "ref_align": "giza:r.align", "base": 0},
        "giza files count from 1, so base 0 is not allowed",
    ),
    (GivenOrders, {"permutations": {}}, "no system to score"),
    (ParsedTexts, {"texts": GivenOrders(["1 2"]), "hyp_parses": TREES}, "parses require text"),
    (
        ParsedTexts,
        {"texts": MonotoneTexts(["a"], (), ["x"]), "hyp_parses": TREES},
        "order='monotone' uses no references",
    ),
    (ParsedTexts, {"texts": MatchedTexts(HYPOTHESES, REFERENCE)}, "the hypotheses have no parses"),
    (
        ParsedTexts,
        {"texts": MatchedTexts({"A": ["a"]}, REFERENCE), "hyp_parses": {"A": TREES}},
        "the references have no parses; give parses, or grammar to parse the text",
    ),
    (
        ParsedTexts,
        {"texts": MatchedTexts({"A": ["a"]}, REFERENCE), "hyp_parses": {"B": TREES}},
        "parses are given for B, but the systems are A",
    ),
    (
        ParsedTexts,
        {"texts": MatchedTexts(["a"], REFERENCE), "ref_parses": [GOLD_TREES, GOLD_TREES]},
        "expected parses of 1 reference text, found 2",
    ),
]


@pytest.mark.parametrize(("kind", "given", "message"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_wrong_is_refused_when_the_value_is_made(kind: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        kind(**given)
    assert message in str(caught.value)
    assert "--" not in str(caught.value)


NOT_TOGETHER: list[tuple[dict[str, Any], str]] = [
    ({}, "nothing to score: give hyp and ref (or source), or permutations, or hyp_align and ref_align"),
    ({"ref": REFERENCE}, "nothing to score: give hyp and ref"),
    ({"hyp": HYPOTHESES}, "hypotheses require references or a source to compare with: give ref or source"),
    ({"hyp": HYPOTHESES, "ref": []}, "hypotheses require references or a source to compare with: give ref or source"),
    ({"hyp": HYPOTHESES, "order": "backwards"}, "unknown order 'backwards' (valid: matched, source, monotone)"),
    ({"hyp": HYPOTHESES, "order": "source"}, "order='source' needs the source text; give source"),
    ({"hyp": HYPOTHESES, "order": "monotone"}, "order='monotone' needs the source text; give source"),
    ({"permutations": ["1"], "hyp": HYPOTHESES}, "they cannot be combined with text or alignments"),
    ({"permutations": ["1"], "order": "source"}, "order='source' applies to texts and alignments only"),
    ({"permutations": ["1"], "ref": REFERENCE}, "ref is for text: give the hypotheses as text, too, or omit ref"),
    (
        {"permutations": ["1"], "policy": "drop"},
        "policy can be used only with alignments, or with text and order='source' or order='monotone'",
    ),
    ({"permutations": ["1"], "weight": "ref-length"}, "weight='ref-length' requires text with references"),
    ({"permutations": ["1"], "hyp_parses": TREES}, "parses require text"),
    ({"hyp_align": LINKS, "ref": REFERENCE}, "ref is for text: give the hypotheses as text, too, or omit ref"),
    ({"hyp_align": LINKS, "order": "matched"}, "order='matched' requires text"),
    ({"hyp_align": LINKS}, "there is no reference: give ref_align or order='monotone'"),
    (
        {"hyp": HYPOTHESES, "ref": REFERENCE, "hyp_align": LINKS},
        "with text, hyp_align requires order='source' or order='monotone'",
    ),
    (
        {"hyp": HYPOTHESES, "ref": REFERENCE, "aligning": wordorder.Aligning()},
        "an aligner can be used only with text and order='source' or order='monotone'",
    ),
    (
        {"hyp": HYPOTHESES, "ref": REFERENCE, "source_lengths": [1]},
        "source_lengths can be used only with alignments without text",
    ),
    ({"hyp_parses": TREES}, "must be compared with reference parses"),
    ({"hyp_parses": TREES, "ref": REFERENCE}, "without hyp, references must be parses: use ref_parses only"),
    (
        {"hyp_parses": TREES, "ref_parses": GOLD_TREES, "hyp_align": LINKS},
        "with text, hyp_align requires order='source' or order='monotone'",
    ),
]


@pytest.mark.parametrize(("given", "message"), NOT_TOGETHER)
def test_what_does_not_go_together_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_inputs(**given)
    assert message in str(caught.value)
    assert "--" not in str(caught.value)


def test_texts_of_different_lengths_are_refused_by_name(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    (tmp_path / "a.txt").write_text("a\n")
    with pytest.raises(InputError, match=r"a\.txt"):
        score(MatchedTexts(tmp_path / "a.txt", ["a", "b"]))
    with pytest.raises(InputError, match="reference 1 has 2 lines, A has 1"):
        score(MonotoneAlignments({"A": LINKS["A"][:1]}, GOLD, policy="drop"))
    with pytest.raises(InputError, match=r"empty\.txt:1: the file is empty; expected one sentence per line"):
        score(MatchedTexts(empty, empty))


# --- which kind is meant ------------------------------------------------------------------------------------------


def test_the_kind_is_that_of_what_is_given() -> None:
    def kind(**given: Any) -> type:
        return type(make_inputs(**given))

    text: dict[str, Any] = {"hyp": HYPOTHESES}
    assert kind(**text, ref=REFERENCE) is MatchedTexts
    assert kind(**text, ref=REFERENCE, source=SOURCE) is MatchedTexts
    assert kind(**text, source=SOURCE) is MonotoneTexts
    assert kind(**text, source=SOURCE, ref=REFERENCE, order="source") is SourceTexts
    assert kind(**text, source=SOURCE, ref=REFERENCE, order="monotone") is MonotoneTexts
    assert kind(hyp_align=LINKS, ref_align=GOLD) is AlignedOrders
    assert kind(hyp_align=LINKS, order="monotone") is MonotoneAlignments
    assert kind(permutations=["1 2"]) is GivenOrders
    assert kind(**text, ref=REFERENCE, parsing=Parsing("en.grammar")) is ParsedTexts
    assert kind(**text, ref=REFERENCE, parsing=Parsing()) is MatchedTexts
    assert kind(hyp_parses=TREES, ref_parses=GOLD_TREES) is ParsedTexts


def test_parses_alone_are_read_as_any_text() -> None:
    given: dict[str, Any] = {"hyp_parses": {"A": TREES}, "ref_parses": GOLD_TREES}
    found = make_inputs(**given, lowercase=True, weight="ref-length", matching=Matching(("exact", "stem")))
    assert isinstance(found, ParsedTexts)
    assert found.signature([]) == {
        "order": "matched",
        "match": "exact+stem:english",
        "matcher": 2,
        "tokenizer": "none",
        "case": "lower",
        "references": 1,
        "weight": "ref-length",
        "parses": "given",
    }
    through = make_inputs(**given, order="source", source=SOURCE, hyp_align=LINKS, ref_align=GOLD)
    assert isinstance(through, ParsedTexts)
    assert isinstance(through.texts, SourceTexts)
    assert score(through, metrics="edpm,kendall").values.shape == (1, 2)


def test_files_in_a_list_of_strings_are_an_error_that_says_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("r1.txt", "r2.txt"):
        Path(name).write_text("a b\n")
    with pytest.raises(UsageError) as caught:
        wordorder.score(["a b"], ["r1.txt", "r2.txt"])
    assert str(caught.value) == (
        "a list of strings is read as text, but these are files; for several references, use "
        "[Path('r1.txt'), Path('r2.txt')]"
    )
    scores = wordorder.score(["a b"], [Path("r1.txt"), Path("r2.txt")], metrics="kendall")
    assert scores.inputs["references"] == 2
    assert wordorder.score(["r1.txt r2.txt"], ["r1.txt r2.txt"], metrics="bleu1")["system", "bleu1"] == 1.0
    assert len(AlignedOrders("r1.txt", ["r1.txt", "r2.txt"]).ref_align) == 2  # links are never strings
    with pytest.raises(UsageError, match=r"several parses of references, use \[Path\('r1.txt'\)\]"):
        wordorder.score("r1.txt", "r2.txt", hyp_parses="r1.txt", ref_parses=["r1.txt"])


# --- some segments, and the same segments -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["matched", "source", "monotone", "parsed"])
def test_some_segments_score_as_they_do_among_all(inputs: dict[str, Inputs], kind: str) -> None:
    whole = score(inputs[kind])
    for rows in ([1], [1, 0], [0]):
        chosen = score(inputs[kind].select(np.array(rows)))
        for name in {"edpm", "kendall-sqrt", "pef", "bleu"} & set(whole.names):
            found, expected = (scores.segment_scores("A", name) for scores in (chosen, whole))
            assert found.tolist() == pytest.approx(expected[rows].tolist(), nan_ok=True)


@pytest.mark.parametrize("kind", ["aligned", "monotone-aligned", "given"])
def test_orders_that_are_given_are_judged_whole(inputs: dict[str, Inputs], kind: str) -> None:
    with pytest.raises(UsageError, match="segments cannot be selected from inputs"):
        inputs[kind].select(np.array([0]))


def test_a_block_has_the_links_of_its_own_lines(inputs: dict[str, Inputs]) -> None:
    one = metric("gamma")
    whole, lines = (
        [one.statistics(batch) for block in inputs["monotone"].batches([one], lines=size) for batch in block]
        for size in (2, 1)
    )
    assert len(lines) == 2
    np.testing.assert_array_equal(np.concatenate(lines), whole[0])


def test_blocks_are_counted_by_the_first_text(tmp_path: Path, inputs: dict[str, Inputs]) -> None:
    assert inputs["matched"].count_blocks() == 1
    path = tmp_path / "ref.txt"
    path.write_text("a\n" * (LINES_PER_BLOCK + 1))
    assert MatchedTexts({"A": HYPOTHESES["A"]}, path).count_blocks() == 2


def test_a_segment_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="found 2 lines; expected at least 3"):
        MatchedTexts(HYPOTHESES, REFERENCE).select(np.array([2]))


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in ("first.txt", "second.txt", "other.txt"))
    first.write_text("a b\n")
    second.write_text("a b\n")
    other.write_text("a c\n")

    def mark(path: Path, **options: Any) -> str:
        return SourceTexts({"A": path}, REFERENCE, first, **options).fingerprint()

    assert mark(first) == mark(second)
    assert mark(first) == mark(first, threads=8)
    marks = [
        mark(first),
        mark(other),
        mark(first, lowercase=True),
        mark(first, tokenize="char"),
        mark(first, policy="drop"),
        mark(first, matching=Matching(("exact", "stem"))),
        mark(first, aligning=wordorder.Aligning("model1")),
        mark(first, hyp_align=other),
        mark(first, hyp_align=f"talp:{other}"),
        SourceTexts({"B": first}, REFERENCE, first).fingerprint(),
        SourceTexts({"A": first}, [REFERENCE, REFERENCE], first).fingerprint(),
        MonotoneTexts({"A": first}, REFERENCE, first).fingerprint(),
    ]
    assert len(set(marks)) == len(marks)
    before = mark(first)
    first.write_text("b a\n")
    assert mark(first) != before


def test_the_fingerprint_of_data_and_parses(tmp_path: Path) -> None:
    texts = MatchedTexts({"A": ["a"]}, ["b"])
    assert texts.fingerprint() == MatchedTexts({"A": ["a"]}, ["b"]).fingerprint()
    assert texts.fingerprint() != MatchedTexts({"A": ["a", "a"]}, ["b", "b"]).fingerprint()
    assert GivenOrders(["1 2"]).fingerprint() != GivenOrders(["2 1"]).fingerprint()
    assert GivenOrders(["1 2"]).fingerprint() != GivenOrders(["1 2"], base=0).fingerprint()
    assert AlignedOrders(LINKS, GOLD).fingerprint() == AlignedOrders(dict(LINKS), list(GOLD)).fingerprint()
    assert AlignedOrders(LINKS, GOLD).fingerprint() != AlignedOrders(LINKS, LINKS["A"]).fingerprint()
    grammar = tmp_path / "en.grammar"
    grammar.write_text("one")
    marks = [ParsedTexts(texts, Parsing(grammar, cache=cached)).fingerprint() for cached in (True, False)]
    assert marks[0] == marks[1]
    grammar.write_text("another")
    assert ParsedTexts(texts, Parsing(grammar)).fingerprint() != marks[0]
    with pytest.raises(UsageError, match="standard input can be read only once"):
        MatchedTexts("-", ["b"]).fingerprint()


# --- the format belongs to the file -------------------------------------------------------------------------------


def test_files_may_have_different_formats(tmp_path: Path) -> None:
    (tmp_path / "gold.talp").write_text("1-1 2p3 3-2\n")
    (tmp_path / "links").write_text("0-0 1-2 2-1\n")
    (tmp_path / "giza.A3").write_text(
        "# Sentence pair (1) source length 3 target length 3 alignment score : 1\n"
        "a b c\nNULL ({ }) x ({ 1 }) y ({ 2 }) z ({ 3 })\n"
    )
    inputs = AlignedOrders(
        {"A": tmp_path / "links", "B": f"giza:{tmp_path / 'giza.A3'}"}, f"talp:{tmp_path / 'gold.talp'}", policy="drop"
    )
    assert inputs.signature([]) == {
        "order": "source",
        "policy": "drop",
        "references": 1,
        "align_format": "talp+pharaoh+giza",
        "base": "1+0+1",
    }
    scores = score(inputs, metrics="kendall")
    assert scores["A", "kendall"] == 1.0
    assert scores["B", "kendall"] < 1.0
    usual = AlignedOrders(tmp_path / "links", tmp_path / "links", policy="drop").signature([])
    assert (usual["align_format"], usual["base"]) == ("pharaoh", 0)


def test_files_survive_a_replaced_value_and_training_text_is_not_scored(tmp_path: Path) -> None:
    """A value made again from its own fields is the same value, also where a file was named by a string."""
    for name, line in {"src": "ein Haus", "ref": "a house", "hyp": "house a"}.items():
        (tmp_path / name).write_text(f"{line}\n" * 3)
    files = {name: str(tmp_path / name) for name in ("src", "ref", "hyp")}
    aligning = Aligning(train_source=files["src"], train_target=files["ref"])
    texts = SourceTexts(files["hyp"], files["ref"], files["src"], aligning=aligning)
    assert replace(texts).ref == texts.ref
    assert replace(texts).fingerprint() == texts.fingerprint()
    assert [len(block) for block in texts.batches([])] == [1]
    found = score(replace(texts, expected=2), metrics="kendall")
    assert found.values.shape == (1, 1)


def test_a_fingerprint_does_not_depend_on_the_name_of_a_class() -> None:
    class Renamed(MatchedTexts):
        pass

    assert Renamed({"A": ["a"]}, ["b"]).fingerprint() == MatchedTexts({"A": ["a"]}, ["b"]).fingerprint()
