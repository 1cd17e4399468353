"""The training text of an aligner as signatures describe it: the number of sentence pairs, and a digest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.core.runtime.threads import spans
from wordorder.core.text import Tokens

FEW_PAIRS = 5_000
"""With fewer sentence pairs, links and the scores based on them change with every text that is added."""

DIGEST_SIZE = 6
_WORDS_AT_A_TIME = 1 << 20


@dataclass(frozen=True)
class TrainingText:
    """The sentence pairs an aligner was trained on; equal digests mean the same text or the same saved model.

    ``pairs`` is None if a saved model does not record it. With ``model``, the digest is that of a saved model.
    """

    pairs: int | None
    digest: str
    model: bool = False

    @classmethod
    def of(cls, parts: Sequence[tuple[Tokens, Tokens]]) -> TrainingText:
        """Count and digest sentence pairs, independently of how their words are numbered.

        >>> from wordorder.core.text import encode
        >>> source, target = encode(["la casa", "verde"], ["the house", "green"])
        >>> TrainingText.of([(source, target)])
        TrainingText(pairs=2, digest='578ff7c26da0', model=False)
        """
        digest = hashlib.blake2b(digest_size=DIGEST_SIZE)
        for side in zip(*parts, strict=True):
            codes = np.array([_code(word) for word in side[0].vocabulary.to_pylist()], dtype="<u8")
            for column in side:
                digest.update(column.lengths.astype("<i8").tobytes())
            for column in side:
                for start, stop in spans(len(column.ids), _WORDS_AT_A_TIME):
                    digest.update(codes[column.ids[start:stop]].tobytes())
        return cls(sum(len(source) for source, _ in parts), digest.hexdigest())

    @property
    def signature(self) -> dict[str, Any]:
        """The signature fields of the training text."""
        known = {} if self.pairs is None else {"train_pairs": self.pairs}
        return known | {"model" if self.model else "train_text": self.digest}

    @property
    def note(self) -> str:
        """A note for readers of the scores: the size of the training text, and what the intervals do not include."""
        learnt = "an unknown number of" if self.pairs is None else f"{self.pairs:,}"
        advice = ""
        if self.pairs is not None and self.pairs < FEW_PAIRS:
            remedy = "use training text or a saved model"
            advice = f"; with fewer than {FEW_PAIRS:,}, scores change with every text added ({remedy})"
        return f"links by an aligner trained on {learnt} sentence pairs{advice}; intervals leave out alignment noise"


def _code(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
