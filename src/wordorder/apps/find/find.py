"""Find order errors: count word pairs in the wrong order, rank the segments, and mark the words that must move."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack, cast

import numpy as np

from wordorder.apps.find.expected_pairs import expect_pairs
from wordorder.apps.find.findings import Finding, Findings
from wordorder.apps.find.marking import WordPlaces, find_moves, joint_views, keep_words, place_words, read_lines
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import UsageError, check_choice, count_of, mention, refuse, reject
from wordorder.core.runtime.settings import accepts_options, settings_of
from wordorder.core.runtime.threads import map_chunks, progress
from wordorder.core.text import tokenise
from wordorder.core.text.checks import NOT_ALIKE, warn_about
from wordorder.core.text.tokens import lines_of
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
"""Input options, besides parsing settings, that cannot be used to find order errors."""

VIEWS = {
    "matched": "one view: matched words; with the source as a second view, more is found",
    "source": "two views: matched words, and source words through their alignment",
    "monotone": "one view: source words, against what is usual between the languages; much weaker than with a "
    "reference",
}
"""The kinds of order that can be compared, with descriptions (see :func:`wordorder.scoring.inputs.make_inputs`)."""


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
    """Find the segments whose words are probably in the wrong order, worst first, and the words that must move.

    With a reference, the order of the words that match it is compared with the reference. If a source is given as
    well, the order of the source words is compared, too, through word alignments. Without a reference, the order is
    compared with the usual order of translations, which is learnt from the training text of the aligner or, without
    such text, from the translations themselves; with ``labels``, it is learnt separately for each label. Text is
    lowercased unless ``lowercase=False``.

    The ``worst`` segments are returned; ``worst=None`` returns every segment in which a word must move. Moves whose
    confidence is lower than ``confidence`` are left out. External scores (``given``) are shown next to the order
    scores; ``by="comet"`` returns segments in which a word must move, sorted by the external scores with this name,
    lowest first. For all other arguments, see :func:`wordorder.scoring.inputs.make_inputs`.

    >>> found = find(["after dinner we often talk", "we talk"], ["we often talk after dinner", "we talk"])
    >>> [(one.segment, one.marked) for one in found]
    [(1, '[1 after dinner] we often talk →1')]
    """
    refuse(worst is not None and worst < 1, f"{mention('worst')} must be 1 or more, not {worst}")
    refuse(not 0.0 <= confidence <= 1.0, f"{mention('confidence')} must be from 0 to 1, not {confidence}")
    order, inputs = find_inputs(hyp, ref, threads, options)
    if labels is not None and order != "monotone":
        raise UsageError(
            f"{mention('labels')} can only be used without a reference; leave out {mention('labels')} or "
            f"{mention('ref')}"
        )
    scores = inputs.given_scores
    ranks = None if by is None else _rank_by(by, scores)
    texts = cast(TextInputs, inputs.without_scores)
    counts = count_wrong_pairs(inputs, order, threads)
    usual, notes = None, [VIEWS[order]]
    if order == "monotone":
        usual, note = expect_pairs(cast(Any, texts), [each.source for each in counts], labels)
        counts, notes = [each.against(usual) for each in counts], [*notes, note]
    only_moved = worst is None or ranks is not None
    chosen = _worst(counts, None if only_moved else worst)
    found = [
        replace(one, given={name: float(column[system][one.segment - 1]) for name, column in scores.items()})
        for s, system in enumerate(texts.systems)
        for one in mark(texts, order, s, counts[s], chosen[s], usual)
        if not only_moved or (one.moves and one.confidence >= confidence)
    ]
    found.sort(key=lambda one: (ranks[one.system][one.segment - 1] if ranks else 0.0, one.score))
    segments = sum(len(each.score) for each in counts)
    undefined = sum(int(np.isnan(each.score).sum()) for each in counts)
    if undefined > segments / 2 and not texts.text_warning:
        warn_about(f"no word is matched or aligned in {undefined} of {count_of(segments, 'segment')}; {NOT_ALIKE}")
    else:
        notes += warn_of_few_matches(texts, (each.words.sum(axis=0) for each in counts))
    signature = {"find": "order-errors", **inputs.signature(()), "version": __version__}
    notes += [note.partition("; intervals")[0] for note in texts.notes]  # there are no intervals here
    for place, one in enumerate(found := found[:worst]):
        found[place] = replace(one, moves=tuple(move for move in one.moves if move.confidence >= confidence))
    return Findings(tuple(found), segments, undefined, signature, tuple(notes), by)


def find_inputs(hyp: Any, ref: Any, threads: int, options: Any) -> tuple[str, Inputs]:
    """Return the kind of order to compare, and the inputs.

    The kind is ``matched`` if only a reference is given, ``monotone`` for only a source, and ``source`` for both.
    """
    if isinstance(hyp, Inputs):
        raise UsageError("expected translations as files or lists of lines, not as the result of make_inputs")
    source = options.get("source")
    if ref is None and source is None:
        raise UsageError(
            f"the word order has to be compared with a reference or the source; give {mention('source')}, "
            f"{mention('ref')} or both"
        )
    for name in (*_WITHOUT_MEANING, *settings_of(ParsingSettings)):
        if options.get(name) is not None:
            raise UsageError(f"{mention(name)} cannot be used to find order errors in plain text; leave it out")
    order = "matched" if source is None else "monotone" if ref is None else "source"
    settings: Any = {"lowercase": True, **{name: value for name, value in options.items() if value is not None}}
    return order, make_inputs(hyp, ref, threads=threads, **settings | {"order": order})


def _rank_by(by: str, scores: Any) -> dict[str, Floats]:
    """Return the external scores by which findings are sorted, as an array over segments for each system."""
    chosen = cast(ExternalScores, metric(f"given:{by.removeprefix('given:')}"))
    check_choice(chosen.scores, scores, "name of given scores")
    return {system: chosen.rescale(column) for system, column in scores[chosen.scores].items()}


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Arrays over the segments of one system.

    ``matched`` and ``source`` are the numbers of pairs of matched words and of source words in the wrong order, and
    ``reference`` is the index of the reference used for ``score``. ``words`` has two columns: the numbers of matched
    words and of all words.
    """

    matched: Floats | None
    source: Floats
    score: Floats
    reference: Int64s
    words: Floats

    def against(self, usual: Floats) -> "PairCounts":
        """Return the same counts with new scores, which only penalise the pairs in excess of the usual number."""
        score = 1.0 / (1.0 + np.maximum(self.source - usual, 0.0))
        return replace(self, score=np.where(np.isnan(self.score), np.nan, score))


def count_wrong_pairs(inputs: Inputs, order: str, threads: int) -> list[PairCounts]:
    """Count the word pairs in the wrong order in all segments of every system.

    If there are several references, the one with the highest score is used for each segment.
    """
    with_matches, with_links = order != "monotone", order != "matched"

    def work(batches: Sequence[Any]) -> list[tuple[Floats, Floats, Floats, Int64s, Floats]]:
        found = []
        for batch in batches:
            matched, linked, score = wrong_pairs(batch, matched=with_matches, linked=with_links, case=True)
            best = np.argmax(np.where(np.isnan(score), -1.0, score), axis=1)
            place = np.arange(len(best))
            words = Matched().statistics(batch)[place, best] if with_matches else np.zeros((len(best), 2))
            found.append((matched[place, best], linked[place, best], score[place, best], best, words))
        return found

    batches = progress(inputs.batches((OrderErrors(),)), label="counting", unit=" blocks")
    blocks = list(map_chunks(work, batches, threads=threads))
    reject(not blocks, "the texts are empty; expected one sentence per line")
    parts = [[np.concatenate(column) for column in zip(*system, strict=True)] for system in zip(*blocks, strict=True)]
    return [PairCounts(part[0] if with_matches else None, *part[1:]) for part in parts]


def _worst(counts: Sequence[PairCounts], count: int | None) -> list[list[int]]:
    """Find the ``count`` segments with the lowest scores over all systems; return the row numbers for each system.

    Segments whose score is 1 or undefined are left out. If ``count`` is None, all others are returned.
    """
    scores = np.round(np.concatenate([each.score for each in counts]), 12)
    order = np.argsort(scores, kind="stable")
    order = order[scores[order] < 1.0][:count]  # NaN is not below 1
    size = len(counts[0].score)
    return [sorted(int(row) for row in order[order // size == s] % size) for s in range(len(counts))]


def mark(
    texts: TextInputs, order: str, s: int, counts: PairCounts, rows: Sequence[int], usual: Floats | None = None
) -> list[Finding]:
    """Return the findings for the segments ``rows`` of system number ``s``, with the words that must move."""
    if not rows:
        return []
    system, references = texts.systems[s], counts.reference[rows]
    words, views = place_words(texts, order, s, references, rows)
    kept = keep_words(*joint_views(views), words.offsets)
    shown, gold_shown = read_lines(replace(texts, lowercase=False), system, references, rows)
    (cased,) = tokenise([lines_of(shown)], tokenizer=texts.tokenize)
    sources = None if order == "matched" else take_lines(cast(Any, texts).source, np.array(rows)).to_pylist()
    found = []
    for place, row in enumerate(rows):
        start, stop = (int(end) for end in words.offsets[place : place + 2])
        moves = find_moves(kept[start:stop], [WordPlaces(view.at[start:stop], view.sure[start:stop]) for view in views])
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
