"""Make scrambled sentences (versions in which some reorderings are undone), fillers, practice items and checks."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from wordorder.apps.profile import Corpus, extract
from wordorder.apps.profile.stimuli import FULL, Version, make_versions
from wordorder.apps.study.folder import Item
from wordorder.apps.study.materials.texts import NO_GUIDES, Guides
from wordorder.apps.study.settings import Question
from wordorder.core.orders import Alignment, Permutation
from wordorder.core.runtime.errors import InputError, UsageError, count_of, reject
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics import Resampling
from wordorder.core.text.tokens import is_punctuation
from wordorder.scoring.inputs import GivenOrders
from wordorder.scoring.score import score

SURFACES = ("neutral", "as-is")
SIDES = ("target", "source")


@dataclass(frozen=True)
class Design:
    """How scrambled sentences are chosen and shown; ``study.toml`` records it under ``[materials]``.

    ``bins`` are the upper RQuantity bounds of the bins; the first is 0, for the unchanged sentence. With
    ``surface="neutral"``, the final punctuation mark stays at the end, every version begins with a capital letter,
    and the original first word keeps its capital only if it is a name.
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
            raise UsageError(f"bins are {list(self.bins)}; expected increasing numbers from 0, such as 0 0.4 0.7 1.3")
        for name, valid in (("full", FULL), ("surface", SURFACES), ("side", SIDES)):
            if getattr(self, name) not in valid:
                raise UsageError(f"{name} is {getattr(self, name)!r}; expected {' or '.join(valid)}")
        if self.items < 1 or self.fillers < 0 or not 1 <= self.length[0] <= self.length[1]:
            raise UsageError("items must be at least 1, fillers at least 0, and length a range such as 10 to 40")


@dataclass(frozen=True)
class CorpusSentence:
    """A sentence of the corpus: its number (counted from 1), its words and its alignment with the other language."""

    number: int
    words: list[str]
    alignment: Alignment


def make_items(
    corpus: Corpus, design: Design, *, seed: int, questions: Sequence[Question], guides: Guides = NO_GUIDES
) -> list[Item]:
    """Choose random sentences, and make their versions, fillers, practice items and attention checks."""
    chance = random.Random(seed)
    sentences = _read(corpus, design)
    cased = _Casing(sentences) if design.surface == "neutral" else None
    chosen: list[tuple[CorpusSentence, list[Version]]] = []
    rest: list[CorpusSentence] = []
    low, high = design.length
    for sentence in sorted(sentences, key=lambda one: chance.random()):
        if not low <= len(sentence.words) <= high or (cased and not cased.is_certain(sentence)):
            continue
        versions = None
        if len(chosen) < design.items + (guides.practice > 0):
            reorderings = extract(sentence.alignment.column())[0]
            versions = make_versions(sentence.alignment, reorderings, design.bins, chance=chance, full=design.full)
        if versions is None:
            rest.append(sentence)
        else:
            chosen.append((sentence, versions))
    if len(chosen) < design.items:
        raise InputError(
            f"{design.items} items were requested, but only {count_of(len(chosen), 'sentence')} of {low} to {high} "
            f"words can be scrambled to fit every RQuantity bin (bounds: {', '.join(map(str, design.bins))}); "
            "request fewer items, or lower the bounds",
            path=corpus.path or corpus.name,
        )
    items = [
        _version_item(sentence, number, version, cased, seed)
        for sentence, versions in chosen[: design.items]
        for number, version in enumerate(versions)
    ]
    items = _scored(items)
    shuffled = _practice(chosen[design.items :], rest, guides, cased, seed, questions)
    fillers = _fillers(rest, design.fillers, cased, seed, chance)
    checks = [{"text": text, "expected": expected} for text, expected in guides.numbers(questions)]
    return [*shuffled, *items, *fillers, *guides.attention_items(*checks, seed=seed)]


def _read(corpus: Corpus, design: Design) -> list[CorpusSentence]:
    """Return the sentences on the side to be scrambled, which is the target side of their alignments."""
    found: list[CorpusSentence] = []
    for block, *sides in corpus.blocks(words=True):
        tokens = sides[SIDES.index(design.side) == 0].words
        if tokens is None:
            raise UsageError(f"scrambling the {design.side} side requires its words; give the text of this side")
        links = block if design.side == "target" else block.transpose()
        for row in range(len(links)):
            words = tokens.words(row)
            pair = links[row]
            pairs = pair.links
            if design.surface == "neutral" and words and is_punctuation(words[-1]):
                pairs = tuple(link for link in pairs if link[1] != len(words) - 1)
            found.append(CorpusSentence(len(found) + 1, words, Alignment(pairs, pair.source_length, len(words))))
    return found


class _Casing:
    """Recognises names from the capitalisation of words inside sentences."""

    def __init__(self, sentences: Sequence[CorpusSentence]) -> None:
        self.inside = Counter(word for sentence in sentences for word in sentence.words[1:])

    def is_certain(self, sentence: CorpusSentence) -> bool:
        """Return whether the corpus shows if the first word of the sentence is a name."""
        word = sentence.words[0]
        return word == word.lower() or self.inside[word] != self.inside[word.lower()]

    def words(self, words: Sequence[str]) -> list[str]:
        """Return the words with the first one capitalised as it would be inside a sentence."""
        small = words[0].lower()
        name = words[0] == "I" or self.inside[words[0]] > self.inside[small]
        return [words[0] if name else small, *words[1:]]


def _spell(words: Sequence[str], order: Permutation, cased: _Casing | None) -> str:
    """Return the words in the given order as text; with ``cased``, the text begins with a capital letter."""
    known = cased.words(words) if cased else list(words)
    spelled = [known[rank] for rank in order.ranks]
    if cased:
        spelled[0] = spelled[0][:1].upper() + spelled[0][1:]
    return " ".join(spelled)


def _version_item(sentence: CorpusSentence, number: int, version: Version, cased: _Casing | None, seed: int) -> Item:
    content: dict[str, Any] = {
        "text": _spell(sentence.words, version.order, cased),
        "reference": _spell(sentence.words, Permutation.identity(len(sentence.words)), cased),
        "sentence": sentence.number,
        "order": [rank + 1 for rank in version.order.ranks],
        "undone": [str(one) for one in version.undone],
        "widths": [one.width() for one in version.undone],
        "rquantity": round(version.rquantity, 6),
    }
    return Item.of(str(sentence.number), content, seed=seed, condition=f"bin{number}")


def _scored(items: list[Item]) -> list[Item]:
    """Return the items, each with its scores on all order metrics added to its content."""
    orders = [" ".join(map(str, item.content["order"])) for item in items]
    scores = score(GivenOrders({"versions": orders}), metrics="order", resampling=Resampling(samples=0))
    columns = {str(metric): metric.segment(rows) for metric, rows in zip(scores.metrics, scores.rows[0], strict=True)}
    found = []
    for place, item in enumerate(items):
        own = {name: plain(round(float(column[place]), 6)) for name, column in columns.items()}
        found.append(replace(item, content={**item.content, "scores": own}))
    return found


def _practice(
    spare: Sequence[tuple[CorpusSentence, list[Version]]],
    rest: list[CorpusSentence],
    guides: Guides,
    cased: _Casing | None,
    seed: int,
    questions: Sequence[Question],
) -> list[Item]:
    """Make practice items: intact sentences, then the most and the least disordered version of an unused sentence.

    Intact sentences get high numbers, and the most disordered version gets a low one for the first question.
    """
    low, high = ({one.name: half for one in questions} for half in _halves(questions[0].values))
    contents: list[dict[str, Any]] = []
    if spare:
        sentence, versions = spare[0]
        worst, mild = (_spell(sentence.words, versions[place].order, cased) for place in (-1, 1))
        first = questions[0].name
        contents = [
            {"text": worst, "expected": {first: low[first]}, "reason": guides.words["why_shuffled"]},
            {"text": mild},
        ]
    while len(contents) < guides.practice and rest:
        sentence = rest.pop()
        text = _spell(sentence.words, Permutation.identity(len(sentence.words)), cased)
        contents.insert(0, {"text": text, "expected": high, "reason": guides.words["why_usual"]})
    return [
        Item.of(f"practice {number + 1}", content, seed=seed, role="practice")
        for number, content in enumerate(contents[: guides.practice])
    ]


def _halves(values: range) -> tuple[list[int], list[int]]:
    """Return the lowest and the highest number of both halves of a scale, without the number in the middle."""
    size = len(values) // 2
    return [values[0], values[size - 1]], [values[-size], values[-1]]


def _fillers(
    rest: list[CorpusSentence], count: int, cased: _Casing | None, seed: int, chance: random.Random
) -> list[Item]:
    """Make fillers: intact sentences, and sentences with one wrong word, so that not all errors are order errors."""
    reject(len(rest) < count, f"only {count_of(len(rest), 'sentence')} left for {count} fillers; request fewer")
    vocabulary = sorted({word for one in rest for word in one.words[1:] if word.isalpha() and len(word) > 3})
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
