"""Does order add anything to a neural metric? The weight that was planted must come out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordorder
from wordorder.cli.main import main

SYSTEMS, SEGMENTS, PLANTED = ("A", "B", "C"), 120, 0.7


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ratings that are 0.7 × a made-up neural score + 0.3 × order, with some noise."""
    place = tmp_path_factory.mktemp("planted")
    rng = np.random.default_rng(7)
    reference = [[f"w{n}x{k}" for k in range(8)] for n in range(SEGMENTS)]
    texts = {name: [" ".join(rng.permutation(words)) for words in reference] for name in SYSTEMS}
    lines = [" ".join(words) for words in reference]
    order = wordorder.score(texts, lines, metrics="full:alpha=0", samples=0)
    neural = {name: rng.random(SEGMENTS) * 100 for name in SYSTEMS}
    (place / "ref.txt").write_text("\n".join(lines) + "\n")
    ratings, scores = ["system\tsegment\tscore"], []
    for name in SYSTEMS:
        (place / f"{name}.txt").write_text("\n".join(texts[name]) + "\n")
        human = PLANTED * neural[name] / 100 + (1 - PLANTED) * order.segment_scores(name, "full:alpha=0.0")
        human = human + rng.normal(scale=0.01, size=SEGMENTS)
        ratings += [f"{name}\t{n + 1}\t{value}" for n, value in enumerate(human)]
        scores += [f"{name}\t{value!r}" for value in neural[name].tolist()]
        (place / f"{name}.neural").write_text("\n".join(map(str, neural[name])) + "\n")
    (place / "ratings.tsv").write_text("\n".join(ratings) + "\n")
    (place / "neural.seg.score").write_text("\n".join(scores) + "\n")
    return place


def call(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    texts = ["--ref", f"{folder}/ref.txt", "--hyp", *(f"{folder}/{name}.txt" for name in SYSTEMS)]
    judged = ["--judgement-format", "ratings", "--judgements", f"{folder}/ratings.tsv", "--no-cache"]
    given = ["--given", f"neural={folder}/neural.seg.score"]
    code = main([arguments[0], *arguments[1:], *judged, *texts, *([] if "--given" in arguments else given)])
    out = capsys.readouterr()
    assert code == 0, out.err
    return json.loads(out.out)


def test_order_adds_what_was_planted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scaled = "lexical.high=100:alpha=0.7"
    metrics = f"given:neural,full:lexical=given:neural:{scaled},kendall"
    asked = ["--segment", "pearson.none", "--system", "none", "--samples", "50", "--json"]
    found = call(folder, capsys, "metaeval", "-m", metrics, *asked)
    value = {one["metric"]: one["value"] for one in found["sets"][0]["findings"]}
    both = next(name for name in value if name.startswith("full"))
    assert value[both] > 0.995
    assert 0.9 < value["given:neural"] < value[both] - 0.005
    test = next(one for one in found["tests"] if {one["a"], one["b"]} == {"given:neural", both})
    assert test["p"] < 0.05
    files = [f"neural/{name}={folder}/{name}.neural" for name in SYSTEMS]
    again = call(folder, capsys, "metaeval", "-m", metrics, *asked, "--given", *files)
    assert again["sets"][0]["findings"] == found["sets"][0]["findings"]
    by_order = [f"neural={folder}/{name}.neural" for name in SYSTEMS]
    assert call(folder, capsys, "metaeval", "-m", metrics, *asked, "--given", *by_order)["tests"] == found["tests"]


def test_tuning_finds_the_planted_weight(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = "full:lexical=given:neural:lexical.high=100"
    asked = ["--vary", "alpha=0:1", "--restarts", "2", "--coefficient", "pearson.none", "--samples", "20", "--json"]
    found = call(folder, capsys, "tune", start, *asked)
    spec = wordorder.metric(found["spec"])
    assert vars(spec)["alpha"] == pytest.approx(PLANTED, abs=0.03)
    assert found["test"] > 0.99


def test_given_scores_join_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["--ref", f"{folder}/ref.txt", "--hyp", f"{folder}/A.txt", f"{folder}/B.txt", "--samples", "20"]
    given = ["--given", f"{folder}/neural.seg.score"]
    assert main(["score", *texts, "-m", "kendall", *given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["systems"][0]["scores"]) == ["kendall", "given:neural"]
    assert main(["score", *texts, "--given", f"n={folder}/A.neural"]) == 2
    assert "does not name the system that its scores belong to" in capsys.readouterr().err
    assert main(["score", *texts, "--given", f"n={folder}/A.neural", f"n={folder}/ratings.tsv:score"]) == 2
    assert main(["score", *texts, "--given", f"a,b={folder}/A.neural"]) == 2
    assert "cannot be a name" in capsys.readouterr().err
