"""Order metrics beside scipy, permuta, nltk and plain Python, at sentence lengths 10, 25, 60 and 200.

Run: python benchmarks/orders.py. Everything is measured in this one process on the same permutations, one core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from measure import rate, ratio, thousands

from wordorder.core.orders import Permutations
from wordorder.core.statistics import Resampling
from wordorder.metrics import METRICS, Orders, metric
from wordorder.metrics.base import OrderMetric
from wordorder.scoring.inputs import GivenOrders
from wordorder.scoring.score import score

LENGTHS = (10, 25, 60, 200)
CORPUS, SAMPLES = 200_000, 1000


def sample(length: int, count: int) -> Permutations:
    """Make orders as translations have them: a few blocks of words moved, now and then something wild."""
    rng = np.random.default_rng(length)
    rows = []
    for _ in range(count):
        order = np.arange(length)
        for _ in range(int(rng.integers(0, 5))):
            a, b, c = np.sort(rng.integers(0, length + 1, 3))
            order = np.concatenate([order[:a], order[b:c], order[a:b], order[c:]])
        if rng.random() < 0.1:
            order = rng.permutation(length)
        rows.append(order)
    return Permutations(np.concatenate(rows).astype(np.int32), np.arange(count + 1) * length)


def plain_kendall(ranks: list[int]) -> float:
    n = len(ranks)
    right = sum(ranks[i] < ranks[j] for i in range(n) for j in range(i + 1, n))
    return right / (n * (n - 1) / 2)


def plain_pef(ranks: list[int], beta: float = 0.6) -> float:
    """Figure 6 of Stanojević & Sima'an (2014) as it stands: all spans, all splits."""
    n = len(ranks)

    def is_block(i: int, j: int) -> bool:
        part = ranks[i:j]
        return max(part) - min(part) == j - i - 1

    @cache
    def node(i: int, j: int) -> float:
        if j - i == 1:
            return 1.0
        splits = [k for k in range(i + 1, j) if is_block(i, k) and is_block(k, j)]
        if splits:
            operator = float(ranks[i] < ranks[j - 1])
            inferences = [[(i, k), (k, j)] for k in splits]
        else:
            operator = 0.0
            blocks = []
            start = i
            while start < j:
                stop = next(k for k in range(j, start, -1) if (start, k) != (i, j) and is_block(start, k))
                blocks.append((start, stop))
                start = stop
            inferences = [blocks]
        if all(b - a == 1 for a, b in inferences[0]):
            return operator
        means = []
        for blocks in inferences:
            inner = [node(a, b) for a, b in blocks if b - a > 1]
            means.append(sum(inner) / len(inner))
        return beta * operator + (1 - beta) * sum(means) / len(means)

    return node(0, n)


def peers() -> dict[str, tuple[str, Callable[[list[int]], object]]]:
    from nltk.translate import ribes_score
    from scipy import stats

    found: dict[str, tuple[str, Callable[[list[int]], object]]] = {
        "scipy kendalltau": ("kendall", lambda r: stats.kendalltau(range(len(r)), r)),
        "scipy spearmanr": ("spearman", lambda r: stats.spearmanr(range(len(r)), r)),
        "nltk kendall_tau": ("kendall", lambda r: ribes_score.kendall_tau(r)),
        "nltk spearman_rho": ("spearman", lambda r: ribes_score.spearman_rho(r)),
        "plain Python kendall": ("kendall", plain_kendall),
        "plain Python pef": ("pef", plain_pef),
    }
    try:
        from permuta import Perm
    except ImportError:
        print("permuta is not installed; `make bench` installs it", file=sys.stderr)
    else:
        found["permuta count_inversions"] = ("kendall", lambda r: Perm(r).count_inversions())
        found["permuta count_fixed_points"] = ("hamming", lambda r: Perm(r).count_fixed_points())
    return found


def measure_intervals() -> None:
    """Print what the intervals of a large corpus cost beside its scores."""
    inputs = GivenOrders({"A": sample(25, CORPUS)})

    seconds = {0: float("inf"), SAMPLES: float("inf")}
    for _ in range(6):  # in turn, because a machine is now more and now less busy; the first round warms up
        for samples in seconds:
            start = time.process_time()
            scores = score(inputs, metrics="order", resampling=Resampling(samples=samples))
            assert scores.values.shape == scores.intervals[0].shape
            seconds[samples] = min(seconds[samples], time.process_time() - start)
    alone, drawn = (CORPUS / best for best in seconds.values())
    print(f"| all order metrics of {CORPUS:,} permutations, n = 25 | per CPU second | relative to scores alone |")
    print("|---|--:|--:|")
    print(f"| scores | {thousands(alone)} | 1.00 |")
    print(f"| scores and intervals from {SAMPLES:,} bootstrap samples | {thousands(drawn)} | {drawn / alone:.2f} |")


def main() -> None:
    columns = {length: sample(length, 20_000 if length <= 25 else 4_000) for length in LENGTHS}
    small = {length: [list(order.ranks) for order in column[:40]] for length, column in columns.items()}

    def score_all(column: Permutations) -> None:
        orders = Orders(column)
        for name in METRICS:
            chosen = metric(name)
            if isinstance(chosen, OrderMetric):
                chosen.values(orders)

    print("| wordorder, one core, permutations a second | " + " | ".join(f"n = {n}" for n in LENGTHS) + " |")
    print("|---|" + "--:|" * len(LENGTHS))
    ours: dict[tuple[str, int], float] = {}
    for name in ("kendall", "hamming", "spearman", "pef"):
        chosen = metric(name)
        assert isinstance(chosen, OrderMetric)
        for length, column in columns.items():
            ours[name, length] = rate(lambda m=chosen, c=column: m.values(Orders(c)), len(column))  # type: ignore[misc]
        print(f"| `{name}` | " + " | ".join(thousands(ours[name, n]) for n in LENGTHS) + " |")
    everything = [rate(lambda c=column: score_all(c), len(column)) for column in columns.values()]  # type: ignore[misc]
    print("| all order metrics together | " + " | ".join(map(thousands, everything)) + " |")
    print()
    measure_intervals()
    print()
    print("| wordorder's speed-up over | " + " | ".join(f"n = {n}" for n in LENGTHS) + " |")
    print("|---|" + "--:|" * len(LENGTHS))
    for title, (name, work) in peers().items():
        cells = []
        for length in LENGTHS:
            rows = small[length] if length < 200 or "pef" not in title else small[length][:3]
            theirs = rate(lambda w=work, r=rows: [w(row) for row in r], len(rows))  # type: ignore[misc]
            cells.append(ratio(ours[name, length] / theirs))
        print(f"| {title} (`{name}`) | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
