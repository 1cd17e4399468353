"""The order of any items – sentences, steps, chunks – against a reference order of them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from wordorder.core.orders.permutation import Permutation
from wordorder.core.runtime.errors import InputError, choices, excerpt

POLICIES = ("drop", "append", "error")

_TOLD = 5  # items an error names


@dataclass(frozen=True)
class ItemOrder:
    """The order of items and what did not fit: ``missing`` reference items, ``extra`` items of the judged side."""

    permutation: Permutation
    missing: tuple[Any, ...]
    extra: tuple[Any, ...]


def order(items: Iterable[Hashable], reference: Iterable[Hashable], *, missing: str = "drop") -> ItemOrder:
    """Order ``items`` against ``reference``; equal items take the first instance that is still free.

    Extra items, which the reference does not have, are left out and told. What becomes of reference items that are
    missing is stated by ``missing``: ``drop`` leaves them out, so the order is judged on what both sides have;
    ``append`` puts them at the end, in reference order, as a reader who has to look for them would find them;
    ``error`` refuses missing and extra items.

    >>> found = order(["mix", "sift", "bake"], ["sift", "mix", "rest", "bake"])
    >>> str(found.permutation), found.missing
    ('2 1 3', ('rest',))
    >>> str(order(["mix", "sift", "bake"], ["sift", "mix", "rest", "bake"], missing="append").permutation)
    '2 1 4 3'
    """
    if missing not in POLICIES:
        raise choices(missing, list(POLICIES), what="policy for missing items")
    gold = list(reference)
    free: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for place, item in enumerate(gold):
        free[item].append(place)
    places, extra = [], []
    for item in items:
        if free.get(item):
            places.append(free[item].popleft())
        else:
            extra.append(item)
    left = sorted(place for instances in free.values() for place in instances)
    if missing == "error" and (left or extra):
        told = [f"missing {_show(gold[place])}" for place in left] + [f"extra {_show(item)}" for item in extra]
        more = f" and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
        raise InputError(f"the two sequences have different items: {', '.join(told[:_TOLD])}{more}")
    if missing == "append":
        places += left
    ranks = {place: rank for rank, place in enumerate(sorted(places))}
    found = Permutation(tuple(ranks[place] for place in places))
    return ItemOrder(found, tuple(gold[place] for place in left), tuple(extra))


def _show(item: object) -> str:
    """Write an item on one line, whatever it is and however long."""
    return excerpt(item) if isinstance(item, str) else excerpt(repr(item))[1:-1]
