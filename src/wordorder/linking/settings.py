"""The settings of matching, aligning and parsing, declared apart from what they set, so that help is quick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordorder.core.runtime.settings import setting

if TYPE_CHECKING:
    import os

    from wordorder.core.text import TextSource
    from wordorder.linking.parsing import Grammar
    from wordorder.linking.parsing.transition import DependencyParser

SYMMETRISATIONS = (
    "forward", "backward", "intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and",
    "posterior-product", "soft-union",
)  # fmt: skip


@dataclass(frozen=True)
class MatchingSettings:
    """How the words of hypothesis and reference are matched: by which stages, and what these need."""

    match: str | Sequence[str] = setting(
        "exact", "exact, stem, synonym, paraphrase joined by +, or first", metavar="STAGES"
    )
    language: str = setting("english", "language of the stemmer", metavar="NAME")
    wordnet: str | None = setting(None, "WordNet database (default: where Debian puts it)", metavar="FOLDER")
    paraphrases: str | None = setting(None, "paraphrase table in METEOR's format", metavar="FILE")


@dataclass(frozen=True)
class AligningSettings:
    """Which aligner makes the links that are not given, and what it learns from."""

    aligner: str = setting(
        "hmm", "model1, diagonal, hmm or eflomal; learns from the texts themselves, in lower case", metavar="NAME"
    )
    symmetrise: str = setting(
        "grow-diag-final-and", f"how both directions are joined: {', '.join(SYMMETRISATIONS)}", metavar="NAME"
    )
    align_model: str | None = setting(
        None, "a model saved by 'wordorder align --save', instead of training one", metavar="FILE"
    )
    train_source: TextSource | None = setting(
        None, "more parallel text for the aligner to learn from: source side", metavar="FILE"
    )
    train_target: TextSource | None = setting(None, "… and target side", metavar="FILE")


@dataclass(frozen=True)
class ParsingSettings:
    """How parses are made from text, and how files of parses are read; a grammar or parser can also be a value."""

    grammar: Grammar | str | os.PathLike[str] | None = setting(
        None, "parse the text with a grammar ('wordorder parse train')", metavar="FILE"
    )
    spacy: str | None = setting(None, "parse it with this spaCy pipeline", metavar="MODEL")
    parse_format: str | None = setting(
        None, "nbest, brackets or conllu (default: recognised from the file)", metavar="NAME"
    )
    log_base: float | str = setting(
        2.0, "base of the logarithms in n-best lists: 2 (default), e or another number", kind=str, metavar="BASE"
    )
    cache: bool = setting(True, "cache parses on disk")
    parser: DependencyParser | str | os.PathLike[str] | None = setting(
        None, "parse it with a dependency parser ('wordorder parse train')", metavar="FILE"
    )
