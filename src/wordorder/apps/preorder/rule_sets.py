"""Reordering rules: for a head of some category, the order of its children and of itself.

These are the precedence rules of Xu et al. (2009) that Talbot et al. (2011) evaluate. A rule set is a list of rules;
the first rule whose pattern matches a head orders its children. A rule is a list of elements: ``HEAD`` is the head
itself, ``[other children]`` are the children that no other element names. A child belongs to the element that matches
it most precisely; the children of one element keep their source order, or it is reversed.

:mod:`wordorder.apps.preorder.language` reads and writes rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

from wordorder.core.runtime.errors import InputError


class HeadSide(Enum):
    """The side of its head on which a child is in the source; the value is its notation in rules."""

    BEFORE = "<"
    AFTER = ">"
    ANY = ""


@dataclass(frozen=True)
class Word:
    """The properties of a word that rules use: its label, its coarse and fine tags, and its form in lower case."""

    label: str
    tags: frozenset[str]
    form: str


@dataclass(frozen=True)
class Pattern:
    """Conditions on a word; an empty tuple means no condition.

    A label also matches its subtypes: ``nsubj`` matches ``nsubj:pass``.

    >>> passive = Word("nsubj:pass", frozenset({"NOUN"}), "cats")
    >>> Pattern(labels=("nsubj",)).precision(passive), Pattern(labels=("nsubj:pass",)).precision(passive)
    ((1, 0), (2, 0))
    >>> Pattern(labels=("obj",)).precision(passive) is None
    True
    """

    labels: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()

    def precision(self, word: Word) -> tuple[int, int] | None:
        """Return how precisely the pattern matches: label (2: itself, 1: its family, 0: any), and other conditions.

        None means that the pattern does not match.
        """
        if (self.tags and word.tags.isdisjoint(self.tags)) or (self.forms and word.form not in self.forms):
            return None
        further = bool(self.tags) + bool(self.forms)
        if not self.labels:
            return 0, further
        if word.label in self.labels:
            return 2, further
        return (1, further) if word.label.partition(":")[0] in self.labels else None

    def covers(self, other: Pattern) -> bool:
        """Whether every word that matches the other pattern matches this one, too.

        >>> Pattern(tags=("VERB", "AUX")).covers(Pattern(tags=("AUX",), labels=("root",)))
        True
        """
        pairs = ((self.labels, other.labels), (self.tags, other.tags), (self.forms, other.forms))
        return all(not mine or (theirs and set(theirs) <= set(mine)) for mine, theirs in pairs)


@dataclass(frozen=True)
class Element:
    """A place in a rule: the head (no pattern), or the children that match a pattern, perhaps only on one side."""

    pattern: Pattern | None
    side: HeadSide = HeadSide.ANY
    reversed: bool = False

    def precision(self, child: Word, side: HeadSide) -> tuple[int, int] | None:
        """Return how precisely the element matches a child, or None if it does not match."""
        if self.pattern is None or self.side not in (side, HeadSide.ANY):
            return None
        found = self.pattern.precision(child)
        return None if found is None else (found[0], found[1] + (self.side is not HeadSide.ANY))


HEAD = Element(None)
"""The place of the head itself."""


@dataclass(frozen=True)
class Rule:
    """Orders the children of heads that match ``head`` as in ``elements``; ``line`` is the line in the file."""

    head: Pattern
    elements: tuple[Element, ...]
    line: int = 0

    def __post_init__(self) -> None:
        if (heads := self.elements.count(HEAD)) != 1:
            raise InputError(f"HEAD occurs {heads} times in the rule; expected exactly once")
        others = {element.side for element in self.elements if element.pattern == Pattern()}
        if HeadSide.ANY not in others and others != {HeadSide.BEFORE, HeadSide.AFTER}:
            raise InputError("no place for children that are not named; add '[other children]'")

    @property
    def head_place(self) -> int:
        """The place of the head among the elements."""
        return self.elements.index(HEAD)

    def place(self, child: Word, side: HeadSide) -> int:
        """Return the number of the element to which a child belongs: the first of the most precise ones."""
        found = [element.precision(child, side) or (-1, -1) for element in self.elements]
        return found.index(max(found))


@dataclass(frozen=True)
class RuleSet:
    """Rules in the order in which they are tried. A head that matches none keeps the order of its children.

    ``labels`` and ``tags`` are declared by the set in addition to those of Universal Dependencies.
    """

    name: str
    rules: tuple[Rule, ...]
    labels: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def choose(self, head: Word) -> int:
        """Return the number of the first rule that matches a head, or −1."""
        fits = (number for number, rule in enumerate(self.rules) if rule.head.precision(head) is not None)
        return next(fits, -1)

    def without(self, number: int) -> RuleSet:
        """Return the set without one of its rules."""
        return replace(self, rules=self.rules[:number] + self.rules[number + 1 :])

    @property
    def patterns(self) -> Iterator[Pattern]:
        """All patterns, of heads and of children."""
        for rule in self.rules:
            yield rule.head
            yield from (element.pattern for element in rule.elements if element.pattern)

    def named(self, kind: Literal["labels", "tags", "forms"]) -> frozenset[str]:
        """Return all labels, tags or word forms that any rule names."""
        return frozenset(name for pattern in self.patterns for name in getattr(pattern, kind))
