"""Find patterns of order errors: count moves by label, test each label, and collect examples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from wordorder.apps.find.find import PairCounts, find_inputs, mark
from wordorder.apps.find.marking import NOWHERE, find_punctuation, linked_places, place_words, silence
from wordorder.apps.patterns.evidence import DIRECTIONS, LabelCounts, sample_rates, weigh_difference, weigh_excess
from wordorder.apps.patterns.labels import LabelNumbers, TaggedText, rank_words, word_labels
from wordorder.apps.patterns.moved_words import MovedWords, find_moved
from wordorder.apps.patterns.results import LEVEL, TOGETHER, MarkedExample, Pattern, Patterns
from wordorder.core.orders.alignment import Alignment
from wordorder.core.runtime.columns import Bools, Ints, Offsets, positions
from wordorder.core.runtime.errors import mention, refuse, reject
from wordorder.core.runtime.settings import accepts_options
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.resampling import interval
from wordorder.core.text import tokenise
from wordorder.core.text.tokens import lines_of
from wordorder.formats.sources import as_references
from wordorder.scoring.inputs.texts import TextInputs, take_lines
from wordorder.scoring.options import InputOptions
from wordorder.scoring.scores import find_unranked
from wordorder.version import __version__

RARE = 30
"""Labels with fewer words than this (weighted, on average over systems) are counted together."""

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
    in this direction more often than in the other. The p-values are corrected for all labels and directions tried in
    a system. Other systems are compared with the first one.

    ``tags`` are labels of the reference's words, ``source_tags`` of the source's: a CoNLL-U file, bracketed trees, or
    a file with one tag per word. Without ``hyp``, the order of the source words itself is compared with the
    reference, which shows what moves between the languages. For all other arguments, see
    :func:`wordorder.scoring.inputs.make_inputs`.

    >>> found = patterns(["we it saw", "we it did"] * 40, ["we saw it", "we did it"] * 40)
    >>> print(found.found[0].sentence)
    'it' stands too early 50.0% of the time (other words 0.0%), by 1.0 words on average
    """
    search = Search.of(hyp, ref, tags=tags, source_tags=source_tags, threads=threads, **options)
    found = search.evaluate(resampling or Resampling(threads=threads))
    tried, compared = (tuple(search.exemplify(each, 0 if hyp is None else examples)) for each in found)
    texts = search.texts
    signature = {"patterns": "moved-words", **texts.signature(()), "version": __version__}
    notes = tuple(note.partition("; intervals")[0] for note in texts.notes)
    rates = {texts.systems[s]: search.moved[s].rate for s in search.examined}
    return Patterns(rates, search.unranked, len(search.moved[0].words), tried, compared, texts, signature, notes)


@dataclass(eq=False)
class Search:
    """The moved words of all systems with their labels, in which patterns are looked for.

    ``codes`` has the label of each word for each kind of label, as numbered by ``numbers``, and ``matched`` the share
    of the reference words that each translation matches.
    """

    texts: TextInputs
    order: str
    numbers: LabelNumbers = field(default_factory=LabelNumbers)
    moved: list[MovedWords] = field(default_factory=list)
    codes: list[dict[str, Ints]] = field(default_factory=list)
    matched: list[float] = field(default_factory=list)

    @cached_property
    def unranked(self) -> dict[str, str]:
        """The systems that match too few words to be examined: where little is matched, little is out of order."""
        return find_unranked(self.texts.systems, np.array(self.matched)) if self.matched else {}

    @property
    def examined(self) -> list[int]:
        """The numbers of the systems that match enough words."""
        return [s for s, system in enumerate(self.texts.systems) if system not in self.unranked]

    @classmethod
    def of(
        cls, hyp: Any, ref: Any, *, tags: Any = None, source_tags: Any = None, threads: int = 1, **options: Any
    ) -> "Search":
        """Find the moved words of all systems, and label them; for the arguments, see :func:`patterns`."""
        of_source = hyp is None
        refuse(ref is None, f"patterns are differences in order from a reference; give {mention('ref')}")
        refuse(of_source and options.get("source") is None, f"give {mention('hyp')}, {mention('source')} or both")
        if of_source:  # the reference stands in for the translation, as only its links are needed
            hyp = {"source": as_references(ref, of=str)[0]}
            if options.get("ref_align") is not None:
                links = as_references(options["ref_align"], of=Alignment, what="reference alignments")
                refuse(len(links) > 1, f"one reference has one file of links; give {mention('ref_align')} once")
                options["hyp_align"] = links[0]
        order, inputs = find_inputs(hyp, ref, threads, options)
        texts: Any = inputs.without_scores
        refuse(len(texts.ref) > 1, "patterns are differences from one reference; leave out the others")
        refuse(source_tags and order == "matched", f"{mention('source_tags')} requires {mention('source')}")
        rows = range(sum(len(columns[0]) for columns in texts.line_blocks()))  # also checks all texts
        reject(not rows, "the texts are empty; expected one sentence per line")
        (gold,) = tokenise([lines_of(texts.pick([], rows)[1][0])], tokenizer=texts.tokenize)
        own = None
        if order != "matched":
            (own,) = tokenise([take_lines(texts.source, np.array(rows))], tokenizer=texts.tokenize)
        tagged = None if tags is None else TaggedText.of(gold, tags)
        own_tagged = None if own is None or source_tags is None else TaggedText.of(own, source_tags)
        search, ranks = cls(texts, order), rank_words(own if of_source and own is not None else gold)
        counted = int((~find_punctuation(gold)).sum())
        for s in range(len(texts.systems)):
            if of_source and own is not None:
                links = texts.likely_links[0][0].transpose()
                words, views = own, silence(own, [linked_places(own.offsets, links, None)])
            else:
                words, views = place_words(texts, order, s, np.zeros(len(rows), np.int64), rows)
                search.matched.append(float((views[0].at != NOWHERE).sum()) / max(counted, 1))
            moved = find_moved(words, views)
            codes = word_labels(search.numbers, words, ranks)
            if tagged is not None:
                prefix = "target " if of_source else ""
                codes |= tagged.encode(search.numbers, moved.segment, views[0].at, prefix=prefix)
            if own_tagged is not None:
                links = texts.likely_links[1][s]
                at = positions(words.offsets) if of_source else linked_places(words.offsets, links, None).at
                prefix = "" if of_source else "source "
                codes |= own_tagged.encode(search.numbers, moved.segment, at, prefix=prefix)
            search.moved.append(moved)
            search.codes.append(codes)
        return search

    def evaluate(self, resampling: Resampling) -> tuple[list[Pattern], list[Pattern]]:
        """Test every label of every system examined, and the differences of every label from the first of them.

        With several systems, their sums are tested as well, under the name ``TOGETHER``. The p-values of a system are
        corrected for all its labels, and so are those of its differences.
        """
        systems = [self.texts.systems[s] for s in self.examined]
        names = [*[TOGETHER] * (len(systems) > 1), *systems]
        kinds = {kind: self._count(kind) for kind in self.numbers.known if systems}
        tried, compared = [], []
        for place, system in enumerate(names):
            counted = [(kind, labels, counts[place], None) for kind, (labels, counts) in kinds.items()]
            tried += _test(system, None, counted, resampling)
            if system in systems[1:]:
                both = [(kind, names, counts, kinds[kind][1][1]) for kind, names, counts, _ in counted]
                compared += _test(system, systems[0], both, resampling)
        return tried, compared

    def _count(self, kind: str) -> tuple[list[str], list[LabelCounts]]:
        """Count the moves by labels of a kind, first in all systems together if there are several, then in each.

        Rare labels are counted together.
        """
        names = [*self.numbers.known[kind], _POOLED]
        counted = [LabelCounts.of(self.moved[s], self.codes[s][kind], len(names)) for s in self.examined]
        kept = np.flatnonzero(np.mean([counts.totals[:, 0] for counts in counted], axis=0) >= RARE)
        mapping = np.full(len(names), len(kept), dtype=np.int64)
        mapping[kept] = np.arange(len(kept))
        names = [*(names[label] for label in kept.tolist()), _POOLED]
        groups = [counted] * (len(counted) > 1) + [[counts] for counts in counted]
        return names, [LabelCounts.add_up(group, mapping, len(names)) for group in groups]

    def exemplify(self, tried: Sequence[Pattern], examples: int) -> Iterator[Pattern]:
        """Yield all patterns, the significant ones with their main words, their segments and examples."""
        seen: dict[str, list[Bools]] = {}
        names = list(self.numbers.known["word"])
        for one in tried:
            if one.p >= LEVEL:
                yield one
                continue
            masks = seen.setdefault(one.system, [np.zeros(len(moved.segment), np.bool_) for moved in self.moved])
            total, moving, again = np.zeros(len(names)), 0.0, 0.0
            segments: dict[int, dict[str, None]] = {}
            chosen = self._moving(one)
            for s, mine in chosen:
                part = getattr(self.moved[s], one.direction)[mine]
                total += np.bincount(self.codes[s]["word"][mine], part, minlength=len(names))
                moving += float(part.sum())
                again += float(part[masks[s][mine]].sum())
                for row, code in zip(self.moved[s].segment[mine], self.codes[s]["word"][mine], strict=True):
                    segments.setdefault(int(row) + 1, {})[names[code]] = None
                masks[s][mine] = True
            top = np.argsort(-total, kind="stable")[:3].tolist()
            yield replace(
                one,
                repeats=one.label == _POOLED or again >= moving / 2 > 0,
                mostly=tuple((names[word], float(total[word])) for word in top if total[word] > 0),
                examples=tuple(self._show(one, *self._choose(one, *chosen[0], examples))) if len(chosen) == 1 else (),
                segments=tuple((row, ", ".join(segments[row])) for row in sorted(segments)),
            )

    def _moving(self, one: Pattern) -> list[tuple[int, Offsets]]:
        """Return the systems that a pattern is about, each with the words that move.

        For a difference, this is the system with the higher rate, and its words in those segments in which it moves
        more of them than the other.
        """
        systems = self.texts.systems
        if one.baseline is not None:
            s, other = systems.index(one.system), systems.index(one.baseline)
            s, other = (s, other) if one.rate > one.elsewhere else (other, s)
            mine, size = self._words_of(s, one), len(self.moved[s].words)
            gain = np.zeros(size)
            for system, words, sign in ((s, mine, 1.0), (other, self._words_of(other, one), -1.0)):
                moved = self.moved[system]
                part = getattr(moved, one.direction)[words]
                gain += sign * np.bincount(moved.segment[words], part, minlength=size)
            return [(s, mine[gain[self.moved[s].segment[mine]] > 0])]
        numbers = self.examined if one.system == TOGETHER else [systems.index(one.system)]
        return [(s, self._words_of(s, one)) for s in numbers]

    def _words_of(self, s: int, one: Pattern) -> Offsets:
        """Return the words of system number ``s`` that have the label of a pattern and move in its direction."""
        number = self.numbers.known[one.kind].get(one.label, -2)  # rare labels are not shown
        return np.flatnonzero((self.codes[s][one.kind] == number) & (getattr(self.moved[s], one.direction) > 0))

    def _choose(self, one: Pattern, s: int, words: Offsets, count: int) -> tuple[int, Offsets]:
        """Choose examples: words with certain moves in segments with few other words that move or do not match.

        There is at most one word per segment. Different words come first, and of these, the most frequent ones.
        """
        moved, codes = self.moved[s], self.codes[s]["word"]
        part = getattr(moved, one.direction)
        total = np.bincount(codes[words], part[words], minlength=len(self.numbers.known["word"]))
        words = words[moved.marked[words]]
        amiss = np.bincount(moved.segment, (moved.weight == 0) | moved.marked, minlength=len(moved.words))
        words = words[np.lexsort((amiss[moved.segment[words]], -part[words]))]
        words = words[np.sort(np.unique(moved.segment[words], return_index=True)[1])]
        turns = np.zeros(len(words), dtype=np.int64)
        for code in np.unique(codes[words]).tolist():
            mine = np.flatnonzero(codes[words] == code)
            turns[mine] = np.arange(len(mine))
        return s, words[np.lexsort((-total[codes[words]], turns))[:count]]

    def _show(self, one: Pattern, s: int, words: Offsets) -> Iterator[MarkedExample]:
        """Yield, for each of the words of system number ``s``, its segment with only the move of this word marked."""
        rows = self.moved[s].segment[words].tolist()
        none = np.zeros(len(self.moved[s].words))
        counts = PairCounts(None, none, none, none.astype(np.int64), none)
        marked = mark(self.texts, self.order, s, counts, rows)
        other = next((name for name in (one.system, one.baseline) if name != self.texts.systems[s]), None)
        others: Any = [None] * len(rows)
        if other is not None:
            ((others,), _) = replace(self.texts, lowercase=False).pick([other], rows)
        for finding, row, word, text in zip(marked, rows, words.tolist(), others, strict=True):
            place = word - int(self.moved[s].words.offsets[row])
            moves = tuple(move for move in finding.moves if move.first <= place < move.end)
            pieces = tuple(replace(finding, moves=moves).pieces())
            yield MarkedExample(row + 1, finding.reference_text or "", pieces, text)


def _test(system: str, baseline: str | None, counted: Sequence[Any], resampling: Resampling) -> list[Pattern]:
    """Test all labels of a system against its other words, or against the same labels of the baseline.

    ``counted`` has the name, the labels and the counts of each kind, and the counts of the baseline or None. The
    significant patterns come first, sorted by how well they explain the moves, and have intervals.
    """
    made: list[tuple[float, Pattern, list[tuple[LabelCounts, int, int]]]] = []
    limits: list[float] = []
    for kind, labels, counts, other in counted:
        totals = counts.totals
        rest = (totals.sum(axis=0) - totals) if other is None else other.totals
        sides = [counts] if other is None else [counts, other]
        for way, direction in enumerate(DIRECTIONS):
            weighed = weigh_excess(counts, way) if other is None else weigh_difference(counts, other, way)
            with np.errstate(invalid="ignore", divide="ignore"):
                columns = {
                    "words": totals[:, 0],
                    "moved": totals[:, 1 + way],
                    "rate": totals[:, 1 + way] / totals[:, 0],
                    "elsewhere": rest[:, 1 + way] / rest[:, 0],
                    "share": totals[:, 1 + way] / totals[:, 1:3].sum(axis=1),
                    "distance": totals[:, 3 + way] / totals[:, 1 + way],
                }
            for label in np.flatnonzero(totals[:, 0] > 0).tolist():
                numbers: dict[str, Any] = {name: float(column[label]) for name, column in columns.items()}
                p, lowest, strength = (float(column[label]) for column in weighed)
                one = Pattern(system, kind, labels[label], direction, **numbers, p=p, baseline=baseline)
                made.append((strength, one, [(each, label, way) for each in sides]))
                limits.append(lowest)
    corrected = holm([one.p for _, one, _ in made], lowest=limits).tolist()
    ranked = sorted(
        ((strength, replace(one, p=p), rates) for p, (strength, one, rates) in zip(corrected, made, strict=True)),
        key=lambda each: (each[1].p if each[1].p >= LEVEL else 0.0, -each[0]),
    )
    found = [one for _, one, _ in ranked]
    sure = [rates for _, one, rates in ranked if one.p < LEVEL]
    if sure and resampling.samples:
        sampled = sample_rates([rate for rates in sure for rate in rates], resampling)
        step = len(sure[0])
        low, high = interval(sampled[:, ::step] - (sampled[:, 1::step] if step == 2 else 0.0))
        for place, ends in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            found[place] = replace(found[place], interval=ends)
    return found
