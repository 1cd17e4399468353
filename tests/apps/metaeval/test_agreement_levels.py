"""Ratings of bins of reordering (thesis 6.3): a Latin square of people, items and bins."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wordorder.apps.metaeval.agreement import compare_levels
from wordorder.cli.main import main
from wordorder.core.runtime.errors import InputError
from wordorder.core.statistics.variance import repeated_anova
from wordorder.formats import ratings

BINS, ITEMS, PEOPLE = 3, 6, 6


@pytest.fixture
def square(tmp_path: Path) -> Path:
    """Write a study in which every person sees every item once, and equally many items of each bin."""
    random = np.random.default_rng(4)
    lines = ["person item bin fluency"]
    for person in range(PEOPLE):
        for item in range(ITEMS):
            level = (person + item) % BINS
            lines.append(f"p{person} {item + 1} bin{level} {6 - level + person / 3 + random.normal() / 4:.3f}")
    path = tmp_path / "bins.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


COLUMNS = {"judge": "person", "segment": "item", "system": "bin", "score": "fluency"}


def test_thesis_6_3_by_person_and_by_item(square: Path) -> None:
    by_person: dict[tuple[str, str], list[float]] = {}
    by_item: dict[tuple[str, str], list[float]] = {}
    for line in square.read_text().splitlines()[1:]:
        person, item, level, value = line.split()
        by_person.setdefault((person, level), []).append(float(value))
        by_item.setdefault((item, level), []).append(float(value))
    found = compare_levels(ratings.read(square, columns=COLUMNS))
    assert found.levels == ("bin0", "bin1", "bin2")
    for result, cells in ((found.by_person, by_person), (found.by_item, by_item)):
        names = sorted({name for name, _ in cells})
        table = [[np.mean(cells[name, level]) for level in found.levels] for name in names]
        expected = repeated_anova(table)
        assert (result.f, result.p) == pytest.approx((expected.f, expected.p))
        assert (result.subjects, result.left_out) == (6, 0)
    assert found.min_f.f == pytest.approx(1 / (1 / found.by_person.f + 1 / found.by_item.f))
    assert found.by_person.f > found.one_way.f


def test_thesis_6_3_from_the_command_line(square: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = [f"{role}={name}" for role, name in COLUMNS.items()]
    ask = ["metaeval", "--judgement-format", "ratings", "--judgements", str(square), "--anova", "--columns", *columns]
    assert main([*ask, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["analysis"] for row in document["anova"]] == ["by person", "by item", "min F′", "one-way"]
    assert [row["n"] for row in document["means"]] == [12, 12, 12]
    assert len(document["pairs"]) == 6


def test_one_judge_leaves_the_analysis_by_item(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("system segment score\nA 1 3\nB 1 4\nA 2 1\nB 2 5\nA 3 2\nB 3 2\n")
    found = compare_levels(ratings.read(path))
    assert np.isnan([found.by_person.f, found.min_f.f]).all()
    assert found.by_item.subjects == 3
    path.write_text("system segment score\nA 1 3\nA 2 4\n")
    with pytest.raises(InputError, match="all ratings are for 'A'"):
        compare_levels(ratings.read(path))


def test_comparisons_have_no_means(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ab.txt"
    path.write_text("segment system1 system2 choice\n1 A B 1\n")
    assert main(["metaeval", "--judgement-format", "preferences", "--judgements", str(path), "--anova"]) == 2
    assert "these are comparisons" in capsys.readouterr().err
