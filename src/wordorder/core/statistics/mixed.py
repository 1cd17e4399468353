"""Linear mixed models with crossed random effects, for instance if both people and items are random samples.

The model is y = Xβ + Σ_k Z_k u_k + ε: X is the design matrix of the fixed effects β, Z_k assigns a group to every
value, u_k are the random effects of these groups, and ε are the residuals. Every kind k of random effect has its own
variance. Variances are estimated by restricted maximum likelihood (Patterson & Thompson 1971) or by maximum
likelihood. Tests and intervals for effects use t and F distributions with Satterthwaite's degrees of freedom (Fai &
Cornelius 1996 for several contrasts at once).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.runtime.libraries import special, stats
from wordorder.core.statistics.variance import Anova, TukeyPair

Floats = NDArray[np.float64]

RESIDUAL = "residual"
_SMALL = 1e-8  # variances below this share of the residual variance count as 0


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of effects: its estimate, standard error, degrees of freedom, interval and two-sided p-value."""

    estimate: float
    error: float
    freedom: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False)
class MixedFit:
    """A fitted mixed model: fixed effects, their covariance, and the variances of random effects and residual.

    ``slopes[k]`` is the derivative of ``covariance`` with respect to the k-th variance, and ``spread`` is the
    covariance of the estimated variances; variances estimated as 0 are left out of both. ``residuals`` are the
    differences between the values and the model's predictions, including random effects.
    """

    effects: Floats
    covariance: Floats
    variances: Mapping[str, float]
    log_likelihood: float
    slopes: Floats
    spread: Floats
    residuals: Floats

    def contrast(self, weights: ArrayLike, *, level: float = 0.95) -> Contrast:
        """Test whether the weighted sum of the effects is 0; ``level`` is the confidence level of its interval."""
        weight = np.asarray(weights, dtype=np.float64)
        estimate = float(weight @ self.effects)
        variance = float(weight @ self.covariance @ weight)
        freedom = self._freedom(weight, variance)
        error = math.sqrt(variance) if variance >= 0 else math.nan
        reach = float(special.stdtrit(freedom, (1 + level) / 2)) * error
        p = float(2 * special.stdtr(freedom, -abs(estimate) / error)) if error > 0 else math.nan
        return Contrast(estimate, error, freedom, estimate - reach, estimate + reach, p)

    def test(self, contrasts: ArrayLike) -> Anova:
        """Test jointly whether all contrasts, given as weights ``[contrasts, effects]``, are 0."""
        rows = np.asarray(contrasts, dtype=np.float64)
        sizes, axes = np.linalg.eigh(rows @ self.covariance @ rows.T)
        if not (sizes > 0).all():
            return Anova(math.nan, len(rows), math.nan, math.nan)
        turned = axes.T @ rows
        f = float(((turned @ self.effects) ** 2 / sizes).mean())
        freedoms = np.array([self._freedom(row, size) for row, size in zip(turned, sizes.tolist(), strict=True)])
        within = _join_freedoms(freedoms)
        return Anova(f, len(rows), within, float(special.fdtrc(len(rows), within, f)))

    def _freedom(self, weight: Floats, variance: float) -> float:
        slope = np.einsum("a,kab,b->k", weight, self.slopes, weight)
        bottom = float(slope @ self.spread @ slope)
        return 2 * variance**2 / bottom if bottom > 0 else math.nan


def fit_mixed(
    values: ArrayLike,
    fixed: ArrayLike,
    random: Mapping[str, ArrayLike],
    *,
    covariates: Mapping[str, ArrayLike] | None = None,
    restricted: bool = True,
) -> MixedFit:
    """Fit a mixed model to ``values``, given the design matrix ``fixed[n, effects]`` and the random effects.

    ``random`` maps the name of each random effect to the group of every value. A random effect is an intercept for
    each group or, if ``covariates`` has a column with its name, a slope for each group, by which this column is
    multiplied.

    Let y be the n values, X the design matrix of the p fixed effects, Z_k the matrix that assigns values to the
    groups of random effect k, and γ_k the ratio of the variance of this effect to the residual variance. With V = I +
    Σ γ_k Z_k Z_k′ and P = V⁻¹ − V⁻¹X(X′V⁻¹X)⁻¹X′V⁻¹, minus twice the restricted log-likelihood is log|V| +
    log|X′V⁻¹X| + (n − p)·log y′Py, up to a constant. It is minimised over the ratios γ_k ≥ 0. If ``restricted`` is
    false, the ordinary likelihood is used instead: log|V| + n·log y′Py.
    """
    from scipy import optimize

    y, design = np.asarray(values, dtype=np.float64), np.asarray(fixed, dtype=np.float64)
    if y.ndim != 1 or design.ndim != 2 or len(y) != len(design) or len(y) <= design.shape[1]:
        shapes = f"found shapes {y.shape} and {design.shape}"
        raise UsageError(f"a mixed model needs a design row per value and more values than fixed effects; {shapes}")
    refuse(np.linalg.matrix_rank(design) < design.shape[1], "the fixed effects of a mixed model must not be collinear")
    refuse(not random, "a mixed model needs at least one random effect")
    groups = {name: np.asarray(each) for name, each in random.items()}
    columns = {name: np.asarray(each, dtype=np.float64) for name, each in (covariates or {}).items()}
    problem = _Problem(y, design, groups, columns, restricted=restricted)
    refuse(problem.is_still, "the fixed effects fit all values exactly, so there is no variance to estimate")

    def deviance(logs: Floats) -> tuple[float, Floats]:
        value, slope = problem.deviance(np.expm1(logs))
        return value, slope * np.exp(logs)

    # L-BFGS may stop too early, so it starts again until nothing is gained.
    bounds = [(0, math.log1p(1e4))] * len(random)
    options = {"ftol": 1e-13, "gtol": 1e-6}
    logs, before = np.full(len(random), math.log1p(0.1)), math.inf
    while True:
        best = optimize.minimize(deviance, logs, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        if best.fun > before - 1e-9:
            break
        logs, before = best.x, best.fun
    ratios = np.expm1(logs)
    return problem.finish(np.where(ratios > _SMALL, ratios, 0.0))


def compare_means(fit: MixedFit) -> list[TukeyPair]:
    """Compare all pairs of effects, which must be means of levels, by Tukey's HSD: q = √2·|difference|/error."""
    count = len(fit.effects)
    reaches: dict[float, float] = {}  # computing a quantile is slow, and most pairs share one
    found = []
    for a, b in combinations(range(count), 2):
        one = fit.contrast(np.eye(count)[a] - np.eye(count)[b])
        freedom = round(one.freedom, 3)
        if not one.error > 0 or math.isnan(freedom):
            found.append(TukeyPair(a, b, one.estimate, math.nan, math.nan, math.nan))
            continue
        if freedom not in reaches:
            reaches[freedom] = _studentized_quantile(0.95, count, freedom)
        reach = reaches[freedom] * one.error / math.sqrt(2)
        q = math.sqrt(2) * abs(one.estimate) / one.error
        p = float(stats.studentized_range.sf(q, count, freedom))
        found.append(TukeyPair(a, b, one.estimate, one.estimate - reach, one.estimate + reach, p))
    return found


def _studentized_quantile(level: float, count: int, freedom: float) -> float:
    """Return a quantile of the studentized range, accurate to five digits.

    scipy's own function computes sixteen digits, but takes six times as long.

    >>> round(_studentized_quantile(0.95, 3, 10), 3)  # printed tables have 3.877 or 3.88
    3.877
    """
    from scipy import optimize

    def over(q: float) -> float:
        return level - float(stats.studentized_range.cdf(q, count, freedom))

    high = 8.0
    while over(high) > 0:
        high *= 4
    return float(optimize.brentq(over, 0.1, high, xtol=1e-5))


def _join_freedoms(freedoms: Floats) -> float:
    """Return the degrees of freedom of the mean of m squared t values, each with ν degrees of freedom of its own.

    The result is 2E/(E − m), where E = Σ ν/(ν − 2).
    """
    if len(freedoms) == 1:
        return float(freedoms[0])
    large = freedoms[freedoms > 2]
    expected = float((large / (large - 2)).sum())
    return 2 * expected / (expected - len(freedoms)) if expected > len(freedoms) else math.nan


class _Problem:
    """The optimisation problem of fitting a mixed model, stored as cross products of its matrices.

    All computations take place in the space of the random effects.
    """

    def __init__(
        self,
        y: Floats,
        design: Floats,
        random: Mapping[str, NDArray[np.generic]],
        covariates: Mapping[str, Floats] | None = None,
        *,
        restricted: bool = True,
    ) -> None:
        self.names = list(random)
        columns, kinds = [], []
        for kind, (name, groups) in enumerate(random.items()):
            labels, place = np.unique(groups, return_inverse=True)
            column = (place.ravel()[:, None] == np.arange(len(labels))).astype(np.float64)
            columns.append(column * covariates[name][:, None] if covariates and name in covariates else column)
            kinds += [kind] * len(labels)
        self.kinds = np.array(kinds, dtype=np.int64)
        self.z = z = np.hstack(columns)
        self.both = both = np.column_stack([design, y])
        self.zz, self.zb, self.bb = z.T @ z, z.T @ both, both.T @ both
        self.large = self.kinds == int(np.argmax(np.bincount(self.kinds)))
        rest = np.hstack([z[:, ~self.large], both])
        self.products = rest.T @ rest
        self.restricted = restricted
        self.freedom = len(y) - restricted * design.shape[1]

    @property
    def is_still(self) -> bool:
        inside = self.bb[:-1, :-1]
        rest = self.bb[-1, -1] - self.bb[-1, :-1] @ np.linalg.solve(inside, self.bb[:-1, -1])
        return bool(rest <= 1e-12 * max(self.bb[-1, -1], 1.0))

    def deviance(self, ratios: Floats) -> tuple[float, Floats]:
        """Return −2·log-likelihood, up to a constant, and its derivative with respect to each variance ratio.

        The random effect with the most groups is eliminated first. Let Z be the matrix that assigns values to its
        groups, m the group sizes, γ its variance ratio, and V = I + γZZ′. Since Z′Z is diagonal, A′V⁻¹B = A′B −
        A′Z·D·Z′B for any matrices A and B, where D = γ/(1 + γm). The remaining matrices are small.
        """
        from scipy.linalg import solve_triangular

        large, small = self.large, ~self.large
        ratio = float(ratios[self.kinds[large][0]])
        size = np.diag(self.zz)[large]
        shrunk = 1 / (1 + ratio * size)
        cross = np.hstack([self.zz[np.ix_(large, small)], self.zb[large]])  # Z_1′(Z X y)
        width = int(small.sum())
        inside = self.products - (cross.T * (ratio * shrunk)) @ cross
        scale = np.sqrt(ratios)[self.kinds[small]]
        lower = np.linalg.cholesky(np.eye(width) + scale[:, None] * inside[:width, :width] * scale)
        known = np.hstack([inside[:width], (cross[:, :width] * shrunk[:, None]).T])
        joined = solve_triangular(lower, scale[:, None] * known, lower=True, check_finite=False)
        zz, zb, zl = joined[:, :width], joined[:, width : -len(size)], joined[:, -len(size) :]
        bvb = inside[width:, width:] - zb.T @ zb
        inverse = np.linalg.inv(bvb[:-1, :-1])
        effects = inverse @ bvb[:-1, -1]
        rest = float(bvb[-1, -1] - bvb[:-1, -1] @ effects)
        zvb, diagonal = np.empty_like(self.zb), np.empty(len(self.kinds))
        zvb[small], zvb[large] = inside[:width, width:] - zz.T @ zb, cross[:, width:] * shrunk[:, None] - zl.T @ zb
        diagonal[small], diagonal[large] = np.diag(inside)[:width] - (zz**2).sum(0), size * shrunk - (zl**2).sum(0)
        value = 2 * float(np.log(np.diag(lower)).sum()) - float(np.log(shrunk).sum()) + self.freedom * math.log(rest)
        if self.restricted:
            diagonal -= np.einsum("za,ab,zb->z", zvb[:, :-1], inverse, zvb[:, :-1])
            value += float(np.linalg.slogdet(bvb[:-1, :-1])[1])
        square = (zvb[:, -1] - zvb[:, :-1] @ effects) ** 2
        slope = np.bincount(self.kinds, weights=diagonal - self.freedom * square / rest, minlength=len(ratios))
        return value, slope.astype(np.float64)

    def _parts(self, ratios: Floats) -> dict[str, Any]:
        scale = np.sqrt(ratios)[self.kinds]
        inner = np.eye(len(scale)) + scale[:, None] * self.zz * scale
        lower = np.linalg.cholesky(inner)
        joined = np.linalg.solve(lower, scale[:, None] * np.hstack([self.zb, self.zz]))
        width = self.zb.shape[1]
        bvb = self.bb - joined[:, :width].T @ joined[:, :width]  # (X y)′V⁻¹(X y)
        zvb = self.zb - joined[:, width:].T @ joined[:, :width]
        zvz = self.zz - joined[:, width:].T @ joined[:, width:]
        covariance = np.linalg.inv(bvb[:-1, :-1])
        effects = covariance @ bvb[:-1, -1]
        return {
            "covariance": covariance,
            "effects": effects,
            "rest": float(bvb[-1, -1] - bvb[:-1, -1] @ effects),
            "zvx": zvb[:, :-1],
            "zpy": zvb[:, -1] - zvb[:, :-1] @ effects,
            "zpz": zvz - zvb[:, :-1] @ covariance @ zvb[:, :-1].T if self.restricted else zvz,
            "log_v": 2 * float(np.log(np.diag(lower)).sum()),
            "log_c": float(np.linalg.slogdet(bvb[:-1, :-1])[1]) if self.restricted else 0.0,
        }

    def finish(self, ratios: Floats) -> MixedFit:
        """Return the fitted model for the given variance ratios."""
        parts = self._parts(ratios)
        residual = parts["rest"] / self.freedom
        kept = [kind for kind in range(len(ratios)) if ratios[kind] > 0]
        value = parts["log_v"] + parts["log_c"] + self.freedom * (math.log(2 * math.pi * residual) + 1)
        predicted = self.both[:, :-1] @ parts["effects"] + self.z @ (ratios[self.kinds] * parts["zpy"])
        variances = {name: float(ratio * residual) for name, ratio in zip(self.names, ratios, strict=True)}
        return MixedFit(
            parts["effects"],
            residual * parts["covariance"],
            variances | {RESIDUAL: residual},
            -value / 2,
            self._slopes(parts, ratios, kept),
            2 * residual**2 * np.linalg.pinv(self._information(parts, ratios, kept)),
            self.both[:, -1] - predicted,
        )

    def _slopes(self, parts: Mapping[str, Any], ratios: Floats, kept: list[int]) -> Floats:
        """Return the derivatives of C = (X′V⁻¹X)⁻¹ with respect to each variance, C·X′V⁻¹V_kV⁻¹X·C.

        X and V are those of :func:`fit_mixed`, and V_k is the derivative of V with respect to variance k. Only the
        ``kept`` variances are included, and the residual variance comes last.
        """
        covariance, zvx = parts["covariance"], parts["zvx"]
        found = [np.einsum("za,zb->ab", zvx[self.kinds == kind], zvx[self.kinds == kind]) for kind in kept]
        found = [covariance @ each @ covariance for each in found]
        weighted = sum(ratios[kind] * each for kind, each in zip(kept, found, strict=True))
        return np.stack([*found, covariance - weighted])

    def _information(self, parts: Mapping[str, Any], ratios: Floats, kept: list[int]) -> Floats:
        """Return tr(P V_j P V_k) for all pairs of variances: the ``kept`` ones and that of the residual.

        P is that of :func:`fit_mixed`, and V_k is the derivative of V with respect to variance k. The values are in
        units of the residual variance.
        """
        zpz = parts["zpz"]
        size = len(kept) + 1
        found = np.zeros((size, size))
        for a, first in enumerate(kept):
            for b, second in enumerate(kept):
                found[a, b] = (zpz[np.ix_(self.kinds == first, self.kinds == second)] ** 2).sum()
        # The terms with the residual (V_0 = I) follow from P V P = P and V = I + Σ γ_k V_k.
        traces = np.array([np.trace(zpz[np.ix_(self.kinds == kind, self.kinds == kind)]) for kind in kept])
        shares = np.array([ratios[kind] for kind in kept])
        found[:-1, -1] = found[-1, :-1] = traces - found[:-1, :-1] @ shares
        whole = self.freedom - shares @ traces  # tr P = n − p − Σ γ_k tr(P V_k)
        found[-1, -1] = whole - shares @ found[:-1, -1]
        return found
