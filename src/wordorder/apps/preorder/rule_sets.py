"""Reordering rules, which arrange a head and its children, depending on the category of the head.

These are the precedence rules of Xu et al. (2009) that Talbot et al. (2011) evaluate. In a rule set, the first rule
whose pattern matches a head determines the order of its children. A rule is a list of elements: ``HEAD`` is the head
itself, and ``[other children]`` are the children that match no other element. Each child belongs to the element that
matches it most precisely. The children that belong to the same element keep their source order or are reversed.

:mod:`wordorder.apps.preorder.language` reads and writes rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

from wordorder.core.runtime.errors import InputError


class HeadSide(Enum):
    """The side of the head on which a child is in the source; the values are the symbols used in rules."""

    BEFORE = "<"
    AFTER = ">"
    ANY = ""


@dataclass(frozen=True)
class Word:
    """The properties of a word to which rules can refer: its label, coarse and fine tags, and lower-case form."""

    label: str
    tags: frozenset[str]
    form: str


@dataclass(frozen=True)
class Pattern:
    """Conditions on the label, the tags and the form of a word; an empty tuple means no condition.

    A label also matches its subtypes; for example, ``nsubj`` matches ``nsubj:pass``.

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
        """Return how precisely the pattern matches a word, or None if it does not match.

        The first number is 2 if the pattern has the word's own label, 1 if it has the main type of this label, and 0
        if it has no labels. The second is the number of other conditions.
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
        """Return whether every word that matches the other pattern also matches this one.

        >>> Pattern(tags=("VERB", "AUX")).covers(Pattern(tags=("AUX",), labels=("root",)))
        True
        """
        pairs = ((self.labels, other.labels), (self.tags, other.tags), (self.forms, other.forms))
        return all(not mine or (theirs and set(theirs) <= set(mine)) for mine, theirs in pairs)


@dataclass(frozen=True)
class Element:
    """A position in a rule: for the head itself (no pattern) or for the children that match a pattern.

    ``side`` may restrict the element to children on one side of the head, and ``reversed`` reverses their order.
    """

    pattern: Pattern | None
    side: HeadSide = HeadSide.ANY
    reversed: bool = False

    def precision(self, child: Word, side: HeadSide) -> tuple[int, int] | None:
        """Return how precisely the element matches a child on the given side, or None if it does not match."""
        if self.pattern is None or self.side not in (side, HeadSide.ANY):
            return None
        found = self.pattern.precision(child)
        return None if found is None else (found[0], found[1] + (self.side is not HeadSide.ANY))


HEAD = Element(None)
"""The element of a rule that stands for the head itself."""


@dataclass(frozen=True)
class Rule:
    """A rule that arranges heads matching ``head`` and their children in the order of ``elements``.

    ``line`` is the line number of the rule in its file.
    """

    head: Pattern
    elements: tuple[Element, ...]
    line: int = 0

    def __post_init__(self) -> None:
        if (heads := self.elements.count(HEAD)) != 1:
            raise InputError(f"HEAD occurs {heads} times in the rule; expected exactly once")
        others = {element.side for element in self.elements if element.pattern == Pattern()}
        if HeadSide.ANY not in others and others != {HeadSide.BEFORE, HeadSide.AFTER}:
            raise InputError("the rule has no position for children that it does not list; add '[other children]'")

    @property
    def head_place(self) -> int:
        """The index of the head among the elements."""
        return self.elements.index(HEAD)

    def place(self, child: Word, side: HeadSide) -> int:
        """Return the index of the element to which a child belongs: the first of those that match most precisely."""
        found = [element.precision(child, side) or (-1, -1) for element in self.elements]
        return found.index(max(found))


@dataclass(frozen=True)
class RuleSet:
    """Rules in the order in which they are tried; a head that matches no rule keeps the order of its children.

    ``labels`` and ``tags`` are the names that the set declares in addition to those of Universal Dependencies.
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
        """Return the index of the first rule that matches a head, or −1 if no rule matches."""
        fits = (number for number, rule in enumerate(self.rules) if rule.head.precision(head) is not None)
        return next(fits, -1)

    def without(self, number: int) -> RuleSet:
        """Return the rule set without the rule at index ``number``."""
        return replace(self, rules=self.rules[:number] + self.rules[number + 1 :])

    @property
    def patterns(self) -> Iterator[Pattern]:
        """All patterns in the rules, both for heads and for children."""
        for rule in self.rules:
            yield rule.head
            yield from (element.pattern for element in rule.elements if element.pattern)

    def named(self, kind: Literal["labels", "tags", "forms"]) -> frozenset[str]:
        """Return all labels, all tags or all word forms that occur in the rules, depending on ``kind``."""
        return frozenset(name for pattern in self.patterns for name in getattr(pattern, kind))
