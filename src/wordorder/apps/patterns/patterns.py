"""Find patterns of order errors: count moves by label, test each label, and collect examples."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from wordorder.apps.find.find import PairCounts, count_wrong_pairs, find_inputs, mark
from wordorder.apps.find.findings import Finding
from wordorder.apps.find.marking import NOWHERE, linked_places
from wordorder.apps.find.placing import place_words, silence
from wordorder.apps.patterns.evidence import DIRECTIONS, LabelCounts, sample_rates, weigh_difference, weigh_excess
from wordorder.apps.patterns.labels import LabelNumbers, TaggedText, rank_words, word_labels
from wordorder.apps.patterns.moved_words import MovedWords, find_moved
from wordorder.apps.patterns.results import LEVEL, Difference, Example, Pattern, Patterns
from wordorder.core.orders.alignment import Alignment
from wordorder.core.runtime.columns import Floats, Ints, Offsets, positions
from wordorder.core.runtime.errors import InputError, UsageError, count_of, mention, refuse
from wordorder.core.runtime.settings import accepts_options, settings_of
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.resampling import interval
from wordorder.core.text import Tokens, tokenise
from wordorder.core.text.tokens import lines_of
from wordorder.formats.sources import as_references, read_text
from wordorder.linking.parsing import Parsing
from wordorder.linking.settings import ParsingSettings
from wordorder.scoring.inputs.texts import TextInputs, take_lines
from wordorder.scoring.options import InputOptions
from wordorder.version import __version__

RARE = 30
"""Labels with fewer words than this (weighted, on average over systems) are counted together."""

TOGETHER = "all systems"
"""The name under which the sums of several systems are tested."""

_POOLED = "(rare)"


@accepts_options(InputOptions)
def patterns(
    hyp: Any = None,
    ref: Any = None,
    *,
    tags: Any = None,
    source_tags: Any = None,
    examples: int = 2,
    resampling: Resampling | None = None,
    threads: int = 1,
    **options: Unpack[InputOptions],
) -> Patterns:
    """Find words, classes and relations that stand too early or too late in translations, with their evidence.

    In every segment, the fewest words are moved so that the others are in order, as :func:`wordorder.find` does. A
    label forms a pattern if its words stand too early (or too late) more often than other words do, and if they move
    in this direction more often than in the other. The p-values are corrected for all labels, directions and systems.
    Other systems are compared with the first one.

    ``tags`` holds the labels of the reference's words: a CoNLL-U file, bracketed trees, or a file with one tag per
    word (with several references, a list with one file for each); a ``parser``, ``grammar`` or ``spacy`` pipeline
    makes them. ``source_tags`` are those of the source's words. Without ``hyp``, the order of the source words itself
    is compared with the reference, which shows what moves between the languages. For all other arguments, see
    :func:`wordorder.scoring.inputs.make_inputs`.

    >>> found = patterns(["we it saw", "we it did"] * 40, ["we saw it", "we did it"] * 40)
    >>> print(found.found[0].sentence)
    'it' stands too early 50.0% of the time (other words 0.0%), by 1.0 words on average
    """
    search = Search.of(hyp, ref, tags=tags, source_tags=source_tags, threads=threads, **options)
    tried, compared = search.evaluate(resampling or Resampling(threads=threads))
    tried = search.exemplify(tried, 0 if hyp is None else examples)
    texts = search.texts
    signature = {"patterns": "moved-words", **texts.signature(()), "version": __version__}
    notes = [note.partition("; intervals")[0] for note in texts.notes]
    segments = len(search.counts[0].score)
    return Patterns(texts.systems, segments, tuple(tried), tuple(compared), signature, tuple(notes))


@dataclass(eq=False)
class Search:
    """The moved words of all systems with their labels, in which patterns are looked for.

    ``codes`` has the label of each word for each kind of label, as numbered by ``numbers``, and ``counts`` the chosen
    reference of each segment.
    """

    texts: TextInputs
    order: str
    counts: Sequence[PairCounts]
    numbers: LabelNumbers = field(default_factory=LabelNumbers)
    moved: list[MovedWords] = field(default_factory=list)
    codes: list[dict[str, Ints]] = field(default_factory=list)

    @classmethod
    def of(
        cls, hyp: Any, ref: Any, *, tags: Any = None, source_tags: Any = None, threads: int = 1, **options: Any
    ) -> Search:
        """Find the moved words of all systems, and label them; for the arguments, see :func:`patterns`."""
        parsing = Parsing(**{name: options.pop(name) for name in settings_of(ParsingSettings) if name in options})
        of_source = hyp is None
        refuse(of_source and options.get("source") is None, f"give {mention('hyp')}, {mention('source')} or both")
        if of_source and options.get("ref_align") is not None:  # links of the reference, which stands in for hyp
            (options["hyp_align"],) = as_references(options["ref_align"], of=Alignment, what="reference alignments")
        if of_source and ref is not None:
            hyp = {"source": as_references(ref, of=str)[0]}
        order, inputs = find_inputs(hyp, ref, threads, options)
        texts: Any = inputs.without_scores
        refuse(not texts.ref, f"patterns are differences in order from a reference; give {mention('ref')}")
        refuse(
            source_tags is not None and order == "matched", f"{mention('source_tags')} requires {mention('source')}"
        )
        rows = range(len(read_text(texts.ref[0])))
        if not rows:
            raise InputError("the texts are empty; expected one sentence per line")
        golds = tokenise([lines_of(lines) for lines in texts.pick([], rows)[1]], tokenizer=texts.tokenize)
        references = _tag_references(texts, golds, tags, parsing, threads)
        words, source = golds[0], None
        if order != "matched":
            (words,) = tokenise([take_lines(texts.source, np.array(rows))], tokenizer=texts.tokenize)
            source = TaggedText.of(words, source_tags) if source_tags is not None else None
        none = np.zeros(len(rows))
        one = [PairCounts(None, none, none, none.astype(np.int64), none)] * len(texts.systems)
        search = cls(texts, order, count_wrong_pairs(inputs, order, threads) if len(golds) > 1 else one)
        frequencies = rank_words([words] if of_source else golds)
        for s, each in enumerate(search.counts):
            if of_source:
                places = linked_places(words.offsets, texts.likely_links[0][0].transpose(), None)
                views = silence(words, [places])
            else:
                words, views = place_words(texts, order, s, each.reference, rows)
            moved = find_moved(words, views)
            codes = word_labels(search.numbers, words, frequencies)
            for number, tagged in enumerate(references):
                at = np.where(each.reference[moved.segment] == number, views[0].at, NOWHERE)
                prefix = "target " if of_source else ""
                for kind, found in tagged.encode(search.numbers, moved.segment, at, prefix=prefix).items():
                    codes[kind] = np.maximum(codes.get(kind, found), found)
            if source is not None and of_source:
                codes |= source.encode(search.numbers, moved.segment, positions(words.offsets))
            elif source is not None:
                links = linked_places(words.offsets, texts.likely_links[1][s], None).at
                codes |= source.encode(search.numbers, moved.segment, links, prefix="source ")
            search.moved.append(moved)
            search.codes.append(codes)
        return search

    def evaluate(self, resampling: Resampling) -> tuple[list[Pattern], list[Difference]]:
        """Test every label of every system, and the differences of every label from the first system.

        With several systems, their sums are tested as well, under the name ``TOGETHER``. The p-values of a system are
        corrected for all its labels, and so are those of its differences.
        """
        systems = self.texts.systems
        parts: dict[str, list[_Tested]] = {}
        pairs: dict[str, list[_Tested]] = {}
        for kind in self.numbers.known:
            names, counted = self._count(kind)
            for system, counts in zip(named(systems), counted, strict=True):
                for way, direction in enumerate(DIRECTIONS):
                    p, strength = weigh_excess(counts, way)
                    parts.setdefault(system, []).extend(
                        _Tested(strength[label], one, [(counts, label, way)])
                        for label, one in _patterns(system, kind, names, counts, way, p)
                    )
                    if system in systems[1:]:
                        p, strength = weigh_difference(counts, counted[-len(systems)], way)
                        both = (counts, counted[-len(systems)])
                        rates = [_rates(each.totals, way) for each in both]
                        pairs.setdefault(system, []).extend(
                            _Tested(
                                strength[label],
                                Difference(
                                    *(system, systems[0], kind, names[label], direction),
                                    rate=float(rates[0][label]),
                                    baseline_rate=float(rates[1][label]),
                                    p=float(p[label]),
                                ),
                                [(each, label, way) for each in both],
                            )
                            for label in np.flatnonzero((rates[0] >= 0) & (rates[1] >= 0)).tolist()
                        )
        tested = [one for each in parts.values() for one in _corrected(each, resampling)]
        compared = [one for each in pairs.values() for one in _corrected(each, resampling)]
        order = {system: place for place, system in enumerate(named(systems))}
        tested.sort(key=lambda one: order[one.system])
        return tested, sorted(compared, key=lambda one: order[one.system])

    def _count(self, kind: str) -> tuple[list[str], list[LabelCounts]]:
        """Count the moves by labels of a kind, first in all systems together if there are several, then in each.

        Rare labels are counted together.
        """
        names = [*self.numbers.names(kind), _POOLED]
        systems = zip(self.moved, self.codes, strict=True)
        counted = [LabelCounts.of(moved, codes[kind], len(names)) for moved, codes in systems]
        kept = np.flatnonzero(np.mean([counts.totals[:, 0] for counts in counted], axis=0) >= RARE)
        mapping = np.full(len(names), len(kept), dtype=np.int64)
        mapping[kept] = np.arange(len(kept))
        names = [*(names[label] for label in kept.tolist()), _POOLED]
        groups = [counted] * (len(counted) > 1) + [[counts] for counts in counted]
        return names, [LabelCounts.add_up(group, mapping, len(names)) for group in groups]

    def exemplify(self, tried: Sequence[Pattern], examples: int) -> list[Pattern]:
        """Return all patterns, the significant ones with their main words and, in single systems, with examples."""
        made = list(tried)
        seen = {one.system: [np.zeros(len(moved.segment), np.bool_) for moved in self.moved] for one in made}
        chosen: dict[int, tuple[int, Offsets]] = {}
        names = self.numbers.names("word")
        for place, one in enumerate(made):
            if one.p >= LEVEL:
                continue
            systems = self.texts.systems
            total, again = np.zeros(len(names)), 0.0
            for s in range(len(systems)) if one.system == TOGETHER else [systems.index(one.system)]:
                moved, codes = self.moved[s], self.codes[s]
                part = getattr(moved, one.direction)
                number = self.numbers.known[one.kind].get(one.label, -2)  # rare labels have no examples
                mine = np.flatnonzero((codes[one.kind] == number) & (part > 0))
                again += float(part[mine[seen[one.system][s][mine]]].sum())
                seen[one.system][s][mine] = True
                total += np.bincount(codes["word"][mine], part[mine], minlength=len(names))
                if one.system != TOGETHER:
                    chosen[place] = s, _choose(moved, part, mine, examples)
            top = np.argsort(-total, kind="stable")[:3].tolist()
            mostly = tuple((names[word], float(total[word])) for word in top if total[word] > 0)
            made[place] = replace(one, repeats=again >= one.moved / 2 > 0, mostly=mostly)
        for s, moved in enumerate(self.moved if examples else ()):
            rows = {int(moved.segment[word]) for t, words in chosen.values() if t == s for word in words.tolist()}
            marked = mark(self.texts, self.order, s, self.counts[s], sorted(rows))
            shown = {one.segment - 1: one for one in marked}
            for place, (t, words) in chosen.items():
                if t == s:
                    at = zip(moved.segment[words].tolist(), words.tolist(), strict=True)
                    found = tuple(_show(shown[row], word - int(moved.words.offsets[row])) for row, word in at)
                    made[place] = replace(made[place], examples=found)
        return made


def _choose(moved: MovedWords, part: Floats, words: Offsets, count: int) -> Offsets:
    """Choose examples: words whose moves are certain and marked, in short segments, one word from each."""
    words = words[moved.marked[words]]
    order = np.lexsort((moved.words.lengths[moved.segment[words]], -part[words]))
    _, first = np.unique(moved.segment[words[order]], return_index=True)
    return words[order][np.sort(first)[:count]]


def _show(finding: Finding, word: int) -> Example:
    """Return an example: a segment in which only the move of one word is marked."""
    moves = tuple(move for move in finding.moves if move.first <= word < move.end)
    return Example(finding.segment, finding.reference_text or "", tuple(replace(finding, moves=moves).pieces()))


def _tag_references(
    texts: TextInputs, golds: Sequence[Tokens], tags: Any, parsing: Parsing, threads: int
) -> list[TaggedText]:
    """Return the labels of the words of each reference: those given, or those that a parser finds."""
    several = isinstance(tags, (list, tuple)) and (len(golds) > 1 or isinstance(tags[0], (str, os.PathLike)))
    given = list(tags) if several else [tags] * (tags is not None)
    if parsing.can_parse and not given:
        how: Any = {"tokenizer": texts.tokenize, "n": 1, "threads": threads}
        lines = replace(texts, lowercase=False).pick([], range(len(golds[0])))[1]
        given = [parsing.parse_trees(lines_of(each), **how) for each in lines]
    if given and len(given) != len(golds):
        raise UsageError(f"expected {mention('tags')} for {count_of(len(golds), 'reference')}, found {len(given)}")
    return [TaggedText.of(words, each) for words, each in zip(golds, given, strict=False)]


def _patterns(
    system: str, kind: str, names: Sequence[str], counts: LabelCounts, way: int, p: Floats
) -> Iterator[tuple[int, Pattern]]:
    """Yield the patterns of all labels of a kind in one direction, with uncorrected p-values and no intervals."""
    totals = counts.totals
    every = totals.sum(axis=0)
    for label in np.flatnonzero(totals[:, 0] > 0).tolist():
        words, moved, other = totals[label, [0, 1 + way, 2 - way]].tolist()
        others = float(every[0] - words)
        yield (
            label,
            Pattern(
                *(system, kind, names[label], DIRECTIONS[way], words, moved, moved / words, None),
                float(every[1 + way] - moved) / others if others > 0 else np.nan,
                moved / (moved + other) if moved + other else np.nan,
                float(totals[label, 3 + way]) / moved if moved else np.nan,
                float(p[label]),
            ),
        )


def _rates(totals: Floats, way: int) -> Floats:
    """Return the rate of moves of each label; it is NaN for labels without words."""
    words = totals[:, 0]
    rates: Floats = np.divide(totals[:, 1 + way], words, out=np.full(len(words), np.nan), where=words > 0)
    return rates


@dataclass(frozen=True, eq=False)
class _Tested:
    """A tested pattern or difference, the strength of its evidence, and the rates that it is about."""

    strength: float
    one: Any
    rates: list[tuple[LabelCounts, int, int]]


def _corrected(tested: list[_Tested], resampling: Resampling) -> list[Any]:
    """Correct the p-values of all tests together; sort them by evidence; add intervals to those significant."""
    corrected = holm([each.one.p for each in tested]).tolist()
    pairs = sorted(zip(corrected, tested, strict=True), key=_rank)
    made = [replace(each.one, p=p) for p, each in pairs]
    sure = [each for p, each in pairs if p < LEVEL]
    if sure and resampling.samples:
        rates = sample_rates([rate for each in sure for rate in each.rates], resampling)
        step = len(sure[0].rates)
        low, high = interval(rates[:, ::step] - (rates[:, 1::step] if step == 2 else 0.0))
        for place, limits in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            made[place] = replace(made[place], interval=limits)
    return made


def _rank(tested: tuple[float, _Tested]) -> tuple[float, float]:
    """Return the key by which tests are sorted: the significant ones by strength, then the others by p-value."""
    p, each = tested
    return (0.0, -each.strength) if p < LEVEL else (p, -each.strength)


def named(systems: Sequence[str]) -> list[str]:
    """Return the names of what is tested: all systems together if there are several, then each of them."""
    return [*[TOGETHER] * (len(systems) > 1), *systems]
