"""A small aligned corpus whose sentences are disordered enough for every bin, for tests."""

from __future__ import annotations

import random
from pathlib import Path

NAMES = ["Anna", "Boris", "Carla", "David", "Emil", "Frida"]
WORDS = ["the", "old", "new", "house", "garden", "river", "reads", "writes", "never", "often", "with", "under"]
WORDS += ["before", "town", "little", "green", "letter"]
ORDERS = [
    "1 2 10 7 8 9 5 3 4 6 11 12",  # as in Figure 6.2 of the thesis
    "9 10 11 7 8 5 6 3 4 1 2 12",
    "2 1 8 9 10 6 7 3 5 4 11 12",
    "11 10 9 8 1 2 3 7 6 5 4 12",
]


def write_corpus(folder: Path, sentences: int = 40) -> dict[str, str]:
    """Write source, target and alignment of so many sentences; return their names."""
    chance = random.Random(3)
    rows: dict[str, list[str]] = {"zh.txt": [], "en.txt": [], "zh-en.align": []}
    for number in range(sentences):
        order = [int(rank) - 1 for rank in ORDERS[number % len(ORDERS)].split()]
        words = [chance.choice(WORDS) for _ in range(11)]
        words[0] = chance.choice(["The", "Old", "New"])
        words[5] = chance.choice(NAMES)
        rows["en.txt"].append(" ".join([*words, "."]))
        rows["zh.txt"].append(" ".join(f"z{place}" for place in order))
        rows["zh-en.align"].append(" ".join(f"{place}-{rank}" for place, rank in enumerate(order)))
    for name, lines in rows.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return {name.partition(".")[0] if name != "zh-en.align" else "align": str(folder / name) for name in rows}


def texts(folder: Path, segments: int = 12) -> dict[str, str]:
    """Write source, reference and the outputs of three systems with alignments; return their names."""
    chance = random.Random(5)
    rows: dict[str, list[str]] = {name: [] for name in ("src", "ref", "A", "B", "C", "ref.align", "A.align")}
    for number in range(segments):
        words = [*(chance.choice(WORDS) for _ in range(8)), "."]
        swapped = [words[1], words[0], *words[2:]]
        rows["src"].append(" ".join(f"s{place}" for place in range(9)))
        rows["ref"].append(" ".join(words))
        rows["A"].append(" ".join(words if number % 2 else swapped))
        rows["B"].append(" ".join([*words[4:8], *words[:4], words[8]]))
        rows["C"].append(" ".join([*reversed(words[:8]), words[8]]))
        rows["ref.align"].append("0-1 1-0 2-2 3-3 4-4 5-5 6-6 7-7 8-8")
        rows["A.align"].append(rows["ref.align"][-1] if number % 2 else " ".join(f"{n}-{n}" for n in range(9)))
    for name, lines in rows.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return {name: str(folder / name) for name in rows}
