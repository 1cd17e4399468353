"""Translate text with a phrase-based system, and return n-best lists of translations with features."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordorder.apps.nbest.weights import sort_weights
from wordorder.apps.smt.library import (
    DESCRIPTION,
    FEATURES,
    LANGUAGE_MODEL,
    START,
    TRANSLATION_MODEL,
    digest_of_models,
    join_words,
    name_of,
    read_words,
    thot,
)
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.own_inputs import note_folder
from wordorder.core.runtime.threads import progress

LIMIT = 3
"""The default reordering limit, which is the number of source words that may be skipped."""

LONGEST_SOURCE = 200

_STACK, _TABLE, _EXPANDED, _SPREAD, _HEURISTIC = 10, 10, 2, 0.4, 6  # the defaults of Thot


@dataclass(frozen=True)
class Translation:
    """A translation: its words, its features in the order of ``FEATURES``, its decoder score, and its phrases.

    A phrase is (first source word, last source word, first target word, last target word), counted from 0; phrases
    are in target order.
    """

    words: tuple[str, ...]
    features: tuple[float, ...]
    score: float
    phrases: tuple[tuple[int, int, int, int], ...]

    @property
    def text(self) -> str:
        """The translation as a line of text."""
        return join_words(self.words)

    def line(self, sentence: int) -> str:
        """Return the translation as a line of a Moses n-best list, with phrases and unrounded features.

        >>> Translation(("a", "b"), (-1.0,) * 8, -8.0, ((1, 1, 0, 0), (0, 0, 1, 1))).line(3).split(" ||| ")[-1]
        '1=0 0=1'
        """
        features = " ".join(f"{name}= {value!r}" for name, value in zip(FEATURES, self.features, strict=True))
        phrases = " ".join(f"{_span(a, b)}={_span(c, d)}" for a, b, c, d in self.phrases)
        return f"{sentence} ||| {' '.join(self.words)} ||| {features} ||| {self.score!r} ||| {phrases}"


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


EMPTY = Translation((), (0.0,) * len(FEATURES), 0.0, ())
"""The translation of a sentence without words."""


class System:
    """A trained translation system, loaded from its folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        library = self._library = thot()
        path = Path(folder)
        note_folder(path)
        try:
            self.description: dict[str, Any] = json.loads((path / DESCRIPTION).read_text(encoding="utf-8"))
            self._words = {"tokenizer": self.description["tokenizer"], "lowercase": self.description["lowercase"]}
            whole = self.description["models"] == digest_of_models(path)
        except (OSError, ValueError, KeyError, TypeError):
            message = f"expected a translation system, but {DESCRIPTION} is missing, damaged or older than 0.3"
            raise InputError(f"{message} (train a system with 'wordorder smt train')", path=str(path)) from None
        self._model = library.translation.SmtModel(library.alignment.AlignmentModelType.HMM)
        if not (
            whole
            and self._model.load_translation_model(str(path / TRANSLATION_MODEL))
            and self._model.load_language_model(str(path / LANGUAGE_MODEL))
        ):
            message = "the translation system is damaged: its models are not those that were trained; train it again"
            raise InputError(message, path=str(path))
        self._model.w, self._model.a, self._model.e = _SPREAD, _TABLE, _EXPANDED
        self._model.heuristic = _HEURISTIC

    def translate(
        self,
        source: Any,
        *,
        count: int = 1,
        weights: Mapping[str, float] | None = None,
        limit: int = LIMIT,
    ) -> Iterator[list[Translation]]:
        """Translate every line of a text, and yield up to ``count`` translations of each, best first.

        ``limit`` is the number of source words that may be skipped; 0 means monotone translation. A line without
        words has only one translation, which is empty.
        """
        if count < 1:
            raise UsageError(f"the number of translations must be 1 or more, not {count}")
        if limit < 0:
            raise UsageError(f"the reordering limit must be 0 or more, not {limit}")
        self._model.weights = sort_weights(START if weights is None else weights, FEATURES, "the system")
        self._model.non_monotonicity = limit
        decoder = self._library.translation.SmtDecoder(self._model)  # copies the settings of the model
        decoder.s, decoder.is_breadth_first = _STACK, True
        lines = progress(read_words(source, **self._words), label="translating", unit=" sentences")
        for number, words in enumerate(lines, start=1):
            if len(words) > LONGEST_SOURCE:
                message = f"the sentence has {len(words)} words; Thot translates at most {LONGEST_SOURCE}"
                raise InputError(message, path=name_of(source), line=number)
            found = [_read(data) for data in decoder.translate_n(" ".join(words), count)] if words else [EMPTY]
            if not found:
                raise InputError("Thot found no translation of this sentence", path=name_of(source), line=number)
            yield found


def _read(data: Any) -> Translation:
    """Convert a translation returned by Thot, where words are counted from 1."""
    ends = list(data.target_segment_cuts)
    starts = [0, *ends[:-1]]
    spans = zip(data.source_segmentation, starts, ends, strict=True)
    phrases = tuple((first - 1, last - 1, start, end - 1) for (first, last), start, end in spans)
    return Translation(tuple(data.target), tuple(map(float, data.score_components)), float(data.score), phrases)
