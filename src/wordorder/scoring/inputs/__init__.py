"""The kinds of inputs that can be scored: texts, texts with a source, alignments, permutations and parsed texts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wordorder.scoring.inputs.base import Inputs
from wordorder.scoring.inputs.make_inputs import make_inputs
from wordorder.scoring.inputs.orders import AlignedOrders, GivenOrders, MonotoneAlignments
from wordorder.scoring.inputs.texts import MatchedTexts
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.scoring.inputs.monotone import MonotoneTexts
    from wordorder.scoring.inputs.parsed import ParsedTexts
    from wordorder.scoring.inputs.scored import ScoredInputs
    from wordorder.scoring.inputs.source import SourceTexts

__all__ = [
    "AlignedOrders",
    "GivenOrders",
    "InputOptions",
    "Inputs",
    "MatchedTexts",
    "MonotoneAlignments",
    "MonotoneTexts",
    "ParsedTexts",
    "ScoredInputs",
    "SourceTexts",
    "make_inputs",
]

_LATER = {"MonotoneTexts": "monotone", "SourceTexts": "source", "ParsedTexts": "parsed", "ScoredInputs": "scored"}
"""The modules of classes that are rarely used or need the aligner or parser; they are imported on first use."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"wordorder.scoring.inputs.{_LATER[name]}"), name)
    raise AttributeError(f"module 'wordorder.scoring.inputs' has no attribute {name!r}")
