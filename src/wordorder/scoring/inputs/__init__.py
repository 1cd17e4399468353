"""What is judged, one value per kind: texts, texts through their source, alignments, permutations, parses."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wordorder.scoring.inputs.base import Inputs
from wordorder.scoring.inputs.gather import Given, gather
from wordorder.scoring.inputs.orders import AlignedOrders, GivenOrders, MonotoneAlignments
from wordorder.scoring.inputs.texts import MatchedTexts

if TYPE_CHECKING:
    from wordorder.scoring.inputs.monotone import MonotoneTexts
    from wordorder.scoring.inputs.parsed import ParsedTexts
    from wordorder.scoring.inputs.scored import ScoredInputs
    from wordorder.scoring.inputs.source import SourceTexts

__all__ = [
    "AlignedOrders",
    "Given",
    "GivenOrders",
    "Inputs",
    "MatchedTexts",
    "MonotoneAlignments",
    "MonotoneTexts",
    "ParsedTexts",
    "ScoredInputs",
    "SourceTexts",
    "gather",
]

_LATER = {"MonotoneTexts": "monotone", "SourceTexts": "source", "ParsedTexts": "parsed", "ScoredInputs": "scored"}
"""What brings the aligner or the parser with it, or is seldom needed, and is loaded on first use."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"wordorder.scoring.inputs.{_LATER[name]}"), name)
    raise AttributeError(f"module 'wordorder.scoring.inputs' has no attribute {name!r}")
