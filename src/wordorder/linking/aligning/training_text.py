"""The training text of an aligner as recorded in signatures: the number of sentence pairs and a digest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.core.runtime.threads import spans
from wordorder.core.text import Tokens

FEW_PAIRS = 5_000
"""The number of sentence pairs below which links and scores change noticeably with every text that is added."""

DIGEST_SIZE = 6
_WORDS_AT_A_TIME = 1 << 20


@dataclass(frozen=True)
class TrainingText:
    """The size and digest of the sentence pairs that an aligner was trained on.

    ``pairs`` is None if a saved model does not record it. ``digest`` identifies the text or, if ``model`` is true,
    the saved model.
    """

    pairs: int | None
    digest: str
    model: bool = False

    @classmethod
    def of(cls, parts: Sequence[tuple[Tokens, Tokens]]) -> TrainingText:
        """Count the sentence pairs and compute their digest, which does not depend on the numbering of words.

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
        """The signature fields that describe the training text."""
        known = {} if self.pairs is None else {"train_pairs": self.pairs}
        return known | {"model" if self.model else "train_text": self.digest}

    @property
    def note(self) -> str:
        """A note for tables of scores: the size of the training text and a caveat about confidence intervals."""
        learnt = "an unknown number of" if self.pairs is None else f"{self.pairs:,}"
        advice = ""
        if self.pairs is not None and self.pairs < FEW_PAIRS:
            remedy = "use training text or a saved model"
            advice = f"; with fewer than {FEW_PAIRS:,}, scores change with every text added ({remedy})"
        return f"links by an aligner trained on {learnt} sentence pairs{advice}; intervals leave out alignment noise"


def _code(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
