"""Choose the kind of picture for a permutation, an alignment, or a sentence with its reference."""

from typing import Any

from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import refuse
from wordorder.metrics.inspection import inspect, is_alignment, is_sentence, read_links
from wordorder.show.pictures.comparison import draw_comparison
from wordorder.show.pictures.forests import draw_forest
from wordorder.show.pictures.grid import draw_alignment
from wordorder.show.pictures.links import draw_links, linked_length
from wordorder.show.pictures.svg import Picture
from wordorder.show.pictures.trees import draw_tree

KINDS = ("grid", "links", "tree", "forest", "comparison")


def draw(
    order: str,
    *,
    kind: str | None = None,
    reference: str | None = None,
    source: str | None = None,
    target: str | None = None,
    policy: str = "birch",
    base: int | None = None,
    tokenizer: str = "13a",
) -> Picture:
    """Draw any input that ``inspect`` accepts; ``target`` has the target words of an alignment.

    By default, an alignment is drawn as a grid, two alignments of the same source as links, a sentence with its
    reference as a comparison, and a permutation as a tree. Any of these can also be drawn as a tree or a forest.
    """
    refuse(kind is not None and kind not in KINDS, f"unknown kind of picture {kind!r} (valid: {', '.join(KINDS)})")
    if reference is not None and is_sentence(order) and is_sentence(reference):
        given, default = "sentences", "comparison"
    elif is_alignment(order):
        given, default = "an alignment", "grid" if reference is None else "links"
    else:
        given, default = "a permutation", "tree"
    kind = kind or default
    possible = list(dict.fromkeys((default, *(("links",) if given == "an alignment" else ()), "tree", "forest")))
    refuse(kind not in possible, f"{given} cannot be drawn as {kind!r} (valid: {', '.join(possible)})")
    if kind == "comparison":
        assert reference is not None
        return draw_comparison(order, reference, tokenizer=tokenizer)
    if kind in ("grid", "links"):
        pair = read_links(order, base or 0)
        gold = None if reference is None else read_links(reference, base or 0)
        return draw_alignment(pair, source, target) if kind == "grid" else _draw_links(pair, gold, source, target)
    how: dict[str, Any] = {"source": source, "policy": policy, "base": base, "tokenizer": tokenizer}
    found = inspect(order, reference=reference, metrics="kendall", **how)
    words = found.words.replace("{{ ", "").replace(" }}", "").split() or None
    return (draw_tree if kind == "tree" else draw_forest)(found.order, words)


def _draw_links(pair: Alignment, gold: Alignment | None, source: str | None, target: str | None) -> Picture:
    """Draw a source between hypothesis and reference, or above its target; numbers stand for unknown words."""
    links = (pair,) if gold is None else (pair, gold)
    words = source.split() if source else _numbers(max(linked_length(each, 0) for each in links))
    if gold is None:
        return draw_links([words, target or _numbers(linked_length(pair, 1))], [pair], labels=["source", "target"])
    first, last = target.split() if target else _numbers(linked_length(pair, 1)), _numbers(linked_length(gold, 1))
    return draw_links([first, words, last], [pair.transpose(), gold], labels=["hypothesis", "source", "reference"])


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]
