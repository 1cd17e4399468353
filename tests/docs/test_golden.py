"""The file of golden values is what the program gives, and what plain definitions give."""

from __future__ import annotations

import importlib.util
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics.bleu import BLEU

import wordorder

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DOCS / "golden.json").read_text(encoding="utf-8"))
    return document


@pytest.mark.slow
def test_the_file_is_what_the_program_gives(golden: dict[str, Any]) -> None:
    found = importlib.util.spec_from_file_location("golden", DOCS / "golden.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    made = module.make()
    assert made["version"] == golden["version"] == wordorder.__version__
    for name in ("orders", "alignments", "texts"):
        assert len(made[name]) == len(golden[name])
        for one, two in zip(made[name], golden[name], strict=True):
            assert flat(one) == pytest.approx(flat(two), abs=1e-9)


def flat(value: Any, place: str = "") -> dict[str, Any]:
    """Return all that is in a value by its place in it."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = {str(number): one for number, one in enumerate(value)}.items()
    else:
        return {place: value}
    return {key: one for name, part in parts for key, one in flat(part, f"{place}/{name}").items()}


def test_kendall_by_its_definition(golden: dict[str, Any]) -> None:
    for entry in golden["orders"]:
        pairs = list(itertools.combinations(entry["order"], 2))
        share = sum(one < two for one, two in pairs) / len(pairs) if pairs else 1.0
        assert entry["scores"]["kendall"] == pytest.approx(share, abs=1e-11)
        assert entry["scores"]["kendall-sqrt"] == pytest.approx(1 - (1 - share) ** 0.5, abs=1e-11)


def test_bleu_by_sacrebleu(golden: dict[str, Any]) -> None:
    for entry in golden["texts"]:
        bleu = BLEU(tokenize="none", smooth_method="none")
        theirs = bleu.corpus_score(entry["hypotheses"], entry["references"]).score / 100
        assert entry["scores"]["bleu"]["corpus"] == pytest.approx(theirs, abs=1e-11)
