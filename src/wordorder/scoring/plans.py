"""Plans: for each kind of input, the blocks to score, the metrics, and what the signature says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from wordorder.formats import ALIGNMENT_FORMATS
from wordorder.metrics import METRICS, Metric, Need, parse_metrics
from wordorder.metrics.combined import LRscore
from wordorder.metrics.dependency import Dpm
from wordorder.metrics.registry import MONOTONE_DEFAULTS, ORDER_DEFAULTS, TEXT_DEFAULTS
from wordorder.orders.alignment import UNKNOWN, Alignments
from wordorder.runtime.errors import InputError, UsageError, choices
from wordorder.runtime.files import LINES_PER_BLOCK
from wordorder.scoring.inputs import (
    AlignmentSource,
    Blocks,
    PermutationSource,
    TextInputs,
    alignment_blocks,
    length_blocks,
    permutation_batches,
    text_batches,
)
from wordorder.scoring.parse_inputs import ParseInputs
from wordorder.scoring.parses import SEGMENTS_PER_BLOCK
from wordorder.scoring.through_source import SourceTexts, monotone_batches, set_dk, source_batches

REFERENCE = "reference"

_MONOTONE = frozenset({Need.ORDER, Need.SOURCE_ORDER, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS})


@dataclass
class Plan:
    """What is to be scored: blocks of batches, the systems in them, the metrics, and what the signature says."""

    systems: list[str]
    blocks: Blocks
    metrics: tuple[Metric, ...]
    inputs: dict[str, Any]
    texts: TextInputs | None = None
    baseline: str | None = None


def plan_permutations(systems: dict[str, PermutationSource], metrics: str | None, base: int | None) -> Plan:
    """Plan word orders given as permutations."""
    inputs = {"order": "permutations", "base": 1 if base is None else base}
    return plan_orders(systems, permutation_batches(systems, base=base), metrics, inputs, 0)


def plan_orders(
    systems: Mapping[str, Any], blocks: Blocks, metrics: str | None, inputs: dict[str, Any], references: int
) -> Plan:
    """Plan blocks that hold word orders and nothing else."""
    chosen = parse_metrics(metrics or ORDER_DEFAULTS, available=frozenset({Need.ORDER}))
    if references:
        inputs["references"] = references
    return Plan(list(systems), blocks, chosen, inputs)


def plan_matched(texts: TextInputs, metrics: str | None, weight: str, *, parses: ParseInputs | None = None) -> Plan:
    """Plan texts compared with references by their matched words."""
    inputs = {"order": "matched", **_text_inputs(texts)}
    chosen = _with_matched(metrics, parses)
    blocks = text_batches(texts, weight=weight, lines=_lines_per_block(parses))
    return _parsed(Plan(list(texts.systems), blocks, chosen, inputs, texts), parses)


def plan_source(
    texts: SourceTexts,
    metrics: str | None,
    policy: str,
    weight: str,
    *,
    dk: float | None = None,
    parses: ParseInputs | None = None,
) -> Plan:
    """Plan texts compared with references by the order of the source words; metrics are read before aligning."""
    if not texts.inputs.references:
        raise UsageError("the order 'source' needs a reference; without one use the order 'monotone'")
    asked = _with_matched(metrics, parses)
    dk = texts.dk(policy) if dk is None else dk
    chosen = set_dk(asked, dk)
    weights = [round(metric.weight, 4) for metric in chosen if isinstance(metric, LRscore) and metric.alpha is None]
    inputs = {
        "order": "source",
        "policy": policy,
        **texts.signature,
        "dk": dk,
        **({"alpha": weights} if weights else {}),
        **_text_inputs(texts.inputs),
    }
    blocks = source_batches(texts, policy=policy, weights=weight, lines=_lines_per_block(parses))
    return _parsed(Plan(list(texts.inputs.systems), blocks, chosen, inputs, texts.inputs), parses)


def plan_monotone(texts: SourceTexts, metrics: str | None, policy: str) -> Plan:
    """Plan texts compared with their source; nothing is aligned before the first block is asked for."""
    chosen = parse_metrics(metrics or MONOTONE_DEFAULTS, available=_MONOTONE)
    systems = list(texts.inputs.systems)
    names = _reference_names(len(texts.inputs.references), systems)
    inputs = {
        "order": "monotone",
        "policy": policy,
        **texts.signature,
        "tokenizer": texts.inputs.tokenizer,
        "case": "lower" if texts.inputs.lowercase else "mixed",
    }

    def blocks() -> Blocks:
        yield from monotone_batches([*texts.reference_links, *texts.system_links], policy=policy)

    return _beside_references(names, systems, blocks(), chosen, inputs)


def plan_aligned(
    systems: dict[str, AlignmentSource],
    references: list[AlignmentSource],
    metrics: str | None,
    policy: str,
    options: dict[str, Any],
    lengths: dict[str, Any],
) -> Plan:
    """Plan alignments without text compared with their source; what is not known of lengths is not measured."""
    names = _reference_names(len(references), list(systems))
    columns = []
    for name, links in zip([*names, *systems], [*references, *systems.values()], strict=True):
        blocks = alignment_blocks(links, **options, source_lengths=length_blocks(*lengths.values()))
        columns.append(Alignments.concatenate(list(blocks)))
        if len(columns[-1]) != len(columns[0]):
            first = [*names, *systems][0]
            raise InputError(f"{name} has {len(columns[-1])} alignments, {first} has {len(columns[0])}")
    available = set(_MONOTONE)
    if any((column.source_lengths == UNKNOWN).any() for column in columns):
        available.remove(Need.SOURCE_LENGTHS)
        if policy != "drop":
            raise UsageError(
                f"the policy {policy} needs the length of every source sentence: "
                "give the source text or its lengths, or use the policy 'drop'"
            )
    if any((column.target_lengths == UNKNOWN).any() for column in columns):
        available.remove(Need.TARGET_LENGTHS)
    default = [name for name in MONOTONE_DEFAULTS.split(",") if METRICS[name].needs <= available]
    chosen = parse_metrics(metrics or ",".join(default), available=frozenset(available))
    batches = monotone_batches(columns, policy=policy)
    return _beside_references(names, list(systems), batches, chosen, {"order": "monotone", "policy": policy})


def _beside_references(
    references: list[str], systems: list[str], blocks: Blocks, metrics: tuple[Metric, ...], inputs: dict[str, Any]
) -> Plan:
    """Score references like systems, and systems against the first of them: what do people do?"""
    return Plan([*references, *systems], blocks, metrics, inputs, baseline=references[0] if references else None)


def link_inputs(align_format: str, base: int | None) -> dict[str, Any]:
    """Say in the signature how alignment files are read."""
    if align_format not in ALIGNMENT_FORMATS:
        raise choices(align_format, list(ALIGNMENT_FORMATS), what="alignment format")
    return {"align_format": align_format, "base": ALIGNMENT_FORMATS[align_format].base if base is None else base}


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


def _with_matched(metrics: str | None, parses: ParseInputs | None) -> tuple[Metric, ...]:
    """Add the share of matched words: one matched word scores 1, so a table must say how many there were."""
    available = {Need.ORDER, Need.TEXT} if parses is None else {Need.ORDER, Need.TEXT, Need.PARSES}
    default = TEXT_DEFAULTS if parses is None else f"edpm,{TEXT_DEFAULTS}"
    chosen = parse_metrics(metrics or default, available=frozenset(available))
    if any(metric.name == "matched" for metric in chosen):
        return chosen
    return (*chosen, *parse_metrics("matched", available=frozenset(available)))


def _lines_per_block(parses: ParseInputs | None) -> int:
    return LINES_PER_BLOCK if parses is None else SEGMENTS_PER_BLOCK


def _parsed(plan: Plan, parses: ParseInputs | None) -> Plan:
    """Put parses beside the blocks: as many a sentence as the metric that asks for most."""
    if parses is None:
        return plan
    asked = [metric.n for metric in plan.metrics if isinstance(metric, Dpm) and Need.PARSES in metric.requires]
    if not asked:
        raise UsageError("there are parses, or a grammar to parse with, but no metric that uses them (dpm, edpm)")
    blocks = parses.beside(plan.blocks, n=max(asked))
    return replace(plan, blocks=blocks, inputs=plan.inputs | parses.signature)
