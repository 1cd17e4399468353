"""Slow, literal twins of the transition parser, written from the papers: configurations are values, arcs are a dict.

Nothing here imports the package.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache


@dataclass(frozen=True)
class Configuration:
    """A stack (the last word is its top), the words to come, and the head and label of each word that has one."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[tuple[int, int, str], ...] = ()  # word, head, label
    unshifted: bool = False

    @property
    def heads(self) -> dict[int, int]:
        return {word: head for word, head, _ in self.arcs}

    @property
    def labels(self) -> dict[int, str]:
        return {word: label for word, _, label in self.arcs}


def start(length: int) -> Configuration:
    return Configuration((), tuple(range(length)))


def allowed(at: Configuration) -> list[str]:
    """The transitions of Nivre (2008); a word that was unshifted is not shifted again."""
    if not at.buffer:
        return []
    moves = [] if at.unshifted else ["shift"]
    if at.stack:
        moves += ["reduce" if at.stack[-1] in at.heads else "left", "right"]
    return moves


def make(at: Configuration, move: str, label: str = "") -> Configuration:
    """One transition, and nothing but it."""
    if move == "shift":
        return replace(at, stack=(*at.stack, at.buffer[0]), buffer=at.buffer[1:])
    if move == "reduce":
        return replace(at, stack=at.stack[:-1])
    if move == "left":
        arc = (at.stack[-1], at.buffer[0], label)
        return replace(at, stack=at.stack[:-1], arcs=(*at.arcs, arc))
    arc = (at.buffer[0], at.stack[-1], label)
    return Configuration((*at.stack, at.buffer[0]), at.buffer[1:], (*at.arcs, arc))


def tidy(at: Configuration) -> Configuration:
    """What follows without a decision once there are no more words: reduce, and unshift (2014, §3)."""
    if at.buffer and not at.stack and at.unshifted:
        return Configuration(at.buffer, (), at.arcs)
    while not at.buffer and len(at.stack) > 1:
        if at.stack[-1] in at.heads:
            at = replace(at, stack=at.stack[:-1])
        else:
            at = Configuration(at.stack[:-1], at.stack[-1:], at.arcs, unshifted=True)
    return at


@cache
def most_right(at: Configuration, gold: tuple[int, ...]) -> int:
    """The most words that can still get their gold head (the root: none), whatever follows, without unshift."""
    if not at.buffer:
        return sum(at.heads.get(word, -1) == head for word, head in enumerate(gold))
    return max(most_right(make(at, move), gold) for move in allowed(at))


def losses(at: Configuration, gold: tuple[int, ...]) -> dict[str, int]:
    """What each transition loses, from the definition (Goldberg & Nivre 2012)."""
    return {move: most_right(at, gold) - most_right(make(at, move), gold) for move in allowed(at)}


def atoms(at: Configuration, words: list[str], tags: list[str]) -> dict[str, object]:
    """All that features are made of (Zhang & Nivre 2011), by name; what is not there is left out."""
    found: dict[str, object] = {}
    heads, labels = at.heads, at.labels

    def below(word: int | None, side: int) -> list[int]:
        """The children to one side, the farthest first."""
        if word is None:
            return []
        children = [child for child, head in heads.items() if head == word and (child > word) == (side > 0)]
        return sorted(children, reverse=side > 0)

    s0 = at.stack[-1] if at.stack else None
    n0 = at.buffer[0]
    head = heads.get(s0) if s0 is not None else None
    places: dict[str, int | None] = {"s0": s0, "s0h": head, "s0h2": heads.get(head) if head is not None else None}
    for place in range(3):
        places[f"n{place}"] = at.buffer[place] if place < len(at.buffer) else None
    for name, word, side in (("s0l", s0, -1), ("s0r", s0, 1), ("n0l", n0, -1)):
        for number, child in zip(("", "2"), below(word, side), strict=False):
            places[name + number] = child
    for name, word in places.items():
        if word is not None:
            found[f"{name}.w"], found[f"{name}.t"] = words[word], tags[word]
            if word in labels:
                found[f"{name}.d"] = labels[word]
    for name, word, side in (("s0", s0, -1), ("s0", s0, 1), ("n0", n0, -1)):
        if word is not None:
            letter = "l" if side < 0 else "r"
            found[f"{name}.v{letter}"] = min(10, len(below(word, side)))
            found[f"{name}.s{letter}"] = frozenset(labels[child] for child in below(word, side))
    if s0 is not None:
        found["distance"] = min(10, n0 - s0)
    return found


def features(at: Configuration, words: list[str], tags: list[str], templates: str) -> list[tuple[object, ...]]:
    """The features whose parts are all there, as the template and what it sees."""
    known = atoms(at, words, tags)
    named = templates.strip().replace("\n", "|").split("|")
    return [
        (template, *(known[part] for part in template.split()))
        for template in named
        if all(part in known for part in template.split())
    ]
