"""Texts whose word order is compared with that of their source, to measure how monotone translations are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import mention, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.runtime.threads import spans
from wordorder.core.text import Tokens
from wordorder.metrics import Metric, Need
from wordorder.metrics.monotonicity import Anticipation
from wordorder.metrics.ngrams import ngram_statistics
from wordorder.metrics.registry import MONOTONE_DEFAULTS
from wordorder.scoring.inputs.base import Blocks
from wordorder.scoring.inputs.drawing import Line, draw_crossings, draw_guesses, find_crossings
from wordorder.scoring.inputs.orders import monotone_block, pairs_against, reference_names
from wordorder.scoring.inputs.source import SourceTexts, join_draws
from wordorder.scoring.scores import ENOUGH_WORDS, FEW_MATCHED, FEW_OF_BEST


@accepts_old_names
@dataclass(frozen=True, eq=False)
class MonotoneTexts(SourceTexts):
    """Hypotheses and references, all scored as systems, whose word order is compared with that of the source."""

    offers = frozenset({Need.ORDER, Need.SOURCE_ORDER, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS, Need.PAIRS})
    defaults = MONOTONE_DEFAULTS
    ranked = False
    missing_reference = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse(
            self.weight != "segments",
            f"{mention('weight', 'ref-length')} applies only to comparisons with references; leave it out",
        )
        given, missing = ("systems", "ref_align") if self.hyp_align else ("references", "hyp_align")
        refuse(
            self.ref and bool(self.hyp_align) != bool(self.ref_align),
            f"alignments are given for the {given} alone; give {mention(missing)}, too, or give neither, because given "
            "links and automatic links are not comparable",
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the references, followed by those of the systems."""
        return (*reference_names(len(self.ref), tuple(self.hyp)), *self.hyp)

    @cached_property
    def nonsense(self) -> dict[str, tuple[str, str]]:
        """The systems that are hardly translations: what is wrong with each, and the reason.

        The words of the source in their own order look as literal as can be. A text in another language, or of other
        lines, matches hardly any words of the references.
        """
        source, *texts = self.tokens[: 1 + len(self.systems)]
        people, found = texts[: len(self.ref)], dict[str, tuple[str, str]]()
        normal = min((_share(text, source) for text in people), default=1 - FEW_MATCHED / FEW_OF_BEST)
        for system, text in zip(self.hyp, texts[len(people) :], strict=True):
            copied = _share(text, source)
            matched = max((_share(gold, text) for gold in people), default=1.0)
            if len(text.ids) < ENOUGH_WORDS:
                continue
            if 1 - copied < FEW_OF_BEST * (1 - normal):
                usual = f" (references: {normal:.1%})" if people else ""
                found[system] = "copies source", f"{copied:.1%} of its words are in the source, too{usual}"
            elif matched < FEW_MATCHED and not self.text_warning:  # which explains why nothing matches
                found[system] = "few matches", f"it matches only {matched:.1%} of the reference words"
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the links, and one on each system that is hardly a translation."""
        odd = (f"{system} is hardly a translation: {reason}" for system, (_, reason) in self.nonsense.items())
        return (*super().notes, *odd)

    @property
    def reference_count(self) -> int:
        """The number of references."""
        return len(self.ref)

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature fields that name the policy, the aligner and the tokenisation."""
        case = "lower" if self.lowercase else "mixed"
        how = {"order": "monotone", "policy": self.policy, **self._aligner_signature()}
        joined = {"subwords": "joined"} if self.join_subwords else {}
        return how | {"tokenizer": self.tokenize, "case": case} | joined | self._link_signature()

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return lines with the source, the text, crossing links and, for ``anticipation``, the anticipated words."""
        place = self.systems.index(system)
        links = [*self.reference_links, *self.system_links][place]
        found = []
        for row in rows:
            source, text = self.tokens[0].words(row), self.tokens[1 + place].words(row)
            crossing = draw_crossings(find_crossings(links[row]), source, text, what="crossing links")
            guesses = (
                [draw_guesses(links[row], source, text, by.k, catchup=by.catchup)]
                if isinstance(by, Anticipation)
                else []
            )
            found.append([("src", " ".join(source)), ("hyp", " ".join(text)), crossing, *guesses])
        return found

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks with the word order of each text relative to the source."""
        self._prepare_links(metrics)
        for start, stop in spans(len(self.tokens[0]), lines):
            pairs = [partial(self._monotone_pairs, place, start, stop) for place in range(len(self.systems))]
            yield join_draws(
                monotone_block([*gold, *system], pairs, policy=self.policy) for gold, system in self.draws(start, stop)
            )

    def _monotone_pairs(self, place: int, start: int, stop: int) -> NDArray[np.float64]:
        gold, systems = self.likely_links
        return pairs_against([*gold, *systems][place][start:stop])


def _share(text: Tokens, other: Tokens) -> float:
    """Return the share of the words of a text that another one has, too, segment by segment."""
    words, _, common = ngram_statistics(text, [other], orders=1)[:, :3].sum(axis=0)
    return float(common / max(words, 1))
