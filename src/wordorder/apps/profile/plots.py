"""Draw charts of reorderings by width, RQuantity by sentence length, reproduced reorderings, and language pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wordorder.core.runtime.errors import choices
from wordorder.report.charts import plot_curves, plot_intervals, plot_matrix, plot_scatter

if TYPE_CHECKING:
    from wordorder.apps.profile.language_pairs import LanguagePairs
    from wordorder.apps.profile.profiles import Profiles
    from wordorder.apps.profile.regression import Factors
    from wordorder.apps.profile.reproduction import Reproductions

KINDS = ("width", "length")


def plot_profiles(profiles: Profiles, kind: str, *, step: int) -> Any:
    """Plot the reorderings per sentence by width or, for the kind ``length``, mean RQuantity by sentence length.

    The latter has a band of one standard deviation around the mean.
    """
    if kind not in KINDS:
        raise choices(kind, list(KINDS), what="kind of chart")
    side = profiles.side
    if kind == "width":
        records = [
            {"corpus": profile.name, "width": row.width, "reorderings per sentence": row.per_sentence}
            for profile in profiles
            for row in profile.by_width(side)
        ]
        titles = f"width in {side} words", "reorderings per sentence"
        return plot_curves(records, x="width", y=titles[1], series="corpus", labels=titles)
    lengths = [
        {
            "corpus": profile.name,
            "length": (row.shortest + row.longest) / 2,
            "words": f"{row.shortest}–{row.longest}",
            "sentences": row.sentences,
            "RQuantity": row.rquantity,
            "low": row.rquantity - row.deviation if row.sentences > 1 else None,
            "high": row.rquantity + row.deviation if row.sentences > 1 else None,
        }
        for profile in profiles
        for row in profile.by_length(side, step=step)
    ]
    titles = f"{side} words (band: one standard deviation)", "RQuantity"
    return plot_curves(lengths, x="length", y="RQuantity", series="corpus", labels=titles)


def plot_reproductions(found: Reproductions, classes: tuple[str, ...]) -> Any:
    """Plot the share of reference reorderings that each system reproduced in each width class, with intervals."""
    low, high = found.intervals
    records = [
        {
            "system": system,
            "width": name,
            "share": float(found.shares[s, c]),
            "low": float(low[s, c]),
            "high": float(high[s, c]),
        }
        for c, name in enumerate(classes)
        for s, system in enumerate(found.systems)
    ]
    known = [record for record in records if record["share"] == record["share"]]
    return plot_intervals(known, name="width", value="share", series="system")


def plot_pairs(pairs: LanguagePairs, column: str) -> Any:
    """Plot one characteristic of language pairs as a source × target matrix."""
    values = pairs.column(column).tolist()
    found = sorted(zip(pairs.sources, pairs.targets, values, strict=True))
    records = [{"source": source, "target": target, column: value} for source, target, value in found]
    return plot_matrix(records, row="source", column="target", value=column)


def plot_factors(factors: Factors) -> Any:
    """Plot the response against each predictor, with the fitted line and the names of outliers."""
    pairs = factors.pairs
    response = pairs.column(factors.response).tolist()
    records = [
        {"pair": f"{source}-{target}", "predictor": name, "value": value, factors.response: outcome}
        for name in factors.predictors
        for source, target, value, outcome in zip(
            pairs.sources, pairs.targets, pairs.column(name).tolist(), response, strict=True
        )
    ]
    return plot_scatter(records, x="value", y=factors.response, name="pair", panel="predictor", fit=True)
