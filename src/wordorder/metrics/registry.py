"""Every metric there is, by name, and the groups people ask for."""

from __future__ import annotations

from wordorder.metrics.base import Metric, Need
from wordorder.metrics.combined import LRHB1, LRHB4, LRKB1, LRKB4, Full, LRscore
from wordorder.metrics.dependency import Dpm, Edpm
from wordorder.metrics.flat import Fuzzy, Hamming, Kendall, KendallSqrt, Spearman, Ulam
from wordorder.metrics.hierarchical import PEF, PET, AvgOp, MaxOp, NonBinary, PETCount, PETSize
from wordorder.metrics.lexical import F1, PRECISIONS, Bleu, Bleu1, ChrF, Matched, Meteor, OneMinusTer
from wordorder.metrics.monotonicity import (
    Anticipation,
    CrossingRate,
    LongestJump,
    MeanJump,
    UnalignedSource,
    UnalignedTarget,
)
from wordorder.metrics.ribes import Ribes
from wordorder.metrics.spec import parse
from wordorder.runtime.errors import UsageError, choices

_KINDS: tuple[type[Metric], ...] = (
    Kendall,
    KendallSqrt,
    Hamming,
    Spearman,
    Ulam,
    Fuzzy,
    PET,
    PEF,
    PETSize,
    PETCount,
    MaxOp,
    AvgOp,
    NonBinary,
    Bleu,
    Bleu1,
    *PRECISIONS,
    F1,
    ChrF,
    OneMinusTer,
    Meteor,
    Matched,
    LRscore,
    LRHB1,
    LRHB4,
    LRKB1,
    LRKB4,
    Full,
    Ribes,
    CrossingRate,
    MeanJump,
    LongestJump,
    Anticipation,
    UnalignedSource,
    UnalignedTarget,
    Dpm,
    Edpm,
)

METRICS: dict[str, type[Metric]] = {kind.name: kind for kind in _KINDS}

ORDER_DEFAULTS = "kendall-sqrt,hamming,fuzzy,pef"
TEXT_DEFAULTS = "lr-kb4,kendall-sqrt,pef,bleu"
MONOTONE_DEFAULTS = "kendall-sqrt,pef,crossing-rate,jump,anticipation,unaligned-source,unaligned-target"

GROUPS: dict[str, tuple[str, ...]] = {
    "order": tuple(name for name, kind in METRICS.items() if kind.needs == {Need.ORDER}),
    "lexical": tuple(
        name for name, kind in METRICS.items() if kind.needs == {Need.TEXT} and not kind.slow and name != "ribes"
    ),
    "monotonicity": tuple(name for name, kind in METRICS.items() if Need.SOURCE_ORDER in kind.needs),
    "combined": (*(name for name, kind in METRICS.items() if kind.needs == {Need.ORDER, Need.TEXT}), "ribes"),
}


def parse_metrics(specs: str, *, available: frozenset[Need]) -> tuple[Metric, ...]:
    """Read a comma-separated list of specs and groups; ``all`` is every quick metric the inputs allow.

    >>> [str(metric) for metric in parse_metrics("hamming,pef:beta=0.5", available=frozenset({Need.ORDER}))]
    ['hamming', 'pef:beta=0.5']
    """
    chosen: dict[str, Metric] = {}
    for item in specs.split(","):
        name = item.strip()
        if not name:
            raise UsageError(f"metrics {specs!r}: a name is missing between commas")
        if name == "all":
            members = tuple(n for n, kind in METRICS.items() if kind.needs <= available and not kind.slow)
        else:
            members = GROUPS.get(name, (name,))
            if members == (name,) and name.split(":")[0] not in METRICS:
                raise choices(name.split(":")[0], [*METRICS, *GROUPS, "all"], what="metric")
        for member in members:
            metric = parse(member)
            missing = metric.requires - available
            if missing:
                wanted = " and ".join(sorted(need.value for need in missing))
                hint = (
                    "; give parses (--hyp-parses and --ref-parses) or a grammar (--grammar)"
                    if Need.PARSES in missing
                    else ""
                )
                raise UsageError(f"metric {metric} needs {wanted}, which this input does not have{hint}")
            chosen[str(metric)] = metric
    return tuple(chosen.values())
