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
    from wordorder.apps.find import find
    from wordorder.apps.preorder.pictures import draw_dependencies
    from wordorder.apps.profile import Corpus, Profiles, profile
    from wordorder.core.orders import (
        Alignment,
        Alignments,
        Permutation,
        PermutationForest,
        Permutations,
        PermutationTree,
        order_against_reference,
        order_against_source,
    )
    from wordorder.core.orders.items import order
    from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
    from wordorder.core.statistics import Resampling
    from wordorder.linking.aligning import Aligning
    from wordorder.linking.matching import Matching
    from wordorder.linking.parsing import Parsing
    from wordorder.metrics import METRICS, Metric, OrderMetric, metric
    from wordorder.metrics.description import describe
    from wordorder.metrics.inspection import inspect
    from wordorder.metrics.ter import ter_edits
    from wordorder.scoring.inputs import AlignedOrders, GivenOrders, MatchedTexts, MonotoneAlignments
    from wordorder.scoring.inputs.monotone import MonotoneTexts
    from wordorder.scoring.inputs.parsed import ParsedTexts
    from wordorder.scoring.inputs.source import SourceTexts
    from wordorder.scoring.scores import Score, Scores
    from wordorder.scoring.shortcuts import score, score_runs
    from wordorder.show.pictures import (
        Picture,
        draw_alignment,
        draw_comparison,
        draw_forest,
        draw_links,
        draw_tree,
    )

_ROOMS = {
    "wordorder.linking.aligning": ("Aligning",),
    "wordorder.apps.find": ("find",),
    "wordorder.scoring.inputs": ("AlignedOrders", "GivenOrders", "MatchedTexts", "MonotoneAlignments"),
    "wordorder.scoring.inputs.parsed": ("ParsedTexts",),
    "wordorder.scoring.inputs.monotone": ("MonotoneTexts",),
    "wordorder.scoring.inputs.source": ("SourceTexts",),
    "wordorder.linking.matching": ("Matching",),
    "wordorder.metrics": ("METRICS", "Metric", "OrderMetric", "metric"),
    "wordorder.metrics.description": ("describe",),
    "wordorder.metrics.inspection": ("inspect",),
    "wordorder.metrics.ter": ("ter_edits",),
    "wordorder.core.orders": (
        "Alignment",
        "Alignments",
        "Permutation",
        "PermutationForest",
        "PermutationTree",
        "Permutations",
        "order_against_reference",
        "order_against_source",
    ),
    "wordorder.core.orders.items": ("order",),
    "wordorder.linking.parsing": ("Parsing",),
    "wordorder.show.pictures": (
        "Picture",
        "draw_alignment",
        "draw_comparison",
        "draw_forest",
        "draw_links",
        "draw_tree",
    ),
    "wordorder.apps.preorder.pictures": ("draw_dependencies",),
    "wordorder.apps.profile": ("Corpus", "Profiles", "profile"),
    "wordorder.core.runtime.errors": ("InputError", "UsageError", "WordorderError"),
    "wordorder.scoring.scores": ("Score", "Scores"),
    "wordorder.scoring.shortcuts": ("score", "score_runs"),
    "wordorder.core.statistics": ("Resampling",),
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
