"""A detailed view of one word order: the permutation, its trees and their number, its cycles and all scores.

For a sentence and its reference, the view shows the order of the matched words and the edits that TER counts.
"""

import re
from dataclasses import dataclass
from typing import Any

from wordorder.core.orders import (
    Alignment,
    Permutation,
    PermutationForest,
    PermutationTree,
    order_against_reference,
    place,
)
from wordorder.core.runtime.errors import InputError, UsageError, mention, refuse
from wordorder.core.runtime.plain import plain
from wordorder.core.text.tokenizers import DEFAULT_TOKENIZER
from wordorder.metrics.base import Batch, Need, OrderMetric, choose_reference
from wordorder.metrics.registry import choose_metrics
from wordorder.metrics.ter import Edits, ter_edits

LONGEST = 400
"""The length of the longest word order that can be inspected; longer ones could have trees too deep for JSON."""


@dataclass(frozen=True)
class Inspection:
    """A word order and its score from each metric, with its words (if known) and, for a sentence, the TER edits."""

    order: Permutation
    scores: dict[str, float]
    words: str = ""
    edits: Edits | None = None

    @property
    def tree(self) -> PermutationTree | None:
        """The permutation tree, or None for an empty order."""
        return PermutationTree.of(self.order)

    @property
    def forest(self) -> PermutationForest | None:
        """The permutation forest, or None for an empty order."""
        return PermutationForest(self.order) if len(self.order) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the inspection as plain data, with unrounded scores; undefined values are None."""
        tree = self.tree
        return {
            "permutation": str(self.order),
            "length": len(self.order),
            **({"words": self.words} if self.words else {}),
            "tree": None if tree is None else tree.to_dict(),
            "pets": None if tree is None else tree.count_binarisations(),
            "cycles": [list(cycle) for cycle in self.order.cycles()],
            **({"edits": self.edits.to_dict()} if self.edits else {}),
            "scores": plain(self.scores),
        }

    def __str__(self) -> str:
        empty = "no word is matched" if self.edits else "no word is aligned, every metric is undefined"
        lines = [f"permutation  {str(self.order) or f'empty: {empty}'}"]
        if self.words:
            lines.append(f"words        {self.words}")
        tree = self.tree
        if tree is not None:
            cycles = " ".join(f"({' '.join(map(str, cycle))})" for cycle in self.order.cycles())
            lines.append("tree         " + tree.drawing().replace("\n", "\n             "))
            lines += [f"PETs         {tree.count_binarisations()}", f"cycles       {cycles}"]
        if self.edits is not None:
            lines += [f"{name:11}  {text}" for name, text in self.edits.rows()]
        width = max(map(len, self.scores))
        for name, value in self.scores.items():
            lines.append(f"{name:{width}}  " + ("undefined" if value != value else f"{value:.4f}"))
        lines.insert(len(lines) - len(self.scores), "")
        return "\n".join(lines)


def inspect(
    order: str,
    *,
    reference: str | None = None,
    source: str | None = None,
    policy: str = "birch",
    base: int | None = None,
    metrics: str = "all",
    tokenizer: str = DEFAULT_TOKENIZER,
) -> Inspection:
    """Inspect a permutation ('2 4 1 3', counted from 1), an alignment ('0-0 1-2', source-target), or a sentence.

    An alignment is turned into the order of the source words in the target. ``reference`` is a second permutation or
    alignment for the same source, with which the order is compared. ``source`` is the source sentence of an
    alignment, which provides its words and its length. If the order is a sentence, ``tokenizer`` splits it and the
    ``reference`` sentence into words, and the positions of the words that both contain are compared.

    >>> found = inspect("2 4 5 6 1 3", metrics="kendall,pef")
    >>> found.scores["pef"], found.tree.count_binarisations()
    (0.4, 2)
    >>> inspect("sat the cat", reference="the cat sat").edits.shifts
    (Shift(words=('sat',), start=0, to=2),)
    """
    if reference is not None and is_sentence(order) and is_sentence(reference):
        if source is not None or base is not None:
            raise UsageError(f"{mention('source')} and {mention('base')} apply to alignments only; leave them out")
        return _inspect_sentence(order, reference, metrics, tokenizer)
    if reference is None and not re.search(r"\d", order) and order.strip():
        raise UsageError(f"a sentence has no order of its own; give a reference sentence ({mention('reference')})")
    parsed, words = _read(order, reference, source=source, policy=policy, base=base)
    _check_length(parsed)
    chosen = choose_metrics(metrics, available=frozenset({Need.ORDER}))
    return Inspection(parsed, {str(one): one(parsed) for one in chosen if isinstance(one, OrderMetric)}, words)


def _inspect_sentence(hypothesis: str, reference: str, metrics: str, tokenizer: str) -> Inspection:
    batch = Batch.of_sentences(hypothesis, [reference], tokenizer=tokenizer)
    order = batch.orders[0].permutations[0]
    _check_length(order)
    chosen = choose_metrics(metrics, available=frozenset({Need.ORDER, Need.TEXT}))
    scores = {str(one): float(one.segment(choose_reference(one, one.statistics(batch)))[0]) for one in chosen}
    words = batch.hypothesis.words(0)
    matched = " ".join(words[place] for place in batch.matches[0].hypothesis.tolist())
    return Inspection(order, scores, matched, ter_edits(hypothesis, reference))


def _check_length(order: Permutation) -> None:
    refuse(len(order) > LONGEST, f"{len(order)} words are too many to inspect (at most {LONGEST}); use wordorder score")


def _read(
    order: str, reference: str | None, *, source: str | None, policy: str, base: int | None
) -> tuple[Permutation, str]:
    """Read an order; return it as a permutation, together with the source words in that order ("" if unknown)."""
    if not is_alignment(order):
        if reference is not None and is_alignment(reference):
            raise UsageError("the order is a permutation, but the reference is an alignment; use one form for both")
        refuse(base == 0, f"permutations always count from 1; {mention('base', 0)} is only for alignments")
        permutation = Permutation.parse(order)
        return (permutation if reference is None else permutation.relative_to(Permutation.parse(reference))), ""
    words = None if source is None else source.split()
    links = [read_links(text, base or 0) for text in (order, reference) if text is not None]
    length = 1 + max((place for row in links for place, _ in row.links), default=-1) if words is None else len(words)
    column, *gold = (Alignment(row.links, length).column() for row in links)
    if gold:
        return order_against_reference(column, *gold, policy=policy)[0], ""
    places = place(column, policy=policy)
    return places.against_source()[0], places.written(0, words) if words is not None else ""


def is_sentence(text: str) -> bool:
    """Return whether a text is a sentence: unlike permutations and alignments, it has words without digits."""
    return any(not re.search(r"\d", word) for word in text.split())


def is_alignment(text: str) -> bool:
    """Return whether a text is an alignment, that is, contains links such as 0-1."""
    return bool(re.search(r"\d[-?p]\d", text))


def read_links(text: str, base: int) -> Alignment:
    """Parse an alignment given as text; ``base`` is the index of the first word (0 or 1)."""
    try:
        return Alignment.parse(text, base=base)
    except InputError as error:
        raise UsageError(error.message) from None
