"""wordorder: measure how well a translation orders its words, apart from which words it chose.

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
    from wordorder.metrics import METRICS, Metric, metric
    from wordorder.orders import (
        Alignment,
        Alignments,
        Permutation,
        Permutations,
        PermutationTree,
        order_against_reference,
        order_against_source,
    )
    from wordorder.orders.items import order
    from wordorder.reordering import Corpus, Profiles, profile
    from wordorder.runtime.errors import InputError, UsageError, WordorderError
    from wordorder.scoring import Aligning, Parsing, Scores, expected_scores, score

__all__ = [
    "METRICS",
    "Aligning",
    "Alignment",
    "Alignments",
    "Corpus",
    "InputError",
    "Metric",
    "Parsing",
    "Permutation",
    "PermutationTree",
    "Permutations",
    "Profiles",
    "Scores",
    "UsageError",
    "WordorderError",
    "__version__",
    "expected_scores",
    "metric",
    "order",
    "order_against_reference",
    "order_against_source",
    "profile",
    "score",
]

_ROOMS = {
    "wordorder.metrics": ("METRICS", "Metric", "metric"),
    "wordorder.orders": (
        "Alignment",
        "Alignments",
        "Permutation",
        "PermutationTree",
        "Permutations",
        "order_against_reference",
        "order_against_source",
    ),
    "wordorder.orders.items": ("order",),
    "wordorder.reordering": ("Corpus", "Profiles", "profile"),
    "wordorder.runtime.errors": ("InputError", "UsageError", "WordorderError"),
    "wordorder.scoring": ("Aligning", "Parsing", "Scores", "expected_scores", "score"),
}


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(room), name)
    raise AttributeError(f"module 'wordorder' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
