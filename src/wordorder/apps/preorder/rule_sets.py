"""Reordering rules: for a head of some category, the order of its children and of itself.

These are the precedence rules of Xu et al. (2009) that Talbot et al. (2011) evaluate. A rule set is a list of rules;
the first rule whose pattern fits a head orders its children. A rule is a list of elements: ``HEAD`` is the head
itself, ``[other children]`` are the children no other element names. A child goes to the element that fits it most
precisely; the children of one element keep their source order, or have it reversed.

:mod:`wordorder.apps.preorder.language` reads and writes rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

from wordorder.core.runtime.errors import InputError


class Side(Enum):
    """The side of its head on which a child is in the source; the value is how rules write it."""

    BEFORE = "<"
    AFTER = ">"
    ANY = ""


@dataclass(frozen=True)
class Word:
    """What rules know of a word: its label, its tags (coarse and fine) and its form in lower case."""

    label: str
    tags: frozenset[str]
    form: str


@dataclass(frozen=True)
class Pattern:
    """The conditions on a word; an empty tuple is no condition.

    A label fits its subtypes too: ``nsubj`` fits ``nsubj:pass``.

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
        """Return how precisely the pattern fits: label (2 named, 1 by its family, 0 any), number of other conditions.

        None means that it does not fit.
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
        """Whether every word that fits the other pattern fits this one.

        >>> Pattern(tags=("VERB", "AUX")).covers(Pattern(tags=("AUX",), labels=("root",)))
        True
        """
        pairs = ((self.labels, other.labels), (self.tags, other.tags), (self.forms, other.forms))
        return all(not mine or (theirs and set(theirs) <= set(mine)) for mine, theirs in pairs)


@dataclass(frozen=True)
class Element:
    """A place in a rule: the head (no pattern), or the children that fit a pattern, perhaps on one side only."""

    pattern: Pattern | None
    side: Side = Side.ANY
    reversed: bool = False

    def precision(self, child: Word, side: Side) -> tuple[int, int] | None:
        """Return how precisely a child fits; None where it does not."""
        if self.pattern is None or self.side not in (side, Side.ANY):
            return None
        found = self.pattern.precision(child)
        return None if found is None else (found[0], found[1] + (self.side is not Side.ANY))


HEAD = Element(None)
"""The place of the head itself."""


@dataclass(frozen=True)
class Rule:
    """Heads that fit ``head`` have their children in the order of ``elements``; ``line`` is the line in the file."""

    head: Pattern
    elements: tuple[Element, ...]
    line: int = 0

    def __post_init__(self) -> None:
        if (heads := self.elements.count(HEAD)) != 1:
            raise InputError(f"HEAD occurs {heads} times in the rule; expected exactly once")
        others = {element.side for element in self.elements if element.pattern == Pattern()}
        if Side.ANY not in others and others != {Side.BEFORE, Side.AFTER}:
            raise InputError("no place for children that are not named; add '[other children]'")

    @property
    def head_place(self) -> int:
        """The place of the head among the elements."""
        return self.elements.index(HEAD)

    def place(self, child: Word, side: Side) -> int:
        """Return the number of the element a child belongs to: the most precise one, the first of equals."""
        found = [element.precision(child, side) or (-1, -1) for element in self.elements]
        return found.index(max(found))


@dataclass(frozen=True)
class RuleSet:
    """Rules in the order in which they are tried. A head that fits none keeps its children where they are.

    ``labels`` and ``tags`` are those the set declares beyond the ones of Universal Dependencies.
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
        """Return the number of the rule for a head, −1 where there is none."""
        fits = (number for number, rule in enumerate(self.rules) if rule.head.precision(head) is not None)
        return next(fits, -1)

    def without(self, number: int) -> RuleSet:
        """Return the set with one rule taken out."""
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
