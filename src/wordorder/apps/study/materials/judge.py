"""Make items that each show one reordering, half of them reproduced by the system (Birch 2011, §3.3.5)."""

from __future__ import annotations

import random

from wordorder.apps.profile import Reordering, extract, find_reproduced
from wordorder.apps.study.items import Item
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, count_of

CONDITIONS = ("reproduced", "not reproduced")


def judging_items(
    reference: list[str],
    translation: list[str],
    reference_links: Alignments,
    translation_links: Alignments,
    *,
    seed: int,
    system: str = "",
    items: int = 50,
) -> list[Item]:
    """Make an item from each of several random sentences, using a reordering that can be shown in the translation."""
    counts = len(reference), len(translation), len(reference_links), len(translation_links)
    if len(set(counts)) > 1:
        raise InputError("the reference has {} lines, the translation {}, their alignments {} and {}".format(*counts))
    reorderings = extract(reference_links)
    flags = find_reproduced(reorderings, extract(translation_links)).flags
    chance = random.Random(seed)
    wanted = {CONDITIONS[0]: items - items // 2, CONDITIONS[1]: items // 2}
    found: list[Item] = []
    for row in sorted(range(len(reference)), key=lambda row: (chance.random(), row)):
        places = range(int(reorderings.offsets[row]), int(reorderings.offsets[row + 1]))
        for place in sorted(places, key=lambda place: (chance.random(), place)):
            condition = CONDITIONS[0 if flags[place] else 1]
            one = reorderings[row][place - places[0]]
            blocks = _translated(one, translation_links[row])
            if wanted[condition] and blocks is not None:
                wanted[condition] -= 1
                content = {
                    "reference": reference[row].split(),
                    "translation": translation[row].split(),
                    "reference_blocks": [[*range(a, b + 1)] for a, b in (one.a_target, one.b_target)],
                    "translation_blocks": blocks,
                    "reordering": str(one),
                    "width": one.width(),
                    "system": system,
                    "segment": row + 1,
                }
                found.append(Item.of(str(row + 1), content, seed=seed, condition=condition))
                break
    if missing := {name: count for name, count in wanted.items() if count}:
        lacking = " and ".join(f"{count} {name}" for name, count in missing.items())
        raise InputError(
            f"{items} items were requested, but only {count_of(len(found), 'item')} can be made, because too few "
            f"sentences have a reordering that can be shown (missing: {lacking}); request fewer items"
        )
    return sorted(found, key=lambda item: int(item.group))


def _translated(one: Reordering, links: Alignment) -> list[list[int]] | None:
    """Return the positions of the translation words aligned to each of the two blocks.

    Return None if no word is aligned to one of the blocks, or if a word is aligned to both.
    """
    blocks = [
        sorted({target for source, target in links.links if span[0] <= source <= span[1]})
        for span in (one.a_source, one.b_source)
    ]
    return blocks if all(blocks) and not set(blocks[0]) & set(blocks[1]) else None
