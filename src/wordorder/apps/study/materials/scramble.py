"""Scrambled sentences: versions that undo some of a sentence's reorderings; fillers, practice, attention checks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from wordorder.apps.profile import Corpus, extract
from wordorder.apps.profile.stimuli import FULL, Version, make_versions
from wordorder.apps.study.items import Item
from wordorder.apps.study.settings import Question
from wordorder.core.orders import Alignment, Permutation
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.plain import count_of
from wordorder.core.statistics import Resampling
from wordorder.core.text.tokens import is_punctuation
from wordorder.scoring import score
from wordorder.scoring.inputs import GivenOrders

SURFACES = ("neutral", "as-is")
SIDES = ("target", "source")


@dataclass(frozen=True)
class Design:
    """How scrambled sentences are chosen and shown; ``study.toml`` keeps it under ``[materials]``.

    ``bins`` are upper bounds of RQuantity, from 0 (the sentence as it was). With ``surface="neutral"`` the final stop
    stays at the end, every version begins with a capital, and the first word has one only if it is a name.
    """

    bins: tuple[float, ...] = (0, 0.4, 0.7, 1.3)
    length: tuple[int, int] = (10, 40)
    items: int = 40
    full: str = "reorderings"
    surface: str = "neutral"
    fillers: int = 20
    side: str = "target"

    def __post_init__(self) -> None:
        if len(self.bins) < 2 or self.bins[0] != 0 or any(low >= high for low, high in pairwise(self.bins)):
            raise UsageError(f"bins {list(self.bins)} must rise from 0, such as 0, 0.4, 0.7, 1.3")
        for name, valid in (("full", FULL), ("surface", SURFACES), ("side", SIDES)):
            if getattr(self, name) not in valid:
                raise UsageError(f"{name} is {getattr(self, name)!r}; expected {' or '.join(valid)}")
        if self.items < 1 or self.fillers < 0 or not 1 <= self.length[0] <= self.length[1]:
            raise UsageError("items must be 1 or more, fillers 0 or more, and length the fewest and most words")

    def to_dict(self) -> dict[str, Any]:
        """Return what ``[materials]`` holds."""
        shown = ("bins", "length", "items", "full", "surface", "fillers", "side")
        return {name: getattr(self, name) for name in shown}


@dataclass(frozen=True)
class Sentence:
    """A sentence of the corpus with its number (from 1), its words and its links with the other language."""

    number: int
    words: list[str]
    alignment: Alignment


def make_items(
    corpus: Corpus,
    design: Design,
    *,
    seed: int,
    questions: Sequence[Question],
    practice: int = 3,
    attention: int = 2,
) -> list[Item]:
    """Choose sentences at random, and make their versions, fillers, practice items and attention checks."""
    chance = random.Random(seed)
    sentences = _read(corpus, design)
    cased = _Casing(sentences) if design.surface == "neutral" else None
    chosen: list[tuple[Sentence, list[Version]]] = []
    rest: list[Sentence] = []
    low, high = design.length
    for sentence in sorted(sentences, key=lambda one: chance.random()):
        if not low <= len(sentence.words) <= high or (cased and not cased.is_certain(sentence)):
            continue
        versions = None
        if len(chosen) < design.items + (practice > 0):
            reorderings = extract(sentence.alignment.column())[0]
            versions = make_versions(sentence.alignment, reorderings, design.bins, chance=chance, full=design.full)
        if versions is None:
            rest.append(sentence)
        else:
            chosen.append((sentence, versions))
    if len(chosen) < design.items:
        raise InputError(
            f"{count_of(len(chosen), 'sentence')} of {low} to {high} words can be put into all bins of RQuantity "
            f"{', '.join(map(str, design.bins))}, and above; {design.items} were asked for; ask for fewer, or lower "
            "the bounds of the bins",
            path=corpus.path or corpus.name,
        )
    items = [
        _version_item(sentence, number, version, design, cased, seed)
        for sentence, versions in chosen[: design.items]
        for number, version in enumerate(versions)
    ]
    items = _scored(items)
    shuffled = _practice(chosen[design.items :], rest, practice, cased, seed)
    fillers = _fillers(rest, design.fillers, cased, seed, chance)
    checks = [_attention(number, questions, seed) for number in range(attention)]
    return [*shuffled, *items, *fillers, *checks]


def _read(corpus: Corpus, design: Design) -> list[Sentence]:
    """Read the corpus so that the side to be scrambled is the target."""
    found: list[Sentence] = []
    for block, *sides in corpus.blocks(words=True):
        tokens = sides[SIDES.index(design.side) == 0].words
        if tokens is None:
            raise UsageError(f"the words of the {design.side} are needed: give its text")
        links = block if design.side == "target" else block.transpose()
        for row in range(len(links)):
            words = tokens.words(row)
            pair = links[row]
            pairs = pair.links
            if design.surface == "neutral" and words and is_punctuation(words[-1]):
                pairs = tuple(link for link in pairs if link[1] != len(words) - 1)
            found.append(Sentence(len(found) + 1, words, Alignment(pairs, pair.source_length, len(words))))
    return found


class _Casing:
    """Knows which words are names from how they are written inside sentences."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.inside = Counter(word for sentence in sentences for word in sentence.words[1:])

    def is_certain(self, sentence: Sentence) -> bool:
        """Whether it can be told if the first word is a name."""
        word = sentence.words[0]
        return word == word.lower() or self.inside[word] != self.inside[word.lower()]

    def words(self, words: Sequence[str]) -> list[str]:
        """Write the first word of a sentence as it would stand inside one."""
        small = words[0].lower()
        name = words[0] == "I" or self.inside[words[0]] > self.inside[small]
        return [words[0] if name else small, *words[1:]]


def _spell(words: Sequence[str], order: Permutation, cased: _Casing | None) -> str:
    """Write the words in an order; a neutral surface begins with a capital whichever word is first."""
    known = cased.words(words) if cased else list(words)
    spelled = [known[rank] for rank in order.ranks]
    if cased:
        spelled[0] = spelled[0][:1].upper() + spelled[0][1:]
    return " ".join(spelled)


def _version_item(
    sentence: Sentence, number: int, version: Version, design: Design, cased: _Casing | None, seed: int
) -> Item:
    content: dict[str, Any] = {
        "text": _spell(sentence.words, version.order, cased),
        "reference": _spell(sentence.words, Permutation.identity(len(sentence.words)), cased),
        "sentence": sentence.number,
        "order": [rank + 1 for rank in version.order.ranks],
        "undone": [str(one) for one in version.undone],
        "widths": [one.width() for one in version.undone],
        "rquantity": round(_quantity(version, number, design), 6),
    }
    return Item.of(str(sentence.number), content, seed=seed, condition=f"bin{number}")


def _quantity(version: Version, number: int, design: Design) -> float:
    from wordorder.apps.profile.stimuli import measured_rquantity

    last = number == len(design.bins)
    return (
        float(measured_rquantity([version.order])[0]) if last and design.full != "reorderings" else version.rquantity
    )


def _scored(items: list[Item]) -> list[Item]:
    """Add the score of every order metric."""
    orders = [" ".join(map(str, item.content["order"])) for item in items]
    scores = score(GivenOrders({"versions": orders}), metrics="order", resampling=Resampling(samples=0))
    columns = {str(metric): metric.segment(rows) for metric, rows in zip(scores.metrics, scores.rows[0], strict=True)}
    found = []
    for place, item in enumerate(items):
        known: Mapping[str, Any] = {name: _number(column[place]) for name, column in columns.items()}
        found.append(Item(item.id, item.group, item.condition, item.role, {**item.content, "scores": known}))
    return found


def _number(value: float) -> float | None:
    return None if value != value else round(float(value), 6)


def _practice(
    spare: Sequence[tuple[Sentence, list[Version]]],
    rest: list[Sentence],
    count: int,
    cased: _Casing | None,
    seed: int,
) -> list[Item]:
    """Make items to begin with: the most and the least disorder of a sentence that is not used, then intact ones."""
    texts = []
    if spare:
        sentence, versions = spare[0]
        texts = [_spell(sentence.words, versions[place].order, cased) for place in (-1, 1)]
    while len(texts) < count and rest:
        sentence = rest.pop()
        texts.insert(0, _spell(sentence.words, Permutation.identity(len(sentence.words)), cased))
    return [
        Item.of(f"practice {number + 1}", {"text": text}, seed=seed, role="practice")
        for number, text in enumerate(texts[:count])
    ]


def _fillers(rest: list[Sentence], count: int, cased: _Casing | None, seed: int, chance: random.Random) -> list[Item]:
    """Make intact sentences, and sentences with one wrong word: not all that is bad should be bad in order."""
    if len(rest) < count:
        raise InputError(
            f"{count} fillers were asked for, with only {count_of(len(rest), 'sentence')} left over; ask for fewer"
        )
    vocabulary = sorted(
        {word for sentence in rest for word in sentence.words[1:] if word.isalpha() and len(word) > 3}
    )
    found = []
    for number, sentence in enumerate(rest[:count]):
        words, wrong = list(sentence.words), number % 2 == 1
        places = [place for place, word in enumerate(words) if place and word.isalpha() and len(word) > 3]
        changed: dict[str, Any] = {}
        if wrong and places and vocabulary:
            place = places[int(chance.random() * len(places))]
            changed = {"wrong": place + 1, "right": words[place]}
            others = [word for word in vocabulary if word != words[place]]
            words[place] = others[int(chance.random() * len(others))]
        text = _spell(words, Permutation.identity(len(words)), cased)
        content = {"text": text, "sentence": sentence.number, **changed}
        condition = "filler wrong word" if changed else "filler intact"
        found.append(Item.of(f"filler {number + 1}", content, seed=seed, condition=condition, role="filler"))
    return found


def _attention(number: int, questions: Sequence[Question], seed: int) -> Item:
    """Ask for a certain number in all rows."""
    values = questions[0].values
    value = values[1 + number % max(len(values) - 2, 1)]
    asked = {question.name: value for question in questions if value in question.values}
    text = f"To show that you are reading, please choose {value} in every row."
    content = {"text": text, "expected": asked}
    return Item.of(f"attention {number + 1}", content, seed=seed, condition="attention", role="attention")
