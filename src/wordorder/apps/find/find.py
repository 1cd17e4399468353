"""Find order errors: count pairs of words in the wrong order, sort segments, and mark the words that must move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack, cast

import numpy as np
import pyarrow.compute as pc

from wordorder.apps.find.expected_pairs import expect_pairs
from wordorder.apps.find.findings import Finding, Findings
from wordorder.apps.find.marking import find_moves, keep_words
from wordorder.apps.find.places import NOWHERE, WordPlaces, linked_places, matched_places
from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s
from wordorder.core.runtime.errors import InputError, UsageError, choices, count_of, mention
from wordorder.core.runtime.progress import progress
from wordorder.core.runtime.settings import accepts_options, settings_of
from wordorder.core.runtime.threads import map_chunks
from wordorder.core.text import Tokens, tokenise
from wordorder.core.text.checks import NOT_ALIKE, warn_about
from wordorder.core.text.tokens import PUNCTUATION, lines_of
from wordorder.linking.settings import ParsingSettings
from wordorder.metrics import metric
from wordorder.metrics.external_scores import ExternalScores
from wordorder.metrics.lexical import Matched
from wordorder.metrics.partial import OrderErrors, wrong_pairs
from wordorder.scoring.inputs import Inputs, make_inputs
from wordorder.scoring.inputs.texts import TextInputs, take_lines
from wordorder.scoring.options import InputOptions
from wordorder.scoring.score import warn_of_few_matches
from wordorder.version import __version__

_WITHOUT_MEANING = (
    *("order", "permutations", "source_lengths", "policy", "weight", "expected"),
    *("hyp_parses", "ref_parses", "parsing"),
)
"""Options of inputs that change nothing here; nor do the settings of parsing."""

VIEWS = {
    "matched": "one view: matched words; with the source as a second view, more is found",
    "source": "two views: matched words, and source words through their alignment",
    "monotone": "one view: source words, against what is usual between the languages; much weaker than with a "
    "reference",
}
"""The orders that can be compared (see :func:`wordorder.scoring.inputs.make_inputs`), and how notes describe them."""


@accepts_options(InputOptions)
def find(
    hyp: Any,
    ref: Any = None,
    *,
    worst: int | None = 10,
    confidence: float = 0.5,
    labels: Sequence[str] | None = None,
    by: str | None = None,
    threads: int = 1,
    **options: Unpack[InputOptions],
) -> Findings:
    """Find the segments whose words are probably in the wrong order, and the words that must move; the worst first.

    With a source and a reference there are two views, matched words and source words; with one of them there is one.
    Without a reference a translation is compared with what is usual between the languages: in the training text of
    the aligner, or else in the translations themselves; segments with the same label in ``labels`` are then compared
    with each other. Text is lower-cased unless ``lowercase=False``. ``worst=None`` returns every segment in which a
    word must move. Moves below a ``confidence`` are not shown. ``given`` scores, computed elsewhere, are shown next
    to ours, and ``by="comet"`` sorts by them, lowest first, the segments in which a word must move. For all other
    arguments see :func:`wordorder.scoring.inputs.make_inputs`.

    >>> found = find(["after dinner we often talk", "we talk"], ["we often talk after dinner", "we talk"])
    >>> [(one.segment, one.marked) for one in found]
    [(1, '[1 after dinner] we often talk →1')]
    """
    if worst is not None and worst < 1:
        raise UsageError(f"{mention('worst')} must be 1 or more, not {worst}")
    if not 0.0 <= confidence <= 1.0:
        raise UsageError(f"{mention('confidence')} must be from 0 to 1, not {confidence}")
    order, inputs = _make_inputs(hyp, ref, threads, options)
    if labels is not None and order != "monotone":
        raise UsageError("labels say which segments are alike where there is no reference; here there is one")
    scores = inputs.given_scores
    ranks = None if by is None else _rank_by(by, scores)
    texts = cast(TextInputs, inputs.without_scores)
    counts = _count(inputs, order, threads)
    usual = None
    if order == "monotone":
        usual = expect_pairs(cast(Any, texts), [each.source for each in counts], labels)
        counts = [each.against(expected) for each, expected in zip(counts, usual.pairs, strict=True)]
    only_moved = worst is None or ranks is not None
    chosen = _worst(counts, None if only_moved else worst)
    found = [
        replace(one, given={name: float(column[system][one.segment - 1]) for name, column in scores.items()})
        for s, system in enumerate(texts.systems)
        for one in _mark(texts, order, s, counts[s], chosen[s], None if usual is None else usual.pairs[s])
        if not only_moved or (one.moves and one.confidence >= confidence)
    ]
    found.sort(key=lambda one: (ranks[one.system][one.segment - 1] if ranks else 0.0, one.score))
    segments = sum(len(each.score) for each in counts)
    undefined = sum(int(np.isnan(each.score).sum()) for each in counts)
    if undefined > segments / 2 and not texts.text_warning:
        warn_about(f"no word is matched or aligned in {undefined} of {count_of(segments, 'segment')}; {NOT_ALIKE}")
    else:
        warn_of_few_matches(texts, (each.words.sum(axis=0) for each in counts))
    signature = {"find": "order-errors", **inputs.signature(()), "version": __version__}
    notes = [VIEWS[order], *([] if usual is None else [usual.note])]
    notes += [note.partition("; intervals")[0] for note in texts.notes]  # there are no intervals here
    shown = tuple(one.surer_than(confidence) for one in found[:worst])
    return Findings(shown, segments, undefined, signature, tuple(notes), by)


def _make_inputs(hyp: Any, ref: Any, threads: int, options: Any) -> tuple[str, Inputs]:
    """Return the order to compare, one of ``VIEWS``, and the inputs: texts, perhaps with given scores.

    Both views are used if there are a source and a reference.
    """
    if isinstance(hyp, Inputs):
        raise UsageError("give texts, not a finished input")
    source = options.get("source")
    if ref is None and source is None:
        raise UsageError(
            f"order errors are found with {mention('source')}, {mention('ref')} or both; give one of them"
        )
    for name in (*_WITHOUT_MEANING, *settings_of(ParsingSettings)):
        if options.get(name) is not None:
            raise UsageError(f"{mention(name)} has no meaning for order errors, which are found in text")
    order = "matched" if source is None else "monotone" if ref is None else "source"
    settings: Any = {"lowercase": True, **{name: value for name, value in options.items() if value is not None}}
    return order, make_inputs(hyp, ref, threads=threads, **settings | {"order": order})


def _rank_by(by: str, scores: Any) -> dict[str, Floats]:
    """Return the given scores by which findings are sorted, as a column for each system."""
    chosen = cast(ExternalScores, metric(f"given:{by.removeprefix('given:')}"))
    if chosen.scores not in scores:
        raise choices(chosen.scores, list(scores), what="name of given scores")
    return {system: chosen.rescale(column) for system, column in scores[chosen.scores].items()}


@dataclass(frozen=True, eq=False)
class _Counts:
    """Columns over the segments of one system: wrong pairs in each view, the score, and the reference it is based on.

    ``words`` counts the matched words of that reference and all of its words.
    """

    matched: Floats | None
    source: Floats
    score: Floats
    reference: Int64s
    words: Floats

    def against(self, usual: Floats) -> _Counts:
        """Return the same counts with scores that count only the pairs in excess of the usual number."""
        score = 1.0 / (1.0 + np.maximum(self.source - usual, 0.0))
        return replace(self, score=np.where(np.isnan(self.score), np.nan, score))


def _count(inputs: Inputs, order: str, threads: int) -> list[_Counts]:
    """Count wrong pairs in all segments of every system; of several references the most favourable one counts."""
    with_matches, with_links = order != "monotone", order != "matched"

    def work(batches: Sequence[Any]) -> list[tuple[Floats, Floats, Floats, Int64s, Floats]]:
        found = []
        for batch in batches:
            matched, linked, score = wrong_pairs(batch, matched=with_matches, linked=with_links)
            best = np.argmax(np.where(np.isnan(score), -1.0, score), axis=1)
            place = np.arange(len(best))
            words = Matched().statistics(batch)[place, best, :2] if with_matches else np.zeros((len(best), 2))
            found.append((matched[place, best], linked[place, best], score[place, best], best, words))
        return found

    batches = progress(inputs.batches((OrderErrors(),)), label="counting", unit=" blocks")
    blocks = list(map_chunks(work, batches, threads=threads))
    if not blocks:
        raise InputError("there is nothing to look at: the input has no segments")
    parts = [[np.concatenate(column) for column in zip(*system, strict=True)] for system in zip(*blocks, strict=True)]
    return [_Counts(part[0] if with_matches else None, *part[1:]) for part in parts]


def _worst(counts: Sequence[_Counts], count: int | None) -> list[list[int]]:
    """Return the rows to examine of each system: those with the lowest scores of all, or all with a score below 1."""
    scores = np.round(np.concatenate([each.score for each in counts]), 12)
    order = np.argsort(scores, kind="stable")
    order = order[scores[order] < 1.0][:count]  # NaN is not below 1
    size = len(counts[0].score)
    return [sorted(int(row) for row in order[order // size == s] % size) for s in range(len(counts))]


def _mark(
    texts: TextInputs, order: str, s: int, counts: _Counts, rows: Sequence[int], usual: Floats | None
) -> list[Finding]:
    """Mark the words that must move in some segments of the system at place ``s``."""
    if not rows:
        return []
    system = texts.systems[s]
    hypothesis, gold = _read(texts, system, counts, rows)
    tokens = tokenise(
        [lines_of(lines) for lines in (hypothesis, gold) if lines is not None], tokenizer=texts.tokenize
    )
    words = tokens[0]
    is_silent: Bools = pc.match_substring_regex(words.vocabulary, PUNCTUATION).to_numpy(zero_copy_only=False)
    views: list[WordPlaces] = []
    if gold is not None:
        matches = texts.matching.over(words.vocabulary)(words, tokens[1], None)
        views.append(matched_places(words, tokens[1], matches))
    if order != "matched":
        views.append(_place_through_source(texts, s, counts, rows, words))
    for view in views:
        view.at[is_silent[words.ids]] = NOWHERE  # the order of punctuation does not matter
    first, second = (*(view.at for view in views), np.full(len(words.ids), NOWHERE, dtype=np.int32))[:2]
    kept = keep_words(first, second, words.offsets)
    shown, gold_shown = _read(replace(texts, lowercase=False), system, counts, rows)
    (cased,) = tokenise([lines_of(shown)], tokenizer=texts.tokenize)
    sources = None if order == "matched" else take_lines(cast(Any, texts).source, np.array(rows)).to_pylist()
    found = []
    for place, row in enumerate(rows):
        start, stop = (int(end) for end in words.offsets[place : place + 2])
        moves = find_moves(kept[start:stop], [view.row(start, stop) for view in views])
        if usual is not None:  # what is usual between the languages is no error
            excess = max(0.0, 1.0 - float(usual[row]) / max(float(counts.source[row]), 1e-9))
            moves = [replace(move, confidence=move.confidence * excess) for move in moves]
        found.append(
            Finding(
                system,
                row + 1,
                float(counts.score[row]),
                None if counts.matched is None else int(counts.matched[row]),
                None if order == "matched" else float(counts.source[row]),
                None if usual is None else float(usual[row]),
                tuple((cased if cased.lengths[place] == stop - start else words).words(place)),
                tuple(moves),
                None if sources is None else sources[place],
                None if gold_shown is None else gold_shown[place],
            )
        )
    return found


def _read(texts: TextInputs, system: str, counts: _Counts, rows: Sequence[int]) -> tuple[list[str], list[str] | None]:
    """Read some lines of a system, and of the references their scores are based on if there are references."""
    (hypothesis,), golds = texts.pick([system], rows)
    if not golds:
        return hypothesis, None
    return hypothesis, [golds[int(counts.reference[row])][place] for place, row in enumerate(rows)]


def _place_through_source(texts: Any, s: int, counts: _Counts, rows: Sequence[int], words: Tokens) -> WordPlaces:
    """Return the places of the words of some segments through the source."""
    golds, systems = texts.likely_links
    links = Alignments.concatenate([systems[s][row : row + 1] for row in rows])
    gold = None
    if golds:
        gold = Alignments.concatenate([golds[int(counts.reference[row])][row : row + 1] for row in rows])
    return linked_places(words.offsets, links, gold)
