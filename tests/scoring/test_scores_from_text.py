"""Scores of text: every kind of input, several references, weights, the bootstrap of BLEU, the shape of results."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from scoring_twins import bootstrap, percentiles

import text_twins
import twins
from wordorder import __version__, score
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.linking.matching import Matching
from wordorder.scoring.inputs import MatchedTexts
from wordorder.scoring.score import score as score_inputs
from wordorder.scoring.tables import write_segments

REFERENCE = [
    "the old man walked slowly to the sea .",
    "we have never seen such a storm .",
    "she sold her house last year .",
    "",
    "the trains run late again today .",
    "nobody knows why .",
]
GOOD = [
    "the old man went slowly to the sea .",
    "never have we seen such a storm .",
    "she sold her house last year .",
    "an extra line",
    "today the trains run late again .",
    "nobody knows why .",
]
BAD = [
    "to the sea slowly the man old walked .",
    "such a storm have we seen never .",
    "her house sold she",
    "",
    "",
    "why knows it nobody .",
]
OTHER = [
    "slowly the old man walked to the sea .",
    "never have we seen such a storm .",
    "last year she sold her house .",
    "an extra line",
    "the trains are late again .",
    "no one knows why .",
]
SYSTEMS = {"good": GOOD, "bad": BAD}


def words(line: str) -> text_twins.Words:
    return tuple(line.split())


def test_every_kind_of_input_gives_the_same(tmp_path: Path) -> None:
    expected = score({"A": GOOD}, REFERENCE, samples=50).to_dict()
    plain, packed, gold = tmp_path / "good.txt", tmp_path / "good.txt.gz", tmp_path / "ref.txt"
    plain.write_text("\n".join(GOOD) + "\n")
    packed.write_bytes(gzip.compress(("\r\n".join(GOOD)).encode("utf-8-sig")))
    gold.write_text("\n".join(REFERENCE))
    kinds: list[Any] = [
        tuple(GOOD),
        pd.Series(GOOD, index=range(10, 16)),
        pd.Series(GOOD, dtype="object"),
        np.array(GOOD),
        pa.array(GOOD),
        pa.chunked_array([GOOD[:2], GOOD[2:]]),
        pa.array(GOOD, type=pa.large_string()),
        pa.array(GOOD).dictionary_encode(),
        str(plain),
        plain,
        packed,
    ]
    golds: list[Any] = [[REFERENCE], pd.Series(REFERENCE), pa.array(REFERENCE), gold, str(gold), [gold]]
    for hypotheses in kinds:
        assert score({"A": hypotheses}, REFERENCE, samples=50).to_dict() == expected, type(hypotheses)
    for references in golds:
        assert score({"A": GOOD}, references, samples=50).to_dict() == expected, type(references)


def test_a_single_system_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "online-A.txt"
    path.write_text("\n".join(GOOD))
    assert score(path, REFERENCE, samples=0).systems == ("online-A",)
    assert score(GOOD, REFERENCE, samples=0).systems == ("system",)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([*GOOD[:5], None], "6: this entry is missing"),
        ([*GOOD[:5], 3], "line 6 must be a string, not int"),
        ([*GOOD[:5], "\ud800"], "line 6 cannot be encoded as UTF-8"),
        (GOOD[:5], "reference 1 has 6 lines, A has 5"),
        ([*GOOD, "more"], "reference 1 has 6 lines, A has 7"),
        (pd.Series([*GOOD[:5], None]), "6: this entry is missing"),
    ],
)
def test_columns_that_are_no_text_or_too_short_are_refused(column: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score({"A": column}, REFERENCE)


def test_the_same_file_may_stand_for_everything(tmp_path: Path) -> None:
    path = tmp_path / "same.txt"
    path.write_text("\n".join(line for line in GOOD))
    scores = score({"A": path, "B": path}, [path, path], metrics="bleu", samples=0)
    assert scores.values.tolist() == [[1.0], [1.0]]


def test_line_counts_of_all_files_are_told(tmp_path: Path) -> None:
    paths = {}
    for name, lines in {"ref": 3, "A": 3, "B": 2}.items():
        paths[name] = tmp_path / f"{name}.txt"
        paths[name].write_text("x\n" * lines)
    with pytest.raises(InputError) as caught:
        score({"A": paths["A"], "B": paths["B"]}, paths["ref"])
    message = f"the inputs differ in length: {paths['ref']} has 3 lines, {paths['A']} has 3, {paths['B']} has 2"
    assert str(caught.value) == message


# --- several references -------------------------------------------------------------------------------------------


def by_reference(name: str, hypothesis: str, references: list[str]) -> list[float]:
    """Score one segment under each reference, by hand."""
    h, golds = words(hypothesis), [words(reference) for reference in references]
    if name == "f1":
        found = [text_twins.f1(h, gold) for gold in golds]
        return [math.nan if value is None else value for value in found]
    orders = [text_twins.matched_order(h, gold) for gold in golds]
    return [twins.FLAT[name](order) if order else math.nan for order in orders]


# No word stands twice in a line: matching is unambiguous.
SIMPLE = ["b a c d", "x y", "c b a", "", "e f"]
FIRST = ["a b c d", "p q", "c a b", "a", "f e"]
SECOND = ["b a d c", "y x", "", "", "p q"]


@pytest.mark.parametrize("name", ["kendall", "hamming", "fuzzy", "f1"])
def test_the_closest_reference_is_chosen_per_segment_and_metric(name: str) -> None:
    scores = score(SIMPLE, [FIRST, SECOND], metrics=name, samples=0)
    expected = []
    for hypothesis, *references in zip(SIMPLE, FIRST, SECOND, strict=True):
        found = [value for value in by_reference(name, hypothesis, references) if not math.isnan(value)]
        expected.append(max(found, default=math.nan))
    assert scores.segment_scores("system", name).tolist() == pytest.approx(expected, nan_ok=True)
    assert scores.signature["reference_choice"] == "closest"


@pytest.mark.parametrize("name", ["kendall", "hamming", "fuzzy"])
def test_the_average_is_over_the_references_a_segment_is_defined_for(name: str) -> None:
    scores = score(SIMPLE, [FIRST, SECOND], metrics=name, samples=0, reference_choice="average")
    expected = []
    for hypothesis, *references in zip(SIMPLE, FIRST, SECOND, strict=True):
        found = [value for value in by_reference(name, hypothesis, references) if not math.isnan(value)]
        expected.append(sum(found) / len(found) if found else math.nan)
    assert scores.segment_scores("system", name).tolist() == pytest.approx(expected, nan_ok=True)
    defined = [value for value in expected if not math.isnan(value)]
    assert scores.values[0, 0] == pytest.approx(sum(defined) / len(defined))
    assert scores.signature["reference_choice"] == "average"


def test_references_are_chosen_for_each_metric_on_its_own() -> None:
    """For the first line Hamming likes the second reference as much, Kendall the second, F1 the first."""
    scores = score(["b a d"], [["a b d c"], ["b d a e f"]], metrics="hamming,kendall,f1", samples=0)
    assert scores.values[0, :3].tolist() == pytest.approx([1 / 3, 2 / 3, 6 / 7])


def test_the_order_of_references_does_not_matter_to_means_and_bleu() -> None:
    for choice in ("closest", "average"):
        options: dict[str, Any] = {"metrics": "lr-kb4,pef,bleu,full", "reference_choice": choice}
        one = score(SYSTEMS, [REFERENCE, OTHER], samples=0, **options).values[:, :4]
        two = score(SYSTEMS, [OTHER, REFERENCE], samples=0, **options).values[:, :4]
        assert one.tolist() == [pytest.approx(row, abs=1e-12) for row in two.tolist()]


def test_bleu_keeps_its_own_rule_for_several_references() -> None:
    for choice in ("closest", "average"):
        scores = score(GOOD, [REFERENCE, OTHER], metrics="bleu", samples=0, reference_choice=choice)
        theirs = BLEU(smooth_method="none", force=True).corpus_score(GOOD, [REFERENCE, OTHER]).score
        assert scores.values[0, 0] == pytest.approx(theirs / 100)


# --- weights, case, tokens ----------------------------------------------------------------------------------------


def test_a_mean_may_be_weighted_by_reference_length() -> None:
    plain = score(SIMPLE, FIRST, metrics="kendall,full:lexical=f1", samples=0)
    weighted = score(SIMPLE, FIRST, metrics="kendall,full:lexical=f1", samples=0, weight="ref-length")
    lengths = np.array([len(line.split()) for line in FIRST], dtype=float)
    for m, name in enumerate(("kendall", "full:lexical=f1")):
        segments = plain.segment_scores("system", name)
        assert weighted.segment_scores("system", name).tolist() == pytest.approx(segments.tolist(), nan_ok=True)
        defined = ~np.isnan(segments)
        expected = (segments[defined] * lengths[defined]).sum() / lengths[defined].sum()
        assert weighted.values[0, m] == pytest.approx(expected)
    assert weighted.values[0, 0] != pytest.approx(plain.values[0, 0])
    assert weighted.signature["weight"] == "ref-length"
    assert "weight" not in plain.signature


def test_lower_case_is_for_every_metric_and_in_the_signature() -> None:
    lines, gold = ["The CAT sat", "ÄRGER"], ["the cat Sat", "ärger"]
    metrics = "kendall,bleu1,f1,chrf,matched"
    mixed, lower = (score(lines, gold, metrics=metrics, samples=0, lowercase=low) for low in (False, True))
    assert lower.values.tolist() == [pytest.approx([1.0] * 5)]
    assert all(value < 1 or math.isnan(value) for value in mixed.values[0])
    assert mixed.values[0, 3] == pytest.approx(CHRF().corpus_score(lines, [gold]).score / 100)
    assert (mixed.signature["case"], lower.signature["case"]) == ("mixed", "lower")


def test_the_tokeniser_is_sacrebleus_and_in_the_signature() -> None:
    for tokenizer in ("13a", "none", "intl", "char", "zh"):
        scores = score(["Yes, 3.5 € (now)!"], ["Yes, 3.5 €, now!"], metrics="bleu", tokenize=tokenizer, samples=0)
        theirs = BLEU(tokenize=tokenizer, smooth_method="none").corpus_score(
            ["Yes, 3.5 € (now)!"], [["Yes, 3.5 €, now!"]]
        )
        assert scores.values[0, 0] == pytest.approx(theirs.score / 100)
        assert scores.signature["tokenizer"] == tokenizer
    with pytest.raises(UsageError, match="unknown tokenizer '13b'; did you mean '13a'"):
        score(GOOD, REFERENCE, tokenize="13b")


def test_stems_match_more_and_are_in_the_signature() -> None:
    exact = score(["the cats sleep"], ["the cat sleeps"], metrics="matched", samples=0)
    stems = score(
        ["the cats sleep"], ["the cat sleeps"], metrics="matched", samples=0, matching=Matching(("exact", "stem"))
    )
    assert (exact.values[0, 0], stems.values[0, 0]) == pytest.approx((1 / 3, 1.0))
    assert (exact.signature["match"], stems.signature["match"]) == ("exact", "exact+stem:english")


# --- intervals and results ----------------------------------------------------------------------------------------


def test_thesis_8_2_an_assumed_dk_is_told_in_the_signature_and_under_the_table() -> None:
    """Matched words cannot tell how much two languages reorder: d_k is that of Chinese–English, .6606 (Table 8.1)."""
    texts: dict[str, Any] = {"hyp": ["b a c"], "ref": ["a b c"], "samples": 0}
    scores = score(**texts, metrics="lr-hb1,bleu,lr-kb4,lr-kb1:alpha=0.3,lr-hb4:dk=0.739")
    signature = "order:matched|dk:0.6606|dk_of:zh-en|alpha:0.264,0.2623,0.0526|"
    assert signature in str(scores)
    told = [line for line in str(scores.table()).splitlines() if "Chinese–English" in line]
    assert told == [
        "lr-hb1, lr-kb4: α is that of Chinese–English (d_k 0.6606, Birch 2011); set dk or alpha for other languages"
    ]
    for settled in ("lr-kb4:alpha=0.3", "lr-kb4:dk=0.6606", "bleu"):
        scores = score(**texts, metrics=settled)
        assert "dk" not in scores.signature
        assert "Chinese" not in str(scores)


def test_intervals_of_bleu_are_those_of_scoring_redrawn_text() -> None:
    """sacreBLEU scores each redrawn corpus anew."""
    generator = np.random.default_rng(5)
    vocabulary = list("abcde")
    gold = [" ".join(generator.choice(vocabulary, size=8)) for _ in range(25)]
    lines = [" ".join(word if generator.random() < 0.9 else "x" for word in line.split()) for line in gold]
    scores = score(lines, gold, metrics="bleu", samples=200, tokenize="none")
    metric = BLEU(tokenize="none", smooth_method="none", force=True)

    def corpus(drawn: list[int]) -> float:
        return float(metric.corpus_score([lines[i] for i in drawn], [[gold[i] for i in drawn]]).score) / 100

    replicates = bootstrap([[place] for place in range(len(lines))], corpus)
    assert scores.replicates[:, 0, 0].tolist() == pytest.approx(replicates.tolist())
    low, high = (float(bound[0, 0]) for bound in scores.intervals)
    assert (low, high) == pytest.approx(percentiles(replicates))
    assert low < scores.values[0, 0] < high


def test_the_matched_share_stands_beside_every_score_of_text_once() -> None:
    for metrics in ("pef", "matched,pef", None, "lexical"):
        scores = score(GOOD, REFERENCE, metrics=metrics, samples=0)
        assert [column.name for column in scores.table().columns].count("matched") == 1
        assert ("matched" in scores.signature["metrics"]) == (metrics in ("matched,pef", "lexical"))
        assert scores.segments().column_names.count("matched") == 1
        assert scores.matched is not None
        assert scores.matched.tolist() == score(GOOD, REFERENCE, metrics="matched", samples=0).values[:, 0].tolist()
    assert score(GOOD, REFERENCE, samples=0).signature["metrics"] == ["kendall-sqrt", "pef", "bleu"]


def test_json_has_exactly_the_promised_shape() -> None:
    scores = score(SYSTEMS, [REFERENCE, OTHER], metrics="lr-kb4,pef,bleu", samples=100, baseline="bad")
    document = scores.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert list(document) == ["version", "signature", "segments", "systems", "tests", "notes"]
    assert document["version"] == __version__
    assert document["segments"] == 6
    assert document["signature"] == {
        "metrics": ["lr-kb4", "pef", "bleu"],
        "order": "matched",
        "dk": 0.6606,
        "dk_of": "zh-en",
        "alpha": [0.2623],
        "match": "exact",
        "matcher": 2,
        "tokenizer": "13a",
        "case": "mixed",
        "references": 2,
        "reference_choice": "closest",
        "samples": 100,
        "test": "bootstrap",
        "seed": 12345,
        "version": __version__,
    }
    assert [system["name"] for system in document["systems"]] == ["good", "bad"]
    for s, system in enumerate(document["systems"]):
        assert list(system) == ["name", "matched", "words", "scores"]
        assert system["matched"] == scores.matched[s]  # type: ignore[index]
        assert list(system["scores"]) == ["lr-kb4", "pef", "bleu"]
        for m, found in enumerate(system["scores"].values()):
            assert list(found) == ["value", "low", "high", "defined", "undefined", "parts"]
            assert found["value"] == scores.values[s, m]
            assert found["low"] <= found["value"] <= found["high"]
            assert found["defined"] + found["undefined"] == 6
    assert set(document["systems"][0]["scores"]["lr-kb4"]["parts"]) == {"order", "lexical", "brevity", "alpha"}
    assert document["systems"][1]["scores"]["pef"]["undefined"] == 2
    promised = ["metric", "a", "b", "difference", "low", "high", "p", "p_corrected", "test"]
    promised += ["segments", "decidable"]
    assert [list(test) for test in document["tests"]] == [promised, [*promised, "common"], promised]  # of order alone
    assert {(test["a"], test["b"], test["test"]) for test in document["tests"]} == {("good", "bad", "bootstrap")}


def test_segments_are_an_arrow_table_with_nulls() -> None:
    table = score(SYSTEMS, REFERENCE, metrics="kendall-sqrt,bleu", samples=0).segments()
    assert table.column_names == ["system", "segment", "kendall-sqrt", "bleu", "matched"]
    assert table["system"].to_pylist() == ["good"] * 6 + ["bad"] * 6
    assert table["segment"].to_pylist() == [1, 2, 3, 4, 5, 6] * 2
    assert [value is None for value in table["kendall-sqrt"].to_pylist()[:6]] == [False] * 3 + [True] + [False] * 2
    assert table["bleu"].null_count == 0
    assert table["matched"].to_pylist()[3] is None
    assert table.to_pandas().groupby("system")["bleu"].size().tolist() == [6, 6]


def test_segments_are_written_as_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    scores = score(SYSTEMS, REFERENCE, metrics="kendall-sqrt,bleu", samples=0)
    write_segments(scores, str(path))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert records[2] == {
        "system": "good",
        "segment": 3,
        "matched": 7,
        "chunks": 1,
        "hypothesis_length": 7,
        "reference_length": 7,
        "scores": {"kendall-sqrt": 1.0, "bleu": pytest.approx(1.0)},
    }
    assert records[3]["scores"] == {"kendall-sqrt": None, "bleu": 0.0}
    assert [(record["system"], record["segment"]) for record in records[5:7]] == [("good", 6), ("bad", 1)]
    table = scores.segments().to_pylist()
    assert [record["scores"]["bleu"] for record in records] == [row["bleu"] for row in table]


def test_chunks_are_counted_only_if_orders_are_scored_or_on_request(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write_segments(score(["b a"], ["a b"], metrics="bleu", samples=0), str(path))
    assert json.loads(path.read_text())["matched"] == 2
    assert "chunks" not in json.loads(path.read_text())
    inputs = MatchedTexts({"A": ["b a"]}, ["a b"])
    write_segments(score_inputs(inputs, metrics="bleu", count_chunks=True), str(path))
    assert json.loads(path.read_text())["chunks"] == 2


def test_counts_that_are_averages_stay_averages(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    scores = score(["a b c"], [["a b c d"], ["a x c"]], metrics="pef", samples=0, reference_choice="average")
    write_segments(scores, str(path))
    record = json.loads(path.read_text())
    assert (record["matched"], record["chunks"], record["hypothesis_length"]) == (2.5, 1.5, 3)


def test_the_table_shows_the_parts_of_a_combined_metric_beside_it() -> None:
    table = score(SYSTEMS, REFERENCE, metrics="lr-kb4,bleu,full", samples=0).table()
    assert [column.name for column in table.columns] == [
        "system",
        *["lr-kb4", "lr-kb4 order", "lr-kb4 lexical", "lr-kb4 brevity"],
        "bleu",
        *["full", "full order", "full lexical", "full brevity"],
        *["matched", "segments", "words"],
    ]


def test_all_is_every_quick_metric_text_allows() -> None:
    names = score(GOOD, REFERENCE, metrics="all", samples=0).signature["metrics"]
    assert {
        "kendall",
        "pef",
        "bleu",
        "bleu-p4",
        "f1",
        "1-wer",
        "1-per",
        "chrf",
        "meteor",
        "lr",
        "lr-hb1",
        "full",
    } <= set(names)
    assert "1-ter" in names
    for group, member in (("order", "ulam"), ("lexical", "f1"), ("combined", "lr-kb1")):
        assert member in score(GOOD, REFERENCE, metrics=group, samples=0).signature["metrics"]


def test_a_notebook_shows_html_and_a_repr_is_short() -> None:
    scores = score(SYSTEMS, REFERENCE, metrics="bleu", samples=0)
    assert repr(scores) == "Scores(2 systems × 1 metric × 6 segments)"
    assert "<th>bleu</th>" in scores._repr_html_()


@pytest.mark.filterwarnings("ignore::wordorder.core.runtime.errors.InputWarning")  # any text may look odd
@settings(max_examples=60)
@given(
    st.integers(1, 3).flatmap(
        lambda count: st.lists(
            st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=count, max_size=count),
            min_size=2,
            max_size=3,
        )
    ),
    st.sampled_from(["13a", "none", "intl", "char"]),
)
@example([[""], ["㐀㐀㐀𠀀"]], "13a")
def test_any_text_gets_scores_in_range(columns: list[list[str]], tokenizer: str) -> None:
    hypotheses, *references = columns
    scores = score(hypotheses, references, metrics="all,1-ter", tokenize=tokenizer, samples=5)
    document = scores.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    below = ("1-ter", "1-wer", "1-per")
    for name, found in document["systems"][0]["scores"].items():
        values = [value for value in scores.segment_scores("system", name).tolist() if not math.isnan(value)]
        values += [value for value in (found["value"], found["low"], found["high"]) if value is not None]
        assert all(-1e-12 <= value <= 1 + 1e-12 for value in values if name not in below), name
        assert all(math.isfinite(value) and value <= 1 + 1e-12 for value in values), name
