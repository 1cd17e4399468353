"""How words are aligned, as one value that the signature can print."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.core.runtime.errors import UsageError, mention
from wordorder.linking.aligning.symmetrisation import check_method
from wordorder.linking.aligning.training import check_model
from wordorder.linking.settings import AligningSettings


@dataclass(frozen=True)
class Aligning(AligningSettings):
    """Which aligner makes the links that are not given, and what it learns from.

    A saved model (``align_model``) is taken as it is. Otherwise one is trained on the texts to be scored, with the
    training texts before them if there are any.

    >>> str(Aligning(symmetrise="intersection"))
    'hmm+intersection'
    """

    def __post_init__(self) -> None:  # before anybody waits for a training that cannot be used
        check_model(self.aligner)
        check_method(self.symmetrise)
        if (self.train_source is None) != (self.train_target is None):
            raise UsageError(
                f"training text needs both sides: {mention('train_source')} and {mention('train_target')}"
            )
        if self.align_model is not None and self.train_source is not None:
            raise UsageError(f"a saved model is not trained again; leave out {mention('train_source')}")

    def __str__(self) -> str:
        return f"{self.align_model or self.aligner}+{self.symmetrise}"
