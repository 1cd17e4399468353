"""A format for every file, and scores that are kept for every kind of input."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from wordorder.cli.main import main
from wordorder.core.runtime.cache import Cache
from wordorder.linking.parsing import Parsing
from wordorder.metrics import Metric, OrderMetric, Orders
from wordorder.metrics.combined import Full
from wordorder.scoring.cache import cached_scores
from wordorder.scoring.inputs import MatchedTexts
from wordorder.scoring.inputs.parsed import ParsedTexts

Capture = pytest.CaptureFixture[str]


pytestmark = pytest.mark.slow


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """The demo data, and a cache of its own."""
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    assert main(["demo", "--files", str(tmp_path / "demo")]) == 0
    monkeypatch.chdir(tmp_path / "demo")
    capsys.readouterr()
    return tmp_path


def shown(capsys: Capture, *arguments: str) -> str:
    code = main(list(arguments))
    found = capsys.readouterr()
    assert code == 0, found.err
    return found.out


def document(capsys: Capture, *arguments: str) -> Any:
    return json.loads(shown(capsys, *arguments, "--json"))


# --- score --------------------------------------------------------------------------------------------------------


def test_gold_talp_beside_moses_output(demo: Path, capsys: Capture) -> None:
    Path("gold").write_text("1-1 2p3 3-2\n1-1 2-2\n")
    Path("output").write_text("a |0-0| b |2-2| c |1-1|\nx y |0-1|\n")
    Path("links").write_text("0-0 1-2 2-1\n0-0 1-1\n")
    found = document(
        capsys, "score", "--hyp-align", "A=moses:output", "B=links", "--ref-align", "talp:gold", "--policy", "drop"
    )
    assert found["signature"]["align_format"] == "talp+moses+pharaoh"
    assert found["signature"]["base"] == "1+0+0"
    assert [system["scores"]["kendall-sqrt"]["value"] for system in found["systems"]] == [1.0, 1.0]
    alike = document(capsys, "score", "--hyp-align", "talp:gold", "--ref-align", "talp:gold", "--policy", "drop")
    assert alike["signature"]["align_format"] == "talp"
    assert alike["systems"][0]["name"] == "gold"


def test_a_file_whose_name_looks_like_a_format_is_that_file(demo: Path, capsys: Capture) -> None:
    Path("talp:gold").write_text("0-0 1-1\n")
    found = document(
        capsys, "score", "--hyp-align", "A=talp:gold", "--ref-align", "talp:gold", "--policy", "drop", "-m", "kendall"
    )
    assert found["signature"]["align_format"] == "pharaoh"


# --- the cache of scores ------------------------------------------------------------------------------------------


def test_the_cache_is_asked_by_content(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    hypotheses = tmp_path / "a.txt"
    hypotheses.write_text("a b c\n")
    texts = MatchedTexts({"A": hypotheses}, ["a b c"])
    assert cached_scores(texts, metrics="kendall", cache=cache)["A", "kendall"] == 1.0
    hypotheses.write_text("c b a\n")
    assert cached_scores(texts, metrics="kendall", cache=cache)["A", "kendall"] == 0.0
    assert cached_scores(texts, metrics="kendall", cache=cache, threads=2)["A", "kendall"] == 0.0


def test_metrics_of_parses_and_words_are_cached_apart(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    texts = ParsedTexts(
        MatchedTexts({"A": ["a b"]}, ["a b"]),
        Parsing(),
        hyp_parses=["(S (NN a) (VB b))"],
        ref_parses=["(S (NN a) (VB b))"],
    )
    first = cached_scores(texts, metrics="edpm", cache=cache)
    both = cached_scores(texts, metrics="edpm,bleu1", cache=cache)
    assert both.names == ["edpm", "bleu1"]
    assert both.inputs == first.inputs == {**texts.signature([])}
    assert cached_scores(texts, metrics="edpm,bleu1", cache=cache).values.tolist() == both.values.tolist()


@dataclass(frozen=True)
class Changing(OrderMetric):
    """A metric that its author changes under the same name."""

    name: ClassVar[str] = "changing"
    formula: ClassVar[str] = "any number"
    paper: ClassVar[str] = "nobody"
    answer: ClassVar[float] = 0.25

    def values(self, orders: Orders) -> NDArray[np.float64]:
        return np.full(len(orders), self.answer)


def test_metrics_of_other_packages_are_computed_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "cache")
    texts = MatchedTexts({"A": ["a b"]}, ["a b"])
    asked: list[str | Metric] = ["bleu1", Changing(), Full(order=Changing())]
    before = cached_scores(texts, metrics=asked, cache=cache)
    assert before.names == ["bleu1", "changing", "full:order=changing"]
    assert before.values.tolist() == [[1.0, 0.25, 0.625]]
    monkeypatch.setattr(Changing, "answer", 0.75)
    assert cached_scores(texts, metrics=asked, cache=cache).values.tolist() == [[1.0, 0.75, 0.875]]
