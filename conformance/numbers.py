"""Statistics: correlation, tests, analysis of variance, mixed models, agreement; and what textbooks print."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance import inputs
from conformance.comparing import Section, compare
from conformance.peers import KRIPPENDORFF, NLTK, SCIPY, STATSMODELS
from conformance.textbooks import FOURTEEN_RATERS, OBSERVERS, OBSERVERS_ALPHA, PREFERENCES, THREE_DIETS
from wordorder.core.statistics.agreement import SCALES, fleiss_kappa, krippendorff_alpha
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.mixed import fit_mixed
from wordorder.core.statistics.tests import sign_p, wilcoxon
from wordorder.core.statistics.variance import one_way_anova, repeated_anova

Floats = NDArray[np.float64]
Groups = dict[str, NDArray[np.int64]]


def _groups(count: int = 5) -> list[list[list[float]]]:
    chance = random.Random(26)
    return [
        [[chance.gauss(level / 2, 1) for _ in range(chance.randint(4, 12))] for level in range(4)] for _ in range(count)
    ]


def scipy() -> Section:
    """Coefficients, ranks, variance."""
    stats = SCIPY.load("stats")
    lists = inputs.numbers()
    rows = []
    for method, peer in (("pearson", "pearsonr"), ("spearman", "spearmanr"), ("kendall", "kendalltau")):
        theirs = [getattr(stats, peer)(one, two) for one, two in lists]
        found = [correlate(one, two, method=method) for one, two in lists]
        rows.append(compare(f"`{method}`", f"scipy `{peer}`", [x.value for x in found], [x.statistic for x in theirs]))
        rows.append(compare(f"p of `{method}`", f"scipy `{peer}`", [x.p for x in found], [x.pvalue for x in theirs]))
    tested = [stats.wilcoxon(one, two) for one, two in lists]
    rows.append(
        compare("Wilcoxon's p", "scipy `wilcoxon`", [wilcoxon(*pair).p for pair in lists], [x.pvalue for x in tested])
    )
    votes = [(wins, losses) for wins in range(0, 30, 3) for losses in range(1, 30, 4)]
    sign = [stats.binomtest(wins, wins + losses).pvalue for wins, losses in votes]
    rows.append(compare("p of the sign test", "scipy `binomtest`", [sign_p(*each) for each in votes], sign))
    groups = _groups()
    anova = [stats.f_oneway(*each) for each in groups]
    found_f = [one_way_anova(each) for each in groups]
    rows.append(compare("F, one-way", "scipy `f_oneway`", [x.f for x in found_f], [x.statistic for x in anova]))
    rows.append(compare("p of F, one-way", "scipy `f_oneway`", [x.p for x in found_f], [x.pvalue for x in anova]))
    return Section(
        "scipy: correlation, tests, variance",
        "50 pairs of lists of numbers with ties, and five sets of four groups of numbers. The coefficients and"
        " Wilcoxon's test are scipy's own; these rows only show that wordorder passes their values on unchanged",
        rows,
        [],
    )


def a_study(people: int, items: int, bins: int, seed: int = 1) -> tuple[Floats, Floats, Groups]:
    """Invent the ratings of a study: people, items, and what both have in common at each level."""
    chance = np.random.default_rng(seed)
    person, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    level = (item + person) % bins
    y = 4 - 0.3 * level + chance.normal(0, 0.7, people)[person] + chance.normal(0, 0.5, items)[item]
    y += chance.normal(0, 0.6, (items, bins))[item, level] + chance.normal(0, 0.5, (people, bins))[person, level]
    y += chance.normal(0, 1, len(y))
    groups = {"person": person, "item": item, "stimulus": item * bins + level, "person:bin": person * bins + level}
    return y, np.eye(bins)[level], groups


def statsmodels_fit(y: Floats, fixed: Floats, random: Mapping[str, Any]) -> Any:
    """Fit the same mixed model with statsmodels."""
    model = STATSMODELS.load("regression.mixed_linear_model")
    labels, designs = [], []
    for groups in random.values():
        known, place = np.unique(groups, return_inverse=True)
        labels.append([list(map(str, known))])
        designs.append([np.eye(len(known))[place]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = model.VCSpec(list(random), labels, designs)
        return model.MixedLM(y, fixed, groups=np.zeros(len(y)), exog_vc=parts).fit()


def anova_rm(table: Floats) -> tuple[float, float]:
    """F and p of repeated measures by statsmodels; a row of the table is a person."""
    import pandas as pd

    person, level = np.indices(table.shape)
    frame = pd.DataFrame({"person": person.ravel(), "bin": level.ravel(), "rating": table.ravel()})
    found = STATSMODELS.load("stats.anova").AnovaRM(frame, "rating", "person", within=["bin"]).fit().anova_table.iloc[0]
    return float(found["F Value"]), float(found["Pr > F"])


def statsmodels() -> Section:
    """Repeated measures, the mixed model, regression, corrections, agreement."""
    tables = [np.random.default_rng(seed).normal(size=(28, 5)) + np.arange(5) / 6 for seed in range(5)]
    repeated = [repeated_anova(table) for table in tables]
    peers = [anova_rm(table) for table in tables]
    y, fixed, groups = a_study(10, 15, 3)
    ours, twin = fit_mixed(y, fixed, groups), statsmodels_fit(y, fixed, groups)
    errors = np.sqrt(np.diag(ours.covariance))
    p_values = [[x / 40 + 0.001 for x in random.Random(seed).sample(range(40), 8)] for seed in range(20)]
    corrected = STATSMODELS.load("stats.multitest").multipletests
    rater = STATSMODELS.load("stats.inter_rater")
    counts = [_ratings(seed) for seed in range(20)]
    return Section(
        "statsmodels: repeated measures, mixed model, corrections, agreement",
        "five tables of 28 participants and 5 levels; a study of 10 participants, 15 items and 3 levels with four"
        " random effects; 20 lists of p-values; 20 sets of ratings",
        [
            compare("F, repeated measures", "statsmodels `AnovaRM`", [x.f for x in repeated], [x[0] for x in peers]),
            compare("p, repeated measures", "statsmodels `AnovaRM`", [x.p for x in repeated], [x[1] for x in peers]),
            compare("mixed model: effects", "statsmodels `MixedLM`", ours.effects, twin.fe_params, within=1e-3),
            compare("mixed model: standard errors", "statsmodels `MixedLM`", errors, twin.bse_fe, within=1e-3),
            compare(
                "mixed model: variances",
                "statsmodels `MixedLM`",
                ours.variances.values(),
                [*twin.vcomp, twin.scale],
                within=1e-3,
            ),
            compare(
                "mixed model: log likelihood", "statsmodels `MixedLM`", [ours.log_likelihood], [twin.llf], within=1e-3
            ),
            compare(
                "Holm's correction",
                "statsmodels `multipletests`",
                [float(p) for each in p_values for p in holm(each)],
                [float(p) for each in p_values for p in corrected(each, method="holm")[1]],
            ),
            compare(
                "Fleiss' κ", "statsmodels `fleiss_kappa`", map(fleiss_kappa, counts), map(rater.fleiss_kappa, counts)
            ),
        ],
        [],
    )


def _ratings(seed: int) -> NDArray[np.int64]:
    """How many of six raters chose each of four categories, for twelve items."""
    chance = np.random.default_rng(seed)
    return np.array([chance.multinomial(6, chance.dirichlet([0.5] * 4)) for _ in range(12)])


def alpha() -> Section:
    """Krippendorff's α of a package of that name, and of nltk."""
    package = KRIPPENDORFF.load()
    tables = [_gappy(seed) for seed in range(20)]
    rows = []
    for scale in SCALES:
        ours = [krippendorff_alpha(table, scale=scale) for table in tables]
        theirs = [package.alpha(reliability_data=table, level_of_measurement=scale) for table in tables]
        rows.append(compare(f"Krippendorff's α, {scale}", "krippendorff `alpha`", ours, theirs))
    if NLTK.version:
        task = NLTK.load("metrics.agreement").AnnotationTask
        theirs = []
        for table in tables:
            found = [
                (f"r{rater}", f"i{item}", int(value))
                for rater, row in enumerate(table)
                for item, value in enumerate(row)
                if not np.isnan(value)
            ]
            theirs.append(task(found).alpha())
        ours = [krippendorff_alpha(table) for table in tables]
        rows.append(compare("Krippendorff's α, nominal", "nltk `AnnotationTask.alpha`", ours, theirs))
    return Section("Krippendorff's α", "20 tables of four raters and fifteen items with missing values", rows, [])


def _gappy(seed: int) -> Floats:
    chance = np.random.default_rng(seed)
    truth = chance.integers(1, 6, 15)
    table = np.where(chance.random((4, 15)) < 0.7, truth, chance.integers(1, 6, (4, 15))).astype(np.float64)
    table[chance.random((4, 15)) < 0.15] = np.nan
    table[:2] = np.where(np.isnan(table[:2]), truth, table[:2])
    return table


def textbooks() -> Section:
    """Worked examples, printed with three digits."""
    anova = one_way_anova(THREE_DIETS)
    rows = [
        compare(
            f"Krippendorff's α, {scale}",
            "Krippendorff 2011",
            [krippendorff_alpha(OBSERVERS, scale=scale)],
            [value],
            within=5e-4,
        )
        for scale, value in OBSERVERS_ALPHA.items()
    ]
    rows += [
        compare("Fleiss' κ", "fourteen raters, ten items", [fleiss_kappa(FOURTEEN_RATERS)], [0.210], within=5e-4),
        compare("F of three diets", "by hand: (84/2)/(68/15)", [anova.f], [(84 / 2) / (68 / 15)]),
        compare("p of F(2, 15)", "tables of F", [anova.p], [0.0024], within=5e-5),
        compare(
            "sign test, 189 of 347, one-sided",
            "exact binomial tail (Birch 2011 prints the normal approximation, .048)",
            [sign_p(*PREFERENCES, alternative="greater")],
            [0.0536],
            within=5e-5,
        ),
    ]
    return Section("Textbooks and papers", "worked examples, compared up to the printed digits", rows, [])


def sections() -> list[Any]:
    """What this module compares."""
    return [scipy, statsmodels, alpha, textbooks]
