"""How fast n-best lists are read, searched along lines of weights, and chosen from by minimum Bayes risk.

``python benchmarks/translation.py`` invents lists like those of a phrase-based system: 14 features, 100 hypotheses a
sentence. ``--large`` adds two million hypotheses, with the memory they take. Beside the line search stands what
Moses' ``mert`` takes for a line of 100,000 hypotheses, measured elsewhere; its search is quadratic.

``--whole ../shared/data/nbest`` measures the memory of the whole path instead: it writes a file of two million lines,
copies of a list of Moses in which a word of its own tells each copy from the others, and reads, judges and searches
it as ``wordorder nbest tune`` does.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import rate, ratio, thousands

from wordorder.apps.nbest import NBest, ScoredLists, expected_utilities, optimise
from wordorder.apps.nbest.mert import Objective
from wordorder.apps.nbest.nbest import weigh
from wordorder.core.runtime.columns import strings
from wordorder.core.statistics.rows import CompactRows
from wordorder.metrics import metric

FEATURES = 14
MOSES_SECONDS = 0.015
"""What Moses takes for a line of 100,000 hypotheses with 14 features."""


def invent(sentences: int, size: int) -> NBest:
    """Make lists whose features vary as those of a decoder do: most of all together, by how good a hypothesis is."""
    rng = np.random.default_rng(12345)
    count = sentences * size
    features = np.empty((FEATURES, count))
    common = rng.normal(size=count)
    for place in range(FEATURES):
        features[place] = -20 + 2 * common + 2 * rng.normal(size=count)
    return NBest(
        np.arange(sentences),
        np.arange(sentences + 1) * size,
        strings(["a"]),
        np.zeros(count, np.int32),
        tuple(f"F{place}" for place in range(FEATURES)),
        features,
    )


def judge(lists: NBest) -> ScoredLists:
    """Make up BLEU's counts of hypotheses of about 25 words."""
    rng = np.random.default_rng(54321)
    count = len(lists.text)
    length = rng.integers(20, 31, count)
    rows = np.empty((count, 10), dtype=np.float64)
    rows[:, 0], rows[:, 1] = length, 25
    for order in range(4):
        total = length - order
        rows[:, 6 + order] = total
        rows[:, 2 + order] = rng.binomial(total, 0.7 / 1.6**order)
    return ScoredLists(lists, (metric("bleu"),), CompactRows.of(rows), np.arange(count, dtype=np.int32))


def seconds_a_line(objective: Objective, lines: int) -> tuple[float, float]:
    """Return the processor time of a search along an axis, and along a random direction: the best of some lines."""
    weights = np.full(FEATURES, 1 / FEATURES)
    heights = weigh(objective.lists.features, weights)
    direction = np.random.default_rng(1).uniform(-1, 1, FEATURES)
    axis, other = [], []
    for line in range(lines + 1):  # the first one warms up
        start = time.process_time()
        objective.along(heights, objective.lists.features[line % FEATURES])
        axis.append(time.process_time() - start)
        start = time.process_time()
        objective.along(heights, weigh(objective.lists.features, direction))
        other.append(time.process_time() - start)
    return min(axis[1:]), min(other[1:])


def measure_lines(sentences: int, *, lines: int) -> None:
    lists = invent(sentences, 100)
    objective = Objective.of(judge(lists))
    axis, other = seconds_a_line(objective, lines)
    count = len(lists.text)
    print(f"line search, {thousands(count)} hypotheses × {FEATURES}")
    for what, seconds in (("an axis", axis), ("a random direction", other)):
        beside = f", {ratio(MOSES_SECONDS / seconds)} Moses' mert" if count == 100_000 else ""
        print(f"  {1000 * seconds:.1f} ms along {what}{beside}")
    print(f"  {peak_megabytes():.0f} MB in all")


def peak_megabytes() -> float:
    """Return the most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def write_copies(data: Path, folder: Path, copies: int, *, distinct: bool) -> tuple[Path, Path]:
    """Write copies of a list of Moses one after another, and the references beside it."""
    entries = [line.split("|||", 2) for line in (data / "moses-fr-en" / "nbest.out").read_text().splitlines()]
    sentences = int(entries[-1][0]) + 1
    references = (data / "moses-fr-en" / "reference.txt").read_text().splitlines()[:sentences]
    paths = folder / "list", folder / "reference"
    with open(paths[0], "w") as lists, open(paths[1], "w") as gold:
        for copy in range(copies):
            for place, (number, text, rest) in enumerate(entries):
                mark = f"{copy}.{place}" if distinct else copy
                lists.write(f"{copy * sentences + int(number)} |||{text}copy{mark} |||{rest}\n")
            gold.writelines(f"{line}\n" for line in references)
    return paths


def measure_whole(data: Path, copies: int, *, distinct: bool) -> None:
    """Tell the memory after each step from a file to tuned weights."""
    with tempfile.TemporaryDirectory() as folder:
        path, reference = write_copies(data, Path(folder), copies, distinct=distinct)
        print(f"a file of {path.stat().st_size >> 20} MB; {peak_megabytes():.0f} MB before it is read")
        start = time.process_time()

        def tell(step: str) -> None:
            print(f"  {step}: {peak_megabytes():.0f} MB, {time.process_time() - start:.0f} s", flush=True)

        lists = NBest.read(path)
        tell(f"{lists!r} read")
        judged = lists.score(reference, "bleu,lr-kb4").without_texts()
        del lists
        tell("judged")
        tuned = optimise(judged, restarts=1, directions=2)
        tell(f"tuned to {tuned.best.score:.4f}")


def measure_reading() -> None:
    lists = invent(500, 100)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        words = " ".join(f"word{number}" for number in range(25))
        with open(path, "w") as file:
            for row in range(len(lists.text)):
                numbers = " ".join(f"{value:.4f}" for value in lists.features[:, row])
                file.write(f"{row // 100} ||| {words} {row} ||| d= {numbers} ||| -12.5\n")
        print(f"reading Moses lists: {thousands(rate(lambda: NBest.read(path), len(lists.text)))} lines/s")


def measure_risk() -> None:
    rng = np.random.default_rng(12345)
    words = [f"word{number}" for number in range(2000)]
    texts = []
    for _ in range(40):
        base = rng.choice(words[:300], 12).tolist()
        samples = []
        for _ in range(48):
            changed = [word if rng.random() < 0.8 else str(rng.choice(words)) for word in base]
            start = int(rng.integers(0, 8))
            samples.append(" ".join([*changed[start:], *changed[:start]] if rng.random() < 0.3 else changed))
        texts.append(samples)
    lists = NBest.of(texts)
    metrics = "bleu,lr-kb4,kendall-sqrt,pef,f1"
    pairs = sum(len(set(samples)) ** 2 for samples in texts)
    found = rate(lambda: expected_utilities(lists, metrics), pairs)
    print(f"minimum Bayes risk, five metrics: {thousands(found)} pairs/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="two million hypotheses as well")
    parser.add_argument("--whole", type=Path, metavar="DATA", help="from a file to weights, in this memory")
    parser.add_argument("--copies", type=int, default=200, help="size of that file, in lists of 10,000 lines")
    parser.add_argument("--distinct", action="store_true", help="no two texts of that file are the same")
    options = parser.parse_args()
    if options.whole:
        measure_whole(options.whole, options.copies, distinct=options.distinct)
        return
    measure_reading()
    measure_risk()
    measure_lines(1000, lines=28)
    if options.large:
        measure_lines(20_000, lines=7)


if __name__ == "__main__":
    main()
