"""Made-up corpora of any size: a source, its translation, systems, references, links and ratings."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np

VOCABULARY = 20_000
BLOCK = 10_000
SPREAD = (2.0, 5.0)
"""How far the words of the two systems stray, in places."""


def write_corpus(folder: Path, *, pairs: int, seed: int = 1) -> None:
    """Write ``source.txt``, ``target.txt``, ``a.txt``, ``b.txt``, ``links.align`` and ``ratings.tsv``.

    Words are drawn as in real text, a few of them often (Zipf); sentences have 8 to 40 words, 24 on average.
    """
    draw = np.random.default_rng(seed)
    frequency = 1 / np.arange(1, VOCABULARY + 1)
    steps = np.cumsum(frequency / frequency.sum())
    target = np.array([f"w{number}" for number in range(VOCABULARY)], dtype=object)
    source = np.array([f"q{number}" for number in range(VOCABULARY)], dtype=object)
    names = ("source.txt", "target.txt", "a.txt", "b.txt", "links.align", "ratings.tsv")
    with contextlib.ExitStack() as opened:
        files = [opened.enter_context(open(folder / name, "w", encoding="utf-8")) for name in names]
        files[5].write("system\tsegment\tjudge\tscore\n")
        for start in range(0, pairs, BLOCK):
            lengths = draw.integers(8, 41, size=min(BLOCK, pairs - start))
            words = np.searchsorted(steps, draw.random(int(lengths.sum())))
            noise = draw.random((3, len(words)))
            first = 0
            for number, length in enumerate(lengths.tolist(), start=start + 1):
                span = slice(first, first + length)
                first += length
                places = np.arange(length)
                orders = [np.argsort(places + far * shift[span]) for far, shift in zip(SPREAD, noise, strict=False)]
                sentence, links = target[words[span]], np.argsort(places + 4 * noise[2, span])
                files[0].write(" ".join(source[words[span]][links]) + "\n")
                files[1].write(" ".join(sentence) + "\n")
                for file, order in zip(files[2:4], orders, strict=True):
                    file.write(" ".join(sentence[order]) + "\n")
                files[4].write(" ".join(f"{place}-{to}" for place, to in enumerate(links.tolist())) + "\n")
                for system, rating in zip("ab", (70, 50), strict=True):
                    files[5].write(f"{system}\t{number}\tj{number % 7}\t{rating + int(30 * noise[0, first - 1])}\n")


def write_systems(folder: Path, *, systems: int = 1, references: int = 1, segments: int = 3_000) -> None:
    """Write ``hyp1.txt`` … and ``ref1.txt`` …: texts that differ in some words and in how far the words stray."""
    draw = np.random.default_rng(2)
    words = np.array([f"w{number}" for number in range(VOCABULARY)], dtype=object)
    steps = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    lengths = draw.integers(8, 41, size=segments).tolist()
    sentences = [words[np.searchsorted(steps, draw.random(length) * steps[-1])] for length in lengths]
    for kind, count, far in (("hyp", systems, 5.0), ("ref", references, 1.5)):
        for number in range(1, count + 1):
            lines = []
            for sentence in sentences:
                changed = np.where(draw.random(len(sentence)) < 0.15, draw.choice(words, len(sentence)), sentence)
                order = np.argsort(np.arange(len(sentence)) + far * draw.random(len(sentence)))
                lines.append(" ".join(changed[order]))
            (folder / f"{kind}{number}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_long_sentences(folder: Path, *, length: int, words: int = 100_000) -> None:
    """Write ``target.txt`` and ``a.txt``: sentences of one length, as many as make up the words."""
    draw = np.random.default_rng(3)
    known = np.array([f"w{number}" for number in range(VOCABULARY)], dtype=object)
    steps = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    sentences = [known[np.searchsorted(steps, draw.random(length) * steps[-1])] for _ in range(max(1, words // length))]
    orders = [np.argsort(np.arange(length) + 5 * draw.random(length)) for _ in sentences]
    moved = [sentence[order] for sentence, order in zip(sentences, orders, strict=True)]
    for name, lines in (("target.txt", sentences), ("a.txt", moved)):
        (folder / name).write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
