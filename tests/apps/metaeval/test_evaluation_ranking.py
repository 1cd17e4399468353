"""Systems ranked by people and metrics (Birch 2011, 7.3.2.2), error rates of documents, ratings of given orders."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from wordorder.apps.metaeval import JudgedSet, Setup, metaevaluate
from wordorder.apps.metaeval.coefficients import estimate, human_scores
from wordorder.apps.metaeval.evaluation import cluster_systems, rank_systems
from wordorder.cli.main import main
from wordorder.core.runtime.cache import Cache
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.correlation import correlate
from wordorder.formats import ratings as rating_files
from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.metrics import metric
from wordorder.scoring.cache import cached_scores
from wordorder.scoring.scores import Scores

PEOPLE = {  # Birch 2011, Table 7.7: how often a German–English system was best or tied as best
    "rbmt2": 29,
    "google": 26,
    "rbmt3": 24,
    "systran": 22,
    "uka": 21,
    "umd": 21,
    "uedin": 20,
    "rbmt4": 19,
    "rbmt1": 14,
    "stuttgt": 14,
    "rwth": 10,
    "usaar": 9,
    "liu": 8,
    "geneva": 4,
    "jhu": 3,
}
TABLE_7_7 = {  # the same systems from the best to the worst one under a metric, and ρ with people
    "LR-HB4": ("google uka umd uedin stuttgt liu rwth systran rbmt3 usaar rbmt2 rbmt4 rbmt1 geneva jhu", 0.467),
    "LR-KB4": ("google uka uedin umd stuttgt liu systran rwth rbmt3 usaar rbmt4 rbmt2 rbmt1 geneva jhu", 0.462),
    "METEOR": ("google uka stuttgt uedin systran umd rbmt3 rbmt2 liu usaar rbmt1 rwth rbmt4 geneva jhu", 0.680),
    "TER": ("umd google uka rwth stuttgt uedin systran liu rbmt3 usaar rbmt2 rbmt4 rbmt1 geneva jhu", 0.465),
    "BLEU": ("google uka umd uedin stuttgt liu rwth systran rbmt3 rbmt2 usaar rbmt4 rbmt1 geneva jhu", 0.506),
}
PLAIN = Setup(Resampling(samples=0))


def test_nonsense_takes_no_rank_and_lines_without_a_score_are_counted(tmp_path: Path) -> None:
    """A system that prints one word has the best order, and one with empty lines the order of a good one."""
    reference = ["the old man read the book .", "we will go to the sea .", "nobody saw the cat ."] * 20
    good = ["the book read the old man .", "to the sea we will go .", "nobody saw the cat ."] * 20
    poor = ["the the man old book a read .", "sea go to will we .", "cat nobody one ."] * 20
    texts = {
        "good": good,
        "poor": poor,
        "half": [line if row % 2 else "" for row, line in enumerate(good)],
        "one": ["the"] * 60,
    }
    system, segment = (each.ravel() for each in np.indices((4, 60)))
    rated = Ratings(tuple(texts), ("j",), segment, system, np.zeros(240, np.int64), (4 - system).astype(np.float64))
    inputs = wordorder.make_inputs(texts, reference)
    with pytest.warns(UserWarning, match="reference words are matched in one"):
        fresh = wordorder.score(texts, reference, metrics="kendall-sqrt,bleu", samples=0)
    for scores in (
        fresh,
        *(cached_scores(inputs, metrics="kendall-sqrt,bleu", cache=Cache(tmp_path)) for _ in range(2)),
    ):
        assert set(scores.unranked) == {"half", "one"}
        assert scores.unranked == fresh.unranked
        assert scores.names == fresh.names
        judged = JudgedSet.of("xx", scores, rated)
        found = rank_systems(judged, PLAIN)
        assert found.ranks[:, 0].tolist() == [1, 2, 3, 4]
        np.testing.assert_array_equal(found.ranks[:, 1], [1, 2, np.nan, np.nan])
        assert found.scores[3, 1] == found.scores[:, 1].max()  # the score is still shown
    evaluation = metaevaluate([judged], segment=("tau",), system=("rho",), setup=PLAIN)
    notes = evaluation.table().notes
    assert any(note.startswith("one is not ranked by metrics: it matches only") for note in notes)
    assert "half is not ranked by metrics: kendall-sqrt is defined in only 30 of its 60 segments" in notes
    assert evaluation.ranking_table().notes[1:3] == notes[1:3]
    compared = sum(sum(bool(text[row]) for text in texts.values()) == 3 for row in range(60)) * 3  # pairs with "half"
    defined = f"without a score, and dropped by tau: kendall-sqrt {compared} of {60 * 6}"
    assert any(note.startswith(defined) for note in notes)


def screens(best: dict[str, int], of: int) -> Comparisons:
    """Show each system ``of`` times beside the first one, which beats it all but ``best[system]`` times."""
    rows = []
    first, *others = best
    for name in others:
        rows += [(0, name, first, 0 if n < best[name] else -1, "j", f"{name} {n}", 1.0) for n in range(of)]
    return Comparisons.of(rows)


def given_scores(systems: list[str], orders: dict[str, list[str]]) -> Scores:
    """Score one segment: the place of a system from below, under one metric of means for each ranking."""
    names = ("kendall", "hamming", "fuzzy", "ulam", "spearman")
    rows = [
        np.array([[part for order in orders.values() for part in (len(order) - order.index(system), 1.0)]])
        for system in systems
    ]
    return Scores(tuple(systems), tuple(metric(name) for name in names), tuple(rows), {}, Resampling(samples=0))


def test_table_7_7_the_rankings_of_german_english() -> None:
    """Birch 2011, 7.3.2.2: human counts beside five metrics; ρ is corrected for the two pairs of ties."""
    systems = sorted(PEOPLE)
    counts = Ratings(
        tuple(systems),
        ("j",),
        np.zeros(15, np.int64),
        np.arange(15),
        np.zeros(15, np.int64),
        np.array([PEOPLE[name] for name in systems], dtype=float),
    )
    orders = {name: order.split() for name, (order, _) in TABLE_7_7.items()}
    judged = JudgedSet.of("de-en", given_scores(systems, orders), counts)
    found = metaevaluate([judged], segment=(), system=("rho",), setup=PLAIN)
    expected = [rho for _, rho in TABLE_7_7.values()]
    np.testing.assert_allclose(found.values("system", "rho")[:, 0], expected, atol=6e-4)
    table = found.ranking_table()
    shown = [str(row[0].value) for row in table.rows]
    assert [PEOPLE[name] for name in shown] == list(PEOPLE.values())
    ranks = [row[2].value for row in table.rows]
    assert ranks == [1, 2, 3, 4, 5.5, 5.5, 7, 8, 9.5, 9.5, 11, 12, 13, 14, 15]
    for place, order in enumerate(orders.values()):
        assert {str(row[0].value): row[4 + 2 * place].value for row in table.rows} == {
            name: rank for rank, name in enumerate(order, start=1)
        }
    records = found.to_dict()["sets"][0]["systems"]
    assert [record["name"] for record in records] == shown
    assert records[0]["human"] == {"value": 29.0, "low": None, "high": None, "rank": 1.0, "cluster": None}
    assert records[0]["metrics"]["kendall"]["rank"] == 11.0
    p = [finding["p"] for finding in found.to_dict()["sets"][0]["findings"]]
    human = [PEOPLE[name] for name in systems]
    for each, order in zip(p, orders.values(), strict=True):
        test = correlate(human, [-order.index(name) for name in systems], method="spearman")
        assert each == pytest.approx(test.p)


def test_table_7_7_best_or_tied_as_best_is_counted_by_screens() -> None:
    """The caption of Table 7.7: a system scores where nothing on the screen was judged better."""
    several = {"other": 0, **PEOPLE}
    orders = {f"{n}": list(several) for n in range(5)}
    judged = JudgedSet.of("de-en", given_scores(list(several), orders), screens(several, of=30))
    found = human_scores(judged.human_rows()[0].sum(axis=0), "best")
    np.testing.assert_allclose(found[1:], [count / 30 for count in PEOPLE.values()])
    assert found[0] == 1.0


TEXTS = {"A": ["a b c", "d e f", "g h i"], "B": ["c b a", "d f e", "g h i"], "C": ["b a c", "e d f", "i h g"]}
REFERENCE = TEXTS["A"]

screened = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.integers(1, 3), min_size=3, max_size=3), st.integers(2, 3)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=30)
@given(screened)
def test_best_or_tied_counts_the_screens_literally(shown: list[tuple[int, list[int], int]]) -> None:
    names = list(TEXTS)
    rows = [
        (segment, names[a], names[b], int(np.sign(ranks[b] - ranks[a])), "j", str(number), 1.0)
        for number, (segment, ranks, count) in enumerate(shown)
        for a in range(count)
        for b in range(a + 1, count)
    ]
    judged = JudgedSet.of("x", wordorder.score(TEXTS, REFERENCE, metrics="kendall", samples=0), Comparisons.of(rows))
    for unit in ("segments", "judgements"):
        sums = judged.human_rows(unit)[0].sum(axis=0)
        for s in range(3):
            on = [ranks[:count] for _, ranks, count in shown if s < count]
            assert sums[s, 3:].tolist() == [sum(ranks[s] == min(ranks) for ranks in on), len(on)]


@settings(max_examples=30)
@given(st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=3, max_size=3))
def test_ranks_count_the_better_and_the_equal(values: list[int | None]) -> None:
    known = [s for s in range(3) if values[s] is not None]
    if not known:
        return
    rated = Ratings(
        tuple(TEXTS),
        ("j",),
        np.zeros(len(known), np.int64),
        np.array(known),
        np.zeros(len(known), np.int64),
        np.array([float(values[s] or 0) for s in known]),
    )
    scores = wordorder.score(TEXTS, REFERENCE, metrics="kendall,hamming", samples=0)
    found = rank_systems(JudgedSet.of("x", scores, rated), Setup(Resampling(samples=3)))
    machine = [[found.scores[s, m] for s in range(3)] for m in (1, 2)]
    for column, given_values in enumerate((values, *machine)):
        for s in range(3):
            mine = given_values[s]
            better = sum(other is not None and mine is not None and other > mine for other in given_values)
            equal = sum(other == mine for other in given_values)
            expected = np.nan if mine is None else better + (equal + 1) / 2
            np.testing.assert_allclose(found.ranks[s, column], expected)
    assert (found.low[:, 1:] <= found.high[:, 1:]).all()


clustered = st.integers(2, 6).flatmap(
    lambda systems: st.tuples(
        st.lists(st.integers(0, 5), min_size=systems, max_size=systems),
        st.lists(st.sampled_from([0.05, 0.5, 2.0]), min_size=systems, max_size=systems),
    )
)


@settings(max_examples=60)
@given(clustered, st.integers(0, 9))
def test_clusters_split_where_all_above_are_better_than_all_below(
    drawn: tuple[list[int], list[float]], seed: int
) -> None:
    scores, errors = (np.array(column, dtype=float) for column in drawn)
    noise = np.random.default_rng(seed).normal(size=(200, len(scores)))
    replicates = scores + noise * errors
    found = cluster_systems(scores, replicates)

    def better(a: int, b: int) -> bool:
        observed = scores[a] - scores[b]
        differences = replicates[:, a] - replicates[:, b]
        extreme = sum(abs(each - differences.mean()) >= abs(observed) for each in differences)
        return bool(observed > 0 and (1 + extreme) / 201 < 0.05)

    order = sorted(range(len(scores)), key=lambda s: (-scores[s], s))
    cluster, expected = 0, {}
    for place, system in enumerate(order):
        cluster += all(better(a, b) for a in order[:place] for b in order[place:])
        expected[system] = cluster
    assert found.tolist() == [expected[s] for s in range(len(scores))]


def test_clusters_need_replicates_that_vary_and_leave_out_what_has_no_score() -> None:
    scores = np.array([1.0, np.nan, 3.0])
    noise = np.random.default_rng(1).normal(size=(200, 3)) / 10
    np.testing.assert_array_equal(cluster_systems(scores, scores + noise), [2, np.nan, 1])
    for replicates in (np.empty((0, 3)), np.tile(scores, (200, 1))):
        assert np.isnan(cluster_systems(scores, replicates)).all()


def test_the_ranking_shows_clusters_by_people_and_by_metrics(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{system}\t{segment}\t{value}" for segment in range(1, 4) for system, value in (("A", 9), ("B", 5))]
    written(files / "r.tsv", "system\tsegment\tscore", *rows, "A\t1\t8")
    command = "metaeval --judgement-format ratings --judgements r.tsv --ref A.txt --hyp A.txt B.txt --metrics kendall"
    shown = call(capsys, *command.split(), "--ranking", "--format", "tsv").splitlines()
    fields = dict(zip(*(line.split("\t") for line in shown[:2]), strict=True))
    assert (fields["system"], float(fields["cluster"]), float(fields["cluster kendall"])) == ("A", 1, 1)
    people = [json.loads(call(capsys, *command.split(), "--json"))["sets"][0]["systems"][s]["human"] for s in (0, 1)]
    assert [each["cluster"] for each in people] == [1, 2]
    assert "cluster" not in call(capsys, *command.split(), "--ranking", "--samples", "0")


def written(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n")
    return str(path)


EDITS = {"A": [(1, 10), (0, 2), (3, 3)], "B": [(4, 10), (2, 2), (0, 3)], "C": [(5, 10), (1, 4), (9, 6)]}


def test_the_hter_of_a_document_is_edits_over_words(tmp_path: Path) -> None:
    """EDPM 2009, section 2: per-document differences of HTER, which is a rate of edits and not a mean of rates."""
    lines = {name: [f"{edits} {words}" for edits, words in rows] for name, rows in EDITS.items()}
    files = {name: written(tmp_path / f"{name}.hter", *rows) for name, rows in lines.items()}
    rates = {
        name: written(tmp_path / f"{name}.rates", *(str(edits / words) for edits, words in rows))
        for name, rows in EDITS.items()
    }
    edited = {
        name: written(tmp_path / f"{name}.pe", *(" ".join("x" * words) for _, words in rows))
        for name, rows in EDITS.items()
    }
    scores = wordorder.score(TEXTS, REFERENCE, metrics="kendall", samples=0)
    for said in (rating_files.read_hter(files), rating_files.read_hter(rates, post_edits=edited)):
        judged = JudgedSet.of("x", scores, said, documents=["d1", "d1", "d2"])
        rows, _ = judged.human_rows()
        totals = [-sum(e for e, _ in rows) / sum(w for _, w in rows) for rows in EDITS.values()]
        np.testing.assert_allclose(human_scores(rows.sum(axis=0), "wins"), totals)
        people = [
            -sum(e for e, _ in rows[part]) / sum(w for _, w in rows[part]) for rows in EDITS.values() for part in PARTS
        ]
        machine = [judged.segment_scores[0][s, part].mean() for s in range(3) for part in PARTS]
        found = estimate(judged, "document", "r", PLAIN)
        assert found.values[0] == pytest.approx(correlate(people, machine).value)
    unknown = JudgedSet.of("x", scores, rating_files.read_hter(rates), documents=["d1", "d1", "d2"])
    for level, name in (("document", "r"), ("system", "rho")):
        with pytest.raises(UsageError, match="cannot be computed without the number of words in each"):
            estimate(unknown, level, name, PLAIN)
    assert estimate(unknown, "segment", "pearson.none", PLAIN).count == 9
    for samples in (0, 20):
        ranking = rank_systems(unknown, Setup(Resampling(samples=samples)))
        assert np.isnan(ranking.ranks[:, 0]).all()
        assert np.isnan(ranking.low[:, 0]).all()
        assert np.isfinite(ranking.low[:, 1]).all() == bool(samples)


PARTS = (slice(0, 2), slice(2, 3))


def test_wrong_error_rates_are_named(tmp_path: Path) -> None:
    for line, message in (
        ("1 2 3", "has 3 numbers"),
        ("-1", "is negative"),
        ("1 many", "'many' is not a number"),
        ("1 2.5", "whole number of words"),
    ):
        with pytest.raises(InputError, match=f"x:2: .*{message}"):
            rating_files.read_hter({"A": written(tmp_path / "x", "0.5", line)})
    files = {"A": written(tmp_path / "x", "0.5", "1")}
    edited = {"A": written(tmp_path / "pe", "a")}
    with pytest.raises(InputError, match=r"pe: found 1 line, but .*x has 2"):
        rating_files.read_hter(files, post_edits=edited)
    found = rating_files.read_hter({"A": written(tmp_path / "x", "1 0", "", "1 4")})
    assert (found.value.tolist(), dict(found.left_out)) == ([-0.25], {"missing ratings": 2})


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    for name, lines in TEXTS.items():
        written(tmp_path / f"{name}.txt", *lines)
        written(tmp_path / f"{name}.hter", *(f"{edits} {words}" for edits, words in EDITS[name]))
        written(tmp_path / f"{name}.rates", *(str(edits / words) for edits, words in EDITS[name]))
        written(tmp_path / f"{name}.pe", *(" ".join("x" * words) for _, words in EDITS[name]))
    return tmp_path


def test_hter_of_several_systems_from_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = ["--ref", "A.txt", "--hyp", "A.txt", "B.txt", "C.txt", "--samples", "0", "-m", "kendall"]
    form = ["metaeval", "--judgement-format", "hter", "--judgements"]
    given_words = json.loads(call(capsys, *form, "A.hter", "B.hter", "C.hter", *text, "--json"))
    named = ["C=C.rates", "A=A.rates", "B=B.rates", "--post-edits", "A.pe", "B.pe", "C.pe"]
    counted = json.loads(call(capsys, *form, *named, *text, "--json"))
    for document in (given_words, counted):
        found = {record["name"]: record["human"]["value"] for record in document["sets"][0]["systems"]}
        assert found == pytest.approx({"A": -4 / 15, "B": -6 / 15, "C": -15 / 20})
    table = call(capsys, *form, "A.hter", "B.hter", "C.hter", *text, "--ranking", "--format", "tsv").splitlines()
    assert table[0].split("\t")[:5] == ["system", "human", "rank", "kendall", "rank kendall"]
    assert [line.split("\t")[0] for line in table[1:]] == ["A", "B", "C"]
    for arguments, message in (
        (["A.hter"], "needs a file for each system in --judgements"),
        (["A.hter", "B.hter", "C.hter", "--post-edits", "A.pe"], "needs a file for each system in --post-edits"),
        (["A.rates", "B.rates", "C.rates"], "cannot be computed without the number of words"),
    ):
        assert main([*form, *arguments, *text]) == 2
        assert message in capsys.readouterr().err
    assert main(["metaeval", "--judgement-format", "ratings", "--judgements", "A.hter", "B.hter", *text]) == 2
    assert "only hter has one file per system" in capsys.readouterr().err


ORDERS = {"A": ["1 2 3 4", "2 1 3 4", "1 2 3 4"], "B": ["4 3 2 1", "1 3 2 4", "2 3 4 1"]}
RATED = {"A": [6, 4, 5], "B": [0, 3, 2]}


def test_tables_6_and_7_ratings_of_sentences_against_given_orders(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Talbot et al. 2011, 5: r and ρ of sentence ratings with fuzzy reordering scores and Kendall's τ, with tests."""
    for name, lines in ORDERS.items():
        written(files / f"{name}.orders", *lines)
        links = [" ".join(f"{n}-{int(word) - 1}" for n, word in enumerate(line.split())) for line in lines]
        written(files / f"{name}.align", *links)
    written(files / "ref.align", *["0-0 1-1 2-2 3-3"] * 3)
    written(files / "len", "4", "4", "4")
    rows = [f"{name},{n},{value}" for name in RATED for n, value in enumerate(RATED[name], start=1)]
    written(files / "rated.csv", "system,segment,score", *rows)
    rated = ["metaeval", "--judgement-format", "ratings", "--judgements", "rated.csv", "--samples", "20"]
    asked = ["-m", "fuzzy,kendall", "--segment", "pearson.none,spearman.none", "--system", "none"]
    orders = ["--permutations", "A=A.orders", "B=B.orders"]
    document = json.loads(call(capsys, *rated, *orders, *asked, "--json"))
    human = [float(value) for name in RATED for value in RATED[name]]
    findings = {(f["coefficient"], f["metric"]): f for f in document["sets"][0]["findings"]}
    for name in ("fuzzy", "kendall"):
        machine = [
            wordorder.metric(name)(wordorder.Permutation.parse(line)) for lines in ORDERS.values() for line in lines
        ]
        for method in ("pearson", "spearman"):
            expected = correlate(human, machine, method=method)
            found = findings[f"{method}.none", name]
            assert (found["value"], found["p"]) == pytest.approx((expected.value, expected.p))
    assert {(test["a"], test["b"]) for test in document["tests"]} == {("fuzzy", "kendall")}
    assert "p_corrected" in call(capsys, *rated, *orders, *asked, "--compare")
    aligned = ["--hyp-align", "A=A.align", "B=B.align", "--ref-align", "ref.align", "--source-lengths", "len"]
    again = json.loads(call(capsys, *rated, *aligned, *asked, "--json"))
    assert again["signature"]["order"] == "source"
    for finding in again["sets"][0]["findings"]:
        if finding["metric"] == "kendall":  # an order and its inverse have as many discordant pairs
            assert finding["value"] == pytest.approx(findings[finding["coefficient"], "kendall"]["value"])
    usual = call(capsys, *rated, *orders, "--format", "tsv").splitlines()
    assert [line.split("\t")[0] for line in usual[1:]] == ["kendall-sqrt", "hamming", "fuzzy", "pef"]
    assert main([*rated, *orders, "--ref", "A.txt", "--hyp", "A.txt"]) == 2
    assert "permutations already are word orders" in capsys.readouterr().err
