"""Metrics of other packages, offered through the entry point group ``wordorder.metrics``, in every command.

A small package with three metrics of its own is written into a temporary folder and installed from there with pip;
everything is then asked of a fresh process that has it on its path.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import wordorder
from wordorder.metrics import METRICS

SOURCE = Path(wordorder.__file__).parents[1]

METRICS_OF_ITS_OWN = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder import OrderMetric
from wordorder.metrics import Need, RatioMetric, parameter


@dataclass(frozen=True)
class Ends(OrderMetric):
    """Are the first and the last word where they should be?"""

    name: ClassVar[str] = "ends"
    formula: ClassVar[str] = "w·[π_1 = 1] + (1 − w)·[π_n = n]"
    paper: ClassVar[str] = "nobody 2020"

    weight: float = parameter(0.5, "weight of the first word", low=0, high=1)

    def values(self, orders):
        return np.array(
            [
                self.weight * (row.ranks[0] == 0) + (1 - self.weight) * (row.ranks[-1] == len(row) - 1)
                if len(row)
                else np.nan
                for row in orders.permutations
            ],
            dtype=np.float64,
        )


@dataclass(frozen=True)
class Lengths(RatioMetric):
    """The shorter text over the longer one, to some power."""

    name: ClassVar[str] = "lengths"
    formula: ClassVar[str] = "(min(|hyp|, |ref|)/max(|hyp|, |ref|))^power"
    paper: ClassVar[str] = "nobody 2020"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.TEXT})
    columns = ("total", "segments")

    power: float = parameter(1.0, "how much a difference counts", low=0)

    def statistics(self, batch):
        hypothesis = batch.hypothesis.lengths[:, None]
        references = np.stack([words.lengths for words in batch.references], axis=1)
        ratio = np.minimum(hypothesis, references) / np.maximum(np.maximum(hypothesis, references), 1)
        return np.stack([ratio**self.power, np.ones_like(ratio)], axis=-1)


@dataclass(frozen=True)
class Roots(RatioMetric):
    """Have both best parses the same root?"""

    name: ClassVar[str] = "roots"
    formula: ClassVar[str] = "[root(hyp) = root(ref)], else the floor"
    paper: ClassVar[str] = "nobody 2020"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PARSES})
    columns = ("total", "segments")

    floor: float = parameter(0.0, "score of another root", low=0, high=1)

    def statistics(self, batch):
        hypothesis, references = batch.parses
        judged = self._roots(hypothesis)
        rows = [
            [(1.0 if one == other else self.floor, 1.0) for one, other in zip(judged, self._roots(gold), strict=True)]
            for gold in references
        ]
        return np.array(rows).transpose(1, 0, 2)

    @staticmethod
    def _roots(lists):
        best = [lists.trees[int(start)] for start in lists.offsets[:-1]]
        return [tree.words[tree.root] for tree in best]
'''

ENTRY_POINTS = """
[wordorder.metrics]
ends = metrics_of_its_own:Ends
lengths = metrics_of_its_own:Lengths
roots = metrics_of_its_own:Roots
"""

BROKEN = """
[wordorder.metrics]
missing = no_such_module:Metric
thing = broken_metrics:thing
nameless = broken_metrics:Nameless
unfinished = broken_metrics:Unfinished
second = broken_metrics:Second
all = broken_metrics:All
"""

BROKEN_METRICS = """
from dataclasses import dataclass
from wordorder import OrderMetric

thing = 3


class Nameless(OrderMetric):
    def values(self, orders):
        return orders


class Unfinished(OrderMetric):
    name, formula, paper = "unfinished", "", ""


class Second(Nameless):
    name, formula, paper = "pef", "", ""


class All(Nameless):
    name, formula, paper = "all", "", ""
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


def install(folder: Path, name: str, module: str, entry_points: str) -> Path:
    """Build a wheel of one module and install it with pip; return the folder it is in."""
    project = name.replace("_", "-")
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    information = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}.py", module)
        archive.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n")
        archive.writestr(
            f"{information}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{information}/entry_points.txt", entry_points)
        archive.writestr(f"{information}/RECORD", "")
    site = folder / f"site-{name}"
    offline = ["--no-deps", "--no-index", "--disable-pip-version-check", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *offline, "--target", str(site), str(wheel)],
        check=True,
        capture_output=True,
    )
    return site


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo data, a grammar learned from it, and the two packages."""
    from wordorder.cli.main import main

    folder = tmp_path_factory.mktemp("plugins")
    demo = folder / "demo"
    assert main(["demo", "--files", str(demo)]) == 0
    assert main(["parse", "train", str(demo / "english.mrg"), "-o", str(demo / "en.grammar")]) == 0
    install(folder, "metrics_of_its_own", METRICS_OF_ITS_OWN, ENTRY_POINTS)
    install(folder, "broken_metrics", BROKEN_METRICS, BROKEN)
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    """Run Python in the folder of the demo data with a package on its path."""

    def run(*arguments: str, site: str = "metrics_of_its_own", code: int = 0) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(folder / f"site-{site}"), str(SOURCE)])
        environment = {**os.environ, "PYTHONPATH": path, "WORDORDER_CACHE": str(folder / "cache")}
        found = subprocess.run(
            [sys.executable, *arguments], cwd=folder / "demo", env=environment, capture_output=True, text=True
        )
        assert found.returncode == code, found.stderr
        return found

    return run


TEXTS = ["--ref", "reference.txt", "--hyp", "good.txt", "monotone.txt", "scrambled.txt"]
JUDGED = ["--judgements", "rankings.csv", "--pair", "de-en", *TEXTS, "--samples", "20"]
PARSED = ["--grammar", "en.grammar"]
ASKED = [
    "ends:weight=0.25",
    "lengths:power=2.0",
    "roots:floor=0.1",
    "full:order=ends:order.weight=1.0:lexical=lengths",
    "lr:order=ends:lexical=lengths",
    "pef:operator=ends",
    "pet:operator=ends",
]


@pytest.mark.slow
def test_score_knows_them(run: Run) -> None:
    asked = ",".join(ASKED)
    document = json.loads(
        run("-m", "wordorder", "score", *TEXTS, *PARSED, "-m", asked, "--samples", "50", "--json").stdout
    )
    assert document["signature"]["metrics"] == ASKED
    for system in document["systems"]:
        assert list(system["scores"]) == ASKED
        assert all(found["low"] <= found["value"] <= found["high"] for found in system["scores"].values())
    assert {test["metric"] for test in document["tests"]} == set(ASKED)


@pytest.mark.slow
def test_groups_and_all_hold_them(run: Run) -> None:
    def chosen(metrics: str, *more: str) -> list[str]:
        command = ["score", *TEXTS, "-m", metrics, "--samples", "0", "--json", *more]
        return list(json.loads(run("-m", "wordorder", *command).stdout)["systems"][0]["scores"])

    assert chosen("order")[-1] == "ends"
    assert chosen("lexical")[-1] == "lengths"
    assert "ends" not in chosen("lexical,combined")
    without, parsed = chosen("all"), chosen("all", *PARSED)
    assert [name for name in without if name not in METRICS] == ["ends", "lengths"]
    assert parsed == [*without, "roots"]


@pytest.mark.slow
def test_metaeval_knows_them_cold_and_warm(run: Run) -> None:
    command = ["metaeval", *JUDGED, *PARSED, "-m", "ends,lengths,roots,full:order=ends", "--format", "tsv"]
    cold, warm = (run("-m", "wordorder", *command).stdout for _ in range(2))
    assert [line.split("\t")[0] for line in cold.splitlines()[1:5]] == ["ends", "lengths", "roots", "full:order=ends"]
    assert cold == warm


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "vary", "more"),
    [
        ("ends", "weight=0:1", []),
        ("lengths", "power=0:4", []),
        ("roots", "floor=0:1", PARSED),
        ("full:order=ends", "order.weight=0:1", []),
    ],
)
def test_tune_knows_them(run: Run, spec: str, vary: str, more: list[str]) -> None:
    command = ["tune", spec, "--vary", vary, "--search", "grid", "--steps", "3", *JUDGED, *more, "--json"]
    document = json.loads(run("-m", "wordorder", *command).stdout)
    assert document["spec"].startswith(spec)
    assert len(document["tried"]) >= 3


@pytest.mark.slow
def test_metrics_describes_them(run: Run) -> None:
    shown = run("-m", "wordorder", "metrics", "ends", "roots").stdout
    assert "w·[π_1 = 1]" in shown
    assert "weight=0.5  (0 to 1)  weight of the first word" in shown
    assert "needs parses" in shown
    described = {found["name"]: found for found in json.loads(run("-m", "wordorder", "metrics", "--json").stdout)}
    assert [*METRICS, "ends", "lengths", "roots"] == list(described)
    ranges = {each["name"]: each["range"] for each in described["pef"]["parameters"]}
    assert ranges["operator"].endswith(" | ends")
    assert "ends" in run("-m", "wordorder", "inspect", "2 1 3").stdout


@pytest.mark.slow
def test_python_takes_specs_and_instances(run: Run) -> None:
    script = """
import wordorder
from metrics_of_its_own import Ends, Lengths

metrics = ["bleu,ends", Ends(weight=0.25), "full:order=ends", Lengths()]
scores = wordorder.score({"A": "good.txt"}, "reference.txt", metrics=metrics, samples=0)
print(scores.names)
print(wordorder.metric("ends", weight=1)("1 3 2"), wordorder.metric("lengths")("a b", "a b c d"))
"""
    assert run("-c", script).stdout.splitlines() == [
        "['bleu', 'ends', 'ends:weight=0.25', 'full:order=ends', 'lengths']",
        "1.0 0.5",
    ]


@pytest.mark.slow
def test_a_broken_package_breaks_nothing_else(run: Run) -> None:
    found = run("-m", "wordorder", "metrics", "--json", site="broken_metrics")
    assert [one["name"] for one in json.loads(found.stdout)] == list(METRICS)
    for complaint in (
        "metric 'missing' (no_such_module:Metric) cannot be loaded: No module named 'no_such_module'",
        "metric 'thing' (broken_metrics:thing) cannot be loaded: it is not a subclass of wordorder.Metric",
        "metric 'nameless' (broken_metrics:Nameless) cannot be loaded: it has no name",
        "metric 'unfinished' (broken_metrics:Unfinished) cannot be loaded: Can't instantiate abstract class",
        "broken_metrics:Second: the name 'pef' is taken; this metric is ignored",
        "metric 'all' (broken_metrics:All) cannot be loaded: 'all' cannot be the name of a metric",
    ):
        assert complaint in found.stderr
    quiet = run("-m", "wordorder", "score", *TEXTS, "--samples", "0", site="broken_metrics")
    assert not quiet.stderr
    unknown = run("-m", "wordorder", "score", *TEXTS, "-m", "ends", site="broken_metrics", code=2)
    assert "unknown metric 'ends'" in unknown.stderr
