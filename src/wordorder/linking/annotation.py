"""Checking of word alignments against the guidelines for reference orders (Talbot et al. 2011, §3.1).

A reference order is only as good as the alignment from which it is derived. The guidelines ask annotators to align
every source word except articles and punctuation, to make sure that every personal pronoun is translated, to align
each source word only to adjacent target words, to align every target word, and to align each particle together with
the content word of its phrase. Each violation is reported as a breach. Sure and possible links are treated alike.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import UNKNOWN, Alignments
from wordorder.core.runtime.columns import Bools, Int64s, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, count_of, excerpt, refuse
from wordorder.core.text import Tokens
from wordorder.core.text.tokens import is_punctuation
from wordorder.core.trees import DependencyTrees
from wordorder.formats.reference_orders import Sentences, tokens_of
from wordorder.report.table import Column, Table

ARTICLES = frozenset({"a", "an", "the"})
PERSONAL = frozenset({"PRP", "PRP$"})
"""The Penn Treebank tags of personal pronouns."""

PRONOUNS = frozenset({"PRON"})
"""The universal tag of pronouns, which does not tell personal pronouns from others."""

UNALIGNED_SOURCE = "unaligned source word"
UNTRANSLATED = "untranslated pronoun"
NON_CONTIGUOUS = "non-contiguous alignment"
UNALIGNED_TARGET = "unaligned target word"
PARTICLE_APART = "particle apart from its word"
KINDS = (UNALIGNED_SOURCE, UNTRANSLATED, NON_CONTIGUOUS, UNALIGNED_TARGET, PARTICLE_APART)

_MOST_FREQUENT = 5


@dataclass(frozen=True)
class Breach:
    """One breach of a guideline, with the number of the sentence and the position of the word, both counted from 1.

    The word belongs to the target sentence if it is an unaligned target word or a particle, and to the source
    sentence otherwise. ``word`` is None if only the position is known. ``targets`` holds the positions of the target
    words of a non-contiguous alignment, or the position of the content word to which a particle belongs.

    >>> str(Breach(7, NON_CONTIGUOUS, 3, "gave", (2, 5), ("donna", "via")))
    "source word 3 'gave' is aligned to the target words 2 'donna' and 5 'via'"
    """

    sentence: int
    kind: str
    position: int
    word: str | None
    targets: tuple[int, ...] = ()
    target_words: tuple[str, ...] = ()

    def __str__(self) -> str:
        side = "target" if self.kind in (UNALIGNED_TARGET, PARTICLE_APART) else "source"
        named = f"{side} word {_name(self.position, self.word)}"
        if self.kind == UNTRANSLATED:
            return f"{named} is a pronoun and not translated"
        if self.kind == PARTICLE_APART:
            (content,) = map(_name, self.targets, self.target_words)
            return f"{named} is a particle and not aligned with its word {content}"
        if self.kind != NON_CONTIGUOUS:
            return f"{named} is unaligned"
        words: Iterable[str | None] = self.target_words or [None] * len(self.targets)
        *most, last = (_name(place, word) for place, word in zip(self.targets, words, strict=True))
        return f"{named} is aligned to the target words {', '.join(most)} and {last}"


@dataclass(frozen=True, eq=False)
class AnnotationCheck:
    """The result of checking alignments: all breaches, ordered by sentence, kind and position.

    ``allowed`` lists the source words that may be unaligned, ``unchecked`` is the number of target sentences that
    could not be checked because their length is unknown, and ``kinds`` lists the kinds of breach that were checked.
    """

    findings: tuple[Breach, ...]
    source: Tokens
    allowed: tuple[str, ...]
    unchecked: int = 0
    kinds: tuple[str, ...] = KINDS

    @property
    def sentences(self) -> int:
        """The number of sentences that were checked."""
        return len(self.source)

    def table(self) -> Table:
        """Return a table with one row for each kind of breach and one row for all kinds together.

        Each row gives the number of breaches, the number and percentage of affected sentences, and the most frequent
        words.
        """
        rows = [self._row(kind, [each for each in self.findings if each.kind == kind]) for kind in self.kinds]
        rows.append([*self._row("any", self.findings)[:-1], ""])
        notes = [
            f"guidelines of Talbot et al. (2011); {count_of(self.sentences, 'sentence')}",
            f"source words that may be unaligned: {', '.join(self.allowed) or 'none'}",
        ]
        if self.unchecked:
            where = count_of(self.unchecked, "sentence")
            notes.append(f"target words of {where} are not checked: their lengths are not known")
            if self.unchecked == self.sentences:
                rows[self.kinds.index(UNALIGNED_TARGET)][1:] = [None, None, None, ""]
        first, last = Column("finding", "left"), Column("most frequent", "left")
        columns: list[Column | str] = [first, "findings", "sentences", Column("share", number=".1%"), last]
        return Table.of("", columns, rows, notes=notes)

    def lines(self) -> Iterator[str]:
        """Yield the report line by line: for each affected sentence, its words, then one line per breach."""
        for sentence, findings in groupby(self.findings, key=lambda finding: finding.sentence):
            yield f"sentence {sentence}: {' '.join(self.source.words(sentence - 1))}"
            yield from (f"  {finding}" for finding in findings)

    def _row(self, name: str, findings: Collection[Breach]) -> list[str | int | float | None]:
        affected = len({finding.sentence for finding in findings})
        counts = Counter(finding.word for finding in findings if finding.word is not None)
        common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FREQUENT]
        share = affected / self.sentences if self.sentences else None
        return [name, len(findings), affected, share, ", ".join(f"{word} {count}" for word, count in common)]


def check_annotation(
    alignments: Alignments,
    source: Sentences,
    target: Sentences | NDArray[np.integer] | None = None,
    *,
    allowed_words: Collection[str] = ARTICLES,
    allow_punctuation: bool = True,
    allowed_tags: Collection[str] = (),
    source_tags: Tokens | None = None,
    pronoun_tags: Collection[str] | None = None,
    particle_tags: Collection[str] = (),
) -> AnnotationCheck:
    """Check alignments against the guidelines for reference orders.

    ``target`` holds the target sentences, or only their lengths in words. Without it, target words are checked only
    where the alignments include the sentence lengths.

    A source word may be unaligned if it is one of ``allowed_words`` (ignoring case), has one of ``allowed_tags``, or
    consists of punctuation. The part-of-speech tags come from ``source_tags`` or, if the source consists of trees,
    from the trees. If tags are available, an unaligned personal pronoun whose tag is not allowed is reported as a
    separate kind of breach; if no tag says that a pronoun is personal, any pronoun is taken as one. With
    ``particle_tags``, which require target trees, an aligned particle must share a source word with the content word
    it depends on.

    >>> from wordorder.core.orders import Alignment
    >>> pair = Alignment(((1, 0), (2, 2)), 4, 3)
    >>> check = check_annotation(pair.column(), [["The", "cat", "slept", "."]], [["il", "gatto", "dormì"]])
    >>> print(*check.lines(), sep="\\n")
    sentence 1: The cat slept .
      target word 2 'gatto' is unaligned
    """
    words = tokens_of(source)
    tags = [source_tags] if source_tags is not None else _tags(source)
    targets = None if target is None or isinstance(target, np.ndarray) else tokens_of(target)
    lengths = target if isinstance(target, np.ndarray) else None if targets is None else targets.lengths
    alignments = alignments.with_lengths(
        source=words.lengths.astype(np.int32), target=None if lengths is None else lengths.astype(np.int32)
    )
    allowed = _mark(words, {word.casefold() for word in allowed_words}, punctuation=allow_punctuation)
    exempted = _mark_tags(words, tags, allowed_tags) if allowed_tags else np.zeros_like(allowed)
    pronouns = np.zeros_like(allowed)
    if tags:
        pronouns = _mark_tags(words, tags, PERSONAL if pronoun_tags is None else pronoun_tags)
    if tags and pronoun_tags is None and not pronouns.any():
        pronouns = _mark_tags(words, tags, PRONOUNS)
    findings = [
        *_unaligned(UNALIGNED_SOURCE, alignments, words.offsets, words, allowed | exempted | pronouns),
        *_unaligned(UNTRANSLATED, alignments, words.offsets, words, exempted | ~pronouns),
        *_non_contiguous(alignments, words, targets),
    ]
    if particle_tags:
        findings += _particles_apart(alignments, target, particle_tags)
    unknown = alignments.target_lengths == UNKNOWN
    offsets = offsets_from_lengths(np.where(unknown, 0, alignments.target_lengths))
    findings += _unaligned(UNALIGNED_TARGET, alignments.transpose(), offsets, targets, np.zeros(offsets[-1], np.bool_))
    findings.sort(key=lambda finding: (finding.sentence, KINDS.index(finding.kind), finding.position))
    exempt = [*sorted(allowed_words), *["punctuation"] * allow_punctuation]
    exempt += [f"pos={tag}" for tag in sorted(allowed_tags)]
    unchecked = not tags or (pronoun_tags is not None and not pronoun_tags)
    skipped = [UNTRANSLATED] * unchecked + [PARTICLE_APART] * (not particle_tags)
    kinds = tuple(kind for kind in KINDS if kind not in skipped)
    return AnnotationCheck(tuple(findings), words, tuple(exempt), int(unknown.sum()), kinds)


def _unaligned(
    kind: str, alignments: Alignments, offsets: Int64s, words: Tokens | None, allowed: Bools
) -> Iterator[Breach]:
    """Yield a breach for each source word of the alignments that is neither linked nor allowed to be unaligned."""
    rows = rows_of(alignments.offsets)
    aligned = allowed.copy()
    known = alignments.source_lengths[rows] != UNKNOWN
    aligned[offsets[rows[known]] + alignments.source[known]] = True
    for word in np.flatnonzero(~aligned).tolist():
        row = int(np.searchsorted(offsets, word, side="right")) - 1
        yield Breach(row + 1, kind, word - int(offsets[row]) + 1, None if words is None else _word(words, word))


def _non_contiguous(alignments: Alignments, words: Tokens, targets: Tokens | None) -> Iterator[Breach]:
    """Yield a breach for each source word whose target words are not adjacent."""
    rows = rows_of(alignments.offsets)
    linked = words.offsets[rows] + alignments.source
    order = np.lexsort((alignments.target, linked))
    linked, ends, rows = linked[order], alignments.target[order], rows[order]
    apart = (np.diff(linked) == 0) & (np.diff(ends) > 1)
    for word in np.unique(linked[1:][apart]).tolist():
        first, behind = np.searchsorted(linked, [word, word + 1])
        row = int(rows[first])
        places = np.unique(ends[first:behind]).tolist()
        forms = () if targets is None else tuple(_word(targets, int(targets.offsets[row]) + end) for end in places)
        position = word - int(words.offsets[row]) + 1
        yield Breach(row + 1, NON_CONTIGUOUS, position, _word(words, word), tuple(end + 1 for end in places), forms)


def _particles_apart(alignments: Alignments, target: object, listed: Collection[str]) -> Iterator[Breach]:
    """Yield a breach for each particle that is aligned to other source words than its (aligned) content word."""
    if not isinstance(target, DependencyTrees):
        raise UsageError("checking particles requires the target as dependency trees with part-of-speech tags")
    words = tokens_of(target)
    particles = _mark_tags(words, _tags(target), listed)
    rows = rows_of(target.offsets)
    linked: dict[int, set[int]] = {}
    for row, source, place in zip(
        rows_of(alignments.offsets).tolist(), alignments.source.tolist(), alignments.target.tolist(), strict=True
    ):
        linked.setdefault(int(target.offsets[row]) + place, set()).add(source)
    for particle in np.flatnonzero(particles).tolist():
        start = int(target.offsets[rows[particle]])
        content = particle
        while particles[content] and target.heads[content] >= 0:
            content = start + int(target.heads[content])
        ends = linked.get(particle), linked.get(content)
        if not particles[content] and ends[0] and ends[1] and not ends[0] & ends[1]:
            places = particle - start + 1, content - start + 1
            form = _word(words, particle), _word(words, content)
            yield Breach(int(rows[particle]) + 1, PARTICLE_APART, places[0], form[0], places[1:], form[1:])


def _tags(sentences: object) -> list[Tokens]:
    """Return the universal and the language-specific part-of-speech tags of trees, or no tags for plain sentences."""
    if not isinstance(sentences, DependencyTrees):
        return []
    return [Tokens(ids, sentences.offsets, sentences.strings) for ids in (sentences.tags, sentences.fine_tags)]


def _mark(words: Tokens, listed: Collection[str], *, punctuation: bool = False) -> Bools:
    """Mark the words that are listed (ignoring case) and, if requested, those that consist of punctuation."""
    vocabulary = words.vocabulary.to_pylist()
    marks = [word.casefold() in listed or (punctuation and is_punctuation(word)) for word in vocabulary]
    return np.array(marks, dtype=np.bool_)[words.ids]


def _mark_tags(words: Tokens, tags: Sequence[Tokens], listed: Collection[str]) -> Bools:
    """Mark the words that have one of the listed part-of-speech tags."""
    refuse(not tags, "words can be allowed by part of speech only if the source has tags; give its tags or trees")
    marks = np.zeros(len(words.ids), dtype=np.bool_)
    for column in tags:
        if not np.array_equal(column.offsets, words.offsets):
            raise InputError("the source and its part-of-speech tags differ in sentence length; give a tag per word")
        marks |= _mark(column, {tag.casefold() for tag in listed})
    return marks


def _word(words: Tokens, place: int) -> str:
    return str(words.vocabulary[int(words.ids[place])].as_py())


def _name(position: int, word: str | None) -> str:
    return str(position) if word is None else f"{position} {excerpt(word)}"
