"""``score()``: everything ``wordorder score`` does, in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from wordorder.formats import ALIGNMENT_FORMATS
from wordorder.metrics import Need, parse_metrics
from wordorder.metrics.registry import ORDER_DEFAULTS, TEXT_DEFAULTS
from wordorder.orders.alignment import Alignment
from wordorder.orders.projection import DEFAULT_POLICY
from wordorder.runtime.errors import UsageError, choices
from wordorder.scoring.evaluate import evaluate
from wordorder.scoring.inputs import (
    AlignmentSource,
    LengthSource,
    Path,
    PermutationSource,
    TextInputs,
    TextSource,
    alignment_batches,
    permutation_batches,
    text_batches,
)
from wordorder.scoring.matchers import Matching
from wordorder.scoring.scores import Resampling, Scores

Source = TypeVar("Source")

WEIGHTS = ("segments", "ref-length")


def score(
    hypotheses: Mapping[str, TextSource] | TextSource | None = None,
    references: TextSource | Sequence[TextSource] | None = None,
    *,
    permutations: Mapping[str, PermutationSource] | PermutationSource | None = None,
    hypothesis_alignments: Mapping[str, AlignmentSource] | AlignmentSource | None = None,
    reference_alignments: AlignmentSource | Sequence[AlignmentSource] | None = None,
    source: Path | None = None,
    source_lengths: LengthSource | None = None,
    metrics: str | None = None,
    tokenizer: str = "13a",
    lowercase: bool = False,
    matching: Matching | None = None,
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
    """Score translations against references, or word orders given as permutations or alignments.

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
    given = [value is not None for value in (hypotheses, permutations, hypothesis_alignments)]
    if sum(given) != 1:
        raise UsageError("give one of: hypotheses, permutations, hypothesis alignments")
    if weight not in WEIGHTS:
        raise choices(weight, list(WEIGHTS), what="weight")
    needs = frozenset({Need.ORDER, Need.TEXT}) if hypotheses is not None else frozenset({Need.ORDER})
    default = TEXT_DEFAULTS if hypotheses is not None else ORDER_DEFAULTS
    chosen = parse_metrics(metrics or default, available=needs)
    texts = None
    systems: dict[str, Any]
    inputs: dict[str, Any]
    if hypotheses is not None:
        systems, gold = _named(hypotheses), _listed(references, of=str)
        matching = matching or Matching()
        texts = TextInputs(systems, gold, tokenizer, lowercase, matching)
        blocks = text_batches(texts, weight=weight)
        inputs = {
            "order": "matched",
            "match": str(matching),
            "tokenizer": tokenizer,
            "case": "lower" if lowercase else "mixed",
            "references": len(gold),
        }
        if "matched" not in {metric.name for metric in chosen}:
            # One matched word scores 1: every table from text says how many words the order scores speak of.
            chosen = (*chosen, *parse_metrics("matched", available=needs))
    elif permutations is not None:
        systems, gold = _named(permutations), []
        blocks = permutation_batches(systems, base=base)
        inputs = {"order": "permutations", "base": 1 if base is None else base}
    else:
        systems, gold = _named(hypothesis_alignments), _listed(reference_alignments, of=Alignment)
        blocks = alignment_batches(
            systems,
            gold,
            policy=policy,
            format=align_format,
            base=base,
            source=source,
            source_lengths=source_lengths,
        )
        if align_format not in ALIGNMENT_FORMATS:
            raise choices(align_format, list(ALIGNMENT_FORMATS), what="alignment format")
        inputs = {
            "order": "source",
            "policy": policy,
            "align_format": align_format,
            "base": ALIGNMENT_FORMATS[align_format].base if base is None else base,
            "references": len(gold),
        }
    if len(gold) > 1:
        inputs["reference_choice"] = reference_choice
    if weight != "segments":
        inputs["weight"] = weight
    return evaluate(
        blocks,
        list(systems),
        chosen,
        inputs=inputs,
        reference_choice=reference_choice,
        resampling=Resampling(samples, seed, threads, resample),
        documents=None if documents is None else tuple(documents),
        baseline=baseline,
        test=test,
        texts=texts,
        buckets=None if buckets is None else tuple(buckets),
    )


def system_name(path: str | os.PathLike[str]) -> str:
    """Name a system after its file, without ``.gz`` and ``.txt``.

    >>> system_name("runs/online-A.txt.gz")
    'online-A'
    """
    name = os.path.basename(os.fspath(path))
    return name.removesuffix(".gz").removesuffix(".txt") or os.fspath(path)


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
    if references is None:
        return []
    several = isinstance(references, (list, tuple)) and bool(references) and not isinstance(references[0], of)
    return list(references) if several else [references]
