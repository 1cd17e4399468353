"""The options of word alignment, as one value that can be printed in signatures."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.core.runtime.errors import UsageError, mention
from wordorder.linking.aligning.symmetrisation import check_method
from wordorder.linking.aligning.training import check_model
from wordorder.linking.settings import AligningSettings


@dataclass(frozen=True)
class Aligning(AligningSettings):
    """The aligner that produces missing links, and its training text.

    A saved model (``align_model``) is used without further training. Otherwise, a model is trained on the training
    texts, if there are any, followed by the texts to be scored.

    >>> str(Aligning(symmetrise="intersection"))
    'hmm+intersection'
    """

    def __post_init__(self) -> None:  # fail before a training run whose result could not be used
        check_model(self.aligner)
        check_method(self.symmetrise)
        if (self.train_source is None) != (self.train_target is None):
            raise UsageError(
                f"training text must have both sides; give {mention('train_source')} and {mention('train_target')}"
            )
        if self.align_model is not None and self.train_source is not None:
            raise UsageError(f"a saved model is not trained further; remove {mention('train_source')}")

    def __str__(self) -> str:
        return f"{self.align_model or self.aligner}+{self.symmetrise}"
