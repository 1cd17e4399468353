"""Profiling a parallel corpus from files: sentence pairs a second of processor time on one core, and memory.

Run: python benchmarks/profiles.py [pairs]. There is no peer that does this; alignment files and texts are made up.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from measure import thousands

from wordorder.apps.profile import Corpus, profile

KINDS = 5_000


def make_pairs() -> list[tuple[str, str]]:
    """Make up sentence pairs: some blocks of words moved, some words unaligned, some aligned twice."""
    rng = np.random.default_rng(1)
    pairs = []
    for _ in range(KINDS):
        length = int(np.clip(rng.normal(25, 9), 3, 80))
        order = np.arange(length)
        for _ in range(int(rng.integers(0, 6))):
            a, b, c = np.sort(rng.integers(0, length + 1, 3))
            c = min(c, a + 12)
            b = min(b, c)
            order = np.concatenate([order[:a], order[b:c], order[a:b], order[c:]])
        place = np.argsort(order)
        links = {(s, int(place[s])) for s in range(length) if rng.random() > 0.12}
        links |= {(s, min(int(place[s]) + 1, length - 1)) for s in range(length) if rng.random() < 0.06}
        text = " ".join(f"w{word}" for word in rng.zipf(1.3, length) % 20_000)
        pairs.append((" ".join(f"{s}-{t}" for s, t in sorted(links)), text))
    return pairs


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    pairs = make_pairs()
    chosen = np.random.default_rng(2).integers(0, KINDS, count).tolist()
    with tempfile.TemporaryDirectory() as folder:
        links, text, lengths = (Path(folder) / name for name in ("links", "text", "lengths"))
        with links.open("w") as one, text.open("w") as two, lengths.open("w") as three:
            for kind in chosen:
                one.write(pairs[kind][0] + "\n")
                two.write(pairs[kind][1] + "\n")
                three.write(f"{pairs[kind][1].count(' ') + 1}\n")
        print("| files to profile, one core | pairs a second |")
        print("|---|--:|")
        for title, corpus in (
            ("alignments and lengths", Corpus("x", links, source_lengths=lengths, target_lengths=lengths)),
            ("alignments and texts, with BLEU in source order", Corpus("x", links, source=text, target=text)),
        ):
            small = [pairs[kind][1] for kind in chosen[:10]]
            profile(Corpus("warm", next(corpus.blocks())[0][:10], source=small, target=small))
            start = processor_seconds()
            profile(corpus)
            print(f"| {title} | {thousands(count / (processor_seconds() - start))} |")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n{count} pairs, at most {memory:.0f} MB of memory.")


if __name__ == "__main__":
    main()
