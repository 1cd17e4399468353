"""Which order comparisons agree with people: on all matched words, or on the words that both systems match?"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import wordorder
from papers.writing import DATA, Cell, Page
from wordorder.apps.metaeval import JudgedSet
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.pairwise import count_outcomes, pair_coefficient, pair_outcomes
from wordorder.core.statistics.resampling import interval as percentiles
from wordorder.formats import wmt_rankings
from wordorder.scoring.scores import Scores

Values = NDArray[np.float64]
PAIRS = ("de-en", "cs-en", "en-de")
METRICS = ("kendall", "kendall-sqrt", "hamming", "spearman", "ulam", "fuzzy", "pef")
FOLDER = DATA / "wmt12"
_TIE = 1e-12


def read_set(pair: str) -> JudgedSet:
    """Score the systems of a language pair, and put the judgements of WMT12 beside their scores."""
    files = sorted((FOLDER / "system-outputs" / pair).iterdir())
    systems = {path.name.removeprefix(f"newstest2012.{pair}."): path for path in files}
    reference = FOLDER / f"newstest2012-ref.{pair[-2:]}"
    scores = wordorder.score(systems, reference, metrics=",".join(METRICS), samples=0)
    return JudgedSet.of(pair, scores, wmt_rankings.read(FOLDER / "wmt12.rankings.anon.csv", pair=pair))


def agreement(judged: JudgedSet) -> list[dict[str, tuple[float, float, float, float]]]:
    """Return, for each metric, τ with its interval and its share of all decisions, by which comparison decides.

    Under ``zero`` in the key, pairs that are not decided count as half right (the coefficient ``tau-zero``).
    """
    pairs = judged.pairs()
    plain, common = (np.nan_to_num(each.differences(pairs)) for each in (judged, replace(judged, common_words=True)))
    plain[np.abs(plain) < _TIE] = common[np.abs(common) < _TIE] = 0
    resampling = Resampling(1000)
    found = []
    for p, c in zip(plain, common, strict=True):
        kinds = {
            "plain": p,
            "common": c,
            "both": np.where(p * c > 0, p, 0),
            "only plain": np.where(c == 0, p, 0),
            "only common": np.where(p == 0, c, 0),
            "opposite": np.where(p * c < 0, c, 0),
        }
        rows = [
            count_outcomes(pair_outcomes(pairs.human, kind), pairs.unit, size=pairs.units, weights=pairs.weight)
            for kind in kinds.values()
        ]
        sums = [row.sum(axis=0) for row in rows]
        samples = [resampling.sums(row) for row in rows]
        results = {}
        for name, suffix in (("tau", ""), ("tau-zero", " zero")):
            values = [pair_coefficient(each, name) for each in sums]
            drawn = [pair_coefficient(each, name) for each in samples]
            for kind, value, replicates, each in zip(
                (*kinds, "gain"),
                (*values, values[1] - values[0]),
                (*drawn, drawn[1] - drawn[0]),
                (*sums, np.zeros(5)),
                strict=True,
            ):
                low, high = percentiles(replicates)
                results[kind + suffix] = (
                    float(value),
                    float(low),
                    float(high),
                    float(each[:2].sum() / sums[0][:2].sum()),
                )
        found.append(results)
    return found


def systems_right(scores: Scores, human: Values) -> tuple[int, int, int]:
    """Count the pairs of systems that ``kendall`` orders as people do, on all and on common words, and all pairs."""
    plain = common = total = 0
    for a, b in combinations(range(len(scores.systems)), 2):
        wanted = np.sign(human[a] - human[b])
        part = scores.on_common_words(scores.systems[a], scores.systems[b])
        plain += int(np.sign(scores.values[a, 0] - scores.values[b, 0]) == wanted)
        common += int(np.sign(part.values[0, 0] - part.values[1, 0]) == wanted)
        total += 1
    return plain, common, total


def write_interval(found: tuple[float, float, float, float]) -> str:
    """Return a value with both ends of its interval."""
    value, low, high, _ = found
    return f"{value:.3f} ({low:.3f} to {high:.3f})".replace("-", "−")


def make() -> Page:
    """Write the page."""
    page = Page("common_words", "Which words should two systems be compared on?")
    page.say(
        "Two systems match different words of a reference, so their order scores can differ for two reasons: their"
        " words are in a different order, or they match different words. On the *common words*, which both systems"
        " match, only the order can differ. Which of these differences do people notice? With seven metrics, we"
        " compare every two translations of a segment that the judges of WMT12 ranked, once on all matched words and"
        " once on common words."
    )
    sets = {pair: read_set(pair) for pair in PAIRS}
    found = {pair: agreement(judged) for pair, judged in sets.items()}
    page.say("## Segments")
    page.say(
        "The tables show Kendall's τ between metrics and people over the pairs of translations that a comparison"
        " decides (by giving them different scores), with 95% intervals from 1,000 bootstrap samples of segments. The"
        " intervals of the gain come from the same samples. On common words, fewer pairs are decided. The last column"
        " shows their number as a share of the pairs decided on all matched words. (`kendall` and `kendall-sqrt`"
        " always rank two translations of a segment alike, so their rows are equal.)"
    )
    for pair in PAIRS:
        page.say(f"**{pair}** ({len(sets[pair].pairs().segment):,} judged pairs)")
        page.table(
            ["metric", "all matched words", "common words", "gain", "decided"],
            [
                [
                    f"`{name}`",
                    *(write_interval(each[kind]) for kind in ("plain", "common", "gain")),
                    f"{each['common'][3]:.0%}",
                ]
                for name, each in zip(METRICS, found[pair], strict=True)
            ],
        )
    distinct = [name for name in METRICS if name != "kendall-sqrt"]
    every = [each for rows in found.values() for name, each in zip(METRICS, rows, strict=True) if name in distinct]
    surer = sum(each["gain"][1] > 0 for each in every)
    page.conclude(
        "For every metric and language pair, a larger share of the decisions made on common words agrees with people;"
        f" in {surer} of {len(every)} cases (leaving out `kendall-sqrt`), the interval of the gain does not include 0.",
        all(each["gain"][0] > 0 for each in every),
        surer > len(every) / 2,
    )
    page.sum_up(
        "Two translations of a segment can be compared on all matched words, or only on the words of the reference that"
        " both systems match. The second comparison decides fewer pairs, but more of its decisions agree with people."
    )
    page.say("## Pairs that are not decided")
    page.say(
        "The tables above leave out the pairs that a comparison does not decide. The next table counts them as half"
        " right (`tau-zero`), so that both comparisons are measured on the same pairs:"
    )
    page.table(
        ["metric", "pair", "all matched words", "common words", "gain"],
        [
            [f"`{name}`", pair, *(write_interval(each[kind]) for kind in ("plain zero", "common zero", "gain zero"))]
            for pair in PAIRS
            for name, each in zip(METRICS, found[pair], strict=True)
            if name in distinct
        ],
    )
    gained, lost = (sum(sign * each["gain zero"][end] > 0 for each in every) for sign, end in ((1, 1), (-1, 2)))
    page.conclude(
        f"Counted in this way, common words bring no clear gain: in {len(every) - gained - lost} of {len(every)}"
        f" cases, the interval of the difference includes 0; it lies above 0 in {gained or 'none'} and below 0 in"
        f" {lost}. Common words make decisions surer, but leave more pairs undecided.",
        gained + lost < len(every) / 4,
    )
    page.sum_up("If undecided pairs count as half right, neither comparison is clearly better.")
    page.say("## Differences that only one comparison sees")
    page.say(
        "The *plain* comparison uses all matched words. A difference in score is *only plain* if the order of the"
        " common words is equally good in both translations, or if there are fewer than two common words. It is *only"
        " common* if the scores on all matched words are equal. It is *opposite* if its sign is reversed on common"
        " words; its τ is then computed from the scores on common words. Shares refer to all differences that the"
        " plain comparison reports between translations that people rank."
    )
    for pair in PAIRS:
        rows: list[list[Cell]] = []
        for name, each in zip(METRICS, found[pair], strict=True):
            row: list[Cell] = [f"`{name}`"]
            for kind in ("both", "only plain", "only common", "opposite"):
                row += [f"{each[kind][3]:.0%}", write_interval(each[kind])]
            rows.append(row)
        page.say(f"**{pair}**")
        heads = ("same sign", "only plain", "only common", "opposite")
        page.table(["metric", *(part for head in heads for part in (head, "τ"))], rows)
    low, high = (extreme(each["only plain"][3] for each in every) for extreme in (min, max))
    weak = sum(each["only plain"][1] <= 0 <= each["only plain"][2] for each in every)
    page.conclude(
        f"Of the differences that the plain comparison reports, {low:.0%} to {high:.0%} vanish on common words. For"
        " every metric and language pair, the differences that vanish agree with people less than those that both"
        f" comparisons see. In {weak} of {len(every)} cases, the 95% interval of τ for the differences that vanish"
        " includes 0.",
        all(each["only plain"][0] < each["both"][0] for each in every),
    )
    page.sum_up(
        "Differences in score that vanish on the words that both match agree less with people than other differences"
        " do."
    )
    page.say("## Whole systems")
    counted: list[list[Cell]] = []
    for pair, judged in sets.items():
        rows_of_people, _ = judged.human_rows()
        wins, losses = rows_of_people.sum(axis=0)[:, :2].T
        counted.append([pair, *systems_right(judged.scores, wins / (wins + losses))])
    page.say(
        "The table counts the pairs of systems that `kendall` ranks as people do (the human ranking is by the share of"
        " wins among wins and losses):"
    )
    page.table(["", "all matched words", "common words", "pairs of systems"], counted)
    totals = np.array([row[1:] for row in counted], dtype=np.int64).sum(axis=0)
    page.conclude(
        "Comparisons of whole systems gain nothing: over 3,003 segments, both ways of comparing agree with people"
        " about equally often. In wordorder, the scores, ranks and tests of systems therefore use all matched words,"
        " and the difference on common words is reported with each comparison of two systems. Comparisons of segments"
        " use common words.",
        abs(int(totals[0]) - int(totals[1])) < 0.1 * int(totals[2]),
    )
    page.sum_up("Comparisons of whole systems gain nothing from these words.")
    return page
