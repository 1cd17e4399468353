"""A decoder for tests: it knows every order of three words, and writes those it likes best under its weights.

    python toy_decoder.py SOURCE WEIGHTS NBEST [COUNT]

``order`` counts pairs in the order of the source, ``first`` says whether the first word stays, ``noise`` is a riddle.
"""

from __future__ import annotations

import sys
from itertools import combinations, permutations


def features(words: tuple[str, ...], order: tuple[int, ...]) -> dict[str, float]:
    straight = sum(a < b for a, b in combinations(order, 2))
    noise = sum((place + 1) * ord(words[word][0]) % 7 for place, word in enumerate(order))
    return {"order": float(straight), "first": float(order[0] == 0), "noise": noise / 7}


def main(source: str, weights: str, nbest: str, count: str = "6") -> None:
    with open(weights, encoding="utf-8") as file:
        rows = [line.replace("=", " ").split() for line in file]
    known = {name: float(value) for name, value in rows if name != "feature"}
    with open(source, encoding="utf-8") as lines, open(nbest, "w", encoding="utf-8") as target:
        for number, line in enumerate(lines):
            words = tuple(line.split())
            found = []
            for order in permutations(range(len(words))):
                values = features(words, order)
                total = sum(known[name] * value for name, value in values.items())
                found.append((total, " ".join(words[place] for place in order), values))
            for total, text, values in sorted(found, key=lambda each: -each[0])[: int(count)]:
                written = " ".join(f"{name}= {value!r}" for name, value in values.items())
                target.write(f"{number} ||| {text} ||| {written} ||| {total!r}\n")
            print(max(found)[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
