"""From translations to findings: count pairs in the wrong order, sort, mark the words that must move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import pyarrow.compute as pc

from wordorder.apps.find.findings import Finding, Findings
from wordorder.apps.find.marking import find_moves, keep_words
from wordorder.apps.find.places import NOWHERE, Places, linked_places, matched_places
from wordorder.apps.find.usual import Usual, usual_pairs
from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s
from wordorder.core.runtime.errors import InputError, UsageError, choices
from wordorder.core.runtime.plain import count_of
from wordorder.core.runtime.progress import progress
from wordorder.core.runtime.threads import map_chunks
from wordorder.core.text import Tokens, tokenise
from wordorder.core.text.doubts import NOT_ALIKE, warn_of
from wordorder.core.text.tokens import PUNCTUATION, lines_of
from wordorder.metrics import metric
from wordorder.metrics.external_scores import ExternalScores
from wordorder.metrics.lexical import Matched
from wordorder.metrics.partial import OrderErrors, wrong_pairs
from wordorder.scoring.inputs import Given, Inputs, MatchedTexts, gather
from wordorder.scoring.inputs.gather import refuse_unknown
from wordorder.scoring.inputs.monotone import MonotoneTexts
from wordorder.scoring.inputs.scored import ScoredInputs
from wordorder.scoring.inputs.source import SourceTexts
from wordorder.scoring.inputs.texts import Texts, take_lines
from wordorder.scoring.score import doubt_matches
from wordorder.version import __version__

_Theirs = dict[str, dict[str, Floats]]
"""Scores that others computed, by name and system."""


def find(
    hypotheses: Any,
    references: Any = None,
    *,
    count: int | None = 10,
    confidence: float = 0.5,
    labels: Sequence[str] | None = None,
    by: str | None = None,
    threads: int = 1,
    **given: Unpack[Given],
) -> Findings:
    """Find the segments whose words are probably in the wrong order, and the words that must move; the worst first.

    With a source and a reference there are two views, matched words and source words; with one of them there is one.
    Without a reference a translation is compared with what is usual between the languages: in the training text of
    the aligner, or else in the translations themselves; ``labels`` says which segments are alike. Text is lower-cased
    unless ``lowercase=False``. ``count=None`` returns every segment in which a word must move. Moves below a
    ``confidence`` are not shown. ``scores`` of others stand beside ours, and ``by="comet"`` puts the lowest of these
    first, among segments in which a word must move. What else can be given: :func:`wordorder.scoring.inputs.gather`.

    >>> found = find(["after dinner we often talk", "we talk"], ["we often talk after dinner", "we talk"])
    >>> [(one.segment, one.marked) for one in found]
    [(1, '[1 after dinner] we often talk →1')]
    """
    refuse_unknown(given, find)
    if count is not None and count < 1:
        raise UsageError(f"the number of segments to find must be 1 or more, not {count}")
    if not 0.0 <= confidence <= 1.0:
        raise UsageError(f"the confidence must be from 0 to 1, not {confidence}")
    judged = _inputs(hypotheses, references, threads, given)
    inputs = judged.shown
    assert isinstance(inputs, Texts)
    if labels is not None and not isinstance(inputs, MonotoneTexts):
        raise UsageError("labels say which segments are alike where there is no reference; here there is one")
    theirs: _Theirs = dict(judged.given) if isinstance(judged, ScoredInputs) else {}
    first = None if by is None else _columns(by, theirs)
    counts = _count(judged, threads)
    usual = None
    if isinstance(inputs, MonotoneTexts):
        usual = usual_pairs(inputs, [each.source for each in counts], labels)
        counts = [each.against(expected) for each, expected in zip(counts, usual.pairs, strict=True)]
    surely = count is None or first is not None  # those alone in which a word must move
    chosen = _worst(counts, None if surely else count)
    found = [
        replace(one, given={name: float(scores[system][one.segment - 1]) for name, scores in theirs.items()})
        for s, system in enumerate(inputs.systems)
        for one in _look(inputs, s, system, counts[s], chosen[s], None if usual is None else usual.pairs[s])
        if not surely or (one.moves and one.confidence >= confidence)
    ]
    found.sort(key=lambda one: (first[one.system][one.segment - 1] if first else 0.0, one.score))
    segments = sum(len(each.score) for each in counts)
    undefined = sum(int(np.isnan(each.score).sum()) for each in counts)
    if undefined > segments / 2 and not inputs.doubt:
        warn_of(f"no word is matched or aligned in {undefined} of {count_of(segments, 'segment')}; {NOT_ALIKE}")
    else:
        doubt_matches(inputs, (each.words.sum(axis=0) for each in counts))
    signature = {"find": "order-errors", **judged.signature(()), "version": __version__}
    return Findings(
        tuple(one.surer_than(confidence) for one in found[:count]),
        segments,
        undefined,
        signature,
        _notes(inputs, usual),
        by,
    )


def _inputs(hypotheses: Any, references: Any, threads: int, given: Any) -> Inputs:
    """Return what is judged: through both views if there is a source and a reference; perhaps beside scores."""
    if isinstance(hypotheses, Inputs):
        raise UsageError("give texts, not a finished input")
    source = given.get("source")
    if references is None and source is None:
        raise UsageError("order errors are found with the source, a reference, or both; give one of them")
    for name in ("order", "permutations", "source_lengths", "expected", "hypothesis_parses", "reference_parses"):
        if given.get(name):
            raise UsageError(f"{name} has no meaning for order errors, which are found in text")
    order = "matched" if source is None else "monotone" if references is None else "source"
    settings: Any = {"lowercase": True, **{name: value for name, value in given.items() if value is not None}}
    return gather(hypotheses, references, threads=threads, **settings | {"order": order})


def _columns(by: str, theirs: _Theirs) -> dict[str, Floats]:
    """Return the given scores, of each system, that findings are sorted by."""
    chosen = metric(f"given:{by.removeprefix('given:')}")
    assert isinstance(chosen, ExternalScores)
    if chosen.scores not in theirs:
        raise choices(chosen.scores, list(theirs), what="name of given scores")
    return {system: chosen.rescale(column) for system, column in theirs[chosen.scores].items()}


@dataclass(frozen=True, eq=False)
class _Counts:
    """Of each segment of a system: pairs in the wrong order in each view, the score, and the reference it is by.

    ``words`` are the matched words of that reference and all of them.
    """

    matched: Floats | None
    source: Floats
    score: Floats
    reference: Int64s
    words: Floats

    def against(self, usual: Floats) -> _Counts:
        """Return the same with scores that count only what is more than usual."""
        score = 1.0 / (1.0 + np.maximum(self.source - usual, 0.0))
        return replace(self, score=np.where(np.isnan(self.score), np.nan, score))


def _count(inputs: Inputs, threads: int) -> list[_Counts]:
    """Count pairs in the wrong order in all segments of every system; of several references the kindest counts."""
    seen = not isinstance(inputs.shown, MonotoneTexts), isinstance(inputs.shown, SourceTexts)

    def work(batches: Sequence[Any]) -> list[tuple[Floats, Floats, Floats, Int64s, Floats]]:
        found = []
        for batch in batches:
            matched, linked, score = wrong_pairs(batch, matched=seen[0], linked=seen[1])
            best = np.argmax(np.where(np.isnan(score), -1.0, score), axis=1)
            place = np.arange(len(best))
            words = Matched().statistics(batch)[place, best, :2] if seen[0] else np.zeros((len(best), 2))
            found.append((matched[place, best], linked[place, best], score[place, best], best, words))
        return found

    batches = progress(inputs.batches((OrderErrors(),)), label="counting", unit=" blocks")
    blocks = list(map_chunks(work, batches, threads=threads))
    if not blocks:
        raise InputError("there is nothing to look at: the input has no segments")
    parts = [[np.concatenate(column) for column in zip(*system, strict=True)] for system in zip(*blocks, strict=True)]
    return [_Counts(part[0] if seen[0] else None, *part[1:]) for part in parts]


def _worst(counts: Sequence[_Counts], count: int | None) -> list[list[int]]:
    """Return the segments of each system to look at: the lowest scores of all, or all below 1."""
    scores = np.round(np.concatenate([each.score for each in counts]), 12)
    order = np.argsort(scores, kind="stable")
    order = order[scores[order] < 1.0][:count]  # NaN is not below 1
    size = len(counts[0].score)
    return [sorted(int(row) for row in order[order // size == s] % size) for s in range(len(counts))]


def _look(
    inputs: Texts, s: int, system: str, counts: _Counts, rows: Sequence[int], usual: Floats | None
) -> list[Finding]:
    """Mark the words that must move in some segments of a system."""
    if not rows:
        return []
    hypothesis, golds = inputs.pick([system], rows)
    gold = [golds[int(counts.reference[row])][place] for place, row in enumerate(rows)] if golds else None
    lines = [lines_of(text) for text in (hypothesis[0], gold) if text is not None]
    both = tokenise(lines, tokenizer=inputs.tokenizer)
    judged = both[0]
    views: list[Places] = []
    if gold is not None:
        matches = inputs.matching.over(judged.vocabulary)(judged, both[1], None)
        views.append(matched_places(judged, both[1], matches, _silent(judged)))
    if isinstance(inputs, SourceTexts):
        views.append(_linked(inputs, s, counts, rows, judged))
    nowhere = np.full(len(judged.ids), NOWHERE, dtype=np.int32)
    first, second = (*(view.at for view in views), nowhere)[:2]
    kept = keep_words(first, second, judged.offsets)
    texts = _texts(inputs, system, counts, rows)
    found = []
    for place, row in enumerate(rows):
        start, stop = (int(end) for end in judged.offsets[place : place + 2])
        moves = find_moves(kept[start:stop], [view.row(start, stop) for view in views])
        if usual is not None:  # what is usual between the languages is no error
            excess = max(0.0, 1.0 - float(usual[row]) / max(float(counts.source[row]), 1e-9))
            moves = [replace(move, confidence=move.confidence * excess) for move in moves]
        words = texts[0][place] if len(texts[0][place]) == stop - start else judged.words(place)
        found.append(
            Finding(
                system,
                row + 1,
                float(counts.score[row]),
                None if counts.matched is None else int(counts.matched[row]),
                float(counts.source[row]) if isinstance(inputs, SourceTexts) else None,
                None if usual is None else float(usual[row]),
                tuple(words),
                tuple(moves),
                None if texts[1] is None else texts[1][place],
                None if texts[2] is None else texts[2][place],
            )
        )
    return found


def _linked(inputs: SourceTexts, s: int, counts: _Counts, rows: Sequence[int], judged: Tokens) -> Places:
    """Return where the words of some segments stand through the source."""
    golds, systems = inputs.likely_links
    links = Alignments.concatenate([systems[s][row : row + 1] for row in rows])
    gold = None
    if golds:
        gold = Alignments.concatenate([golds[int(counts.reference[row])][row : row + 1] for row in rows])
    found = linked_places(judged.offsets, links, gold)
    found.at[_silent(judged)[judged.ids]] = NOWHERE
    return found


def _silent(tokens: Tokens) -> Bools:
    """Say which words of the vocabulary are punctuation, whose order is nobody's concern."""
    found: Bools = pc.match_substring_regex(tokens.vocabulary, PUNCTUATION).to_numpy(zero_copy_only=False)
    return found


def _texts(
    inputs: Texts, system: str, counts: _Counts, rows: Sequence[int]
) -> tuple[list[list[str]], list[str] | None, list[str] | None]:
    """Return the words of some segments, their source and reference, in the case they were given in."""
    (hypothesis,), golds = replace(inputs, lowercase=False).pick([system], rows)
    (words,) = tokenise([lines_of(hypothesis)], tokenizer=inputs.tokenizer)
    sources = None
    if isinstance(inputs, SourceTexts):
        sources = take_lines(inputs.source, np.array(rows)).to_pylist() if inputs.source is not None else None
    gold = [golds[int(counts.reference[row])][place] for place, row in enumerate(rows)] if golds else None
    return [words.words(place) for place in range(len(rows))], sources, gold


def _notes(inputs: Texts, usual: Usual | None) -> tuple[str, ...]:
    views = {
        MatchedTexts: "one view: matched words; with the source as a second view, more is found",
        SourceTexts: "two views: matched words, and source words through their alignment",
        MonotoneTexts: "one view: source words, against what is usual between the languages; much weaker than with a "
        "reference",
    }
    learnt = () if usual is None else (usual.note,)
    aligner = (note.partition("; intervals")[0] for note in inputs.notes)  # there are no intervals here
    return (views[type(inputs)], *learnt, *aligner)
