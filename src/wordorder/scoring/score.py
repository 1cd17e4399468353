"""``score()``: everything ``wordorder score`` does, in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from wordorder.metrics import Need, parse_metrics
from wordorder.metrics.registry import ORDER_DEFAULTS
from wordorder.orders.alignment import Alignment
from wordorder.orders.projection import DEFAULT_POLICY
from wordorder.runtime.errors import UsageError
from wordorder.scoring.evaluate import evaluate
from wordorder.scoring.inputs import (
    AlignmentSource,
    LengthSource,
    Path,
    PermutationSource,
    alignment_batches,
    permutation_batches,
)
from wordorder.scoring.scores import Resampling, Scores

Source = TypeVar("Source")


def score(
    *,
    permutations: Mapping[str, PermutationSource] | PermutationSource | None = None,
    hypothesis_alignments: Mapping[str, AlignmentSource] | AlignmentSource | None = None,
    reference_alignments: AlignmentSource | Sequence[AlignmentSource] | None = None,
    source: Path | None = None,
    source_lengths: LengthSource | None = None,
    metrics: str = ORDER_DEFAULTS,
    policy: str = DEFAULT_POLICY,
    align_format: str = "pharaoh",
    base: int | None = None,
    reference_choice: str = "closest",
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
) -> Scores:
    """Score word orders given as permutations or as alignments of the same source.

    Several systems are a mapping from name to file or data; a single one may be given as it is.

    >>> scores = score(permutations={"A": ["1 2 3", "2 1 3"], "B": ["3 2 1", "1 2 3"]}, metrics="kendall,hamming")
    >>> scores.values.round(3).tolist()
    [[0.833, 0.667], [0.5, 0.667]]
    """
    chosen = parse_metrics(metrics, available=frozenset({Need.ORDER}))
    resampling = Resampling(samples, seed, threads)
    if (permutations is None) == (hypothesis_alignments is None):
        raise UsageError("give either permutations or hypothesis alignments")
    if permutations is not None:
        orders = _named(permutations)
        blocks = permutation_batches(orders, base=base)
        inputs = {"order": "permutations", "base": 1 if base is None else base}
        return evaluate(blocks, list(orders), chosen, inputs=inputs, resampling=resampling)
    systems = _named(hypothesis_alignments)
    references = _listed(reference_alignments)
    blocks = alignment_batches(
        systems,
        references,
        policy=policy,
        format=align_format,
        base=base,
        source=source,
        source_lengths=source_lengths,
    )
    inputs = {
        "order": "source",
        "policy": policy,
        "align_format": align_format,
        "base": "default" if base is None else base,
        "references": len(references),
        **({"reference_choice": reference_choice} if len(references) > 1 else {}),
    }
    return evaluate(
        blocks, list(systems), chosen, inputs=inputs, reference_choice=reference_choice, resampling=resampling
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


def _listed(references: AlignmentSource | Sequence[AlignmentSource] | None) -> list[AlignmentSource]:
    if references is None:
        return []
    if isinstance(references, (list, tuple)) and not all(isinstance(item, Alignment) for item in references):
        return list(cast(Sequence[AlignmentSource], references))
    return [cast(AlignmentSource, references)]
