"""Metrics of wordorder with the interface of sacreBLEU's metrics, for programs that expect one.

    from sacrebleu_style import WordOrder

    metric = WordOrder("kendall-sqrt")
    metric.corpus_score(hypotheses, [references]).score   # 0 to 100, as BLEU and chrF
    metric.sentence_score(hypothesis, references).score
    metric.get_signature()

As in sacreBLEU, ``references`` is a list of texts: the first one has the first reference of every segment, and so on.
A score is None where the metric is undefined, for example if no word of a sentence matches its reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import wordorder
from wordorder.report.table import write_signature


@dataclass(frozen=True)
class OrderScore:
    """A score between 0 and 100 with the name of its metric."""

    name: str
    score: float | None

    def format(self, width: int = 2, score_only: bool = False) -> str:
        """Return the score as text, with ``width`` digits after the point."""
        value = "undefined" if self.score is None else f"{self.score:.{width}f}"
        return value if score_only else f"{self.name} = {value}"

    def __str__(self) -> str:
        return self.format()


class WordOrder:
    """A metric of wordorder; ``options`` are those of ``wordorder.score``, such as ``tokenize="zh"``."""

    def __init__(self, metric: str = "kendall-sqrt", **options: Any) -> None:
        self._metric = wordorder.metric(metric)
        self._options = options
        self._signature: str | None = None

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> OrderScore:
        """Score a text against one or more references."""
        texts = [list(text) for text in references]
        scores = wordorder.score(list(hypotheses), texts, metrics=[self._metric], samples=0, **self._options)
        self._signature = write_signature(scores.signature)
        value = float(scores.values[0, 0])
        return OrderScore(str(self._metric), None if math.isnan(value) else 100 * value)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> OrderScore:
        """Score a sentence against one or more references."""
        return self.corpus_score([hypothesis], [[reference] for reference in references])

    def get_signature(self) -> str:
        """Return the signature of the last score."""
        if self._signature is None:
            raise ValueError("nothing has been scored yet; call corpus_score or sentence_score first")
        return self._signature
