"""A probabilistic context-free grammar with a lexicon, learned from a treebank.

The lexicon gives the probability of a word given its tag, for known and unknown words:
P(word | tag) = P(tag | word) · P(word) / P(tag). P(tag | word) is the share of the tag among the occurrences of the
word, smoothed in two ways. First, β pseudo-occurrences are divided among the refinements of each tag, in the
proportions found over all words. Second, α pseudo-occurrences are divided among all tags, in the proportions found
for words of the same class. The class of a word describes its form: capitals, digits, punctuation and last letters.
Class counts come only from the rare words of the treebank, because unknown words resemble these.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Floats, Ints, offsets_from_lengths
from wordorder.core.runtime.errors import InputError, UsageError, excerpt, reject
from wordorder.core.runtime.files import atomic_write, display_name, line_blocks
from wordorder.core.trees import ROOT_LABEL, ConstituencyTrees, HeadRules
from wordorder.core.trees.heads import RunTables, run_tables
from wordorder.linking.parsing.cky import Level, Refinement, RuleTables, estimate, project
from wordorder.linking.parsing.counts import (
    PHRASE,
    STEP,
    TAG,
    Category,
    GrammarOptions,
    RuleCounts,
    count_treebank,
    table,
)

RARE = 2
"""Words that occur at most this many times contribute to the class counts."""

CLOSED = 50
"""Words that occur at least this many times can have only the tags that they have in the treebank."""

CLASS_SMOOTHING = 0.3
"""α: the number of pseudo-occurrences that the class of a word adds to its tag counts."""

REFINEMENT_SMOOTHING = 5.0
"""β: the number of pseudo-occurrences that smooth the counts of a tag's refinements."""

SMALLEST_CLASS = 5
"""A class with fewer occurrences than this is replaced by a coarser class."""


def word_classes(word: str, *, initial: bool) -> Iterator[str]:
    """Yield the classes of a word, from finest to coarsest; ``initial`` means that the word begins a sentence.

    >>> list(word_classes("walking", initial=False))
    ['lower|ing', 'lower|ng', 'lower|g', 'lower']
    >>> list(word_classes("1990s", initial=False))
    ['lower+digit|s', 'lower+digit']
    >>> list(word_classes("Rome", initial=True)), list(word_classes("3.5", initial=False))
    (['Initial|me', 'Initial|e', 'Initial'], ['none+number'])
    """
    letters = [letter for letter in word if letter.isalpha()]
    upper = sum(letter.isupper() for letter in letters)
    if not letters:
        shape = "none"
    elif not upper:
        shape = "lower"
    elif upper == len(letters) > 1:
        shape = "UPPER"
    elif word[0].isupper():
        shape = "Initial" if initial else "Capital"
    else:
        shape = "miXed"
    digits = sum(letter.isdigit() for letter in word)
    if digits:
        figures = digits + sum(letter in ".,:/-" for letter in word)
        shape += "+number" if figures == len(word) else "+digit"
    if "-" in word or "–" in word:
        shape += "+dash"
    elif not letters and not digits:
        shape += f"+{word[0]}"
    if word[-1].isalpha():
        longest = 1 if digits else 2 if len(word) < 5 else 3
        for length in range(min(longest, len(word)), 0, -1):
            yield f"{shape}|{word[-length:].lower()}"
    yield shape


class TagLexicon:
    """Counts of words and their tags, and the scores log P(word | tag) computed from them."""

    def __init__(self, words: dict[tuple[str, bool], Counter[int]], groups: Sequence[int]) -> None:
        """Store tag counts; each key of ``words`` is a word, together with whether it begins a sentence.

        ``groups`` has the group number of each tag; the tags of a group are refinements of the same tag.
        """
        self._groups = groups
        self._words: dict[str, Counter[int]] = {}
        for (word, _), tags in words.items():
            self._words.setdefault(word, Counter()).update(tags)
        self._classes: dict[str, Counter[int]] = {}
        self.tags: Counter[int] = Counter()
        for (word, initial), tags in words.items():
            self.tags.update(tags)
            if self._words[word].total() <= RARE:
                for name in word_classes(word, initial=initial):
                    self._classes.setdefault(name, Counter()).update(tags)
        self._members: dict[int, list[int]] = {}
        for tag in sorted(self.tags):
            self._members.setdefault(groups[tag], []).append(tag)
        self._group_totals = {group: sum(self.tags[tag] for tag in tags) for group, tags in self._members.items()}

    def count(self, word: str) -> int:
        """Return how often a word occurs in the treebank, distinguishing upper and lower case."""
        return self._words[word].total() if word in self._words else 0

    def scores(self, word: str, *, initial: bool) -> dict[int, float]:
        """Return log P(word | tag) for each possible tag of a word."""
        seen = self._words.get(word, Counter())
        lower = word.lower()
        if lower != word and (initial or not seen):
            seen = seen + self._words.get(lower, Counter())
        shares: dict[int, float] = {}
        if seen.total() < CLOSED:
            similar = self._class_counts(word, initial=initial)
            weight = CLASS_SMOOTHING / similar.total()
            shares = {tag: weight * count for tag, count in similar.items()}
        by_group: Counter[int] = Counter()
        for tag, count in seen.items():
            by_group[self._groups[tag]] += count
        for group, count in by_group.items():
            for tag in self._members[group]:
                expected = REFINEMENT_SMOOTHING * self.tags[tag] / self._group_totals[group]
                share = count * (seen[tag] + expected) / (count + REFINEMENT_SMOOTHING)
                shares[tag] = shares.get(tag, 0.0) + share
        total = math.fsum(shares.values())
        # An unknown word counts as half an occurrence, which is a constant factor for all trees of its sentence.
        constant = math.log(max(seen.total(), 0.5)) - math.log(total)
        return {tag: constant + math.log(share / self.tags[tag]) for tag, share in sorted(shares.items())}

    def _class_counts(self, word: str, *, initial: bool) -> Counter[int]:
        for name in word_classes(word, initial=initial):
            found = self._classes.get(name)
            if found and found.total() >= SMALLEST_CLASS:
                return found
        return self.tags


@dataclass(frozen=True, eq=False)
class WordScores:
    """The possible tags of a word, with log P(word | tag) for each, in the fine and in the coarse grammar."""

    tags: Ints
    scores: Floats
    coarse_tags: Ints
    coarse_scores: Floats


class Grammar:
    """A grammar that is ready for parsing, with a fine level, a coarse level and a lexicon.

    In the coarse level, categories are plain labels without refinements, and all binarisation steps of constituents
    with the same label form one category. The coarse level prunes the search with the fine level, and replaces it if
    no tree is found.
    """

    def __init__(self, counts: RuleCounts) -> None:
        _check(counts)
        self.counts = counts
        kinds = np.array([category.kind for category in counts.categories], dtype=np.int64)
        used = {category.label for category in counts.categories}
        self.labels: list[str] = sorted(used.union(*counts.middles))
        number = {label: place for place, label in enumerate(self.labels)}
        labels = np.array([number[category.label] for category in counts.categories], dtype=np.int64)
        keys, coarse = np.unique(kinds * len(self.labels) + labels, return_inverse=True)
        root = next(place for place, category in enumerate(counts.categories) if _is_root(category))
        rules, origin = estimate(len(kinds), counts.binary, counts.unary, counts.stay)
        stay = np.bincount(coarse, counts.stay).astype(np.int64)
        binary, unary = project(counts.binary, coarse), project(counts.unary, coarse)
        coarse_rules, coarse_origin = estimate(len(keys), binary, unary, stay)
        middles = [counts.middles[row] for row in origin]
        between = np.array([number[label] for middle in middles for label in middle], dtype=np.int32)
        own = labels.astype(np.int32), kinds == STEP
        refinement = refine(coarse, len(keys), rules, coarse_rules)
        self.fine = Level(rules, refinement, *own, between, offsets_from_lengths(map(len, middles)), root)
        own = (keys % len(self.labels)).astype(np.int32), keys // len(self.labels) == STEP
        refinement = refine(np.arange(len(keys)), len(keys), coarse_rules, coarse_rules)
        nothing = np.zeros(0, dtype=np.int32), np.zeros(len(coarse_origin) + 1, dtype=np.int64)
        self.coarse = Level(coarse_rules, refinement, *own, *nothing, int(coarse[root]))
        for level in (self.fine, self.coarse):
            for array in (*level.refinement, level.labels, level.is_step, level.chain_labels, level.chain_offsets):
                array.setflags(write=False)
        self._known: dict[tuple[str, bool], WordScores] = {}

    @classmethod
    def learn(cls, trees: ConstituencyTrees, options: GrammarOptions | None = None) -> "Grammar":
        """Learn a grammar from a treebank."""
        return cls(count_treebank(trees, options))

    @cached_property
    def lexicon(self) -> TagLexicon:
        """The lexicon, in which tags that differ only in the added parent count as refinements of one tag."""
        groups: dict[str, int] = {}
        names = [category.name.partition("^")[0] for category in self.counts.categories if category.kind == TAG]
        return TagLexicon(self.counts.words, [groups.setdefault(name, len(groups)) for name in names])

    @cached_property
    def head_runs(self) -> RunTables:
        """Tables for applying the English head rules while the children of a constituent are joined one by one."""
        categories = self.counts.categories
        for parent, *children in self.counts.binary[:, :3].tolist():
            steps = [categories[child] for child in children if categories[child].kind == STEP]
            if len(steps) > 1 or any(step.label != categories[parent].label for step in steps):
                raise InputError(
                    "every binary rule must join two children, or a child and a binarisation step of the same phrase"
                    f"; a rule for {categories[parent].name} does not"
                )
        constituents = {int(label) for label in self.fine.labels[np.unique(self.counts.binary[:, 0])]}
        return run_tables(HeadRules.english(), self.labels, sorted(constituents))

    @cached_property
    def _coarse_tags(self) -> dict[int, int]:
        """For each coarse tag, the number of words in the treebank that have this tag."""
        totals: dict[int, int] = {}
        for tag, count in self.lexicon.tags.items():
            coarse = int(self.fine.refinement.coarse[tag])
            totals[coarse] = totals.get(coarse, 0) + count
        return totals

    def word_scores(self, word: str, *, initial: bool) -> WordScores:
        """Return the possible tags of a word with their scores, which are cached because words recur."""
        found = self._known.get((word, initial))
        if found is None:
            fine = self.lexicon.scores(word, initial=initial)
            coarse: dict[int, float] = {}
            for tag, score in fine.items():
                group = int(self.fine.refinement.coarse[tag])
                share = self.lexicon.tags[tag] / self._coarse_tags[group]
                coarse[group] = coarse.get(group, 0.0) + math.exp(score) * share
            found = WordScores(
                np.array(list(fine), dtype=np.int32),
                np.array(list(fine.values())),
                np.array(list(coarse), dtype=np.int32),
                np.array([math.log(share) for share in coarse.values()]),
            )
            self._known[word, initial] = found
        return found

    def best_tag(self, word: str, *, initial: bool) -> str:
        """Return the most likely tag of a word, regardless of its context."""
        found = self.word_scores(word, initial=initial)
        tags = found.coarse_tags.tolist()
        joint = [math.log(self._coarse_tags[tag]) for tag in tags] + found.coarse_scores
        return str(self.labels[self.coarse.labels[tags[int(np.argmax(joint))]]])


def refine(coarse: NDArray[np.integer], categories: int, rules: RuleTables, coarse_rules: RuleTables) -> Refinement:
    """Return the mapping between two grammars, given their rules and the coarse category of each fine category."""
    known = np.column_stack((coarse_rules.parent, coarse_rules.left, coarse_rules.right)).tolist()
    place = {tuple(rule): number for number, rule in enumerate(known)}
    projected = coarse[np.column_stack((rules.parent, rules.left, rules.right))].tolist()
    groups = np.array([place[tuple(rule)] for rule in projected], dtype=np.int64)
    return Refinement(
        coarse.astype(np.int32),
        np.argsort(coarse, kind="stable").astype(np.int32),
        offsets_from_lengths(np.bincount(coarse, minlength=categories)),
        np.lexsort((rules.parent, groups)).astype(np.int32),
        offsets_from_lengths(np.bincount(groups, minlength=len(place))),
    )


def _is_root(category: Category) -> bool:
    return category.kind == PHRASE and category.label == ROOT_LABEL


def _check(counts: RuleCounts) -> None:
    """Raise an error if the counts do not form a valid grammar; counts made from a treebank always do."""
    kinds = [category.kind for category in counts.categories]
    if kinds != sorted(kinds):
        raise InputError("the categories are out of order; expected tags, then phrases, then binarisation steps")
    roots = sum(map(_is_root, counts.categories))
    reject(roots != 1, f"expected exactly one root category, found {roots}")
    if any(kinds[parent] == TAG for parent in counts.binary[:, 0]):
        raise InputError("the parent of every binary rule must be a phrase or a binarisation step, but one is a tag")
    if any(kinds[top] != PHRASE or kinds[bottom] == STEP for top, bottom, _ in counts.unary):
        raise InputError("every unary chain must lead from a phrase to a phrase or a tag")
    reject(not counts.words, "the grammar has no words")


MAGIC = "wordorder-grammar"
VERSION = 1
_KINDS = {"T": TAG, "P": PHRASE, "S": STEP}
_LARGEST = 2**31 - 1

Row = TypeVar("Row")


def save(grammar: Grammar, path: str | os.PathLike[str]) -> None:
    """Write a grammar to a file, compressed if the name ends in ``.gz``."""
    counts, options = grammar.counts, grammar.counts.options
    _check_names(counts)
    letters = {kind: letter for letter, kind in _KINDS.items()}
    unary = zip(counts.unary.tolist(), counts.middles, strict=True)
    sections = {
        "categories": [f"{letters[category.kind]} {category.label} {category.name}" for category in counts.categories],
        "binary": [" ".join(map(str, row)) for row in counts.binary.tolist()],
        "unary": [" ".join([*map(str, row), *middle]) for row, middle in unary],
        "stay": [f"{number} {count}" for number, count in enumerate(counts.stay.tolist()) if count],
        "words": [
            f"{word} {'+' if initial else '-'} {' '.join(f'{tag}:{count}' for tag, count in sorted(tags.items()))}"
            for (word, initial), tags in sorted(counts.words.items())
        ],
    }
    with atomic_write(path) as target:
        target.write(f"{MAGIC} {VERSION}\n")
        target.write(f"vertical {options.vertical}\nhorizontal {options.horizontal}\n")
        target.write(f"binarisation {options.binarisation}\nrare {options.rare}\n")
        target.write(f"splits {','.join(options.splits)}\n")
        for name, lines in sections.items():
            target.write(f"{name} {len(lines)}\n")
            target.writelines(f"{line}\n" for line in lines)


def _check_names(counts: RuleCounts) -> None:
    """Raise an error if a name is empty or contains a space or line break, which the file cannot represent."""
    names = [name for category in counts.categories for name in (category.label, category.name)]
    for name in (*names, *(word for word, _ in counts.words), *(label for part in counts.middles for label in part)):
        if not name or any(space in name for space in " \n\r"):
            raise InputError(f"cannot save {excerpt(name)}: names must not be empty or contain spaces or line breaks")


def load(path: str | os.PathLike[str]) -> Grammar:
    """Read a grammar from a file."""
    return _GrammarReader(path).read()


class _GrammarReader:
    """Reads a grammar file line by line, keeping track of the line number."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = display_name(path)
        self.line = 0
        self._lines = self._texts(path)

    def _texts(self, path: str | os.PathLike[str]) -> Iterator[str]:
        for block in line_blocks(path):
            for row in range(len(block)):
                self.line = block.first_line + row
                yield block.line(row)
        self.line += 1

    def error(self, message: str) -> InputError:
        return InputError(message, path=self.path, line=self.line)

    def read(self) -> Grammar:
        first = next(self._lines, "").split(" ")
        if first[0] != MAGIC or len(first) != 2:
            raise self.error(f"not a grammar file: expected '{MAGIC} {VERSION}', found {excerpt(' '.join(first))}")
        if first[1] != str(VERSION):
            raise self.error(f"expected a grammar file of version {VERSION}, found version {excerpt(first[1])}")
        try:
            options = GrammarOptions(
                vertical=self._count(self._named("vertical")),
                horizontal=self._count(self._named("horizontal")),
                binarisation=self._named("binarisation"),
                rare=self._count(self._named("rare")),
                splits=tuple(split for split in self._named("splits").split(",") if split),
            )
        except UsageError as error:
            raise self.error(str(error)) from None
        categories = self._section("categories", self._category)
        size = len(categories)
        binary = self._section("binary", lambda fields: self._numbers(fields, 3, size))
        unary = self._section("unary", lambda fields: (self._numbers(fields[:3], 2, size), tuple(fields[3:])))
        stay = np.zeros(size, dtype=np.int64)
        for number, count in self._section("stay", lambda fields: self._numbers(fields, 1, size)):
            stay[number] = count
        words = dict(self._section("words", lambda fields: self._word(fields, categories)))
        middles = tuple(middle for _, middle in unary)
        counts = RuleCounts(
            tuple(categories), table(binary, 4), table([row for row, _ in unary], 3), middles, stay, words, options
        )
        try:
            return Grammar(counts)
        except InputError as error:
            raise self.error(error.message) from None

    def _named(self, name: str) -> str:
        found, _, value = next(self._lines, "").partition(" ")
        if found != name:
            raise self.error(f"expected {name!r}, found {excerpt(found)}")
        return value

    def _section(self, name: str, parse: Callable[[list[str]], Row]) -> list[Row]:
        count = self._count(self._named(name))
        rows = []
        for _ in range(count):
            text = next(self._lines, None)
            if text is None:
                raise self.error(f"the file ends within the section {name!r}, which must have {count} lines")
            rows.append(parse(text.split(" ")))
        return rows

    def _count(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text[:11]) <= _LARGEST):
            raise self.error(f"expected a number, found {excerpt(text)}")
        return int(text)

    def _category(self, fields: list[str]) -> Category:
        if len(fields) != 3 or fields[0] not in _KINDS or not all(fields):
            raise self.error(f"expected T, P or S, then a label and a name, found {excerpt(' '.join(fields))}")
        return Category(_KINDS[fields[0]], fields[1], fields[2])

    def _numbers(self, fields: list[str], categories: int, size: int) -> tuple[int, ...]:
        """Parse a line of ``categories`` category numbers, each below ``size``, followed by a count of at least 1."""
        if len(fields) != categories + 1:
            raise self.error(f"expected {categories + 1} numbers, found {excerpt(' '.join(fields))}")
        numbers = tuple(map(self._count, fields))
        if any(number >= size for number in numbers[:-1]) or not numbers[-1]:
            found = excerpt(" ".join(fields))
            raise self.error(f"expected category numbers below {size} and a count above 0, found {found}")
        return numbers

    def _word(self, fields: list[str], categories: list[Category]) -> tuple[tuple[str, bool], Counter[int]]:
        if len(fields) < 3 or not fields[0] or fields[1] not in ("+", "-"):
            raise self.error(f"expected a word, then + or -, then tag:count pairs, found {excerpt(' '.join(fields))}")
        tags: Counter[int] = Counter()
        for field in fields[2:]:
            number, count = self._numbers(field.split(":"), 1, len(categories))
            if categories[number].kind != TAG:
                raise self.error(f"expected tag:count, but the category in {excerpt(field)} is not a tag")
            tags[number] = count
        return (fields[0], fields[1] == "+"), tags
