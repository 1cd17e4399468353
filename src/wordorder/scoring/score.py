"""``score()``: everything ``wordorder score`` does, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wordorder.orders.alignment import Alignment, Alignments
from wordorder.orders.projection import DEFAULT_POLICY, POLICIES
from wordorder.runtime.errors import UsageError, choices
from wordorder.scoring.evaluate import evaluate
from wordorder.scoring.expected import ExpectedScores, expect
from wordorder.scoring.inputs import (
    AlignmentSource,
    LengthSource,
    PermutationSource,
    TextInputs,
    TextSource,
    alignment_batches,
)
from wordorder.scoring.matchers import Matching
from wordorder.scoring.naming import linked, listed, named
from wordorder.scoring.parse_inputs import ParseInputs
from wordorder.scoring.parsers import Parsing
from wordorder.scoring.parses import ParsedText, ParseSource
from wordorder.scoring.plans import (
    Plan,
    link_inputs,
    plan_aligned,
    plan_matched,
    plan_monotone,
    plan_orders,
    plan_permutations,
    plan_source,
)
from wordorder.scoring.scores import Resampling, Scores
from wordorder.scoring.through_source import Aligning, SourceTexts
from wordorder.trees import ConstituencyTree, DependencyTree

WEIGHTS = ("segments", "ref-length")
ORDERS = ("matched", "source", "monotone")


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
    hypothesis_parses: Mapping[str, ParseSource] | ParseSource | None = None,
    reference_parses: ParseSource | Sequence[ParseSource] | None = None,
    metrics: str | Sequence[str] | None = None,
    tokenizer: str = "13a",
    lowercase: bool = False,
    matching: Matching | None = None,
    aligning: Aligning | None = None,
    parsing: Parsing | None = None,
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

    Metrics of dependencies (``edpm``) take parses that are given, or ``parsing`` makes them from the text:
    ``parsing=Parsing("en.grammar")``. Parses without any text stand for it: their words are the text.

    >>> scores = score(["the cat sat down", "a dog"], ["down sat the cat", "a dog"], metrics="kendall,bleu1")
    >>> scores.values.round(3).tolist()
    [[0.583, 1.0, 1.0]]
    >>> scores = score(permutations={"A": ["1 2 3", "2 1 3"], "B": ["3 2 1", "1 2 3"]}, metrics="kendall,hamming")
    >>> scores.values.round(3).tolist()
    [[0.833, 0.667], [0.5, 0.667]]
    """
    if metrics is not None and not isinstance(metrics, str):
        metrics = ",".join(map(str, metrics))
    if weight not in WEIGHTS:
        raise choices(weight, list(WEIGHTS), what="weight")
    if order is not None and order not in ORDERS:
        raise choices(order, list(ORDERS), what="order")
    if policy not in POLICIES:
        raise choices(policy, list(POLICIES), what="policy")
    links = link_inputs(align_format, base)
    if permutations is not None:
        if hypotheses is not None or hypothesis_alignments is not None:
            raise UsageError("permutations already are word orders; they go with neither text nor alignments")
        if order is not None:
            raise UsageError(f"permutations already are word orders; the order '{order}' is for text or alignments")
        plan = plan_permutations(named(permutations), metrics, base)
    elif hypotheses is not None or hypothesis_parses is not None:
        parsing = parsing or Parsing()
        gold = listed(references, of=str)
        gold_parses = listed(reference_parses, of=(str, ConstituencyTree, DependencyTree))
        if hypotheses is None:
            if gold or not gold_parses:
                raise UsageError("parses of hypotheses without their text go with parses of references, and no text")
            judged_parses: dict[str, Any] = named(hypothesis_parses)
            hypothesis_parses = judged_parses
            hypotheses = {name: ParsedText(trees, parsing) for name, trees in judged_parses.items()}
            gold, tokenizer = [ParsedText(trees, parsing) for trees in gold_parses], "none"
        order = order or ("matched" if gold else "monotone")
        texts = TextInputs(named(hypotheses), gold, tokenizer, lowercase, matching or Matching())
        parses = None
        if parsing.can_parse or hypothesis_parses is not None or gold_parses:
            if order == "monotone":
                raise UsageError("parses are compared with those of a reference; the order 'monotone' has none")
            parses = ParseInputs(texts, parsing, gold_parses, linked(hypothesis_parses, texts), threads)
        if order == "matched":
            plan = plan_matched(texts, metrics, weight, parses=parses)
        else:
            if source is None:
                raise UsageError(f"the order '{order}' needs the source text")
            through = SourceTexts(
                texts,
                source,
                aligning or Aligning(),
                listed(reference_alignments, of=Alignment),
                linked(hypothesis_alignments, texts),
                align_format,
                base,
                threads,
            )
            if order == "source":
                plan = plan_source(through, metrics, policy, weight, parses=parses)
            else:
                plan = plan_monotone(through, metrics, policy)
            if hypothesis_alignments is not None or reference_alignments is not None:
                plan.inputs |= links
    elif hypothesis_alignments is not None:
        judged: dict[str, AlignmentSource] = named(hypothesis_alignments)
        gold = listed(reference_alignments, of=Alignment)
        if order == "matched":
            raise UsageError("the order 'matched' is read off text; with alignments use 'source' or 'monotone'")
        if order is None and not gold:
            raise UsageError("give reference alignments to compare with, or say that the order is 'monotone'")
        options: dict[str, Any] = {"format": align_format, "base": base}
        lengths: dict[str, Any] = {"source": source, "source_lengths": source_lengths}
        if order != "monotone":
            blocks = alignment_batches(judged, gold, policy=policy, **options, **lengths)
            plan = plan_orders(judged, blocks, metrics, {"order": "source", "policy": policy}, len(gold))
        else:
            plan = plan_aligned(judged, gold, metrics, policy, options, lengths)
        plan.inputs |= links
    else:
        raise UsageError("give one of: hypotheses, permutations, hypothesis alignments, hypothesis parses")
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
    order: str | None = None,
    hypothesis_alignments: Mapping[str, AlignmentSource] | AlignmentSource | None = None,
    reference_alignments: AlignmentSource | Sequence[AlignmentSource] | None = None,
    metrics: str | None = None,
    draws: int = 20,
    tokenizer: str = "13a",
    lowercase: bool = False,
    matching: Matching | None = None,
    aligning: Aligning | None = None,
    policy: str = DEFAULT_POLICY,
    align_format: str = "pharaoh",
    base: int | None = None,
    reference_choice: str = "closest",
    weight: str = "segments",
    seed: int = 12345,
    threads: int = 1,
) -> ExpectedScores:
    """Score alignments sampled from link probabilities: how much of a difference is alignment noise?

    The probabilities are the aligner's posteriors, or those of alignments that are given. ``order`` is ``source``
    where there are references, else ``monotone``. The d_k of LRscore is that of the best alignment, for all draws.
    """
    gold = listed(references, of=str)
    order = order or ("source" if gold else "monotone")
    if order not in ("source", "monotone"):
        raise UsageError(f"expected scores are over alignments with the source; the order '{order}' has none")
    if policy not in POLICIES:
        raise choices(policy, list(POLICIES), what="policy")
    if draws < 2:
        raise UsageError(f"expected scores need 2 sampled alignments or more, not {draws}")
    links = link_inputs(align_format, base)
    texts = TextInputs(named(hypotheses), gold, tokenizer, lowercase, matching or Matching())
    through = SourceTexts(
        texts,
        source,
        aligning or Aligning(),
        listed(reference_alignments, of=Alignment),
        linked(hypothesis_alignments, texts),
        align_format,
        base,
        threads,
    )

    def plan_draw(drawn: SourceTexts, dk: float | None = None) -> Plan:
        if order == "monotone":
            return plan_monotone(drawn, metrics, policy)
        return plan_source(drawn, metrics, policy, weight, dk=dk)

    inputs = plan_draw(through).inputs  # a mistake shows before anything is sampled
    inputs["aligner"] = f"{inputs['aligner']}+sampled"
    if hypothesis_alignments is not None or reference_alignments is not None:
        inputs |= links
    if len(gold) > 1 and order == "source":
        inputs["reference_choice"] = reference_choice

    def score_draw(references: Sequence[Alignments], systems: Sequence[Alignments]) -> Scores:
        plan = plan_draw(through.with_links(references, systems), inputs.get("dk"))
        return evaluate(
            plan.blocks,
            plan.systems,
            plan.metrics,
            inputs=inputs,
            reference_choice=reference_choice,
            resampling=Resampling(0, seed, threads),
        )

    return expect(score_draw, *through.likely_links(), draws=draws, seed=seed)
