"""Moses' own records of tuning, as scored lists."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from wordorder.apps.nbest import NBest, ScoredLists
from wordorder.core.statistics.rows import CompactRows
from wordorder.metrics.lexical import Bleu


def read_statistics(folder: Path) -> ScoredLists:
    """Read FEATSTAT and SCORESTAT: features and BLEU's counts of every hypothesis."""
    heads, features = _read(folder / "FEATSTAT.txt", "FEATURES")
    _, counts = _read(folder / "SCORESTAT.txt", "SCORES")
    names = heads[0].split()[4:]
    blocks = [np.array(block) for block in features]
    lists = NBest.of(
        [[str(row) for row in range(len(block))] for block in blocks],
        features={name: [block[:, place].tolist() for block in blocks] for place, name in enumerate(names)},
    )
    rows = np.concatenate([np.array(block) for block in counts])  # matched and total of n = 1…4, reference length
    bleu = np.column_stack([rows[:, 1], rows[:, 8], rows[:, 0:8:2], rows[:, 1:8:2]])
    return ScoredLists(lists, (Bleu(),), CompactRows.of(bleu), np.arange(len(bleu), dtype=np.int32))


def _read(path: Path, kind: str) -> tuple[list[str], list[list[list[float]]]]:
    heads: list[str] = []
    blocks: list[list[list[float]]] = []
    for line in path.read_text().splitlines():
        if line.startswith(f"{kind}_TXT_BEGIN"):
            heads.append(line)
            blocks.append([])
        elif not line.startswith(kind):
            blocks[-1].append([float(token) for token in line.split()])
    return heads, blocks


def read_truth(path: Path) -> list[tuple[list[float], float]]:
    """Read the weights and the BLEU that Moses found in each iteration."""
    text = path.read_text()
    weights = [list(map(float, line.split())) for line in re.findall(r"weights_\d+: (.*)", text)]
    return list(zip(weights, map(float, re.findall(r"best_\d+:\s+(\S+)", text)), strict=True))
