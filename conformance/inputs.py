"""The inputs: the demo data, invented sentences with many repeated words, lines that are hard to tokenise, orders."""

from __future__ import annotations

import os
import random
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "src" / "wordorder" / "data" / "demo"
DATA = Path(os.environ.get("WORDORDER_DATA", ROOT.parent / "shared" / "data"))
SYSTEMS = ("good", "monotone", "scrambled")

HARD_LINES = (
    "",
    " ",
    "It's 3.5 %, isn't it?!",
    "a-b 5-year 1,000.50 $5 (see p. 3)",
    "&quot;Tom &amp; Jerry&quot; &lt;b&gt; <skipped> ...",
    "Straße ÇA ΣΊΣΥΦΟΣ İstanbul",
    "他们 昨天在 2020年 去了上海。",
    "私は昨日、図書館で本を読みました。",
    "나는 어제 도서관에서 책을 읽었다.",
    "ฉันไปโรงเรียน",
    "naïve café 🙂👍🏽 e\u0301",
    "x\u00a0y\u2003z\u200bw",
    "“Ja”, sagte er – «oui» … 'no'",
    "ذهب الولد إلى المدرسة، أمس.",
)


@cache
def demo() -> tuple[dict[str, list[str]], list[list[str]]]:
    """The three systems of the demo data and its two references."""
    hypotheses = {name: read(f"{name}.txt") for name in SYSTEMS}
    return hypotheses, [read("reference.txt"), read("reference2.txt")]


def read(name: str) -> list[str]:
    """The lines of a file of the demo data."""
    return (DEMO / name).read_text(encoding="utf-8").split("\n")[:-1]


@cache
def pairs(count: int = 500) -> tuple[list[str], list[str]]:
    """Hypotheses and references over twelve words, so that words repeat; blocks are moved and words exchanged."""
    chance = random.Random(22)
    words = ["the", "a", "of", "man", "dog", "saw", "old", "house", "in", "and", "it", "walked"]
    hypotheses, references = [], []
    for _ in range(count):
        reference = [chance.choice(words) for _ in range(chance.randint(1, 14))]
        hypothesis = [word if chance.random() < 0.8 else chance.choice(words) for word in reference]
        for _ in range(chance.randint(0, 2)):
            one, two, three = sorted(chance.randint(0, len(hypothesis)) for _ in range(3))
            hypothesis = hypothesis[:one] + hypothesis[two:three] + hypothesis[one:two] + hypothesis[three:]
        hypotheses.append(" ".join(hypothesis[: len(hypothesis) - chance.randint(0, 2)] or ["it"]))
        references.append(" ".join(reference))
    return hypotheses, references


@cache
def orders(count: int = 500) -> list[list[int]]:
    """Permutations of two to thirty numbers, from 0, near to and far from the identity."""
    chance = random.Random(23)
    found = []
    for _ in range(count):
        order = list(range(chance.randint(2, 30)))
        if chance.random() < 0.5:
            chance.shuffle(order)
        else:
            for _ in range(3):
                place = chance.randrange(len(order) - 1)
                order[place], order[place + 1] = order[place + 1], order[place]
        found.append(order)
    return found


@cache
def numbers(count: int = 40, lists: int = 50) -> list[tuple[list[float], list[float]]]:
    """Pairs of lists of numbers that are correlated and have ties."""
    chance = random.Random(24)
    found = []
    for _ in range(lists):
        one = [float(chance.randint(0, 20)) for _ in range(count)]
        found.append((one, [round(x + chance.gauss(0, 6)) + 0.0 for x in one]))
    return found
