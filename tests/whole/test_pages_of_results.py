"""The pages of metaeval, profile and preorder, made on the command line from the demo data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reading import Written
from wordorder.apps.preorder import load_rules, reorder
from wordorder.apps.profile import Corpus, profile
from wordorder.cli.main import main
from wordorder.core.orders import Permutation
from wordorder.core.runtime.errors import UsageError
from wordorder.formats import conllu

TEXTS = ("--ref", "reference.txt", "--hyp", "good.txt", "monotone.txt", "scrambled.txt")
JUDGED = ("metaeval", "--judgements", "rankings.csv", "--pair", "de-en", *TEXTS, "--no-cache", "--samples", "20")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert main(["demo", "--files", str(tmp_path / "demo")]) == 0
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


def written(*arguments: str) -> Written:
    assert main([*arguments, "--html", "page.html"]) == 0
    return Written(Path("page.html"))


def test_people_stand_beside_metrics(demo: Path) -> None:
    page = written(*JUDGED, "--metrics", "pef,bleu")
    (found,) = page.page["sets"]
    assert found["metrics"] == ["people", "pef", "bleu"]
    people = np.array([page.column(column) for column in found["scores"][0]])
    said = [line.split(",") for line in Path("rankings.csv").read_text().splitlines()]
    place = {name: said[0].index(name) for name in said[0]}
    wins, all_pairs = np.zeros((3, 16)), np.zeros((3, 16))
    systems = [name.removesuffix(".txt") for name in TEXTS[3:]]
    for row in (row for row in said if row[:2] == ["de", "en"]):
        named = [number for number in range(1, 4) if row[place[f"system{number}Id"]] in systems]
        for one in named:
            for two in named:
                ranks = [int(row[place[f"system{each}rank"]]) for each in (one, two)]
                if one != two and min(ranks) > 0:
                    system = systems.index(row[place[f"system{one}Id"]])
                    segment = int(row[place["srcIndex"]]) - 1
                    wins[system, segment] += (ranks[0] < ranks[1]) + (ranks[0] == ranks[1]) / 2
                    all_pairs[system, segment] += 1
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(people, wins / all_pairs, rtol=1e-6)
    titles = [table["title"] for table in page.page["tables"]]
    assert titles[1] == "Systems as ranked by human judges and by metrics"


def test_ratings_stand_beside_metrics(demo: Path) -> None:
    page = written(
        "metaeval", "--form", "ratings", "--judgements", "ratings.tsv", *TEXTS, "--no-cache", "--samples", "20"
    )
    (found,) = page.page["sets"]
    assert found["metrics"][0] == "people"
    assert not all(np.isnan(page.column(column)).all() for column in found["scores"][0])


def test_profiles_show_sentence_pairs(demo: Path) -> None:
    page = written(
        *("profile", "de=reference.align", "fr=fr-en/reference.align", "--target", "reference.txt"),
        *("--source", "source.txt", "fr-en/source.txt"),
    )
    assert [found["name"] for found in page.page["sets"]] == ["de", "fr"]
    found = page.page["sets"][0]
    assert page.lines(found["texts"]["source"][0]) == Path("source.txt").read_text().splitlines()
    assert page.lines(found["texts"]["systems"][0]) == Path("reference.txt").read_text().splitlines()
    measures: list[dict[str, Any]] = []
    corpus = Corpus("de", "reference.align", source="source.txt", target="reference.txt")
    profile(corpus, visit=lambda _, block: measures.extend(block.records()))
    columns = {name: page.column(found["scores"][m][0]) for m, name in enumerate(found["metrics"])}
    np.testing.assert_allclose(columns["rquantity"], [row["rquantity"] for row in measures], rtol=1e-6)
    np.testing.assert_array_equal(columns["crossings"], [row["crossings"] for row in measures])
    links = found["links"]["systems"][0]
    assert page.column(links["counts"]).tolist() == [row["links"] for row in measures]


def test_reproduced_reorderings_show_both_alignments(demo: Path) -> None:
    align = ("--ref-align", "reference.align", "--hyp-align", "good=good.align", "monotone=monotone.align")
    page = written("profile", *align, "--source", "source.txt", "--samples", "20")
    (found,) = page.page["sets"]
    assert found["systems"] == ["good", "monotone"]
    shares, totals = ([page.column(column) for column in metric] for metric in found["scores"])
    assert np.nansum(shares[0]) > np.nansum(shares[1])
    assert np.isnan(shares[0]).tolist() == (totals[0] == 0).tolist()
    assert len(found["links"]["references"]) == 1
    assert len(found["links"]["systems"]) == 2


def test_rule_sets_show_sentences_in_their_order(demo: Path) -> None:
    page = written(
        "preorder",
        "evaluate",
        "--trees",
        "source.conllu",
        "--align",
        "reference.align",
        "--rules",
        "r1",
        "german.rules",
    )
    (found,) = page.page["sets"]
    trees = conllu.read("source.conllu")
    source = page.lines(found["texts"]["source"][0])
    assert source == [" ".join(tree.words) for tree in trees]
    for s, rules in enumerate(("r1", "german.rules")):
        orders = reorder(trees, load_rules(rules))
        lines = page.lines(found["texts"]["systems"][s])
        chunks = page.chunks(found["orders"][s][0])
        for row, line in enumerate(lines):
            words = [trees[row].words[place] for place in orders[row].ranks]
            assert set(line.split(" ")) <= set(words)
            ranks = [second + k for _, size, second, _ in chunks[row] for k in range(size)]
            assert len(ranks) == len(line.split(" "))
            order = Permutation(tuple(ranks))
            by_rank = [word for _, word in sorted(zip(order.ranks, line.split(" "), strict=True))]
            reference = page.lines(found["texts"]["references"][0])[row].split(" ")
            assert sorted(by_rank) == sorted(reference)


def test_blame_shows_the_best_order_beside_the_rules(demo: Path) -> None:
    page = written(
        "preorder", "blame", "--trees", "source.conllu", "--align", "reference.align", "--rules", "german.rules"
    )
    (found,) = page.page["sets"]
    assert found["systems"] == ["german", "best order of the tree"]
    fuzzy = [page.column(column) for column in found["scores"][found["metrics"].index("kendall")]]
    assert (fuzzy[1] >= fuzzy[0] - 1e-6).all()
    assert len(page.page["tables"]) == 5


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((*JUDGED, "--agreement"), "cannot be combined with --agreement"),
        (("profile", "--factors", "pairs.tsv"), "--html shows sentences, which --factors and --cognates do not have"),
    ],
)
def test_what_has_no_page_says_so(
    demo: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert main([*arguments, "--html", "page.html"]) == UsageError.exit_code
    assert complaint in capsys.readouterr().err
    assert not Path("page.html").exists()
