"""The probability of a word given its tag, for known and unknown words.

P(word | tag) = P(tag | word) · P(word) / P(tag). P(tag | word) is the share of the tag among the occurrences of the
word, smoothed in two ways. First, β pseudo-occurrences are divided among the refinements of each tag, in the
proportions found over all words. Second, α pseudo-occurrences are divided among all tags, in the proportions found
for words of the same class. The class of a word describes its form: capitals, digits, punctuation and last letters.
Class counts come only from the rare words of the treebank, because unknown words resemble these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

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
        self._total = self.tags.total()

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
