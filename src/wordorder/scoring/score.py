"""``score()``: everything ``wordorder score`` does, in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from wordorder.formats import ALIGNMENT_FORMATS
from wordorder.metrics import Metric, Need, parse_metrics
from wordorder.metrics.registry import MONOTONE_DEFAULTS, ORDER_DEFAULTS, TEXT_DEFAULTS
from wordorder.orders.alignment import Alignment, Alignments
from wordorder.orders.projection import DEFAULT_POLICY
from wordorder.runtime.errors import UsageError, choices
from wordorder.scoring.evaluate import evaluate
from wordorder.scoring.expected import ExpectedScores, expect
from wordorder.scoring.inputs import (
    AlignmentSource,
    Blocks,
    LengthSource,
    PermutationSource,
    TextInputs,
    TextSource,
    alignment_batches,
    alignment_blocks,
    length_blocks,
    permutation_batches,
    text_batches,
)
from wordorder.scoring.matchers import Matching
from wordorder.scoring.scores import Resampling, Scores
from wordorder.scoring.through_source import Aligning, SourceTexts, monotone_batches, set_dk, source_batches

Source = TypeVar("Source")

WEIGHTS = ("segments", "ref-length")
ORDERS = ("matched", "source", "monotone")
REFERENCE = "reference"


@dataclass
class _Plan:
    """What is to be scored: blocks of batches, the systems in them, the metrics, and what the signature says."""

    systems: list[str]
    blocks: Blocks
    metrics: tuple[Metric, ...]
    inputs: dict[str, Any]
    texts: TextInputs | None = None
    baseline: str | None = None


def score(
    hypotheses: Mapping[str, TextSource] | TextSource | None = None,
    references: TextSource | Sequence[TextSource] | None = None,
    *,
    source: TextSource | None = None,
    order: str | None = None,
    permutations: Mapping[str, PermutationSource] | PermutationSource | None = None,
    hypothesis_alignments: Mapping[str, AlignmentSource] | AlignmentSource | None = None,
    reference_alignments: AlignmentSource | Sequence[AlignmentSource] | None = None,
    source_lengths: LengthSource | None = None,
    metrics: str | None = None,
    tokenizer: str = "13a",
    lowercase: bool = False,
    matching: Matching | None = None,
    aligning: Aligning | None = None,
    policy: str = DEFAULT_POLICY,
    align_format: str = "pharaoh",
    base: int | None = None,
    reference_choice: str = "closest",
    weight: str = "segments",
    documents: Sequence[str] | None = None,
    buckets: Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "bootstrap",
    resample: str = "segments",
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
) -> Scores:
    """Score translations against references or their source, or word orders given as permutations or alignments.

    ``order`` says what is compared: ``matched`` (default with references) takes the words that hypothesis and
    reference share; ``source`` compares the order of the source words in both, through word alignments; ``monotone``
    (default with a source only) compares each translation with the source itself.

    Several systems are a mapping from name to file or data; a single one may be given as it is. A text is a file
    name, a list of lines, an Arrow column or a pandas series; several references are a list of those (of files:
    ``pathlib.Path`` objects, for a list of strings is one text, line by line).

    >>> scores = score(["the cat sat down", "a dog"], ["down sat the cat", "a dog"], metrics="kendall,bleu1")
    >>> scores.values.round(3).tolist()
    [[0.583, 1.0, 1.0]]
    >>> scores = score(permutations={"A": ["1 2 3", "2 1 3"], "B": ["3 2 1", "1 2 3"]}, metrics="kendall,hamming")
    >>> scores.values.round(3).tolist()
    [[0.833, 0.667], [0.5, 0.667]]
    """
    if weight not in WEIGHTS:
        raise choices(weight, list(WEIGHTS), what="weight")
    if order is not None and order not in ORDERS:
        raise choices(order, list(ORDERS), what="order")
    if align_format not in ALIGNMENT_FORMATS:
        raise choices(align_format, list(ALIGNMENT_FORMATS), what="alignment format")
    links = {"align_format": align_format, "base": ALIGNMENT_FORMATS[align_format].base if base is None else base}
    if permutations is not None:
        if hypotheses is not None or hypothesis_alignments is not None:
            raise UsageError("permutations already are word orders; they go with neither text nor alignments")
        plan = _plan_permutations(_named(permutations), metrics, base)
    elif hypotheses is not None:
        gold = _listed(references, of=str)
        order = order or ("matched" if gold else "monotone")
        texts = TextInputs(_named(hypotheses), gold, tokenizer, lowercase, matching or Matching())
        if order == "matched":
            plan = _plan_matched(texts, metrics, weight)
        else:
            if source is None:
                raise UsageError(f"the order '{order}' needs the source text")
            through = SourceTexts(
                texts,
                source,
                aligning or Aligning(),
                _listed(reference_alignments, of=Alignment),
                None if hypothesis_alignments is None else _named(hypothesis_alignments),
                align_format,
                base,
                threads,
            )
            plan = (_plan_source if order == "source" else _plan_monotone)(through, metrics, policy, weight)
            if hypothesis_alignments is not None or reference_alignments is not None:
                plan.inputs |= links
    elif hypothesis_alignments is not None:
        linked: dict[str, AlignmentSource] = _named(hypothesis_alignments)
        gold = _listed(reference_alignments, of=Alignment)
        order = order or ("source" if gold else "monotone")
        if order == "matched":
            raise UsageError("the order 'matched' is read off text; with alignments use 'source' or 'monotone'")
        options: dict[str, Any] = {"format": align_format, "base": base}
        lengths: dict[str, Any] = {"source": source, "source_lengths": source_lengths}
        if order == "source":
            blocks = alignment_batches(linked, gold, policy=policy, **options, **lengths)
            plan = _plan_orders(linked, blocks, metrics, {"order": "source", "policy": policy}, len(gold))
        else:
            plan = _plan_aligned(linked, gold, metrics, policy, options, lengths)
        plan.inputs |= links
    else:
        raise UsageError("give one of: hypotheses, permutations, hypothesis alignments")
    if plan.inputs.get("references", 1) > 1:
        plan.inputs["reference_choice"] = reference_choice
    if weight != "segments":
        if plan.texts is None:
            raise UsageError(f"the weight '{weight}' needs references as text")
        plan.inputs["weight"] = weight
    return evaluate(
        plan.blocks,
        plan.systems,
        plan.metrics,
        inputs=plan.inputs,
        reference_choice=reference_choice,
        resampling=Resampling(samples, seed, threads, resample),
        documents=None if documents is None else tuple(documents),
        baseline=baseline if baseline is not None else plan.baseline,
        test=test,
        texts=plan.texts,
        buckets=None if buckets is None else tuple(buckets),
    )


def expected_scores(
    hypotheses: Mapping[str, TextSource] | TextSource,
    references: TextSource | Sequence[TextSource] | None = None,
    *,
    source: TextSource,
    order: str = "monotone",
    metrics: str | None = None,
    draws: int = 20,
    tokenizer: str = "13a",
    lowercase: bool = False,
    aligning: Aligning | None = None,
    policy: str = DEFAULT_POLICY,
    seed: int = 12345,
    threads: int = 1,
) -> ExpectedScores:
    """Score alignments sampled from the aligner's posteriors: how much of a difference is alignment noise?"""
    if order not in ("source", "monotone"):
        raise UsageError(f"expected scores are over alignments with the source; the order '{order}' has none")
    texts = TextInputs(_named(hypotheses), _listed(references, of=str), tokenizer, lowercase, Matching())
    through = SourceTexts(texts, source, aligning or Aligning(), threads=threads)
    gold = len(texts.references)
    columns = [through.posteriors(place) for place in range(1, 1 + gold + len(texts.systems))]
    resampling = Resampling(0, seed, threads)

    def score_draw(links: Sequence[Alignments]) -> Scores:
        drawn = through.with_links(links[:gold], links[gold:])
        plan = (_plan_source if order == "source" else _plan_monotone)(drawn, metrics, policy, "segments")
        return evaluate(plan.blocks, plan.systems, plan.metrics, inputs=plan.inputs, resampling=resampling)

    return expect(score_draw, columns, draws=draws, seed=seed)


def system_name(path: str | os.PathLike[str]) -> str:
    """Name a system after its file, without ``.gz`` and ``.txt``.

    >>> system_name("runs/online-A.txt.gz")
    'online-A'
    """
    name = os.path.basename(os.fspath(path))
    return name.removesuffix(".gz").removesuffix(".txt") or os.fspath(path)


def _plan_permutations(systems: dict[str, PermutationSource], metrics: str | None, base: int | None) -> _Plan:
    inputs = {"order": "permutations", "base": 1 if base is None else base}
    return _plan_orders(systems, permutation_batches(systems, base=base), metrics, inputs, 0)


def _plan_orders(
    systems: Mapping[str, Any], blocks: Blocks, metrics: str | None, inputs: dict[str, Any], references: int
) -> _Plan:
    chosen = parse_metrics(metrics or ORDER_DEFAULTS, available=frozenset({Need.ORDER}))
    if references:
        inputs["references"] = references
    return _Plan(list(systems), blocks, chosen, inputs)


def _plan_matched(texts: TextInputs, metrics: str | None, weight: str) -> _Plan:
    inputs = {"order": "matched", **_text_inputs(texts)}
    chosen = _with_matched(metrics)
    return _Plan(list(texts.systems), text_batches(texts, weight=weight), chosen, inputs, texts)


def _plan_source(texts: SourceTexts, metrics: str | None, policy: str, weight: str) -> _Plan:
    if not texts.inputs.references:
        raise UsageError("the order 'source' needs a reference; without one use the order 'monotone'")
    dk = texts.dk(policy)
    chosen = set_dk(_with_matched(metrics), dk)
    inputs = {
        "order": "source",
        "policy": policy,
        "aligner": str(texts.aligning),
        "dk": round(dk, 4),
        **_text_inputs(texts.inputs),
    }
    blocks = source_batches(texts, policy=policy, weights=weight)
    return _Plan(list(texts.inputs.systems), blocks, chosen, inputs, texts.inputs)


def _plan_monotone(texts: SourceTexts, metrics: str | None, policy: str, weight: str) -> _Plan:
    inputs = {
        "order": "monotone",
        "policy": policy,
        "aligner": str(texts.aligning),
        "tokenizer": texts.inputs.tokenizer,
        "case": "lower" if texts.inputs.lowercase else "mixed",
    }
    names = _reference_names(len(texts.inputs.references), list(texts.inputs.systems))
    columns = [*texts.reference_links, *texts.system_links]
    return _plan_columns(names, list(texts.inputs.systems), columns, metrics, MONOTONE_DEFAULTS, policy, inputs)


def _plan_aligned(
    systems: dict[str, AlignmentSource],
    references: list[AlignmentSource],
    metrics: str | None,
    policy: str,
    options: dict[str, Any],
    lengths: dict[str, Any],
) -> _Plan:
    columns = [
        Alignments.concatenate(
            list(alignment_blocks(links, **options, source_lengths=length_blocks(*lengths.values())))
        )
        for links in [*references, *systems.values()]
    ]
    names = _reference_names(len(references), list(systems))
    default = "kendall-sqrt,pef,crossing-rate,jump"  # without the texts, nothing is known of words without links
    return _plan_columns(
        names, list(systems), columns, metrics, default, policy, {"order": "monotone", "policy": policy}
    )


def _plan_columns(
    references: list[str],
    systems: list[str],
    columns: list[Alignments],
    metrics: str | None,
    default: str,
    policy: str,
    inputs: dict[str, Any],
) -> _Plan:
    """Plan texts against the source; references are scored beside the systems: what do people do?"""
    for name, column in zip([*references, *systems], columns, strict=True):
        if len(column) != len(columns[0]):
            raise UsageError(f"{name} has {len(column)} alignments, expected {len(columns[0])}")
    chosen = parse_metrics(metrics or default, available=frozenset({Need.ORDER, Need.SOURCE_ORDER}))
    blocks = monotone_batches(columns, policy=policy)
    return _Plan(
        [*references, *systems], blocks, chosen, inputs, baseline=references[0] if references and systems else None
    )


def _reference_names(count: int, systems: list[str]) -> list[str]:
    names = [REFERENCE if count == 1 else f"{REFERENCE}{number}" for number in range(1, count + 1)]
    for name in names:
        if name in systems:
            raise UsageError(f"a system is called {name!r}; name it otherwise: NAME=FILE")
    return names


def _text_inputs(texts: TextInputs) -> dict[str, Any]:
    return {
        "match": str(texts.matching),
        "tokenizer": texts.tokenizer,
        "case": "lower" if texts.lowercase else "mixed",
        "references": len(texts.references),
    }


def _with_matched(metrics: str | None) -> tuple[Metric, ...]:
    """Add the share of matched words: one matched word scores 1, so a table must say how many there were."""
    available = frozenset({Need.ORDER, Need.TEXT})
    chosen = parse_metrics(metrics or TEXT_DEFAULTS, available=available)
    if any(metric.name == "matched" for metric in chosen):
        return chosen
    return (*chosen, *parse_metrics("matched", available=available))


def _named(sources: Mapping[str, Source] | Source) -> dict[str, Source]:
    if isinstance(sources, Mapping):
        if not sources:
            raise UsageError("no system to score")
        return dict(sources)
    if isinstance(sources, (str, os.PathLike)):
        return {system_name(sources): cast(Source, sources)}
    return {"system": sources}


def _listed(references: Any, *, of: type) -> list[Any]:
    """Give a list of references: a file, a column or a list of sentences (of type ``of``) is one of them.

    >>> _listed(["a b", "c"], of=str), len(_listed([["a b"], ["c d"]], of=str))
    ([['a b', 'c']], 2)
    """
    if references is None or (isinstance(references, (list, tuple)) and not references):
        return []
    several = isinstance(references, (list, tuple)) and not isinstance(references[0], of)
    return list(references) if several else [references]
