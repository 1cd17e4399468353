"""How words are aligned, as one value that the signature can print."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.core.runtime.errors import UsageError, mention
from wordorder.core.runtime.settings import setting
from wordorder.core.text import TextSource
from wordorder.linking.aligning.symmetrisation import DEFAULT_METHOD, METHODS, check_method
from wordorder.linking.aligning.training import DEFAULT_MODEL, check_model


@dataclass(frozen=True)
class Aligning:
    """Which aligner makes the links that are not given, and what it learns from.

    A saved model (``align_model``) is taken as it is. Otherwise one is trained on the texts to be scored, with the
    training texts before them if there are any.

    >>> str(Aligning(symmetrise="intersection"))
    'hmm+intersection'
    """

    aligner: str = setting(
        DEFAULT_MODEL,
        "model1, diagonal, hmm or eflomal; learns from the texts themselves, in lower case",
        metavar="NAME",
    )
    symmetrise: str = setting(DEFAULT_METHOD, f"how both directions are joined: {', '.join(METHODS)}", metavar="NAME")
    align_model: str | None = setting(
        None, "a model saved by 'wordorder align --save', instead of training one", metavar="FILE"
    )
    train_source: TextSource | None = setting(
        None, "more parallel text for the aligner to learn from: source side", metavar="FILE"
    )
    train_target: TextSource | None = setting(None, "… and target side", metavar="FILE")

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
