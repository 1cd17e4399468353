"""Small corpora for the tests of this room: parts of rows that are cut anywhere."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

WORDS = ["the", "a", "cat", "dog", "man", "house", "sat", "saw", "in", "on", "red", "old", "big", "now", "here"]


def sentences(count: int, *, seed: int = 1, words: int = 9) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, words))) for _ in range(count)]


def shuffled(lines: Sequence[str], *, seed: int = 2) -> list[str]:
    """The same words in another order, some of them other words."""
    draw = random.Random(seed)
    found = []
    for line in lines:
        words = [draw.choice(WORDS) if draw.random() < 0.2 else word for word in line.split()]
        draw.shuffle(words)
        found.append(" ".join(words))
    return found


def write_corpus(folder: Path, columns: Mapping[str, Sequence[Any]], cuts: Sequence[int] = ()) -> Path:
    """Write rows as parts that end at these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table(dict(columns))
    ends = [0, *cuts, table.num_rows]
    for number, (start, stop) in enumerate(pairwise(ends)):
        pq.write_table(table.slice(start, stop - start), folder / f"part-{number:05d}.parquet")
    return folder


def pairs(count: int) -> dict[str, list[str]]:
    reference = sentences(count)
    return {"ref": reference, "a": shuffled(reference), "b": shuffled(reference, seed=3)}


def contents(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, hidden files too."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def rows(folder: Path) -> list[dict[str, Any]]:
    tables = [pq.read_table(path) for path in sorted(folder.glob("*.parquet"))]
    return [row for table in tables for row in table.to_pylist()]
