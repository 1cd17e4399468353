"""The extraction rules with sets and loops, written from the text of the rules: slow, literal, for comparison."""

from __future__ import annotations

from itertools import pairwise

Links = set[tuple[int, int]]
Rectangle = tuple[int, int, int, int]
"""Source first and last, target first and last."""

Spans = tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]


def targets(links: Links, s: int) -> set[int]:
    return {t for i, t in links if i == s}


def sources(links: Links, t: int) -> set[int]:
    return {s for s, j in links if j == t}


def inside(link: tuple[int, int], box: Rectangle) -> tuple[bool, bool]:
    return box[0] <= link[0] <= box[1], box[2] <= link[1] <= box[3]


def consistent(links: Links, box: Rectangle) -> bool:
    return all(source_in == target_in for source_in, target_in in (inside(link, box) for link in links))


def block(links: Links, i: int, j: int) -> Rectangle:
    reached = {t for s, t in links if i <= s <= j}
    return i, j, min(reached), max(reached)


def has_gap(places: set[int], ignored: set[int]) -> bool:
    return bool(set(range(min(places), max(places) + 1)) - places - ignored)


def areas(links: Links, *, nulls_make_gaps: bool = True) -> list[Rectangle]:
    aligned_s, aligned_t = {s for s, _ in links}, {t for _, t in links}
    null_s = set() if nulls_make_gaps else set(range(max(aligned_s, default=0))) - aligned_s
    null_t = set() if nulls_make_gaps else set(range(max(aligned_t, default=0))) - aligned_t
    seeds = []
    for s in aligned_s:
        goal = targets(links, s)
        if has_gap(goal, null_t):
            seeds.append((s, s, min(goal), max(goal)))
    for t in aligned_t:
        origin = sources(links, t)
        if has_gap(origin, null_s):
            seeds.append((min(origin), max(origin), t, t))
    closed = []
    for box in seeds:
        while not consistent(links, box):
            for link in links:
                if any(inside(link, box)):
                    s, t = link
                    box = min(box[0], s), max(box[1], s), min(box[2], t), max(box[3], t)
        closed.append(box)
    return closed


def extract(links: Links, *, nulls_make_gaps: bool = True) -> list[Spans]:
    aligned = sorted({s for s, _ in links})
    linked_targets = {t for _, t in links}
    marked = areas(links, nulls_make_gaps=nulls_make_gaps)
    found: list[Spans] = []
    for p, s in pairwise(aligned):
        if any(box[0] <= p <= box[1] and box[0] <= s <= box[1] for box in marked):
            continue
        if not max(targets(links, s)) < min(targets(links, p)):
            continue
        a, b = block(links, p, p), block(links, s, s)
        for x in sorted((w for w in aligned if w < p), reverse=True):
            g = block(links, x, p)
            if not g[2] > b[3]:
                break
            if consistent(links, g):
                a = g
        if not consistent(links, (a[0], b[1], b[2], a[3])):
            for x in (w for w in aligned if w > s):
                g = block(links, s, x)
                if not g[3] < a[2]:
                    break
                if consistent(links, (a[0], g[1], g[2], a[3])):
                    b = g
                    break
        a_source_last = a[1]
        while a_source_last + 1 < b[0]:
            a_source_last += 1
        b_target_last = b[3]
        while b_target_last + 1 < a[2] and b_target_last + 1 not in linked_targets:
            b_target_last += 1
        found.append(((a[0], a_source_last), (a[2], a[3]), (b[0], b[1]), (b[2], b_target_last)))
    return found
