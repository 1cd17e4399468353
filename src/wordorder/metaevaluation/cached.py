"""Scores kept on disk: a second look at the same texts, with another coefficient or one more metric, is instant."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.metrics import Need, metric, parse_metrics
from wordorder.runtime.cache import Cache
from wordorder.runtime.errors import UsageError
from wordorder.scoring import Matching, Parsing, Resampling, Scores, score
from wordorder.scoring.inputs import TextSource


def cached_scores(
    hypotheses: Mapping[str, TextSource],
    references: Sequence[TextSource],
    *,
    metrics: str,
    cache: Cache,
    tokenizer: str = "13a",
    lowercase: bool = False,
    matching: Matching | None = None,
    parsing: Parsing | None = None,
    weight: str = "segments",
    reference_choice: str = "closest",
    threads: int = 1,
) -> Scores:
    """Score as ``score`` does, taking from the cache what it has; every metric is kept under its own key."""
    matching = matching or Matching()
    settings = [tokenizer, lowercase, matching.stages, matching.language, weight, reference_choice]
    settings += [_stamp(path) for path in (matching.wordnet, matching.paraphrases)]
    settings += [list(hypotheses), [_digest(text) for text in [*references, *hypotheses.values()]]]
    available = {Need.ORDER, Need.TEXT}
    if parsing is not None and parsing.can_parse:
        available.add(Need.PARSES)
        settings.append(parsing.identity)
    base = repr(settings)
    wanted = parse_metrics(metrics, available=frozenset(available))
    found = {name: cache.load(f"scores {name} {base}") for name in map(str, wanted)}
    missing = [name for name, rows in found.items() if rows is None]
    inputs: dict[str, Any] = {}
    if missing or not wanted:
        fresh = score(
            hypotheses,
            references,
            metrics=",".join(missing),
            tokenizer=tokenizer,
            lowercase=lowercase,
            matching=matching,
            parsing=parsing if any(Need.PARSES in metric(name).requires for name in missing) else None,
            weight=weight,
            reference_choice=reference_choice,
            samples=0,
            threads=threads,
        )
        inputs = fresh.inputs
        for m, name in enumerate(map(str, fresh.metrics)):
            rows: dict[str, NDArray[np.generic]] = {"rows": np.stack([row[m] for row in fresh.rows])}
            if name in found:
                found[name] = rows
                cache.store(f"scores {name} {base}", rows)
    else:
        inputs = {"order": "matched", "match": str(matching), "tokenizer": tokenizer}
        inputs |= {"case": "lower" if lowercase else "mixed", "references": len(references)}
        inputs |= {"reference_choice": reference_choice} if len(references) > 1 else {}
        inputs |= {"weight": weight} if weight != "segments" else {}
    columns = [np.asarray(rows["rows"], dtype=np.float64) for rows in found.values() if rows is not None]
    statistics = tuple(np.hstack([column[s] for column in columns]) for s in range(len(hypotheses)))
    return Scores(tuple(hypotheses), wanted, statistics, inputs, replace(Resampling(), samples=0, threads=threads))


def _digest(source: TextSource) -> str:
    """Give a fingerprint of a text: of the bytes of a file, or of the lines."""
    digest = hashlib.blake2b(digest_size=16)
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source) == "-":
            raise UsageError("texts are read twice here; give files, not standard input")
        from wordorder.runtime.files import open_binary

        with open_binary(source) as stream:
            while piece := stream.read(1 << 22):
                digest.update(piece)
    else:
        for line in source:
            digest.update(str(line).encode("utf-8", "replace") + b"\n")
    return digest.hexdigest()


def _stamp(path: str | None) -> tuple[str, float] | None:
    return None if path is None or not os.path.exists(path) else (path, os.path.getmtime(path))
