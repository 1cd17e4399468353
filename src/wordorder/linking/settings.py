"""The settings for matching, aligning and parsing.

They are declared separately from the code that uses them, so that the command line can print help texts quickly.
"""

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
    """Settings for matching hypothesis words with reference words: the stages and the resources they need."""

    match: str | Sequence[str] = setting(
        "exact", "one or more of exact, stem, synonym and paraphrase, joined by +; or first", metavar="STAGES"
    )
    language: str = setting("english", "language of the stemmer", metavar="NAME")
    wordnet: str | None = setting(
        None, "folder of the WordNet database (default: that of Debian's package wordnet-base)", metavar="FOLDER"
    )
    paraphrases: str | None = setting(None, "paraphrase table in METEOR's format", metavar="FILE")


@dataclass(frozen=True)
class AligningSettings:
    """Settings that determine how missing word alignments are computed: the aligner and its training text."""

    aligner: str = setting(
        "hmm", "aligner to train on the lower-cased texts: model1, diagonal, hmm or eflomal", metavar="NAME"
    )
    symmetrise: str = setting(
        "grow-diag-final-and", f"how the two directions are combined: {', '.join(SYMMETRISATIONS)}", metavar="NAME"
    )
    align_model: str | None = setting(
        None, "use a model saved by 'wordorder align --save' instead of training one", metavar="FILE"
    )
    train_source: TextSource | None = setting(
        None, "source side of additional parallel text on which to train the aligner", metavar="FILE"
    )
    train_target: TextSource | None = setting(
        None, "target side of additional parallel text on which to train the aligner", metavar="FILE"
    )
    lexicon: str | None = setting(
        None,
        "dictionary from which the aligner learns, too: two columns, or one that is installed",
        metavar="FILE|NAME",
    )


@dataclass(frozen=True)
class ParsingSettings:
    """Settings for parsing text and for reading files of parses.

    ``grammar`` and ``parser`` can be file names or loaded objects.
    """

    grammar: Grammar | str | os.PathLike[str] | None = setting(
        None, "parse the text with this grammar (made by 'wordorder parse train')", metavar="FILE"
    )
    spacy: str | None = setting(None, "parse the text with this spaCy pipeline", metavar="MODEL")
    parse_format: str | None = setting(
        None, "format of parse files: nbest, brackets or conllu (default: detected from the file)", metavar="NAME"
    )
    log_base: float | str = setting(
        2.0, "base of the logarithms in n-best lists: 2 (default), e or another number", kind=str, metavar="BASE"
    )
    cache: bool = setting(True, "cache parses on disk")
    parser: DependencyParser | str | os.PathLike[str] | None = setting(
        None, "parse the text with this dependency parser (made by 'wordorder parse train')", metavar="FILE"
    )
