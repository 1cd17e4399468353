"""Does word order predict quality? Order metrics beside BLEU, chrF, COMET, MetricX and XCOMET on WMT23."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import wordorder
from papers.writing import DATA, Page, write_cell
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.resampling import interval

WMT23 = DATA / "mtme" / "wmt23"
PAIRS = {"en-de": "refA", "he-en": "refB"}
"""The language pairs that have MQM ratings here, and the standard reference of each."""

ORDER = ("kendall-sqrt", "pef", "fuzzy")
NEURAL = ("COMET", "MetricX-23", "XCOMET-XXL")
OVERLAP = ("BLEU", "chrF")
OTHERS = (*OVERLAP, *NEURAL)

Floats = NDArray[np.float64]


def make() -> Page:
    """Correlate all metrics with MQM, alone and with other metrics held constant."""
    page = Page("prediction", "Does word order predict quality?")
    page.say(
        "At WMT23, annotators marked the errors of twelve systems and weighted them (MQM). How well does the order of"
        " a translation predict the resulting scores, alone and together with metrics that were made for this purpose?"
        " All numbers compare translations of the *same* segment: from every score, the mean score of all systems on"
        " that segment is subtracted. A translation with fewer than two matched words has no order and is left out."
        " Intervals come from 1,000 bootstrap samples of documents. The translations and the scores of the other"
        " metrics are those of WMT's metrics task (`mtme/wmt23`)."
    )
    found = {pair: correlations(pair) for pair in PAIRS}
    page.say("## Alone")
    page.say("The table shows Pearson's r with MQM:")
    names = (*ORDER, *OTHERS)
    page.table(["metric", *PAIRS], [[f"`{name}`", *(_write(found[pair][name]) for pair in PAIRS)] for name in names])

    def below(metrics: tuple[str, ...], others: tuple[str, ...]) -> bool:
        return all(found[pair][a][0] < found[pair][b][0] for pair in PAIRS for a in metrics for b in others)

    page.conclude(
        "Every order metric correlates less with MQM than BLEU and chrF do, and BLEU and chrF correlate less with MQM"
        " than every neural metric does.",
        below(ORDER, OTHERS),
        below(OVERLAP, NEURAL),
    )
    page.sum_up(
        "BLEU and chrF are better than order metrics at predicting the errors that annotators find, and neural metrics"
        " are better still."
    )
    page.say("## Beside another metric")
    page.say(
        "The table shows the correlation that remains between an order metric and MQM when another metric is"
        " held constant:"
    )
    rows = [
        [f"`{name}`", f"`{other}`", *(_write(found[pair][name, other]) for pair in PAIRS)]
        for name in ORDER
        for other in OTHERS
    ]
    page.table(["metric", "held constant", *PAIRS], rows)
    left = {pair: [found[pair][name, other] for name in ORDER for other in NEURAL] for pair in PAIRS}
    most = {pair: max(value for value, _, _ in each) for pair, each in left.items()}
    unsure = sum(low <= 0 for _, low, _ in left["he-en"])
    page.conclude(
        "Order adds next to nothing to a neural metric. On en-de, a correlation of at most"
        f" {write_cell(most['en-de'])} remains, which is {most['en-de'] ** 2:.1%} of the variance. On he-en, at most"
        f" {write_cell(most['he-en'])} remains, and {unsure} of the {len(left['he-en'])} intervals include 0.",
        most["en-de"] < 0.15,
        most["he-en"] < 0.05,
        unsure > len(left["he-en"]) / 2,
    )
    page.sum_up("Order adds next to nothing to a neural metric.")
    page.say(
        "Order metrics are therefore no substitute for a metric of quality: a system can put wrong words into perfect"
        " order. Use them for diagnosis: they show which sentences have words in the wrong order, and [which"
        " words](patterns.md) these are."
    )
    return page


def correlations(pair: str) -> dict[Any, tuple[float, float, float]]:
    """Return r with MQM by metric, and partial r by metric and other metric, each with its interval."""
    reference = WMT23 / "references" / f"{pair}.{PAIRS[pair]}.txt"
    human = read_scores(WMT23 / "human-scores" / f"{pair}.mqm.seg.score")
    texts = {path.stem: path for path in sorted((WMT23 / "system-outputs" / pair).glob("*.txt"))}
    systems = [name for name in texts if name in human and not name.startswith(("ref", "synthetic"))]
    scores = wordorder.score({name: texts[name] for name in systems}, reference, metrics=",".join(ORDER), samples=0)
    columns = {"MQM": np.stack([human[name] for name in systems])}
    columns |= {name: np.stack([scores.segment_scores(system, name) for system in systems]) for name in ORDER}
    for name in OTHERS:
        given = read_scores(WMT23 / "metric-scores" / pair / f"{name}-{PAIRS[pair]}.seg.score")
        columns[name] = np.stack([given[system] for system in systems])
    lines = (WMT23 / "documents" / f"{pair}.docs").read_text(encoding="utf-8").splitlines()
    documents = np.unique([line.split("\t")[-1] for line in lines], return_inverse=True)[1]
    counts = list(Resampling(1000, 12345).each_count(documents.max() + 1))
    samples = np.stack([np.ones(documents.max() + 1), *counts]).astype(np.float64)
    found: dict[Any, tuple[float, float, float]] = {}
    for name in (*ORDER, *OTHERS):
        found[name] = _bounded(correlate(columns, (name, "MQM"), documents, samples)[:, 0, 1])
    for name in ORDER:
        for other in OTHERS:
            r = correlate(columns, (name, "MQM", other), documents, samples)
            partial = (r[:, 0, 1] - r[:, 0, 2] * r[:, 1, 2]) / np.sqrt((1 - r[:, 0, 2] ** 2) * (1 - r[:, 1, 2] ** 2))
            found[name, other] = _bounded(partial)
    return found


def correlate(
    columns: dict[str, Floats], names: tuple[str, ...], documents: NDArray[np.int64], samples: Floats
) -> Floats:
    """Return the correlations between columns within segments, for each sample of documents."""
    chosen = np.stack([columns[name] for name in names])  # [names, systems, segments]
    known = ~np.isnan(chosen).any(axis=0)
    known &= known.sum(axis=0) > 1
    values = np.where(known, chosen, 0.0)
    centred = np.where(known, values - values.sum(axis=1, keepdims=True) / np.maximum(known.sum(axis=0), 1), 0.0)
    products = np.einsum("ist,jst->tij", centred, centred)
    sums = np.zeros((documents.max() + 1, len(names), len(names)))
    np.add.at(sums, documents, products)
    drawn = np.einsum("bd,dij->bij", samples, sums)
    spread = np.sqrt(np.einsum("bii->bi", drawn))
    found: Floats = drawn / (spread[:, :, None] * spread[:, None, :])
    return found


def read_scores(path: Any) -> dict[str, Floats]:
    """Read a score file of mt-metrics-eval: the scores of each system by segment; None is not a number."""
    made: dict[str, list[float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, value = line.split("\t")
        made.setdefault(system, []).append(float("nan") if value == "None" else float(value))
    return {name: np.array(values) for name, values in made.items()}


def _bounded(values: Floats) -> tuple[float, float, float]:
    low, high = interval(values[1:, None])
    return float(values[0]), float(low[0]), float(high[0])


def _write(found: tuple[float, float, float]) -> str:
    return f"{write_cell(found[0])} ({write_cell(found[1])} to {write_cell(found[2])})"
