"""Paired significance tests of the difference between two systems (for multiple tests, see ``corrections.py``).

A paired test uses only the segments for which both systems have a defined score, and reports the number of these
segments. Differences are always the first system minus the second. If no test is possible, the p-value is NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, choices, refuse
from wordorder.core.runtime.libraries import stats
from wordorder.core.statistics.corrections import TIE
from wordorder.core.statistics.resampling import Rows, Sampling, randomisation_sums
from wordorder.core.statistics.settings import DEFAULT_TRIALS

Corpus = Callable[[Floats], ArrayLike]
Alternative = Literal["two-sided", "greater", "less"]

BOOTSTRAP_METHODS = ("centred", "sacrebleu", "koehn")


@dataclass(frozen=True)
class PairedTest:
    """The result of a paired test: name, difference between the systems, p-value, and number of segments used.

    ``units`` is the number of segments or documents that were resampled. ``error`` is the standard error of the
    difference as estimated by resampling, or NaN for other tests.
    """

    name: str
    difference: float
    p: float
    segments: int
    units: int
    error: float = float("nan")


def bootstrap_p(observed: ArrayLike, differences: ArrayLike, *, method: str = "centred") -> Floats:
    """Return the p-value of an observed difference between corpus scores, given ``differences[samples, ...]``.

    * ``centred`` (default): two-sided, p = (1 + #{|d − mean d| ≥ |observed|}) / (1 + samples). The spread of the
      replicates around their mean shows how often chance alone produces a difference this large (Efron & Tibshirani
      1993).
    * ``sacrebleu``: p = (1 + #{s − mean s ≥ |observed|}) / (1 + samples) with s = |d|, as in sacreBLEU and Moses.
      This test centres the absolute differences, so it finds too many differences significant. Here a tie counts as
      at least as extreme, so a system compared with itself gets p = 1; sacreBLEU counts only ``>`` and returns the
      smallest possible p.
    * ``koehn``: one-sided, p = (1 + #{d·sign(observed) ≤ 0}) / (1 + samples), the share of replicates in which the
      better system does not win (Koehn 2004).

    The replicates d are the differences in the bootstrap samples; undefined ones are ignored.

    >>> bootstrap_p(2.0, [1.0, 3.0, 2.0, -1.0], method="koehn").item()
    0.4
    """
    observed, differences, defined = _replicates(observed, differences)
    count = defined.sum(axis=0)
    if method == "koehn":
        extreme = differences * np.sign(observed) <= TIE
    elif method == "centred":
        centre = np.where(defined, differences, 0.0).sum(axis=0) / np.maximum(count, 1)
        extreme = np.abs(differences - centre) >= np.abs(observed) - TIE
    elif method == "sacrebleu":
        size = np.abs(differences)
        centre = np.where(defined, size, 0.0).sum(axis=0) / np.maximum(count, 1)
        extreme = size - centre >= np.abs(observed) - TIE
    else:
        raise choices(method, list(BOOTSTRAP_METHODS), what="bootstrap test")
    return _share(extreme & defined, count, observed)


def bootstrap_t_p(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the two-sided p-value of Student's t-test for two sets of replicates, ``[samples, ...]`` each.

    Stanojević & Sima'an (2016) use this test. It treats the replicates as independent observations and the two
    systems as unrelated, and tests whether the means differ. With enough samples, any difference becomes significant,
    whatever the data; ``bootstrap_p`` instead tests whether the difference could be due to chance. Undefined
    replicates are ignored.

    >>> round(bootstrap_t_p([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]).item(), 4)
    0.2879
    """
    count, mean, spread = zip(*map(mean_and_spread, (a, b)), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stats.ttest_ind_from_stats(mean[0], spread[0], count[0], mean[1], spread[1], count[1]).pvalue
    still = np.maximum(*spread) <= TIE
    p = np.where(still, np.where(np.abs(mean[0] - mean[1]) <= TIE, 1.0, 0.0), p)
    return np.where(np.minimum(*count) < 2, np.nan, p)


def mean_and_spread(replicates: ArrayLike) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return the number, the mean and the sample standard deviation (divisor n − 1) of the defined replicates."""
    values = np.asarray(replicates, dtype=np.float64)
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
    return count, mean, np.sqrt(squares / np.maximum(count - 1, 1))


def randomisation_p(observed: ArrayLike, differences: ArrayLike) -> Floats:
    """Return the two-sided p-value of approximate randomisation, (1 + #{|d| ≥ |observed|}) / (1 + trials).

    ``differences[trials, ...]`` are the differences d between the pseudo-systems (Noreen 1989); undefined differences
    are ignored.

    >>> randomisation_p(2.0, [1.0, -3.0, 2.0]).item()
    0.75
    """
    observed, differences, defined = _replicates(observed, differences)
    return _share((np.abs(differences) >= np.abs(observed) - TIE) & defined, defined.sum(axis=0), observed)


def approximate_randomisation(
    rows_a: Rows,
    rows_b: Rows,
    corpus: Corpus,
    *,
    defined: NDArray[np.bool_] | None = None,
    trials: int = DEFAULT_TRIALS,
    **options: Unpack[Sampling],
) -> PairedTest:
    """Test the difference between two systems by two-sided approximate randomisation.

    ``corpus`` computes corpus scores from sums ``[..., K]``. ``defined`` marks the segments that are defined for both
    systems.
    """
    groups = options.get("groups")
    if defined is not None:
        rows_a, rows_b, groups = rows_a[defined], rows_b[defined], None if groups is None else groups[defined]
        options["groups"] = groups
    observed = _difference(corpus, rows_a.sum(axis=0), rows_b.sum(axis=0))
    sums = randomisation_sums(rows_a, rows_b, trials=trials, **options)
    differences = _difference(corpus, *sums)
    # Differences after the exchange scatter around 0. Their mean square includes the observed one, unlike the error.
    square = np.mean(differences**2, where=~np.isnan(differences)) if len(rows_a) else np.nan
    count, units = len(rows_a), len(rows_a) if groups is None else len(np.unique(groups))
    error = np.sqrt(np.maximum(square - observed**2 / max(units, 1), 0.0)).item()
    p = randomisation_p(observed, differences).item() if count else np.nan
    return PairedTest("randomisation", observed.item(), p, count, units, error)


def wilcoxon(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test paired segment scores by Wilcoxon's signed-rank test (two-sided); segments with equal scores are ignored.

    The result's ``difference`` is the mean difference. If the two systems have equal scores on every segment, p is 1.
    """
    differences = _paired(a, b)
    changed = differences[differences != 0]
    p = float(stats.wilcoxon(changed).pvalue) if len(changed) else 1.0
    return _of_differences("wilcoxon", differences, p)


def sign_test(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Test whether two systems win equally many segments, by the exact sign test; equal scores are ignored.

    With the alternative ``greater``, the test is one-sided: it tests whether the first system is better. The result's
    ``difference`` is the mean difference.
    """
    differences = _paired(a, b)
    p = sign_p(int((differences > 0).sum()), int((differences < 0).sum()), alternative=alternative)
    return _of_differences("sign", differences, p)


def sign_p(wins: int, losses: int, *, alternative: Alternative = "two-sided") -> float:
    """Return the exact p-value of the sign test, in which wins follow a binomial distribution with probability ½.

    >>> round(sign_p(189, 347 - 189, alternative="greater"), 4)
    0.0536
    """
    if wins + losses == 0:
        return 1.0
    return float(stats.binomtest(wins, wins + losses, alternative=alternative).pvalue)


def sign_flip_p(differences: ArrayLike) -> float:
    """Return the exact two-sided p-value of a sum of integers; under the null hypothesis, their signs are random.

    Each number belongs to one segment: the votes for the first system minus the votes for the second. All 2ⁿ
    combinations of signs are counted, by adding one segment after another to the distribution of the sum (Fisher
    1935, § 21).

    >>> sign_flip_p([3, 1, 1])
    0.25
    """
    given = np.asarray(differences)
    sizes = np.abs(given).astype(np.int64)
    refuse(given.ndim != 1 or (sizes != np.abs(given)).any(), "the sign-flip test needs one whole number per segment")
    chances = np.ones(1)  # probabilities of the sums −reach, −reach + 1, …, reach
    for size in np.sort(sizes[sizes > 0]).tolist():
        wider = np.zeros(len(chances) + 2 * size)
        wider[: len(chances)] += chances / 2
        wider[2 * size :] += chances / 2
        chances = wider
    reach = len(chances) // 2
    extreme = np.abs(np.arange(-reach, reach + 1)) >= abs(int(given.sum()))
    return min(float(chances[extreme].sum()), 1.0)


def _replicates(observed: ArrayLike, differences: ArrayLike) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    observed = np.asarray(observed, dtype=np.float64)
    differences = np.asarray(differences, dtype=np.float64)
    return observed, differences, ~np.isnan(differences)


def _share(extreme: NDArray[np.bool_], count: NDArray[np.int64], observed: Floats) -> Floats:
    """Return p = (c + 1)/(R + 1), where c of the R replicates are extreme.

    Return NaN where the observed difference or all replicates are undefined.
    """
    p = (extreme.sum(axis=0) + 1.0) / (count + 1.0)
    return np.where(np.isnan(observed) | (count == 0), np.nan, p)


def _difference(corpus: Corpus, sums_a: Floats, sums_b: Floats) -> Floats:
    return np.asarray(corpus(sums_a), dtype=np.float64) - np.asarray(corpus(sums_b), dtype=np.float64)


def _paired(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the score differences of the segments that are defined for both systems."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        shapes = f"{a.shape} and {b.shape}"
        raise UsageError(f"a paired test needs two lists of scores of the same length, not arrays of shapes {shapes}")
    differences: Floats = a - b
    return differences[~np.isnan(differences)]


def _of_differences(name: str, differences: Floats, p: float) -> PairedTest:
    count = len(differences)
    mean = float(differences.mean()) if count else np.nan
    return PairedTest(name, mean, p if count else np.nan, count, count)
