"""Minimum Bayes risk: choose the translation that is most similar to all others, weighted by their probabilities.

The expected utility of a hypothesis is its mean segment score when each translation in the evidence (the same or
other lists) serves as the reference, weighted by its probability (Kumar & Byrne 2004; with samples: Eikema & Aziz
2020).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np

from wordorder.apps.nbest.nbest import NBest
from wordorder.apps.nbest.scored_lists import warn_if_order_only
from wordorder.core.runtime.columns import Floats, Int64s, Ints, Offsets, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError, check_choice, mention, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.plain import to_number
from wordorder.core.runtime.threads import budget_spans, map_chunks, progress, spans
from wordorder.core.text import DEFAULT_TOKENIZER, lower_lines, tokenise
from wordorder.core.text.tokenizers import join_subwords as join
from wordorder.core.trees import DependencyTrees, ParseLists, lower_words, take_lists
from wordorder.linking.matching import Matching
from wordorder.linking.parsing import Parsing
from wordorder.linking.parsing.parsing import SEGMENTS_PER_BLOCK
from wordorder.metrics import Batch, Metric, Need, Text
from wordorder.metrics.registry import MetricSelection, choose_metrics

DIGITS = 12
"""Utilities that are equal after rounding to this many digits count as equal."""


@dataclass(frozen=True)
class Posterior:
    """A method for estimating the probability of a translation, from either its frequency or its score.

    >>> Posterior.parse("score:scale=0.5")
    Posterior(kind='score', scale=0.5)
    """

    kind: str = "count"
    scale: float = 1.0

    @classmethod
    def parse(cls, written: str) -> "Posterior":
        """Parse ``count`` (for samples), ``score`` (for n-best lists) or ``score:scale=0.5``."""
        kind, _, setting = written.partition(":")
        check_choice(kind, ("count", "score"), "posterior")
        if not setting:
            return cls(kind)
        key, _, value = setting.partition("=")
        scale = to_number(value)
        if kind != "score" or key != "scale" or not 0 <= scale < np.inf:
            raise UsageError(f"posterior {written!r}: expected count, score or score:scale=NUMBER")
        return cls(kind, scale)

    def of(self, lists: NBest) -> Floats:
        """Return the probability of each hypothesis; the probabilities sum to 1 for each sentence."""
        if self.kind == "count":
            return 1.0 / np.diff(lists.offsets)[lists.sentences]
        if lists.totals is None:
            raise UsageError(
                f"{lists.name} has no total scores from which to derive probabilities; use "
                f"{mention('posterior', 'count')}"
            )
        totals = lists.rank * self.scale
        starts = lists.offsets[:-1]
        with np.errstate(invalid="ignore"):
            raised = np.exp(totals - np.maximum.reduceat(totals, starts)[lists.sentences])
        raised = np.nan_to_num(raised, nan=1.0)  # if all totals are −∞
        return raised / np.add.reduceat(raised, starts)[lists.sentences]


@dataclass(frozen=True, eq=False)
class _Distinct:
    """The distinct texts of each sentence; sentence i has those from ``offsets[i]`` to ``offsets[i + 1] - 1``."""

    numbers: Ints
    offsets: Offsets
    share: Floats
    of: Ints
    """For each hypothesis, the index of its distinct text."""

    @classmethod
    def make(cls, lists: NBest, posterior: Posterior) -> "_Distinct":
        rows, of = lists.distinct()
        counts = np.bincount(lists.sentences[rows], minlength=len(lists))
        share: Floats = np.bincount(of, weights=posterior.of(lists), minlength=len(rows)).astype(np.float64)
        return cls(lists.text[rows], offsets_from_lengths(counts), share, of)


def mbr(
    lists: NBest,
    utility: str | Metric = "lr-kb4",
    *,
    evidence: NBest | None = None,
    posterior: str = "count",
    **settings: Any,
) -> list[str]:
    """Return, for each sentence, the translation with the highest expected utility.

    Each translation is compared with the evidence, which is the lists themselves or other lists for the same
    sentences. Of translations with equal utility, the most probable is chosen; of equally probable ones, the first.
    ``settings`` are passed to :func:`expected_utilities`.

    >>> mbr(NBest.of([["a b c", "c b a", "a b d"]]), "lr-kb1")
    ['a b c']
    """
    return lists.lines_of_choice(choose_by_risk(lists, utility, evidence=evidence, posterior=posterior, **settings))


def choose_by_risk(
    lists: NBest, utility: str | Metric = "lr-kb4", *, posterior: str = "count", **settings: Any
) -> Int64s:
    """Return, for each sentence, the index of the hypothesis with the highest expected utility."""
    (metric,) = choose_metrics(utility, available=_offered(settings.get("parsing")))[:1]
    warn_if_order_only(metric, "choosing by it")
    (values,) = expected_utilities(lists, metric, posterior=posterior, **settings)
    how = Posterior.parse(posterior)
    if how.kind == "score" and lists.totals is None:  # only the evidence has total scores
        how = Posterior()
    known = _Distinct.make(lists, how)
    places = np.arange(len(values))
    order = np.lexsort((places, -known.share[known.of], -np.round(values, DIGITS), lists.sentences))
    return order[lists.offsets[:-1]]


def expected_utilities(
    lists: NBest,
    metrics: MetricSelection,
    *,
    evidence: NBest | None = None,
    posterior: str = "count",
    tokenize: str = DEFAULT_TOKENIZER,
    lowercase: bool = False,
    join_subwords: bool = False,
    matching: Matching | None = None,
    parsing: Parsing | None = None,
    threads: int = 1,
) -> Floats:
    """Return the expected utility of each hypothesis under each metric, ``[metrics, hypotheses]``.

    Each distinct hypothesis is scored once against each distinct translation of the sentence in the evidence.
    Undefined scores count as 0. ``parsing`` is the grammar or parser for metrics that compare parses, such as
    ``edpm``. The result does not depend on the number of threads.
    """
    chosen = choose_metrics(metrics, available=_offered(parsing))
    for metric in chosen:
        refuse(metric.forest, f"{metric} needs packed forests, but here only lists of parses are compared")
    other = lists if evidence is None else evidence
    if not np.array_equal(lists.ids, other.ids):
        missing = np.setxor1d(lists.ids, other.ids)
        raise InputError(
            f"{lists.name} and {other.name} must have the same sentences; only one of them has sentence {missing[0]}"
        )
    how = Posterior.parse(posterior)
    scored, gold = _Distinct.make(lists, Posterior()), _Distinct.make(other, how)
    pairs = np.diff(scored.offsets) * np.diff(gold.offsets)
    if evidence is None and len(scored.share) and (np.diff(scored.offsets) == 1).all():
        warn(f"{lists.name}: no sentence has more than one translation", InputWarning, stacklevel=2)
    texts = _Texts(lists, other, tokenize, lowercase, join_subwords, matching or Matching(), parsing)

    def work(span: tuple[int, int]) -> Floats:
        return _utilities(texts, scored, gold, chosen, span)

    blocks = budget_spans(pairs, LINES_PER_BLOCK)
    found = map_chunks(work, progress(blocks, label="comparing", total=len(blocks), unit=" blocks"), threads=threads)
    return np.concatenate(list(found), axis=1)[:, scored.of]


def _offered(parsing: Parsing | None) -> frozenset[Need]:
    return frozenset({Need.ORDER, Need.TEXT} | ({Need.PARSES} if parsing is not None else set()))


@dataclass(frozen=True, eq=False)
class _Texts:
    """The texts of the lists and of the evidence, and the settings for splitting them into words."""

    lists: NBest
    evidence: NBest
    tokenizer: str
    lowercase: bool
    join_subwords: bool
    matching: Matching
    parsing: Parsing | None

    def take(self, numbers: Ints, gold: Ints) -> tuple[Any, Any]:
        """Return the given texts of the lists and of the evidence, with joined subwords if requested."""
        columns = [self.lists.texts.take(numbers), self.evidence.texts.take(gold)]
        columns = list(map(join, columns)) if self.join_subwords else columns
        return columns[0], columns[1]

    def parse(self, lines: Sequence[Any], n: int) -> list[ParseLists[DependencyTrees]]:
        """Parse the lists and the evidence in their original case, unless no metric uses parses (``n`` is 0)."""
        if not n or self.parsing is None:
            return []
        found = [self.parsing.parse_distinct(column, tokenizer=self.tokenizer, n=n) for column in lines]
        return list(map(lower_words, found)) if self.lowercase else found


def _utilities(
    texts: _Texts, scored: _Distinct, gold: _Distinct, metrics: Sequence[Metric], span: tuple[int, int]
) -> Floats:
    """Return the expected utilities, ``[metrics, texts]``, of the distinct texts of the sentences in ``span``."""
    one, two = (slice(known.offsets[span[0]], known.offsets[span[1]]) for known in (scored, gold))
    lines = texts.take(scored.numbers[one], gold.numbers[two])
    parses = texts.parse(lines, max(metric.parses for metric in metrics))
    lines = (lower_lines(lines[0]), lower_lines(lines[1])) if texts.lowercase else lines
    words = tokenise(lines, tokenizer=texts.tokenizer)
    match, weighted = texts.matching.over(words[0].vocabulary), texts.matching.weighted
    starts, ends = gold.offsets[span[0] : span[1]] - two.start, gold.offsets[span[0] + 1 : span[1] + 1] - two.start
    sentence = rows_of(scored.offsets[span[0] : span[1] + 1] - one.start)
    counts = (ends - starts)[sentence]  # the number of pairs per hypothesis
    offsets = offsets_from_lengths(counts)
    left = rows_of(offsets)
    right = np.arange(offsets[-1]) - offsets[:-1][left] + starts[sentence][left]
    total = np.zeros((len(metrics), len(sentence)))
    for start, stop in spans(len(left), SEGMENTS_PER_BLOCK if parses else LINES_PER_BLOCK):
        mine, theirs = left[start:stop], right[start:stop]
        references = (words[1].take(theirs),)
        sides = lines[0].take(mine), (lines[1].take(theirs),)
        batch = Batch(text=Text(words[0].take(mine), references, *sides, match, weighted))
        if parses:
            batch = batch.with_parses(take_lists(parses[0], mine), take_lists(parses[1], theirs))
        for place, metric in enumerate(metrics):
            scores = np.nan_to_num(metric.segment(metric.statistics(batch)[:, 0]), nan=0.0)
            total[place] += np.bincount(mine, weights=scores * gold.share[two][theirs], minlength=len(sentence))
    return total
