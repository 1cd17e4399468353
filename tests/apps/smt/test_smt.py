"""The small phrase-based system: what it learns from invented sentences, its lists, its mistakes."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from toy_corpus import PAIRS
from wordorder.apps.smt import FEATURES, START, System, Translation, train
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError

pytest.importorskip("thot")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("smt") / "de-en"
    train([one for one, _ in PAIRS], [other for _, other in PAIRS], path)
    return path


@pytest.fixture(scope="module")
def system(folder: Path) -> System:
    return System(folder)


def test_more_translations_and_skipped_words_than_there_can_be(system: System) -> None:
    (few,) = system.translate([PAIRS[0][0]], count=10_000, limit=200)
    (many,) = system.translate([PAIRS[0][0]], count=10**20, limit=10**20)
    assert [one.text for one in many] == [one.text for one in few]


def test_it_translates_and_reorders_what_it_has_learned(system: System) -> None:
    source = [PAIRS[place][0] for place in (0, 17, 40)]
    found = [translations[0].text for translations in system.translate(source)]
    assert found == [PAIRS[place][1] for place in (0, 17, 40)]


def test_the_limit_is_that_of_each_call_and_none_is_monotone(system: System) -> None:
    turned = {}
    for limit in (3, 0, 3):
        found = [each for some in system.translate([PAIRS[0][0], PAIRS[5][0]], count=20, limit=limit) for each in some]
        starts = [[first for first, *_ in each.phrases] for each in found]
        turned[limit] = [each != sorted(each) for each in starts]
    assert any(turned[3])
    assert not any(turned[0])


def test_features_times_weights_are_the_score_but_for_a_constant(system: System) -> None:
    weights = dict(zip(FEATURES, (0.5, 0.3, 0.1, 0.7, 0.2, 1.5, 0.4, 0.1), strict=True))
    (found,) = system.translate([PAIRS[5][0]], count=50, weights=weights)
    sums = np.array([np.dot(each.features, list(weights.values())) for each in found])
    scores = np.array([each.score for each in found])
    assert len(found) > 5
    assert (np.diff(scores) <= 0).all()
    assert sums - scores == pytest.approx((sums - scores)[0], abs=1e-5)  # Thot's weights are single floats


def test_phrases_cover_source_and_target_once(system: System) -> None:
    for translations in system.translate([one for one, _ in PAIRS[:4]], count=10):
        for each in translations:
            covered = sorted(place for a, b, _, _ in each.phrases for place in range(a, b + 1))
            assert covered == list(range(6))
            written = [place for _, _, c, d in each.phrases for place in range(c, d + 1)]
            assert written == list(range(len(each.words)))


def test_what_it_has_never_seen_is_copied_and_nothing_stays_nothing(system: System) -> None:
    found = [translations[0].text for translations in system.translate(["", "xyzzy", "a ||| b"])]
    assert found[:2] == ["", "xyzzy"]
    assert "|||" in found[2]
    ((line,),) = ([each.line(0) for each in translations] for translations in system.translate(["|||"]))
    assert line.count("|||") == 4  # a list has its bars between fields alone


def test_words_that_would_break_the_files_of_thot(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pairs = [(f"({{ {one}", f"({{ {other}") for one, other in PAIRS]
    train([*(one for one, _ in pairs), "x"], [*(other for _, other in pairs), "a\0b"], tmp_path / "new")
    assert "entry" not in capfd.readouterr().err  # Thot writes there itself
    found = [translations[0].text for translations in System(tmp_path / "new").translate([pairs[0][0], "x"])]
    assert found == [pairs[0][1], "a\ufffdb"]


def test_models_are_as_they_were_trained(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "damaged")
    for path in sorted(tmp_path.glob("damaged/[lt]m/*")):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] + b"\xff" + content[len(content) // 2 + 1 :])
        with pytest.raises(InputError, match=r"the translation system is damaged: .*; train it again"):
            System(tmp_path / "damaged")
        path.write_bytes(content)
    System(tmp_path / "damaged")


def test_a_line_of_a_list() -> None:
    each = Translation(("a", "b", "c"), tuple(map(float, range(8))), -1.5, ((1, 2, 0, 0), (0, 0, 1, 2)))
    assert each.line(7) == (
        "7 ||| a b c ||| WordPenalty= 0.0 LM= 1.0 TargetLength= 2.0 Jump= 3.0 SourceSegments= 4.0 TM_0= 5.0 "
        "TM_1= 6.0 SentenceLength= 7.0 ||| -1.5 ||| 1-2=0 0=1-2"
    )


def test_the_description_says_what_it_was_made_of(folder: Path, tmp_path: Path) -> None:
    assert json.loads((folder / "system.json").read_text())["pairs"] == len(PAIRS)
    made = train(["A b.", "", "c " * 101, "d"], ["x", "y", "z", "w"], tmp_path / "new", tokenizer="13a", lowercase=True)
    assert (made["pairs"], made["used"]) == (4, 2)
    (found,) = System(tmp_path / "new").translate(["A b."])
    assert found[0].text == "x"


@pytest.mark.parametrize(
    ("source", "target", "options", "message"),
    [
        (["a"], ["b", "c"], {}, "source has 1 line, but the target has 2"),
        ([""], ["a"], {}, "nothing to train on"),
        (["a"], ["b"], {"phrase_length": 0}, "phrase length must be 1 or more"),
        (["a"], ["b"], {"iterations": 0}, "iterations must be 1 or more"),
    ],
)
def test_mistakes_in_training(
    tmp_path: Path, source: list[str], target: list[str], options: dict[str, int], message: str
) -> None:
    with pytest.raises(WordorderError, match=message):
        train(source, target, tmp_path / "x", **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_mistakes_in_translating(system: System, folder: Path, tmp_path: Path) -> None:
    for options, message in (
        ({"count": 0}, "1 or more, not 0"),
        ({"limit": -1}, "0 or more, not -1"),
        ({"weights": {"LM": 1.0}}, "the system has features without a weight: WordPenalty, TargetLength"),
        ({"weights": START | {"Lm": 1.0}}, "unknown feature of the system 'Lm'"),
    ):
        with pytest.raises(UsageError, match=message):
            next(system.translate(["a"], **options))
    (tmp_path / "long").write_text("a\n" + "wort " * 300 + "\n")
    with pytest.raises(InputError, match=r"long:2: the sentence has 300 words; Thot translates at most 200"):
        list(system.translate(tmp_path / "long"))
    with pytest.raises(UsageError, match="already exists; choose a new folder"):
        train(["a"], ["b"], folder)
    with pytest.raises(InputError, match="expected a translation system"):
        System(tmp_path)
    with pytest.raises(UsageError, match="missing: no such folder"):
        System(tmp_path / "missing")


def test_without_thot_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "thot", None)
    with pytest.raises(UsageError, match=r"pip install 'wordorder\[smt\]'"):
        System(tmp_path)
