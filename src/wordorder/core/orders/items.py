"""The order of arbitrary items (sentences, steps, chunks) compared with a reference order of the same items."""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from wordorder.core.orders.permutation import Permutation
from wordorder.core.runtime.errors import InputError, check_choice, excerpt

POLICIES = ("drop", "append", "error")

_MOST_SHOWN = 5  # items in an error message


@dataclass(frozen=True)
class ItemOrder:
    """The order of a list of items relative to a reference list, and the items that are in only one of the two lists.

    ``missing`` holds the items that are only in the reference, and ``extra`` those that are not in the reference.
    """

    permutation: Permutation
    missing: tuple[Any, ...]
    extra: tuple[Any, ...]


def order(items: Iterable[Hashable], reference: Iterable[Hashable], *, missing: str = "drop") -> ItemOrder:
    """Return the order of ``items`` compared with ``reference``; repeated items are matched from left to right.

    Items that are not in the reference are left out of the order and returned as ``extra``. ``missing`` determines
    what happens to reference items that are not among ``items``: ``drop`` leaves them out, so that only shared items
    count; ``append`` puts them at the end, in reference order; ``error`` raises an error if any item is missing or
    extra.

    >>> found = order(["mix", "sift", "bake"], ["sift", "mix", "rest", "bake"])
    >>> str(found.permutation), found.missing
    ('2 1 3', ('rest',))
    >>> str(order(["mix", "sift", "bake"], ["sift", "mix", "rest", "bake"], missing="append").permutation)
    '2 1 4 3'
    """
    check_choice(missing, POLICIES, "policy for missing items")
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
        found = [f"missing {_show(gold[place])}" for place in left] + [f"extra {_show(item)}" for item in extra]
        more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
        differences = ", ".join(found[:_MOST_SHOWN]) + more
        raise InputError(f"the items and the reference must be the same except for their order; found {differences}")
    if missing == "append":
        places += left
    ranks = {place: rank for rank, place in enumerate(sorted(places))}
    permutation = Permutation(tuple(ranks[place] for place in places))
    return ItemOrder(permutation, tuple(gold[place] for place in left), tuple(extra))


def _show(item: object) -> str:
    """Return a short one-line representation of an item."""
    return excerpt(item) if isinstance(item, str) else excerpt(repr(item))[1:-1]
