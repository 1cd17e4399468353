"""Through which words should orders be compared: those that are matched, or those of the source? WMT12."""

from __future__ import annotations

from typing import Any

import wordorder
from papers.forests_2014 import PAIRS, SETS
from papers.writing import Page, interval, write_cell, write_p

ORDERS = ("kendall", "ulam", "pef", "spearman", "pet", "fuzzy", "hamming")
METRICS = (*(f"full:order={order}" for order in ORDERS), *ORDERS, "lr-kb4", "lr-kb1", "lr-hb4")
WAYS = ("matched", "source")


def files(pattern: str, side: int) -> str:
    """One file for each pair of languages: of its source (0) or of its target (1)."""
    return " ".join(pattern + pair.split("-")[side] for pair in PAIRS)


def make() -> Page:
    """Compute the page."""
    page = Page("sources", "Matched words or the source?")
    page.say(
        "Most order metrics compare the order of the words that hypothesis and reference share. Orders can also be"
        " compared [through the source](../source.md), by aligning both texts with the source. Here the WMT12"
        " references in the other languages serve as source texts. The aligner (HMM, grow-diag-final-and) learns from"
        " the test set with all its translations and from the 29,000 sentence pairs of Multi30k, image captions that"
        " share little of their vocabulary with news."
    )
    made = page.run(
        f"metaeval --order matched source --compare{SETS} --source {files('wmt12/newstest2012-ref.', 0)}"
        f" --train-source {files('multi30k/train.lc.norm.tok.', 0)} --train-target"
        f" {files('multi30k/train.lc.norm.tok.', 1)} --metrics {','.join(METRICS)}"
    )
    values = {
        (pair, each["level"], each["coefficient"], each["metric"]): each
        for pair, found in zip(PAIRS, made["sets"], strict=True)
        for each in found["findings"]
    }
    tests = {
        (test["set"], test["coefficient"], test["a"].rpartition("@")[0]): test
        for test in made["tests"]
        if test["a"].rpartition("@")[0] == test["b"].rpartition("@")[0]
    }
    page.say(
        "The table shows segment-level τ for both ways of comparing orders. `*` marks the way that is significantly"
        f" better (paired permutation test, corrected for the {len(METRICS)} metrics of a language pair)."
    )
    page.table(
        ["metric", *(f"{pair} {way}" for pair in PAIRS for way in WAYS)],
        [[f"`{name}`", *(cell for pair in PAIRS for cell in both(pair, name, values, tests))] for name in METRICS],
    )
    conclude(page, tests)
    system_level(page, values, tests)
    lrscore = [test for key, test in tests.items() if key[1] == "tau" and key[2].startswith("lr-")]
    higher = [test for test in lrscore if test["difference"] < 0]
    page.conclude(
        "There are two caveats. First, with matched words, the order part of `full` also depends on how many words"
        " match, whereas through the source it covers all source words. For order metrics alone, matched words do not"
        " have this advantage. Second, when orders are compared through the source, the α of LRscore is computed from"
        f" the test set, which gives order less weight; the τ of LRscore is then higher in {len(higher)} of"
        f" {len(lrscore)} comparisons, and significantly higher in"
        f" {sum(test['p_corrected'] < 0.05 for test in higher)}.",
        len(higher) > len(lrscore) / 2,
    )
    return page


def both(pair: str, name: str, values: dict[Any, Any], tests: dict[Any, Any]) -> list[str]:
    """The cells of a metric on a pair."""
    spec = str(wordorder.metric(name))
    test = tests[pair, "tau", spec]
    better = [test["difference"] > 0, test["difference"] < 0] if test["p_corrected"] < 0.05 else [False, False]
    return [
        interval(values[pair, "segment", "tau", f"{spec}@{way}"]) + "*" * star
        for way, star in zip(WAYS, better, strict=True)
    ]


def conclude(page: Page, tests: dict[Any, Any]) -> None:
    """Count who wins."""
    segment = [test for (_, coefficient, _), test in tests.items() if coefficient == "tau"]
    sure = [test for test in segment if test["p_corrected"] < 0.05]
    matched = [test for test in sure if test["difference"] > 0]
    alone = [test for test in sure if test["a"].rpartition("@")[0] in ORDERS]
    lost = dict.fromkeys(ORDERS, 0.0)  # by the order metric inside of ``full``, over all pairs
    for test in segment:
        name = test["a"].rpartition("@")[0]
        if name.startswith("full"):
            lost[name.removeprefix("full:order=").replace("full", "pef")] += test["difference"]
    worst = sorted(lost, key=lambda order: -lost[order])[:3]
    page.conclude(
        f"In {len(matched)} of the {len(segment)} comparisons, agreement with human judges is significantly better"
        f" through matched words; in {len(sure) - len(matched)}, through the source. Among the order metrics combined"
        f" in `full` (top of the table), `{worst[0]}`, `{worst[1]}` and `{worst[2]}` lose most when orders are"
        " compared through the source, perhaps because wrong links hurt them most. For the order metrics alone"
        f" (middle of the table), the difference is significant in {len(alone)} of {len(ORDERS) * len(PAIRS)}"
        " comparisons.",
        len(matched) > 2 * (len(sure) - len(matched)),
        set(worst) <= {"fuzzy", "ulam", "hamming"},
    )
    page.sum_up(
        f"In {len(matched)} of {len(segment)} comparisons, a metric agrees significantly better with human judges if"
        " orders are compared through matched words than if they are compared through automatic alignments; in"
        f" {len(sure) - len(matched)}, the reverse holds."
    )


def system_level(page: Page, values: dict[Any, Any], tests: dict[Any, Any]) -> None:
    """What the order metrics alone say of systems."""
    rho = {
        way: [values[pair, "system", "rho", f"{name}@{way}"]["value"] for pair in PAIRS for name in ORDERS]
        for way in WAYS
    }
    low = {way: write_cell(min(found), 2) for way, found in rho.items()}
    high = {way: write_cell(max(found), 2) for way, found in rho.items()}
    test = tests["en-de", "rho", "fuzzy"]
    one, two = (write_cell(values["en-de", "system", "rho", f"fuzzy@{way}"]["value"]) for way in WAYS)
    page.conclude(
        f"At system level, the ρ of the order metrics alone is between {low['matched']} and {high['matched']} through"
        f" matched words and between {low['source']} and {high['source']} through the source. Only the difference for"
        f" `fuzzy` on en-de ({one} and {two}, p {write_p(test['p_corrected'])}) is significant after correction.",
        min(rho["matched"]) > max(rho["source"]),
        [key for key, each in tests.items() if key[1] == "rho" and each["p_corrected"] < 0.05]
        == [("en-de", "rho", "fuzzy")],
    )
