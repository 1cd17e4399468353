"""Alignment error rates on real text with alignments made by people."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.text import encode
from wordorder.linking.aligning import error_rate, train


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def read_links(path: Path, base: int) -> Alignments:
    rows = []
    for line in read_lines(path):
        found = [(int(i) - base, int(j) - base, mark) for i, mark, j in re.findall(r"(\d+)([-p])(\d+)", line)]
        possible = frozenset((i, j) for i, j, mark in found if mark == "p")
        rows.append(Alignment(tuple((i, j) for i, j, _ in found), possible=possible))
    return Alignments.of(rows)


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "neural", "best"), [("enfr", 0.041, 0.11), ("roen", 0.207, 0.32), ("zhen", 0.133, 0.30)]
)
def test_error_rates(shared: Path, name: str, neural: float, best: float) -> None:
    """The neural aligner's known rate, and ours where it was when this was written (eflomal: .181, .379, .332)."""
    folder = shared / "data" / "gold-align"
    gold = read_links(folder / f"{name}.gold", 1)
    output = read_links(folder / f"{name}.awesome-align.out", 0)
    assert error_rate(output, gold).aer == pytest.approx(neural, abs=0.0005)
    pairs = [line.lower().split("|||") for line in read_lines(folder / f"{name}.src-tgt")]
    text = encode([one for one, _ in pairs], [two for _, two in pairs])
    assert error_rate(train(*text, threads=2).align(*text), gold).aer < best
