"""The best hypothesis of each sentence under weights."""

from __future__ import annotations

from collections.abc import Mapping

from wordorder.apps.nbest.nbest import NBest


def rerank(lists: NBest, weights: Mapping[str, float] | None = None) -> list[str]:
    """Return the best translation of each sentence: under weights, or what the decoder prefers.

    >>> lists = NBest.of([["a b", "b a"]], features={"lm": [[-2, -1]], "tm": [[-1, -3]]})
    >>> rerank(lists, {"lm": 1, "tm": 0}), rerank(lists, {"lm": 0, "tm": 1})
    (['b a'], ['a b'])
    """
    return lists.lines_of_choice(lists.choose(weights))
