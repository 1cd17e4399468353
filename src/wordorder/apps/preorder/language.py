"""Reordering rules, which arrange a head and its children, and the files in which they are written.

These are the precedence rules of Xu et al. (2009) that Talbot et al. (2011) evaluate. In a rule set, the first rule
whose pattern matches a head determines the order of its children. A rule is a list of elements: ``HEAD`` is the head
itself, and ``[other children]`` are the children that match no other element. Each child belongs to the element that
matches it most precisely. The children that belong to the same element keep their source order or are reversed.

In a rule file, each line is a rule, and rules are tried from top to bottom. An indented line continues the rule above
it, and ``#`` begins a comment::

    # verbs come last, their objects right before them
    VERB|AUX -> nsubj, obl, [other children], obj, compound:prt, aux reversed, advmod("not"), HEAD, mark
    NOUN|PROPN(conj) -> [other children]<, [other children]> reversed, HEAD, case
    ANY -> [other children]<, HEAD, [other children]>

To the left of the arrow are the tags of the head, optionally with its own label or its word form in parentheses. To
the right are elements, separated by commas: ``HEAD`` exactly once, labels of children (with ``|`` between
alternatives, and optionally tags or word forms in parentheses), and ``[other children]`` for all children that are
not listed. ``<`` or ``>`` restricts an element to children before or after the head, and ``reversed`` reverses their
order. ``nsubj`` includes ``nsubj:pass`` unless the rule also lists the latter.

Labels and tags are those of Universal Dependencies; any others, such as the fine-grained tags in the XPOS column,
must be declared in a line like ``labels dobj prep`` or ``tags VBN VBG``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from importlib.resources import files
from typing import Literal

from wordorder.core.runtime.errors import InputError, UsageError, excerpt, reject
from wordorder.core.runtime.files import atomic_write, display_name, line_blocks, without_packing
from wordorder.formats.conllu import TAGS


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
class WordPattern:
    """Conditions on the label, the tags and the form of a word; an empty tuple means no condition.

    A label also matches its subtypes; for example, ``nsubj`` matches ``nsubj:pass``.

    >>> passive = Word("nsubj:pass", frozenset({"NOUN"}), "cats")
    >>> WordPattern(labels=("nsubj",)).precision(passive), WordPattern(labels=("nsubj:pass",)).precision(passive)
    ((1, 0), (2, 0))
    >>> WordPattern(labels=("obj",)).precision(passive) is None
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

    def covers(self, other: WordPattern) -> bool:
        """Return whether every word that matches the other pattern also matches this one.

        >>> WordPattern(tags=("VERB", "AUX")).covers(WordPattern(tags=("AUX",), labels=("root",)))
        True
        """
        pairs = ((self.labels, other.labels), (self.tags, other.tags), (self.forms, other.forms))
        return all(not mine or (theirs and set(theirs) <= set(mine)) for mine, theirs in pairs)


@dataclass(frozen=True)
class Element:
    """A position in a rule: for the head itself (no pattern) or for the children that match a pattern.

    ``side`` may restrict the element to children on one side of the head, and ``reversed`` reverses their order.
    """

    pattern: WordPattern | None
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

    head: WordPattern
    elements: tuple[Element, ...]
    line: int = 0

    def __post_init__(self) -> None:
        if (heads := self.elements.count(HEAD)) != 1:
            raise InputError(f"HEAD occurs {heads} times in the rule; expected exactly once")
        others = {element.side for element in self.elements if element.pattern == WordPattern()}
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
    def patterns(self) -> Iterator[WordPattern]:
        """All patterns in the rules, both for heads and for children."""
        for rule in self.rules:
            yield rule.head
            yield from (element.pattern for element in rule.elements if element.pattern)

    def named(self, kind: Literal["labels", "tags", "forms"]) -> frozenset[str]:
        """Return all labels, all tags or all word forms that occur in the rules, depending on ``kind``."""
        return frozenset(name for pattern in self.patterns for name in getattr(pattern, kind))


ANY = "ANY"
OTHERS = "[other children]"
BUILT_IN = ("r1", "r2", "r3", "r4", "r5", "head-initial-r3", "head-initial-r4", "head-initial-r5")
"""The names of the built-in rule sets."""

# fmt: off
LABELS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop",
    "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list",
    "mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root",
    "vocative", "xcomp",
)
# fmt: on
"""The 37 relations of Universal Dependencies, version 2; any subtype, such as ``nmod:poss``, is also valid."""

_NAME = r"[^\s,|()\"<>\[\]#]+"
_NAMES = rf"(?P<names>{_NAME}(?:\s*\|\s*{_NAME})*)"
_CONDITIONS = r"(?:\s*\(\s*(?P<conditions>(?:\"[^\"]*\"|[^()\"])*)\))?"
_HEAD_PATTERN = re.compile(rf"\s*{_NAMES}{_CONDITIONS}\s*")
_PLACE = re.compile(
    rf"\s*(?:(?P<others>\[\s*other children\s*\])|{_NAMES})\s*(?P<early>[<>]?){_CONDITIONS}"
    r"\s*(?P<side>[<>]?)\s*(?P<reversed>reversed)?\s*"
)
_CONDITION = re.compile(rf"\"(?P<form>[^\"]+)\"|(?P<name>{_NAME})")
# Any text in quotation marks is a word form, even if it contains special characters.
_COMMENT = re.compile(r"((?:\"[^\"]*\"|[^#])*).*")
_ARROW = re.compile(r"(\"[^\"]*\")|->")
_COMMA = re.compile(r"(\"[^\"]*\")|,")
_WHITESPACE = re.compile(r"(\"[^\"]*\")|\s+")


def load_rules(source: str | os.PathLike[str], *, others: Sequence[str] = ()) -> RuleSet:
    """Load a rule file, or a built-in rule set by its name.

    The error message for an unknown name lists the built-in rule sets and ``others``.

    >>> [rule.line for rule in load_rules("r1")], len(load_rules("r5"))
    ([3], 5)
    """
    name = os.fspath(source)
    if name in BUILT_IN:
        return parse_rules(built_in(name), name=name)
    if not os.path.isfile(name):
        raise UsageError(
            f"there is no rule set or file named {excerpt(name)}; the built-in rule sets are "
            f"{', '.join((*BUILT_IN, *others))}"
        )
    lines = [block.text(row) for block in line_blocks(name) for row in range(len(block))]
    stem = without_packing(os.path.basename(name)).removesuffix(".rules")
    rules = parse_rules("\n".join(lines), name=stem, path=display_name(source))
    for number, later in enumerate(rules):
        for rule in rules.rules[:number]:
            if rule.head.covers(later.head):
                message = f"the rule can never apply; it follows the rule for {format_head(rule)} in line {rule.line}"
                raise InputError(message, path=display_name(source), line=later.line)
    return rules


def built_in(name: str) -> str:
    """Return the text of a built-in rule set."""
    return files("wordorder.apps.preorder").joinpath("builtin", f"{name}.rules").read_text(encoding="utf-8")


def write_rules(path: str | os.PathLike[str], rules: RuleSet, *, comments: Sequence[str] = ()) -> None:
    """Write a rule set to a file, preceded by comments."""
    with atomic_write(path) as target:
        target.write(format_rules(rules, comments=comments))


def parse_rules(text: str, *, name: str, path: str | None = None) -> RuleSet:
    """Parse a rule set; a syntax error raises InputError with the line number.

    >>> rules = parse_rules("VERB -> nsubj, [other children]> reversed, [other children], HEAD", name="mine")
    >>> print(format_rules(rules), end="")
    VERB -> nsubj, [other children]> reversed, [other children], HEAD
    """
    rules: list[Rule] = []
    declared: dict[str, list[str]] = {"labels": [], "tags": []}
    for line, content in _logical_lines(text, path):
        keyword, *names = content.split()
        arrow = next((found for found in _ARROW.finditer(content) if not found[1]), None)
        if arrow:
            try:
                rules.append(_rule(content[: arrow.start()], content[arrow.end() :], line, declared))
            except InputError as error:
                raise InputError(error.message, path=path, line=error.line or line) from None
        elif keyword in declared and names:
            declared[keyword] += names
        else:
            message = f"expected a rule like 'VERB -> {OTHERS}, HEAD', found {excerpt(content)}"
            raise InputError(message, path=path, line=line)
    reject(not rules, f"no rules found; expected a rule like 'VERB -> {OTHERS}, HEAD'", path=path, line=1)
    return RuleSet(name, tuple(rules), tuple(declared["labels"]), tuple(declared["tags"]))


def _logical_lines(text: str, path: str | None) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text of each rule, without comments; continuation lines are part of the text.

    Line breaks within a rule are kept, so that error messages can give the correct line number.
    """
    start, content = 0, ""
    for number, written in enumerate(text.split("\n"), start=1):
        line = _COMMENT.sub(r"\1", written.rstrip("\r"), count=1)
        if not line.strip():
            continue
        if not line[0].isspace():
            if content:
                yield start, content
            start, content = number, line.strip()
        elif content:
            content += "\n" * (number - start - content.count("\n")) + line.strip()
        else:
            message = "an indented line continues the rule above it, but there is no rule above this line"
            raise InputError(message, path=path, line=number)
    if content:
        yield start, content


def _rule(left: str, right: str, line: int, declared: dict[str, list[str]]) -> Rule:
    labels, tags = [*LABELS, *declared["labels"]], [*TAGS, *declared["tags"]]
    found = _HEAD_PATTERN.fullmatch(_single_spaces(left))
    if not found:
        raise InputError(f"expected head tags like 'VERB|AUX' or '{ANY}', found {excerpt(left.strip())}")
    names = _split(found["names"])
    _check(names, [*tags, ANY], "tag")
    own, forms = _conditions(found["conditions"])
    _check(own, labels, "label")
    head = WordPattern(own, () if ANY in names else names, forms)
    elements: list[Element] = []
    start = 0
    for stop in (*(comma.start() for comma in _COMMA.finditer(right) if not comma[1]), len(right)):
        part = right[start:stop]
        try:
            elements.append(_element(_single_spaces(part), labels, tags))
        except InputError as error:
            above = left + right[:start] + part[: len(part) - len(part.lstrip())]
            raise InputError(error.message, line=line + above.count("\n")) from None
        start = stop + 1
    rule = Rule(head, tuple(elements), line)
    places = set()
    for element in elements:
        if (element.pattern, element.side) in places:
            raise InputError(f"{format_element(element)!r} occurs twice in the rule; expected once")
        places.add((element.pattern, element.side))
    return rule


def _single_spaces(text: str) -> str:
    """Replace each run of whitespace outside quotation marks by one space, so that patterns match in linear time.

    >>> _single_spaces('obj  \\n ("a  b")')
    'obj ("a  b")'
    """
    return _WHITESPACE.sub(lambda found: found[1] or " ", text)


def _element(text: str, labels: list[str], tags: list[str]) -> Element:
    if text.strip() == "HEAD":
        return HEAD
    found = _PLACE.fullmatch(text)
    if not found or (found["early"] and found["side"]):
        raise InputError(f"expected a label like 'nsubj', {OTHERS!r} or HEAD, found {excerpt(text.strip())}")
    names = () if found["others"] else _split(found["names"])
    reject("HEAD" in names, f"expected HEAD without '<', '>' or conditions, found {excerpt(text.strip())}")
    _check(names, labels, "label")
    own, forms = _conditions(found["conditions"])
    _check(own, tags, "tag")
    return Element(WordPattern(names, own, forms), HeadSide(found["early"] or found["side"]), bool(found["reversed"]))


def _split(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split("|"))


def _conditions(text: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parse the text in a pair of parentheses, and return the names and the quoted word forms in it."""
    if text is None:
        return (), ()
    found = list(_CONDITION.finditer(text))
    if not found or _CONDITION.sub("", text).replace("|", "").strip():
        raise InputError(f"expected names or quoted words in parentheses, found {excerpt(text.strip())}")
    names = tuple(match["name"] for match in found if match["name"])
    return names, tuple(match["form"].lower() for match in found if match["form"])


def _check(names: Sequence[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known and not (what == "label" and name.partition(":")[0] in known):
            near = [other for other in known if other.lower() == name.lower()]
            near += get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(
                f"unknown {what} {excerpt(name)}{hint} (a {what} that is not in Universal Dependencies must be "
                f"declared in a line '{what}s {name}')"
            )


def can_be_named(name: str) -> bool:
    """Return whether a label or tag can be written in a rule; names with brackets or commas, for example, cannot."""
    return re.fullmatch(_NAME, name) is not None and name.partition(":")[0] not in (ANY, "HEAD")


def format_rules(rules: RuleSet, *, comments: Sequence[str] = ()) -> str:
    """Return the text of a rule set, preceded by comments, as :func:`parse_rules` reads it."""
    lines = [f"# {comment}".rstrip() for comment in comments]
    for what, names in (("labels", rules.labels), ("tags", rules.tags)):
        if names:
            lines.append(f"{what} {' '.join(names)}")
    return "\n".join([*lines, *map(format_rule, rules)]) + "\n"


def format_rule(rule: Rule) -> str:
    """Return the text of a rule in the rule language."""
    return f"{format_head(rule)} -> {', '.join(map(format_element, rule.elements))}"


def format_head(rule: Rule) -> str:
    """Return the text to the left of the arrow in a rule, which says to which heads the rule applies."""
    return f"{'|'.join(rule.head.tags) or ANY}{_written(rule.head.labels, rule.head.forms)}"


def format_element(element: Element) -> str:
    """Return the text of one element of a rule."""
    if element.pattern is None:
        return "HEAD"
    names = "|".join(element.pattern.labels) or OTHERS
    conditions = _written(element.pattern.tags, element.pattern.forms)
    return f"{names}{conditions}{element.side.value}{' reversed' if element.reversed else ''}"


def _written(names: Sequence[str], forms: Sequence[str]) -> str:
    parts = [*names, *(f'"{form}"' for form in forms)]
    return f"({' '.join(parts)})" if parts else ""
