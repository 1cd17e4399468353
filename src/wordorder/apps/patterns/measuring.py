"""Measure how reliably patterns are found: plant errors of one kind in texts, and see whether they are recovered.

Three errors are planted, each in a share of the sentences: all verbs stand at the end, adverbs stand after verbs that
they should precede, and a negation stands up to three words too early. What is found where nothing was planted
is measured with labels that are shuffled among the words.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wordorder.apps.patterns.patterns import Search, patterns
from wordorder.apps.patterns.results import LEVEL
from wordorder.core.runtime.errors import count_of, mention, refuse
from wordorder.core.statistics import Resampling
from wordorder.core.text.tokens import is_punctuation
from wordorder.core.trees.dependency import BLANK
from wordorder.report.table import Column, Table
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


def measure(
    ref: Any, hyp: Any = None, *, runs: int = 20, segments: int = 1000, seed: int = 12345, **options: Any
) -> Table:
    """Plant errors in a reference, or in the translation ``hyp``, and measure how reliably they are found.

    A translation with errors is compared with the same translation without them, because it has patterns of its own.
    The classes of the words, given by ``tags``, must be those of Universal Dependencies. All other arguments are
    those of :func:`wordorder.patterns`. The table has a row for each error and share of sentences: the mean number of
    changed sentences, the shares of runs in which the error is the strongest pattern (or difference) or is found at
    all, and the mean number of other patterns. The last row has the share of runs in which shuffled labels give any.
    """
    linked = options.get("source") is not None
    refuse(linked, f"errors are planted in words, not in links; leave out {mention('source')}")
    whole = Search.of(ref if hyp is None else hyp, ref, **options)
    refuse(len(whole.texts.systems) > 1, f"expected one translation, found {len(whole.texts.systems)}")
    missing = f"expected words of class VERB, to plant errors in; give {mention('tags')} for the reference"
    refuse("VERB" not in whole.numbers.known.get("class", {}), missing)
    sentences, golds = _sentences(whole), _sentences(Search.of(ref, ref, **options))
    chance = np.random.default_rng(seed)
    found: dict[tuple[str, float], list[tuple[int, bool, bool, int]]] = {}
    alarms = []
    for _ in range(runs):
        rows = chance.permutation(len(golds))[:segments].tolist()
        gold, base = [golds[row] for row in rows], [sentences[row] for row in rows]
        shuffled = base if hyp is not None else _plant(base, verbs_last, int(SHARES[-1] * len(rows)))[0]
        for (error, (change, right)), share in itertools.product(ERRORS.items(), SHARES):
            made, count = _plant(base, change, int(share * len(rows)))
            systems = {"planted": made} if hyp is None else {"original": base, "planted": made}
            result = _search(gold, systems, patterns)
            seen = result.found if hyp is None else result.differences
            hits = [(one.label, one.direction) in right and one.rate > one.elsewhere for one in seen]
            others = sum(not one.repeats and not hit for one, hit in zip(seen, hits, strict=True))
            found.setdefault((error, share), []).append((count, hits[:1] == [True], any(hits), others))
        alarms.append(_any_of_shuffled(gold, shuffled, chance))
    columns = [Column("planted", "left"), Column("share", number=".0%"), Column("sentences", number=".1f")]
    columns += [Column("first", number=".2f"), Column("found", number=".2f"), Column("others", number=".1f")]
    cells: list[list[Any]] = [[*key, *np.mean(each, axis=0).tolist()] for key, each in found.items()]
    cells.append(["nothing (labels shuffled)", None, None, None, float(np.mean(alarms)), None])
    notes = [
        f"{count_of(runs, 'run')} with {count_of(min(segments, len(golds)), 'sentence')} each, drawn at random",
        "first, found: share of runs in which the planted error was the strongest pattern, or any; others: mean "
        "number of other patterns; with shuffled labels: share of runs in which any pattern was found",
    ]
    signature = {"measure": "planted-errors", **whole.texts.signature(()), "seed": seed, "version": __version__}
    return Table.of("", columns, cells, notes=notes, signature=signature)


def _sentences(search: Search) -> list[Sentence]:
    """Return the words of the first system with their classes."""
    words, names = search.moved[0].words, [*search.numbers.known["class"], BLANK]
    classes = [names[code] for code in search.codes[0]["class"].tolist()]
    starts = words.offsets[:-1].tolist()
    return [[*zip(row, classes[start:], strict=False)] for row, start in zip(words, starts, strict=True)]


def _plant(sentences: Sequence[Sentence], change: Change, count: int) -> tuple[list[Sentence], int]:
    """Change the first ``count`` sentences that can be changed; return all sentences and how many were changed."""
    made, changed = list(sentences), 0
    for row, sentence in enumerate(sentences):
        if changed < count and (new := change(sentence)) != sentence:
            made[row], changed = new, changed + 1
    return made, changed


def _search(gold: list[Sentence], systems: dict[str, list[Sentence]], find: Callable[..., Any]) -> Any:
    """Look for patterns in texts that are already tokenised; the words of the reference have known classes."""
    texts = {**systems, "": gold}.items()
    lines = {name: [" ".join(word for word, _ in each) for each in made] for name, made in texts}
    tags = [[label for _, label in sentence] for sentence in gold]
    more: dict[str, Any] = {"examples": 0, "resampling": Resampling(samples=0)} if find is patterns else {}
    return find({name: lines[name] for name in systems}, lines[""], tags=tags, tokenize="none", **more)


def _any_of_shuffled(gold: list[Sentence], sentences: list[Sentence], chance: np.random.Generator) -> bool:
    """Return whether any pattern is found if the labels of each kind are shuffled among the words that have one."""
    search: Search = _search(gold, {"shuffled": sentences}, Search.of)
    for codes in search.codes[0].values():
        known = np.flatnonzero((codes >= 0) & (search.moved[0].weight > 0))
        codes[known] = codes[chance.permutation(known)]
    return search.evaluate(Resampling(samples=0))[0][0].p < LEVEL
