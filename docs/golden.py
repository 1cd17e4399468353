"""Write ``golden.json``: inputs and what wordorder makes of them, for people who implement a metric elsewhere.

``python docs/golden.py`` writes the file; ``docs/golden.md`` says what is in it.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path
from typing import Any

import wordorder
from wordorder.core.orders import POLICIES, Alignment, Alignments, order_against_reference, order_against_source
from wordorder.metrics import Need

FILE = Path(__file__).resolve().with_name("golden.json")

_DIGITS = 12
_VARIANTS = ("fuzzy:boundaries=true", "pet:beta=0.5", "pef:beta=0.5", "pef:weights=size", "pef:operator=kendall")
_TEXT_METRICS = (
    *("bleu", "bleu1", "bleu-p1", "bleu-p2", "bleu-p3", "bleu-p4", "f1", "chrf", "1-wer", "1-per", "1-ter", "meteor"),
    *("matched", "ribes", "kendall", "kendall-sqrt", "hamming", "spearman", "ulam", "fuzzy", "pet", "pef"),
    *("lr:alpha=0.5", "lr-hb1:alpha=0.5", "lr-hb4:alpha=0.5", "lr-kb1:alpha=0.5", "lr-kb4:alpha=0.5", "full"),
)
_SOURCE_METRICS = (
    *("crossing-rate", "jump", "longest-jump", "non-monotonicity", "anticipation", "forced-lag"),
    *("unaligned-source", "unaligned-target"),
)

REFERENCES = [
    [
        "the old man has read a book in the garden yesterday",
        "we know that she will come tomorrow",
        "the cat that the dog saw ran away",
        "nobody has seen it",
        "yes",
        "to be or not to be , that is the question",
    ],
    [
        "yesterday the old man read a book in the garden",
        "we know she is coming tomorrow",
        "the cat the dog had seen ran away",
        "it was seen by nobody",
        "yes",
        "that is the question : to be or not to be",
    ],
]
SYSTEMS = {
    "same": REFERENCES[0],
    "moved": [
        "yesterday has the old man in the garden a book read",
        "we know that she tomorrow come will",
        "away ran the cat that the dog saw",
        "seen it has nobody",
        "yes",
        "that is the question , to be or to not be",
    ],
    "other": ["a man reads", "tomorrow she comes , we know that", "dog cat", "", "no", "the question is that"],
}
LINKS = [
    ("0-0 1-1 2-2 3-3", 4, 4),
    ("0-3 1-2 2-1 3-0", 4, 4),
    ("0-1 1-3 2-0 3-2", 4, 4),
    ("0-0 0-2 1-1 3-3 4-3", 6, 5),
    ("2-0 2-1 0-3 4-2", 5, 4),
    ("1-1", 3, 3),
    ("", 2, 2),
]
OTHER_LINKS = [
    "0-0 1-2 2-1 3-3",
    "0-3 1-2 2-1 3-0",
    "0-0 1-1 2-2 3-3",
    "0-0 1-1 2-2 3-3 4-4",
    "0-0 2-1 4-2",
    "",
    "0-1 1-0",
]


def orders() -> list[list[int]]:
    """Return word orders: the small ones all, larger ones of every kind."""
    small = [list(order) for size in range(1, 5) for order in itertools.permutations(range(1, size + 1))]
    known = [[2, 4, 5, 6, 1, 3], [4, 3, 2, 1, 5], [3, 1, 4, 2, 6, 5], [2, 4, 1, 3, 6, 8, 5, 7], [5, 1, 2, 3, 4]]
    draw = random.Random(12345)
    long = [draw.sample(range(1, size + 1), size) for size in (7, 10, 15, 25, 40)]
    return [*small, *known, list(range(1, 13)), list(range(12, 0, -1)), *long]


def value(number: float) -> float | None:
    """Return a number with as many digits as any machine gives; None is undefined."""
    return None if math.isnan(number) else float(f"{number:.{_DIGITS}g}")


def of_orders() -> list[dict[str, Any]]:
    """Score word orders with every metric of orders."""
    names = [name for name, kind in wordorder.METRICS.items() if kind().requires == frozenset({Need.ORDER})]
    metrics = {spec: wordorder.metric(spec) for spec in (*names, *_VARIANTS)}
    return [
        {"order": order, "scores": {spec: value(float(metric(order))) for spec, metric in metrics.items()}}
        for order in orders()
    ]


def of_alignments() -> list[dict[str, Any]]:
    """Turn alignments into orders under every policy, alone and against those of a reference."""
    found = []
    for (links, source, target), other in zip(LINKS, OTHER_LINKS, strict=True):
        one = Alignment.parse(links, source_length=source, target_length=target).column()
        two = Alignment.parse(other, source_length=source).column()
        found.append(
            {
                "links": links,
                "source_length": source,
                "target_length": target,
                "order": {policy: _ranks(order_against_source(one, policy=policy)) for policy in POLICIES},
                "reference_links": other,
                "order_against_reference": {
                    policy: _ranks(order_against_reference(one, two, policy=policy)) for policy in POLICIES
                },
                "scores": _of_source(one),
            }
        )
    return found


def _ranks(column: Any) -> list[int]:
    """Return the only order of a column, counted from 1; an empty one is undefined."""
    return [int(rank) for rank in str(column[0]).split()]


def _of_source(column: Alignments) -> dict[str, float | None]:
    scores = wordorder.score(hyp_align={"A": column}, order="monotone", metrics=",".join(_SOURCE_METRICS), samples=0)
    return {name: value(float(scores["A", name])) for name in _SOURCE_METRICS}


def of_texts() -> list[dict[str, Any]]:
    """Score texts that are cut at spaces, with one reference and with two."""
    found = []
    for references in (REFERENCES[:1], REFERENCES):
        scores = wordorder.score(SYSTEMS, references, metrics=",".join(_TEXT_METRICS), tokenize="none", samples=0)
        rows = scores.segments().to_pylist()
        for system, lines in SYSTEMS.items():
            mine = [row for row in rows if row["system"] == system]
            found.append(
                {
                    "system": system,
                    "hypotheses": lines,
                    "references": references,
                    "scores": {
                        str(spec): {
                            "corpus": value(float(scores[system, spec])),
                            "segments": [value(math.nan if row[spec] is None else row[spec]) for row in mine],
                        }
                        for spec in map(str, map(wordorder.metric, _TEXT_METRICS))
                    },
                }
            )
    return found


def make() -> dict[str, Any]:
    """Return all of it."""
    return {"version": wordorder.__version__, "orders": of_orders(), "alignments": of_alignments(), "texts": of_texts()}


def write(document: dict[str, Any]) -> str:
    """Write a line for each input."""
    parts = [f'"version": {json.dumps(document["version"])}']
    for name in ("orders", "alignments", "texts"):
        lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in document[name])
        parts.append(f'"{name}": [\n{lines}\n]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(write(make()), encoding="utf-8")
