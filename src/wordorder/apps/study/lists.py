"""Decide which items each person sees and in which order, using Latin squares.

All random choices are derived from the seed, so a server that is restarted continues as before.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

from wordorder.apps.study.folder import Study
from wordorder.apps.study.items import REPEAT_MARK, Item
from wordorder.core.runtime.errors import InputError

APART = 15
"""The smallest distance, in items, between the first and the second showing of a repeated item."""

NEIGHBOURS = 2
"""The largest number of consecutive items with the same condition."""

_TRIES = 50


def make_lists(study: Study) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the analysed items on each list.

    Groups are divided into blocks, so that nobody sees more than ``people.share`` of them. If each group has k
    versions, a Latin square turns each block into k lists: list l shows version (i + l) mod k of the i-th group, so
    each list has every group once and all versions equally often. Items for a second person (``people.twice``) are
    also on the lists of the next block.
    """
    versions = group_versions(study)
    groups = list(versions.values())
    count = len(groups[0])
    people = study.settings.people
    blocks = min(math.ceil((1 + people.twice) / people.share - 1e-9), len(groups)) if people.share < 1 else 1
    divided = [groups[block::blocks] for block in range(blocks)]
    if people.twice and blocks > 1:
        shared = [block[: round(people.twice * len(block))] for block in divided]
        divided = [own + shared[place - 1] for place, own in enumerate(divided)]
    return tuple(
        tuple(group[(place + turn) % count].id for place, group in enumerate(block))
        for block in divided
        for turn in range(count)
    )


def group_versions(study: Study) -> dict[str, list[Item]]:
    """Return the versions of each group; all groups must have the same number of versions."""
    versions: dict[str, list[Item]] = {}
    for item in study.items:
        if item.role == "item":
            versions.setdefault(item.group, []).append(item)
    sizes = Counter(map(len, versions.values()))
    usual = sizes.most_common(1)[0][0]
    for group, found in versions.items():
        if len(found) != usual:
            raise InputError(f"expected {usual} versions in group {group!r}, as in other groups, found {len(found)}")
    return versions


def versions_by_condition(study: Study) -> dict[str, list[Item]]:
    """Return, for each condition, the item of every group that has this condition."""
    groups = group_versions(study).values()
    return {
        name: [next(item for item in group if item.condition == name) for group in groups]
        for name in study.conditions
    }


def choose_list(occupied: Sequence[int], *, seed: int = 0, arrival: int = 0) -> int:
    """Return the number of the list for a new person: the list with the fewest active or finished people.

    ``occupied`` has the number of such people for each list. Ties are broken at random.

    >>> choose_list([3, 1, 2])
    1
    """
    fewest = min(occupied)
    equal = [place for place, count in enumerate(occupied) if count == fewest]
    return equal[int(random.Random(f"{seed} {arrival}").random() * len(equal))]


def sequence(study: Study, person: str, place: int) -> tuple[str, ...]:
    """Return the keys of the items that a person sees, in order; ``place`` is the number of the person's list.

    Practice items come first, in the order of the file. If possible, at most two consecutive items have the same
    condition. A repeat, whose key ends with ``REPEAT_MARK``, comes at least ``APART`` items after the first showing.
    """
    lists = make_lists(study)
    if not 0 <= place < len(lists):
        raise InputError(f"list {place} does not exist; expected a number from 0 to {len(lists) - 1}")
    chance = random.Random(f"{study.settings.seed} {person}")
    practice = [item.id for item in study.items if item.role == "practice"]
    others = [item for item in study.items if item.role in ("filler", "gold", "attention")]
    own = [study.by_id[key] for key in lists[place]]
    order = _spread([*own, *others], chance)
    return (*practice, *_repeat(order, study.settings.checks.repeats, chance))


def _spread(items: list[Item], chance: random.Random) -> list[Item]:
    """Shuffle items so that, if possible, no three consecutive items have the same condition."""
    best: list[Item] = []
    fewest = len(items) + 1
    tries = _TRIES if len({item.condition for item in items}) > 1 else 1
    for _ in range(tries):
        order, breaches = _draw(items, chance)
        if breaches < fewest:
            best, fewest = order, breaches
        if not breaches:
            break
    return best


def _draw(items: list[Item], chance: random.Random) -> tuple[list[Item], int]:
    """Return items in random order, avoiding long runs of one condition, and how many runs were unavoidable."""
    left = sorted(items, key=lambda item: (chance.random(), item.id))
    order: list[Item] = []
    breaches = 0
    while left:
        last = {item.condition for item in order[-NEIGHBOURS:]}
        barred = last.pop() if len(last) == 1 and len(order) >= NEIGHBOURS else None
        place = next((place for place, item in enumerate(left) if item.condition != barred), None)
        breaches += place is None
        order.append(left.pop(place or 0))
    return order, breaches


def _repeat(order: list[Item], repeats: int, chance: random.Random) -> list[str]:
    """Return the keys of the items, with some items repeated; items too close to the end are not repeated."""
    keys = [item.id for item in order]
    early = [place for place in range(len(order) - APART) if order[place].role == "item"]
    chosen = sorted(sorted(early, key=lambda place: (chance.random(), place))[:repeats])
    for place in reversed(chosen):
        first = keys.index(order[place].id) + APART + 1
        spot = first + int(chance.random() * (len(keys) - first + 1))
        keys.insert(min(spot, len(keys)), order[place].id + REPEAT_MARK)
    return keys
