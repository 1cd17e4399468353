"""How words are matched, as one value that the signature can print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from wordorder.matching import Lexicon, Matches, match

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.text import Tokens


@dataclass(frozen=True)
class Matching:
    """The stages words are matched in (``exact``, ``stem``, ``synonym``, ``paraphrase``), and what they need.

    >>> str(Matching()), str(Matching(("exact", "stem"), language="german"))
    ('exact', 'exact+stem:german')
    """

    stages: tuple[str, ...] = ("exact",)
    language: str = "english"
    wordnet: str | None = None
    paraphrases: str | None = None

    def __str__(self) -> str:
        return "+".join(self.stages) + (f":{self.language}" if "stem" in self.stages else "")

    @cached_property
    def lexicon(self) -> Lexicon:
        """Stemmer, WordNet and paraphrases, loaded once."""
        return Lexicon.load(self.stages, language=self.language, wordnet=self.wordnet, paraphrases=self.paraphrases)

    def over(self, vocabulary: pa.StringArray) -> Callable[[Tokens, Tokens], Matches]:
        """Give the function that matches columns over one vocabulary; its words are related once, on first use."""
        if self.stages == ("exact",):
            return match
        relations = None

        def over_vocabulary(hypothesis: Tokens, reference: Tokens) -> Matches:
            nonlocal relations
            relations = relations or self.lexicon.relate(vocabulary)
            return match(hypothesis, reference, relations=relations)

        return over_vocabulary
