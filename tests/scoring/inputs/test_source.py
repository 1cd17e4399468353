"""Orders through the source: given links, aligned links, LRscore with α from the test set, and monotonicity."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.orders.projection import POLICIES
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.linking.aligning import Aligning
from wordorder.linking.aligning.aligner import TrainingText
from wordorder.metrics import metric
from wordorder.report.html import render_markdown
from wordorder.report.latex import render_latex
from wordorder.report.records import table_records
from wordorder.report.table import Mark, write_signature
from wordorder.scoring.inputs import source as through_source
from wordorder.scoring.shortcuts import score

Links = frozenset[tuple[int, int]]

# Words of two small languages. A verb of the first stands at the end, one of the second behind the subject.
LEXICON = {
    "mi": "i",
    "tu": "you",
    "kato": "cat",
    "hundo": "dog",
    "granda": "big",
    "la": "the",
    "vidas": "see",
    "amas": "love",
    "manĝas": "eat",
    "domo": "house",
}
SUBJECTS = ("mi", "tu", "la kato", "la hundo")
OBJECTS = ("la granda domo", "la kato", "la granda hundo", "tu")
VERBS = ("vidas", "amas", "manĝas")
SENTENCES = [(s, o, v) for s in SUBJECTS for o in OBJECTS for v in VERBS]

SOURCE = [f"{subject} {thing} {verb} ." for subject, thing, verb in SENTENCES]
FREE = [f"{subject} {verb} {thing} ." for subject, thing, verb in SENTENCES]


def translate(lines: Sequence[str]) -> list[str]:
    return [" ".join(LEXICON.get(word, word) for word in line.split()) for line in lines]


LITERAL, FLUENT = translate(SOURCE), translate(FREE)


def links_of(text: str) -> Links:
    return frozenset(tuple(map(int, link.split("-"))) for link in text.split())  # type: ignore[misc]


def column_of(*rows: str) -> Alignments:
    return Alignments.of([Alignment(tuple(sorted(links_of(row)))) for row in rows])


def gold_links() -> Alignments:
    """The links of SOURCE and FLUENT, known by construction."""
    rows = []
    for subject, thing, _ in SENTENCES:
        one, two = len(subject.split()), len(thing.split())
        order = [*range(one), one + two, *range(one, one + two), one + two + 1]
        rows.append(Alignment(tuple((source, target) for target, source in enumerate(order))))
    return Alignments.of(rows)


@pytest.fixture
def no_aligner(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        raise AssertionError("an aligner was made though all links are given")

    monkeypatch.setattr(through_source, "train", refuse)
    monkeypatch.setattr(through_source, "load", refuse)


# --- given links: the order of the source words in both ------------------------------------------------------------


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, int, int, Links, Links]:
    source, hypothesis, reference = (draw(st.integers(1, 6)) for _ in range(3))

    def links(target: int) -> st.SearchStrategy[Links]:
        return st.frozensets(st.tuples(st.integers(0, source - 1), st.integers(0, target - 1)), max_size=8)

    return source, hypothesis, reference, draw(links(hypothesis)), draw(links(reference))


def words(count: int) -> str:
    return " ".join(f"w{place}" for place in range(count))


@pytest.mark.usefixtures("no_aligner")
@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=25)
@given(rows=st.lists(cases(), min_size=1, max_size=4))
def test_source_order_is_the_hand_made_comparison_of_two_projections(
    policy: str, rows: list[tuple[int, int, int, Links, Links]]
) -> None:
    rows = [*rows, (2, 2, 2, links_of("0-0"), links_of("0-0"))]  # at least one order is defined
    scores = score(
        [words(row[1]) for row in rows],
        [words(row[2]) for row in rows],
        source=[words(row[0]) for row in rows],
        order="source",
        policy=policy,
        tokenize="none",
        hyp_align=[Alignment(tuple(row[3])) for row in rows],
        ref_align=[Alignment(tuple(row[4])) for row in rows],
        metrics="kendall-sqrt,fuzzy",
        samples=0,
    )
    for place, (length, _, _, judged, gold) in enumerate(rows):
        order = twins.compare(twins.project_judged(judged, length, policy), twins.project(gold, length, policy))
        for spec in ("kendall-sqrt", "fuzzy"):
            found = scores.segment_scores("system", spec)[place]
            assert math.isnan(found) if not order else found == pytest.approx(twins.FLAT[spec](order), abs=1e-13)


@pytest.mark.usefixtures("no_aligner")
def test_given_links_from_files_in_any_format(tmp_path: Path) -> None:
    texts: dict[str, Any] = {"source": ["a b c", "d e"], "order": "source", "metrics": "kendall", "samples": 0}
    hypotheses, references = ["x y z", "u v"], ["x y z", "u v"]
    files = {
        "pharaoh": ("0-0 1-1 2-2\n0-0 1-1\n", "0-0 1-2 2-1\n0-1 1-0\n"),
        "talp": ("1-1 2-2 3-3\n1-1 2-2\n", "1-1 2p3 3-2\n1-2 2-1\n"),
        "naacl": ("1 1 1\n1 2 2\n1 3 3\n2 1 1\n2 2 2\n", "1 1 1\n1 2 3\n1 3 2\n2 1 2\n2 2 1\n"),
        "lader": ("3-3 ||| 0-0 1-1 2-2\n2-2 ||| 0-0 1-1\n", "3-3 ||| 0-0 1-2 2-1\n2-2 ||| 0-1 1-0\n"),
        "target-list": ("0,1,2\n0,1\n", "0,2,1\n1,0\n"),
    }
    for name, (judged, gold) in files.items():
        one, two = tmp_path / f"{name}.hyp", tmp_path / f"{name}.ref"
        one.write_text(judged)
        two.write_text(gold)
        scores = score(hypotheses, references, hyp_align=one, ref_align=two, align_format=name, **texts)
        assert scores.segment_scores("system", "kendall").tolist() == pytest.approx([2 / 3, 0.0])
        assert scores.signature["align_format"] == name
        assert scores.signature["aligner"] == "given"


@pytest.mark.usefixtures("no_aligner")
def test_a_numbered_file_need_not_mention_sentences_without_links(tmp_path: Path) -> None:
    path = tmp_path / "links.naacl"
    path.write_text("1 1 1\n1 2 2\n")
    scores = score(["x y", "u"], source=["a b", "d"], hyp_align=path, align_format="naacl", metrics="kendall")
    assert scores.segment_scores("system", "kendall")[0] == 1
    assert math.isnan(scores.segment_scores("system", "kendall")[1])


def test_given_links_win_where_there_are_some_and_an_aligner_makes_the_rest() -> None:
    backwards = Alignments.of(
        [
            Alignment(tuple((place, length - 1 - place) for place in range(length)))
            for length in (len(line.split()) for line in SOURCE)
        ]
    )
    scores = score(
        {"A": FLUENT}, FLUENT, source=SOURCE, order="source", metrics="kendall", ref_align=backwards, samples=0
    )
    assert scores.signature["aligner"] == "given+hmm+grow-diag-final-and"
    aligned = score({"A": FLUENT}, FLUENT, source=SOURCE, order="source", metrics="kendall", samples=0)
    assert aligned.signature["aligner"] == "hmm+grow-diag-final-and"
    assert aligned.values[0, 0] == 1  # the same text has the same links
    assert scores.values[0, 0] < 0.5


# --- aligned links --------------------------------------------------------------------------------------------------


def test_the_aligner_finds_the_order_of_the_source_words() -> None:
    aligned = score(
        {"fluent": FLUENT, "literal": LITERAL},
        FLUENT,
        source=SOURCE,
        order="source",
        metrics="kendall-sqrt,lr-kb4",
        aligning=Aligning("model1"),  # on so little text the others leave words that moved unaligned
        samples=0,
    )
    known = score(
        {"fluent": FLUENT, "literal": LITERAL},
        FLUENT,
        source=SOURCE,
        order="source",
        metrics="kendall-sqrt,lr-kb4",
        hyp_align={
            "fluent": gold_links(),
            "literal": [Alignment(tuple((i, i) for i in range(len(line.split())))) for line in SOURCE],
        },
        ref_align=gold_links(),
        samples=0,
    )
    assert known.values[0, 0] == aligned.values[0, 0] == 1
    assert aligned.values[1, 0] == pytest.approx(known.values[1, 0], abs=0.1)
    assert aligned.inputs["dk"] == pytest.approx(known.inputs["dk"], abs=0.1)


def test_training_text_counts_and_is_told() -> None:
    here = score(
        {"A": FLUENT[:3]},
        source=SOURCE[:3],
        metrics="unaligned-source",
        aligning=Aligning(train_source=SOURCE, train_target=FLUENT),
        samples=0,
    )
    assert here.signature["train_pairs"] == len(SOURCE) + 3
    assert here.values[0, 0] == 0


def test_one_signature_is_one_number() -> None:
    """Whatever the aligner learns from is told: more text, another system, other words, the same text in files."""
    how: dict[str, Any] = {"source": SOURCE, "order": "source", "metrics": "kendall", "samples": 0}
    alone = score({"A": LITERAL}, FLUENT, **how)
    assert alone.signature["train_pairs"] == 2 * len(SOURCE)
    others = [
        score({"A": LITERAL, "B": FLUENT}, FLUENT, **how),
        score({"A": FLUENT}, LITERAL, **how),
        score({"A": LITERAL}, FLUENT, aligning=Aligning(train_source=["mi"], train_target=["i"]), **how),
        score({"A": [LITERAL[0] + " .", *LITERAL[1:]]}, FLUENT, **how),
    ]
    texts = [scores.signature["train_text"] for scores in (alone, *others)]
    assert len(set(texts)) == len(texts)
    assert score({"other name": LITERAL}, FLUENT, **how).signature == alone.signature


def test_a_saved_model_is_told_by_its_content(tmp_path: Path) -> None:
    from wordorder.core.text import encode
    from wordorder.linking.aligning import train

    path = tmp_path / "model"

    def signature(**options: Any) -> dict[str, Any]:
        train(*encode(SOURCE, FLUENT), **options).save(path)
        aligning = Aligning(align_model=str(path))
        return score({"A": FLUENT}, source=SOURCE, metrics="jump", aligning=aligning, samples=0).signature

    first, again, other = signature(), signature(threads=2), signature(iterations=2)
    assert first == again
    assert first["train_pairs"] == other["train_pairs"] == len(SOURCE)
    assert first["model"] != other["model"]


def test_a_table_tells_what_the_aligner_knows_and_what_intervals_leave_out() -> None:
    notes = score({"A": FLUENT}, source=SOURCE, metrics="jump", samples=10).table().notes
    assert notes[1] == (
        "links by an aligner trained on 48 sentence pairs; with fewer than 5,000, scores change with every text "
        "added (use training text or a saved model); intervals leave out alignment noise"
    )
    given_links = score({"A": FLUENT}, source=SOURCE, hyp_align=gold_links(), metrics="jump", samples=10)
    assert not any("aligner trained" in note for note in given_links.table().notes)
    assert (
        TrainingText(5_000, "0").note
        == "links by an aligner trained on 5,000 sentence pairs; intervals leave out alignment noise"
    )
    assert "an unknown number of sentence pairs;" in TrainingText(None, "0", model=True).note


def test_a_saved_model_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wordorder.core.text import encode
    from wordorder.linking.aligning import train

    path = str(tmp_path / "model")
    train(*encode(SOURCE, FLUENT), model="model1").save(path)
    monkeypatch.setattr(through_source, "train", None)
    scores = score(
        {"A": FLUENT}, source=SOURCE, metrics="unaligned-source", aligning=Aligning(align_model=path), samples=0
    )
    assert scores.signature["aligner"] == f"{path}+grow-diag-final-and"
    assert scores.values[0, 0] < 0.2


def test_words_are_aligned_in_lower_case_and_scored_as_they_are() -> None:
    shouted = [line.upper() for line in FLUENT]
    scores = score(
        {"plain": FLUENT, "shouted": shouted}, FLUENT, source=SOURCE, order="source", metrics="kendall,bleu1", samples=0
    )
    assert scores.values[1, 0] == scores.values[0, 0]
    assert scores.values[1, 1] < scores.values[0, 1]


def test_the_same_bytes_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(through_source, "LINES_PER_BLOCK", 7)  # several blocks, the last one shorter
    for order in ("source", "monotone"):
        results = []
        for threads in (1, 2, 3):
            scores = score({"A": FLUENT, "B": LITERAL}, FLUENT, source=SOURCE, order=order, samples=50, threads=threads)
            results.append(json.dumps(scores.to_dict()))
        assert results[0] == results[1] == results[2]
    whole = score({"A": FLUENT, "B": LITERAL}, FLUENT, source=SOURCE, order="monotone", samples=50)
    monkeypatch.undo()
    again = score({"A": FLUENT, "B": LITERAL}, FLUENT, source=SOURCE, order="monotone", samples=50)
    assert whole.values.tobytes() == again.values.tobytes()  # nor do blocks change anything


# --- LRscore -------------------------------------------------------------------------------------------------------

THREE: dict[str, Any] = {
    "hyp": ["the cat sat down here", "a dog barked"],
    "ref": ["here the cat sat down quietly", "a dog barked"],
    "source": ["s0 s1 s2 s3", "s0 s1 s2"],
    "order": "source",
    "tokenize": "none",
    "hyp_align": column_of("0-0 1-1 2-2 3-4", "0-0 1-1 2-2"),
    "ref_align": column_of("0-1 1-2 2-3 3-0", "0-0 1-2 2-1"),
    "samples": 0,
}
# The source words read 1 2 3 4 in the first hypothesis and 4 1 2 3 in its reference: three of six pairs are swapped.
# In the second the hypothesis is monotone and the reference swaps one of three pairs.
D_K = [1 - math.sqrt(3 / 6), 1 - math.sqrt(1 / 3)]
D_H = [0.0, 1 / 3]
BREVITY = [math.exp(1 - 6 / 5), 1.0]
MEAN_DK = (D_K[0] + D_K[1]) / 2  # source→reference against monotone: the same numbers, the hypotheses being monotone


@pytest.mark.usefixtures("no_aligner")
@pytest.mark.parametrize(
    ("name", "theta", "order", "lexical"),
    [
        ("lr-hb1", 0.1332, D_H, "bleu1"),
        ("lr-hb4", 0.0186, D_H, "bleu4"),
        ("lr-kb1", 0.2820, D_K, "bleu1"),
        ("lr-kb4", 0.1319, D_K, "bleu4"),
    ],
)
def test_lrscore_as_the_thesis_defines_it(name: str, theta: float, order: list[float], lexical: str) -> None:
    scores = score(**THREE, metrics=name)
    dk = scores.signature["dk"]  # with all its digits
    assert dk == pytest.approx(MEAN_DK, abs=1e-15)
    alpha = theta**dk
    reordering = sum(d * penalty for d, penalty in zip(order, BREVITY, strict=True)) / 2
    # 8 of 8 unigrams, 5 of 6 bigrams, 3 of 4 trigrams, 1 of 2 four-grams; 8 words against 9
    precisions = {"bleu1": 1.0, "bleu4": (1 * 5 / 6 * 3 / 4 * 1 / 2) ** 0.25}
    words_right = math.exp(1 - 9 / 8) * precisions[lexical]
    assert scores.values[0, 0] == pytest.approx(alpha * reordering + (1 - alpha) * words_right, abs=1e-12)
    assert str(scores.metrics[0]) == f"{name}:dk={dk}"
    assert scores.signature["alpha"] == [round(alpha, 4)]
    parts = scores.to_dict()["systems"][0]["scores"][f"{name}:dk={dk}"]["parts"]
    assert parts["alpha"] == pytest.approx(alpha, abs=1e-15)
    assert parts["order"] == pytest.approx(reordering, abs=1e-12)
    assert parts["brevity"] == pytest.approx(sum(BREVITY) / 2, abs=1e-12)


@pytest.mark.usefixtures("no_aligner")
def test_the_lexical_part_is_sacrebleus() -> None:
    scores = score(**THREE, metrics="lr-kb4:alpha=0")
    bleu = sacrebleu.corpus_bleu(THREE["hyp"], [THREE["ref"]], tokenize="none", smooth_method="none", force=True)
    assert scores.values[0, 0] == pytest.approx(bleu.score / 100, abs=1e-12)


@pytest.mark.usefixtures("no_aligner")
def test_metrics_of_words_and_characters_do_not_depend_on_the_order() -> None:
    names = "bleu,f1,chrf,1-ter,ribes,matched"
    through = score(**THREE, metrics=names)
    plain = {key: THREE[key] for key in ("hyp", "ref", "tokenize", "samples")}
    np.testing.assert_array_equal(through.values, score(**plain, metrics=names).values)


@pytest.mark.usefixtures("no_aligner")
def test_a_given_alpha_stays_and_the_printed_metric_is_the_one_that_was_computed() -> None:
    scores = score(**THREE, metrics="lr-kb4,lr-kb1,lr-hb4:alpha=0.3,lr:theta=0.5,kendall-sqrt")
    dk = scores.signature["dk"]  # with all its digits
    assert dk == pytest.approx(MEAN_DK, abs=1e-15)
    names = [f"lr-kb4:dk={dk}", f"lr-kb1:dk={dk}", "lr-hb4:alpha=0.3", f"lr:theta=0.5:dk={dk}", "kendall-sqrt"]
    assert [str(found) for found in scores.metrics[:5]] == names
    assert scores.signature["alpha"] == [round(theta**dk, 4) for theta in (0.1319, 0.2820, 0.5)]
    assert f"|dk:{dk}|alpha:" in write_signature(scores.signature)
    again = score(**THREE, metrics=",".join(names))
    np.testing.assert_array_equal(again.values, scores.values)
    assert [metric(name) for name in names] == list(scores.metrics[:5])
    assert "alpha" not in score(**THREE, metrics="kendall-sqrt,lr-hb4:alpha=0.3").signature


@pytest.mark.usefixtures("no_aligner")
def test_a_metric_is_found_and_shown_under_the_name_that_was_requested() -> None:
    settings = THREE | {"samples": 50, "hyp": {"A": THREE["hyp"], "B": THREE["ref"]}}
    settings["hyp_align"] = {"A": THREE["hyp_align"], "B": THREE["ref_align"]}
    scores = score(**settings, metrics="lr-kb4,full:order=pef,lr:theta=0.5,lr-kb4:dk=0.123456789")
    dk = scores.signature["dk"]
    assert len(str(dk)) > 9
    long = [f"lr-kb4:dk={dk}", "full", f"lr:theta=0.5:dk={dk}", "lr-kb4:dk=0.123456789"]
    short = ["lr-kb4", "full", "lr:theta=0.5", "lr-kb4:dk=0.123456789"]  # what the user writes is never shortened
    assert (scores.names, scores.labels) == (long, short)
    for m, (full_name, name) in enumerate(zip(long, short, strict=True)):
        for asked in (name, full_name, metric(full_name), scores.metrics[m]):
            assert scores["A", asked] == scores.values[0, m]
            assert scores.metric_place(asked) == m
    assert scores["A", "full:order=pef"] == scores["A", "full"]
    by_other = scores.segment_scores("B", "lr:theta=.5")
    np.testing.assert_array_equal(by_other, scores.scores_at(1, 2))
    with pytest.raises(UsageError, match="no metric 'lr-kb1'"):
        scores["A", "lr-kb1"]
    for table in (scores.summary(sort="lr:theta=0.5"), scores.table(), scores.versus().table()):
        bare = replace(table, signature="")
        shown = str(bare), render_markdown(bare), render_latex(bare), bare._repr_html_()
        assert not any(str(dk) in text for text in shown)
        assert f"metrics:{','.join(long)}|" in table.signature
        assert set(long) < set(table_records(table)[0])
    assert set(scores.to_dict()["systems"][0]["scores"]) == set(long)
    (worst,) = scores.worst(1, by="lr-kb4", between=("A", "B"))
    assert (worst.to_dict()["metric"], str(dk) in str(worst)) == (long[0], False)


@pytest.mark.usefixtures("no_aligner")
def test_a_dk_that_is_given_wins_over_the_test_sets_also_where_it_is_the_one_that_would_be_assumed() -> None:
    scores = score(**THREE, metrics="lr-kb4:dk=0.6606,lr-kb4")
    assert scores.names == ["lr-kb4:dk=0.6606", f"lr-kb4:dk={score(**THREE, metrics='lr-kb4').signature['dk']}"]
    assert "dk_of" not in scores.signature
    assert "Chinese" not in str(scores)


@pytest.mark.usefixtures("no_aligner")
def test_the_policy_of_dk_is_the_policy_of_the_scores() -> None:
    uneven = THREE | {"ref_align": column_of("1-2 3-0", "0-0")}
    found = {policy: score(**uneven, metrics="kendall", policy=policy).signature["dk"] for policy in POLICIES}
    for policy in POLICIES:
        orders = [
            twins.compare(
                twins.project(links_of(links), length, policy),
                twins.Projected(tuple((word,) for word in range(length))),
            )
            for links, length in (("1-2 3-0", 4), ("0-0", 3))
        ]
        assert found[policy] == pytest.approx(sum(map(twins.kendall_sqrt, orders)) / 2, abs=1e-15)
    assert len(set(found.values())) > 1


# --- several references --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_aligner")
def test_each_segment_takes_its_closest_reference_or_the_average() -> None:
    common: dict[str, Any] = {
        "hyp": ["a b c", "a b c"],
        "ref": [["a b c", "a b c"], ["a b c", "a b c"]],
        "source": ["x y z", "x y z"],
        "order": "source",
        "hyp_align": column_of("0-0 1-1 2-2", "0-0 1-1 2-2"),
        "ref_align": [column_of("0-0 1-1 2-2", "0-2 1-1 2-0"), column_of("0-0 1-2 2-1", "0-1 1-0 2-2")],
        "metrics": "kendall",
        "samples": 0,
    }
    closest = score(**common)
    assert closest.segment_scores("system", "kendall").tolist() == pytest.approx([1, 2 / 3])
    average = score(**common, reference_choice="average")
    assert average.segment_scores("system", "kendall").tolist() == pytest.approx([(1 + 2 / 3) / 2, (0 + 2 / 3) / 2])
    assert (closest.signature["references"], closest.signature["reference_choice"]) == (2, "closest")
    # d_k is a mean over all references: 1 − √(discordant share)
    assert closest.signature["dk"] == pytest.approx((1 + 0 + 2 * (1 - math.sqrt(1 / 3))) / 4, abs=1e-15)


def test_weights_follow_the_reference_length() -> None:
    scores = score(**THREE, metrics="kendall", weight="ref-length")
    assert scores.values[0, 0] == pytest.approx((6 * 3 / 6 + 3 * 2 / 3) / 9)
    assert scores.signature["weight"] == "ref-length"
    with pytest.raises(UsageError, match="weight='ref-length' applies only to comparisons with references"):
        score(**(THREE | {"order": "monotone"}), metrics="kendall", weight="ref-length")


# --- monotone ------------------------------------------------------------------------------------------------------

MONOTONE: dict[str, Any] = {
    "hyp": {"A": ["x y z", "u v"], "B": ["x y z", "u v"]},
    "source": ["a b c", "d e"],
    "hyp_align": {"A": column_of("0-0 1-1 2-2", "0-0 1-1"), "B": column_of("0-2 1-1 2-0", "0-1 1-0")},
    "samples": 100,
}


@pytest.mark.usefixtures("no_aligner")
def test_a_source_alone_means_monotone() -> None:
    scores = score(**MONOTONE)
    assert scores.systems == ("A", "B")
    assert scores.signature["order"] == "monotone"
    assert [str(found) for found in scores.metrics] == [
        "kendall-sqrt",
        "pef",
        "crossing-rate",
        "jump",
        "anticipation",
        "unaligned-source",
        "unaligned-target",
    ]
    table = dict(zip(map(str, scores.metrics), scores.values.T.tolist(), strict=True))
    assert table["kendall-sqrt"] == [1, 0]
    assert table["crossing-rate"] == [0, 1]
    assert table["jump"] == [0, 2]


@pytest.mark.usefixtures("no_aligner")
def test_nobody_is_best_at_being_monotone() -> None:
    scores = score(**MONOTONE)
    assert scores.baseline is None
    assert scores.comparisons == []
    marks = {mark for row in scores.table().rows for cell in row for mark in cell.marks}
    assert marks == set()
    assert "how monotone, not how good" in scores.table().notes[0]
    assert "higher is better" not in str(scores)
    named = score(**MONOTONE, baseline="A")
    assert {found.b for found in named.comparisons} == {"A"}


@pytest.mark.usefixtures("no_aligner")
def test_the_reference_comes_along_as_the_baseline() -> None:
    texts = MONOTONE | {
        "ref": ["x y z", "u v"],
        "ref_align": column_of("0-0 1-2 2-1", "0-0 1-1"),
        "order": "monotone",
        "metrics": "kendall,crossing-rate",
    }
    scores = score(**texts)
    assert scores.systems == ("reference", "A", "B")
    assert scores.values[:, 0].tolist() == pytest.approx([(2 / 3 + 1) / 2, 1, 0])
    assert scores.values[:, 1].tolist() == pytest.approx([1 / 4, 0, 1])
    assert scores.baseline == "reference"
    rows = scores.table().rows
    assert all(Mark.BASELINE in cell.marks for cell in rows[0][1:3])
    assert not any(Mark.BEST in cell.marks for row in rows for cell in row)
    found = {(test["metric"], test["a"]): test["difference"] for test in scores.to_dict()["tests"]}
    assert found["kendall", "A"] == pytest.approx(1 - 5 / 6)  # more literal than people, in one number
    assert found["kendall", "B"] == pytest.approx(-5 / 6)
    assert score(**texts, baseline="A").baseline == "A"


@pytest.mark.usefixtures("no_aligner")
def test_several_references_are_several_rows() -> None:
    links = column_of("0-0 1-2 2-1", "0-0 1-1")
    texts = MONOTONE | {"ref": [["x y z", "u v"]] * 2, "ref_align": [links, links]}
    scores = score(**texts, order="monotone", metrics="kendall")
    assert scores.systems == ("reference1", "reference2", "A", "B")
    assert scores.baseline == "reference1"


def test_a_system_called_reference_is_refused() -> None:
    with pytest.raises(
        UsageError, match="the system name 'reference' is reserved for a reference; give the system another name"
    ):
        score({"reference": ["x"]}, ["x"], source=["a"], order="monotone")


def test_aligned_text_shows_what_people_move() -> None:
    scores = score(
        {"literal": LITERAL},
        FLUENT,
        source=SOURCE,
        order="monotone",
        metrics="kendall,unaligned-source",
        aligning=Aligning("model1"),
        samples=0,
    )
    assert scores.systems == ("reference", "literal")
    assert scores.values[1, 0] > scores.values[0, 0] + 0.1
    assert scores.values[:, 1].max() < 0.1


# --- alignments without text ---------------------------------------------------------------------------------------


def test_alignments_alone_give_what_can_be_known_of_them() -> None:
    unknown, source = column_of("0-0 1-2 2-1", "0-0 1-1"), ["a b c", "d e f"]
    names = [str(m) for m in score(hyp_align=unknown, order="monotone", source=source, samples=0).metrics]
    assert names == ["kendall-sqrt", "pef", "crossing-rate", "jump", "unaligned-source"]
    dropped = score(hyp_align=unknown, order="monotone", policy="drop", samples=0)
    assert [str(found) for found in dropped.metrics] == ["kendall-sqrt", "pef", "crossing-rate", "jump"]
    known = Alignments.of([Alignment(row.links, 3, 4) for row in unknown])
    scores = score(hyp_align=known, order="monotone", metrics="all", samples=0)
    assert scores.values[0, [str(m) for m in scores.metrics].index("unaligned-target")] == 3 / 8
    assert len(scores.metrics) > 15
    with pytest.raises(UsageError, match="metric unaligned-target needs lengths of the translations"):
        score(hyp_align=unknown, order="monotone", source=source, metrics="unaligned-target")
    with pytest.raises(
        UsageError, match="the policy birch requires the length of every source sentence: give source or source_lengths"
    ):
        score(hyp_align=unknown, order="monotone")


def test_alignments_alone_with_references_and_lengths_of_any_kind(tmp_path: Path) -> None:
    text, numbers = tmp_path / "source.txt", tmp_path / "lengths"
    text.write_text("a b c\nd e f\n")
    numbers.write_text("3\n3\n")
    common: dict[str, Any] = {
        "hyp_align": {"A": column_of("0-0 1-2 2-1", "0-0 1-1")},
        "ref_align": column_of("0-0 1-1 2-2", "0-1 1-0"),
        "order": "monotone",
        "metrics": "kendall,unaligned-source",
        "samples": 0,
    }
    results = [
        score(**common, **lengths)
        for lengths in (
            {"source": str(text)},
            {"source": ["a b c", "d e f"]},
            {"source_lengths": str(numbers)},
            {"source_lengths": [3, 3]},
        )
    ]
    for scores in results:
        assert scores.systems == ("reference", "A")
        assert scores.baseline == "reference"
        # birch: the unaligned third word follows the second one
        assert scores.values.tolist() == pytest.approx(np.array([[(1 + 1 / 3) / 2, 1 / 6], [5 / 6, 1 / 6]]))
    with pytest.raises(InputError, match="reference 1 has 1 line, A has 2"):
        score(**(common | {"ref_align": column_of("0-0"), "policy": "drop"}))


def test_what_is_compared_is_never_guessed() -> None:
    links = column_of("0-0")
    with pytest.raises(UsageError, match="there is no reference: give ref_align or order='monotone'"):
        score(hyp_align=links, source=["a"])
    with pytest.raises(UsageError, match="order='matched' requires text"):
        score(hyp_align=links, order="matched")
    with pytest.raises(UsageError, match="order='monotone' applies to texts and alignments only"):
        score(permutations=["1"], order="monotone")
    with pytest.raises(UsageError, match="order='source' needs the source text; give source"):
        score(["x"], ["x"], order="source")
    with pytest.raises(UsageError, match="order='source' requires a reference; order='monotone' does not"):
        score(["x"], source=["a"], order="source")
    with pytest.raises(
        UsageError, match="hypotheses require references or a source to compare with: give ref or source"
    ):
        score(["x"])
    with pytest.raises(UsageError, match=r"unknown order 'sauce'; did you mean 'source'\?"):
        score(["x"], source=["a"], order="sauce")
    assert score(["x"], ["x"], source=["a"], samples=0).signature["order"] == "matched"


# --- what is wrong is told in one line -----------------------------------------------------------------------------


@pytest.mark.usefixtures("no_aligner")
def test_links_outside_the_sentences_are_told_with_the_tokeniser(tmp_path: Path) -> None:
    path = tmp_path / "hyp.align"
    path.write_text("0-0 1-1\n0-0 2-2\n")
    common: dict[str, Any] = {"hyp": ["x y", "x, y"], "source": ["a b", "a b"], "samples": 0}
    with pytest.raises(InputError) as caught:
        score(**common, hyp_align=path)
    assert str(caught.value) == (
        f"{path}:2: link 2-2 is out of range: the source sentence has 2 words (indices 0 to 1); is this the "
        "alignment of source with system, line by line, and of their words as tokenize='13a' splits them, not "
        "tokenize='none'?"
    )
    path.write_text("0-0 1-1\n0-0 1-2\n")  # the comma is a word of 13a, and none of the text as it is
    assert score(**common, hyp_align=path).signature["tokenizer"] == "13a"
    with pytest.raises(InputError, match=r"hyp.align:2: link 1-2 is out of range.*of source with system, line"):
        score(**common, hyp_align=path, tokenize="none")
    with pytest.raises(InputError, match=r"^system:2: link 1-2 is out of range.*of source with system, line"):
        score(**common, hyp_align=column_of("0-0", "1-2"), tokenize="none")
    with pytest.raises(InputError, match=r"^reference 1:2: link 1-2 is out of range"):
        score(
            **common,
            ref=["x y", "x y"],
            order="source",
            hyp_align=column_of("0-0", "0-0"),
            ref_align=[Alignment(((0, 0),)), Alignment(((1, 2),))],
        )


@pytest.mark.usefixtures("no_aligner")
def test_links_that_count_other_words_are_refused_though_all_are_in_range(tmp_path: Path) -> None:
    path = tmp_path / "hyp.align"
    path.write_text("0-0 1-1\n0-0\n0-1 1-0\n")
    lines = ["x y", "x, z!", "x, y"]
    common: dict[str, Any] = {"source": ["a b"] * 3, "metrics": "crossing-rate", "samples": 0}
    with pytest.raises(InputError) as caught:
        score(lines, hyp_align=path, **common)
    assert str(caught.value) == (
        f"{path}:2: 2 of 3 sentence pairs (this is the first) have more words when split by "
        "tokenize='13a' than when split at spaces, but no link reaches the extra words; "
        "use tokenize='none' if the links "
        "count words between spaces"
    )
    with pytest.raises(InputError, match=r"^system:2: 2 of 3 sentence pairs "):
        score(lines, hyp_align=column_of("0-0 1-1", "0-0", "0-1 1-0"), **common)
    assert score(lines, hyp_align=path, tokenize="none", **common).values[0, 0] > 0
    assert score(["x y", "x", "y z"], hyp_align=path, **common).values[0, 0] > 0
    path.write_text("0-0 1-1\n0-0\n0-2 1-0\n")  # one link reaches a word that only 13a cuts
    assert score(lines, hyp_align=path, **common).values[0, 0] > 0
    path.write_text("0-0 1-1\n\n\n")  # sentences without links tell nothing
    assert score(lines, hyp_align=path, **common).values[0, 0] == 0


@pytest.mark.usefixtures("no_aligner")
@pytest.mark.parametrize(("source", "target"), [("a, b", "x y"), ("a b", "x, y")])
def test_words_of_either_side_may_be_split(source: str, target: str) -> None:
    options: dict[str, Any] = {"source": [source], "metrics": "crossing-rate", "samples": 0}
    with pytest.raises(InputError, match=r"^system:1: 1 of 1 sentence pairs"):
        score([target], hyp_align=column_of("0-0 1-1"), **options)


@pytest.mark.usefixtures("no_aligner")
def test_spaces_are_those_that_the_tokeniser_splits_at() -> None:
    options: dict[str, Any] = {"source": ["a b"], "metrics": "crossing-rate", "samples": 0}
    assert len(score(["x\u2003y"], hyp_align=column_of("0-0"), **options)) == 1


@pytest.mark.usefixtures("no_aligner")
def test_links_beside_their_number_of_words_are_checked_against_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "hyp.lader"
    path.write_text("2-3 ||| 0-0\n")
    options: dict[str, Any] = {"source": ["a b"], "metrics": "crossing-rate", "samples": 0}
    assert len(score(["x, y"], hyp_align=path, align_format="lader", **options)) == 1


@pytest.mark.usefixtures("no_aligner")
def test_a_no_break_space_is_a_letter_to_other_aligners() -> None:
    options: dict[str, Any] = {"source": ["a b"], "tokenize": "none", "metrics": "crossing-rate", "samples": 0}
    with pytest.raises(InputError, match=r"^system:1: 1 of 1 sentence pairs"):
        score(["x\u00a0y z"], hyp_align=column_of("0-0 1-1"), **options)
    assert len(score(["x\u00a0y z"], hyp_align=column_of("0-0 1-2"), **options)) == 1


@pytest.mark.usefixtures("no_aligner")
def test_lengths_in_an_alignment_file_must_be_those_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "hyp.lader"
    path.write_text("2-3 ||| 0-0\n")
    with pytest.raises(
        InputError, match=r"the target length is 3 in this file, but 2 in the target text; is this the alignment"
    ):
        score(["x y"], source=["a b"], hyp_align=path, align_format="lader")


@pytest.mark.usefixtures("no_aligner")
def test_the_wrong_number_of_lines_is_told(tmp_path: Path) -> None:
    path = tmp_path / "hyp.align"
    common: dict[str, Any] = {"hyp": ["x", "y"], "source": ["a", "b"]}
    path.write_text("0-0\n")
    with pytest.raises(InputError, match=r"hyp.align: the file ends after 1 sentence, but the source has"):
        score(**common, hyp_align=path)
    path.write_text("0-0\n0-0\n0-0\n")
    with pytest.raises(InputError, match=r"hyp.align:3: one sentence too many: lengths are given for 2 source"):
        score(**common, hyp_align=path)
    with pytest.raises(InputError, match=r"^system: expected 2 alignments, one per sentence, found 1$"):
        score(**common, hyp_align=column_of("0-0"))
    with pytest.raises(InputError, match=r"the inputs differ in length: source has 3 lines, A has 2"):
        score({"A": ["x", "y"]}, source=["a", "b", "c"])
    with pytest.raises(InputError, match="training texts differ in length: 1 and 2 lines"):
        score(["x"], source=["a"], aligning=Aligning(train_source=["a"], train_target=["x", "y"]))


@pytest.mark.usefixtures("no_aligner")
def test_every_system_has_links_or_none_has() -> None:
    links = column_of("0-0")
    texts: dict[str, Any] = {"hyp": {"A": ["x"], "B": ["x"]}, "source": ["a"]}
    message = "alignments are given for A, but the systems are A, B; give them for every system or for none"
    with pytest.raises(UsageError, match=message):
        score(**texts, hyp_align={"A": links})
    with pytest.raises(UsageError, match="alignments are given for system, but the systems are A, B"):
        score(**texts, hyp_align=links)
    with pytest.raises(UsageError, match="expected alignments of 2 references, found 1"):
        score(**texts, ref=[["x"], ["x"]], order="monotone", hyp_align={"A": links, "B": links}, ref_align=[links])


@pytest.mark.usefixtures("no_aligner")
def test_a_reference_without_any_link_has_no_order() -> None:
    with pytest.raises(
        InputError, match="no source word is linked to any reference, so there is no reference order to compare"
    ):
        score(**(THREE | {"ref_align": column_of("", "")}))


@pytest.mark.usefixtures("no_aligner")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "kendal"}, "unknown metric 'kendal'"),
        ({"metrics": "bleu"}, "metric bleu needs text"),
        ({"policy": "birsh"}, "unknown policy 'birsh'"),
        ({"align_format": "moose"}, "unknown alignment format 'moose'"),
    ],
)
def test_mistakes_are_found_before_anything_is_aligned(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        score(["x"], source=["a"], **options)
    with pytest.raises(UsageError, match=message.replace("bleu needs text", "jump needs orders")):
        score(["x"], ["x"], source=["a"], order="source", **{k: v.replace("bleu", "jump") for k, v in options.items()})


def test_an_aligner_that_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match=r"unknown alignment model 'hhm'; did you mean 'hmm'\?"):
        Aligning(aligner="hhm")
    with pytest.raises(UsageError, match=r"unknown symmetrisation 'growdiag'; did you mean 'grow-diag'\?"):
        Aligning(symmetrise="growdiag")
    with pytest.raises(UsageError, match="training requires both train_source and train_target"):
        Aligning(train_source=["a"])
    with pytest.raises(UsageError, match="a saved model cannot be trained further"):
        Aligning(align_model="m", train_source=["a"], train_target=["b"])
    with pytest.raises(UsageError, match=r"nowhere: no such file"):
        score(["x"], source=["a"], aligning=Aligning(align_model="nowhere"))


def test_nothing_and_empty_lines() -> None:
    with pytest.raises(InputError, match="there is nothing to score, because the input has no segments"):
        score({"A": []}, source=[])
    scores = score({"A": ["x y", "", "y"]}, ["x", "x y", ""], source=["", "a", "b"], order="monotone", samples=0)
    assert len(scores) == 3
    assert scores.defined.max() <= 3
