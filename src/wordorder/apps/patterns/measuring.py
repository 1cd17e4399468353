"""Measure how reliably patterns are found: plant errors of one kind in texts, and see whether they are recovered.

Three errors are planted, each in a share of the sentences: all verbs stand at the end, adverbs stand after verbs that
they should precede, and a negation stands up to three words too early. What is found where nothing was planted
is measured with labels that are shuffled among the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.apps.patterns.labels import BLANK
from wordorder.apps.patterns.patterns import Search, patterns
from wordorder.apps.patterns.results import LEVEL, Difference, Pattern
from wordorder.core.runtime.errors import UsageError, count_of, mention, refuse
from wordorder.core.statistics import Resampling
from wordorder.core.text.tokens import is_punctuation
from wordorder.report.table import Cell, Column, Table
from wordorder.version import __version__

SHARES = (0.03, 0.1, 0.3)
"""Shares of the sentences in which errors are planted."""

NEGATIONS = frozenset(
    ["not", "n't", "nicht", "pas", "ne", "no", "niet", "inte", "ikke", "non", "não", "nie", "не", "ei", "nem", "nu"]
)

Sentence = list[tuple[str, str]]
"""The words of a sentence with their classes."""

Change = Callable[[Sentence], Sentence]


def verbs_last(sentence: Sentence) -> Sentence:
    """Move all verbs to the end, before the final punctuation.

    >>> " ".join(word for word, _ in verbs_last([("we", "PRON"), ("saw", "VERB"), ("it", "PRON"), (".", "PUNCT")]))
    'we it saw .'
    """
    end = len(sentence)
    while end and is_punctuation(sentence[end - 1][0]):
        end -= 1
    body = sentence[:end]
    return [*(w for w in body if w[1] != "VERB"), *(w for w in body if w[1] == "VERB"), *sentence[end:]]


def adverbs_swapped(sentence: Sentence) -> Sentence:
    """Move each adverb that precedes a verb to the place after it."""
    made = list(sentence)
    for place in range(len(made) - 2, -1, -1):
        if (made[place][1], made[place + 1][1]) == ("ADV", "VERB"):
            made[place : place + 2] = made[place + 1], made[place]
    return made


def negation_early(sentence: Sentence) -> Sentence:
    """Move each negation up to three words to the left."""
    made = list(sentence)
    for place, word in enumerate(sentence):
        if word[0].lower() in NEGATIONS:
            made.insert(max(0, place - 3), made.pop(place))
    return made


ERRORS: dict[str, tuple[Change, set[tuple[str, str]]]] = {
    "verbs at the end": (verbs_last, {("VERB", "late")}),
    "adverbs after verbs": (adverbs_swapped, {("ADV", "late"), ("VERB", "early")}),
    "negation too early": (negation_early, {(word, "early") for word in NEGATIONS}),
}
"""The planted errors: how a sentence is changed, and which labels then stand too early or too late."""


@dataclass(frozen=True)
class Recovery:
    """How often an error that was planted in a share of the sentences was recovered.

    ``planted`` is the mean number of changed sentences, ``first`` the share of runs in which it was the first
    pattern (or, with a translation, the first difference from the text without it), ``found`` the share in which it
    was found at all, and ``others`` the mean number of other patterns that do not repeat it.
    """

    error: str
    share: float
    planted: float
    first: float
    found: float
    others: float


@dataclass(frozen=True, eq=False)
class Measurement:
    """The results of a measurement: what was recovered, and the share of runs with a pattern of shuffled labels."""

    recovered: tuple[Recovery, ...]
    false_alarms: float
    runs: int
    segments: int
    signature: dict[str, Any]

    def table(self) -> Table:
        """Return a table with a row for each error and share of sentences, and one for shuffled labels."""
        columns = [Column("planted", "left"), Column("share", number=".0%"), Column("sentences", number=".1f")]
        columns += [Column("first", number=".2f"), Column("found", number=".2f"), Column("others", number=".1f")]
        rows: list[list[Cell | str]] = [
            [one.error, *map(Cell, (one.share, one.planted, one.first, one.found, one.others))]
            for one in self.recovered
        ]
        rows.append(
            ["nothing (labels shuffled)", Cell(None), Cell(0), Cell(None), Cell(self.false_alarms), Cell(None)]
        )
        notes = [
            f"{count_of(self.runs, 'run')} with {count_of(self.segments, 'sentence')} each, drawn at random",
            "first, found: share of runs in which the planted error was the strongest pattern, or any; others: mean "
            "number of other patterns; with shuffled labels: share of runs in which any pattern was found",
        ]
        return Table.of("", columns, rows, notes=notes, signature=self.signature)


def measure(
    ref: Any,
    hyp: Any = None,
    *,
    runs: int = 20,
    segments: int = 1000,
    seed: int = 12345,
    threads: int = 1,
    **options: Any,
) -> Measurement:
    """Plant errors in a reference, or in the translation ``hyp``, and measure how reliably they are found.

    A translation with errors is compared with the same translation without them, because it has patterns of its own.
    The classes of the words, given by ``tags`` or made by a ``parser``, must be those of Universal Dependencies. All
    other arguments are those of :func:`wordorder.patterns`.
    """
    refuse(
        options.get("source") is not None, f"errors are planted in words, not in links; leave out {mention('source')}"
    )
    whole = Search.of(ref if hyp is None else hyp, ref, threads=threads, **options)
    refuse(len(whole.texts.systems) > 1, f"expected one translation, found {len(whole.texts.systems)}")
    if "VERB" not in whole.numbers.known.get("class", {}):
        classes = "words of class VERB, to plant errors in"
        raise UsageError(f"expected {classes}; give {mention('tags')} or {mention('parser')} for the reference")
    sentences, golds = _sentences(whole), _sentences(Search.of(ref, ref, threads=threads, **options))
    chance = np.random.default_rng(seed)
    found: dict[tuple[str, float], list[tuple[int, bool, bool, int]]] = {}
    alarms = []
    for _ in range(runs):
        rows = chance.permutation(len(golds))[:segments].tolist()
        gold, base = [golds[row] for row in rows], [sentences[row] for row in rows]
        worst = base
        for error, (change, right) in ERRORS.items():
            for share in SHARES:
                made, count = _plant(base, change, int(share * len(rows)))
                worst = made if (error, share) == (next(iter(ERRORS)), SHARES[-1]) else worst
                result = _search(gold, {"planted": made} if hyp is None else {"original": base, "planted": made})
                seen = result.found if hyp is None else result.differences
                hits = [_is_right(one, right) for one in seen]
                others = sum(not one.repeats and not _is_right(one, right) for one in result.found)
                each = count, hits[:1] == [True], any(hits), others if hyp is None else len(hits) - sum(hits)
                found.setdefault((error, share), []).append(each)
        alarms.append(_any_of_shuffled(gold, worst if hyp is None else base, chance))
    recovered = [Recovery(*key, *np.mean(each, axis=0).tolist()) for key, each in found.items()]
    size = min(segments, len(golds))
    signature = {"measure": "planted-errors", **whole.texts.signature(()), "seed": seed, "version": __version__}
    return Measurement(tuple(recovered), float(np.mean(alarms)), runs, size, signature)


def _sentences(search: Search) -> list[Sentence]:
    """Return the words of the first system with their classes."""
    (moved, codes) = search.moved[0], search.codes[0]["class"]
    names = [*search.numbers.names("class"), BLANK]
    classes = [names[code] for code in codes.tolist()]
    starts = moved.words.offsets.tolist()
    return [[*zip(words, classes[start:], strict=False)] for words, start in zip(moved.words, starts, strict=False)]


def _plant(sentences: Sequence[Sentence], change: Change, count: int) -> tuple[list[Sentence], int]:
    """Change the first ``count`` sentences that can be changed; return all sentences and how many were changed."""
    made, changed = list(sentences), 0
    for row, sentence in enumerate(sentences):
        if changed == count:
            break
        if (new := change(sentence)) != sentence:
            made[row], changed = new, changed + 1
    return made, changed


def _texts(systems: dict[str, list[Sentence]]) -> dict[str, list[str]]:
    return {name: [" ".join(word for word, _ in each) for each in made] for name, made in systems.items()}


def _search(gold: list[Sentence], systems: dict[str, list[Sentence]], find: Callable[..., Any] = patterns) -> Any:
    """Look for patterns in tokenised texts, of which the first words of each sentence have known classes."""
    tags = [[label for _, label in sentence] for sentence in gold]
    (lines,) = _texts({"": gold}).values()
    more: dict[str, Any] = {"examples": 0, "resampling": Resampling(samples=0)} if find is patterns else {}
    return find(_texts(systems), lines, tags=tags, tokenize="none", **more)


def _is_right(one: Pattern | Difference, right: set[tuple[str, str]]) -> bool:
    more = isinstance(one, Pattern) or one.difference > 0
    return more and one.kind in ("class", "word") and (one.label, one.direction) in right


def _any_of_shuffled(gold: list[Sentence], sentences: list[Sentence], chance: np.random.Generator) -> bool:
    """Return whether any pattern is found if the labels of each kind are shuffled among the words that have one."""
    search: Search = _search(gold, {"shuffled": sentences}, Search.of)
    weight = search.moved[0].weight
    for codes in search.codes[0].values():
        known = np.flatnonzero((codes >= 0) & (weight > 0))
        codes[known] = codes[chance.permutation(known)]
    tried, _ = search.evaluate(Resampling(samples=0))
    return tried[0].p < LEVEL
