"""wordorder: measure how well a translation orders its words, independently of which words it chose.

    import wordorder

    wordorder.metric("pef:beta=0.5")("2 4 5 6 1 3")
    scores = wordorder.score(permutations={"A": "a.orders", "B": "b.orders"}, metrics="kendall-sqrt,pef")
    print(scores)

What is imported here is loaded on first use, so ``import wordorder`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wordorder.version import __version__

if TYPE_CHECKING:
    from wordorder.aligning import Aligning
    from wordorder.finding import find
    from wordorder.inputs import AlignedOrders, GivenOrders, MatchedTexts, MonotoneAlignments
    from wordorder.inputs.monotone import MonotoneTexts
    from wordorder.inputs.parsed import ParsedTexts
    from wordorder.inputs.source import SourceTexts
    from wordorder.matching import Matching
    from wordorder.metrics import METRICS, Metric, OrderMetric, metric
    from wordorder.metrics.description import describe
    from wordorder.metrics.inspection import inspect
    from wordorder.metrics.ter import ter_edits
    from wordorder.orders import (
        Alignment,
        Alignments,
        Permutation,
        PermutationForest,
        Permutations,
        PermutationTree,
        order_against_reference,
        order_against_source,
    )
    from wordorder.orders.items import order
    from wordorder.parsing import Parsing
    from wordorder.pictures import (
        Picture,
        draw_alignment,
        draw_comparison,
        draw_dependencies,
        draw_forest,
        draw_links,
        draw_tree,
    )
    from wordorder.reordering import Corpus, Profiles, profile
    from wordorder.runtime.errors import InputError, UsageError, WordorderError
    from wordorder.scoring.scores import Score, Scores
    from wordorder.scoring.shortcuts import score, score_runs
    from wordorder.statistics import Resampling

_ROOMS = {
    "wordorder.aligning": ("Aligning",),
    "wordorder.finding": ("find",),
    "wordorder.inputs": ("AlignedOrders", "GivenOrders", "MatchedTexts", "MonotoneAlignments"),
    "wordorder.inputs.parsed": ("ParsedTexts",),
    "wordorder.inputs.monotone": ("MonotoneTexts",),
    "wordorder.inputs.source": ("SourceTexts",),
    "wordorder.matching": ("Matching",),
    "wordorder.metrics": ("METRICS", "Metric", "OrderMetric", "metric"),
    "wordorder.metrics.description": ("describe",),
    "wordorder.metrics.inspection": ("inspect",),
    "wordorder.metrics.ter": ("ter_edits",),
    "wordorder.orders": (
        "Alignment",
        "Alignments",
        "Permutation",
        "PermutationForest",
        "PermutationTree",
        "Permutations",
        "order_against_reference",
        "order_against_source",
    ),
    "wordorder.orders.items": ("order",),
    "wordorder.parsing": ("Parsing",),
    "wordorder.pictures": (
        "Picture",
        "draw_alignment",
        "draw_comparison",
        "draw_dependencies",
        "draw_forest",
        "draw_links",
        "draw_tree",
    ),
    "wordorder.reordering": ("Corpus", "Profiles", "profile"),
    "wordorder.runtime.errors": ("InputError", "UsageError", "WordorderError"),
    "wordorder.scoring.scores": ("Score", "Scores"),
    "wordorder.scoring.shortcuts": ("score", "score_runs"),
    "wordorder.statistics": ("Resampling",),
}

__all__ = [
    "METRICS",
    "AlignedOrders",
    "Aligning",
    "Alignment",
    "Alignments",
    "Corpus",
    "GivenOrders",
    "InputError",
    "MatchedTexts",
    "Matching",
    "Metric",
    "MonotoneAlignments",
    "MonotoneTexts",
    "OrderMetric",
    "ParsedTexts",
    "Parsing",
    "Permutation",
    "PermutationForest",
    "PermutationTree",
    "Permutations",
    "Picture",
    "Profiles",
    "Resampling",
    "Score",
    "Scores",
    "SourceTexts",
    "UsageError",
    "WordorderError",
    "__version__",
    "describe",
    "draw_alignment",
    "draw_comparison",
    "draw_dependencies",
    "draw_forest",
    "draw_links",
    "draw_tree",
    "find",
    "inspect",
    "metric",
    "order",
    "order_against_reference",
    "order_against_source",
    "profile",
    "score",
    "score_runs",
    "ter_edits",
]


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(room), name)
    raise AttributeError(f"module 'wordorder' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
