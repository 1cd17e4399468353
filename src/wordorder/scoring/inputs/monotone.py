"""Texts whose word order is compared with that of their source, to measure how monotone translations are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import UsageError, mention, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.runtime.threads import spans
from wordorder.metrics import Metric, Need
from wordorder.metrics.monotonicity import Anticipation
from wordorder.metrics.registry import MONOTONE_DEFAULTS
from wordorder.scoring.inputs.base import Blocks
from wordorder.scoring.inputs.drawing import Line, draw_crossings, draw_guesses, find_crossings
from wordorder.scoring.inputs.orders import monotone_block, pairs_against, reference_names
from wordorder.scoring.inputs.source import SourceTexts, join_draws


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
        self._check_mixture()

    def _check_mixture(self) -> None:
        """Raise an error if links are given for systems but not for references, or the other way round."""
        systems, known = bool(self.hyp_align), bool(self.ref_align)
        if not self.ref or systems == known:
            return
        people = "the reference" if len(self.ref) == 1 else "the references"
        names = ", ".join(self.hyp)
        given, missing = (names, people) if systems else (people, names)
        remedy = mention("ref_align" if systems else "hyp_align")
        raise UsageError(
            f"alignments are given for {given} but not for {missing}; give {remedy}, too, or give neither, "
            "because given links and automatic links are not comparable"
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the references, followed by those of the systems."""
        return (*reference_names(len(self.ref), tuple(self.hyp)), *self.hyp)

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
