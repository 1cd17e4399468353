from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import wordorder
from wordorder.core.runtime.errors import InputError
from wordorder.formats import mtme
from wordorder.metrics.lexical import Bleu
from wordorder.scoring.submission import write_submission

REFERENCE = ["a b c", "d e f", "g"]
TEXTS = {"A": ["a c b", "x y", "g"], "B": ["b a c", "f e d", "g"]}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    scores = wordorder.score(TEXTS, REFERENCE, metrics="kendall-sqrt,full:order=pef:alpha=0.4,bleu", samples=0)
    lost = write_submission(scores, tmp_path, references=["refs/x-y.refA.txt"], undefined=-1.0)
    assert lost == {"kendall-sqrt": 1, "full:alpha=0.4": 0, "bleu": 0}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{name}-refA.{level}.score" for name in ("kendall-sqrt", "full_alpha_0_4", "bleu") for level in ("seg", "sys")
    )
    for name, file in zip(scores.names, ("kendall-sqrt", "full_alpha_0_4", "bleu"), strict=True):
        read = mtme.read_scores(tmp_path / f"{file}-refA.seg.score", segments=3).means(3)
        for row, system in zip(read, TEXTS, strict=True):
            expected = scores.segment_scores(system, name)
            np.testing.assert_array_equal(row, np.where(np.isnan(expected), -1.0, expected))
        systems = mtme.read_scores(tmp_path / f"{file}-refA.sys.score", segments=1).means(1)[:, 0]
        np.testing.assert_array_equal(systems, scores.values[:, scores.names.index(name)])


def test_a_reference_among_the_systems_is_left_out_of_its_own_scores(tmp_path: Path) -> None:
    scores = wordorder.score({"refA": REFERENCE, **TEXTS}, REFERENCE, metrics="pef", samples=0)
    for used, expected in (("refA", ["A", "B"]), ("refB", ["refA", "A", "B"])):
        write_submission(scores, tmp_path, references=[f"refs/x-y.{used}.txt"])
        for level, lines in (("seg", 3), ("sys", 1)):
            written = (tmp_path / f"pef-{used}.{level}.score").read_text().splitlines()
            assert [line.partition("\t")[0] for line in written] == [name for name in expected for _ in range(lines)]


@dataclass(frozen=True)
class Fewer(Bleu):
    higher_is_better: ClassVar[bool | None] = False


def test_less_is_turned_round_and_names_must_fit(tmp_path: Path) -> None:
    scores = wordorder.score({"A": ["a b c d"]}, ["a b c d"], metrics="bleu", samples=0)
    write_submission(replace(scores, metrics=(Fewer(),)), tmp_path)
    assert (tmp_path / "bleu-src.sys.score").read_text() == "A\t-1.0\n"
    spaced = wordorder.score({"A B": ["a"]}, ["a"], metrics="bleu", samples=0)
    with pytest.raises(InputError, match="must not contain spaces; rename 'A B'"):
        write_submission(spaced, tmp_path)
