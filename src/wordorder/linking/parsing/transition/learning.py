"""Training of a tagger and a parser on a treebank with an averaged perceptron."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.errors import refuse
from wordorder.core.runtime.threads import progress
from wordorder.linking.parsing.transition import arc_eager, tagger
from wordorder.linking.parsing.transition.arc_eager import gold_actions
from wordorder.linking.parsing.transition.beam import parse_greedily, parse_with_beam
from wordorder.linking.parsing.transition.perceptron import Weights, average, no_weights, with_room

LARGEST_BEAM = 10_000
TAGGER_PASSES = 6
JACKKNIFE = 5
"""The number of parts into which the treebank is divided for tagging.

Each part is tagged by a tagger trained on the other parts, so that the parser learns from realistic tags.
"""

_EXPLORE = 0.9  # Goldberg & Nivre (2012), from the second pass on
NO_TREE = np.zeros(0, dtype=np.int32)
NO_NUMBERS = np.zeros(0, dtype=np.int64)
"""Stands for missing gold tags or transitions when parsing without learning."""

_STEPS_PER_WORD = 4
_FEATURES_OF_TAGS, _FEATURES_OF_STATES = len(tagger.TEMPLATES), len(arc_eager.TEMPLATES)


@dataclass(frozen=True)
class ParserOptions:
    """Options for learning a parser.

    ``beam`` is the beam size (1 means greedy parsing, learned with a dynamic oracle). ``passes`` is the number of
    passes over the treebank. With ``caseless``, words are lower-cased. If ``tags`` is ``own``, a tagger is trained
    too, and the parser is trained on automatic tags (by jackknifing, so that no tagger tags a sentence it was trained
    on). If ``tags`` is ``given``, the parser is trained on the tags of the treebank and can parse only tagged text.
    """

    beam: int = 8
    passes: int = 10
    caseless: bool = False
    tags: str = "own"
    seed: int = 12345

    def __post_init__(self) -> None:
        for name, least in (("beam", 1), ("passes", 1), ("seed", 0)):
            refuse(getattr(self, name) < least, f"{name} must be {least} or more, not {getattr(self, name)}")
        refuse(self.beam > LARGEST_BEAM, f"beam must be {LARGEST_BEAM} or less, not {self.beam}")
        refuse(self.tags not in ("own", "given"), f"tags must be 'own' or 'given', not {self.tags!r}")


def learn_tags(spellings: Int64s, offsets: Int64s, gold: Int64s, tags: int, seed: int) -> tuple[Weights, Int64s]:
    """Return a tagger trained on all sentences, and automatic tags for these sentences, obtained by jackknifing."""
    count = len(offsets) - 1
    whole = _learn_tags(spellings, offsets, gold, np.arange(count), tags, seed)
    if count < JACKKNIFE:
        return whole, gold
    found = np.empty(len(gold), dtype=np.int64)
    for part in range(JACKKNIFE):
        rows = np.arange(count)
        weights = _learn_tags(spellings, offsets, gold, rows[rows % JACKKNIFE != part], tags, seed)
        for row in rows[part::JACKKNIFE].tolist():
            span = slice(offsets[row], offsets[row + 1])
            found[span] = tagger.tag_words(weights, spellings[span], tags, NO_NUMBERS)
    return whole, found


def _learn_tags(spellings: Int64s, offsets: Int64s, gold: Int64s, rows: Int64s, tags: int, seed: int) -> Weights:
    def learn(weights: Weights, row: int, round_: int) -> None:
        span = slice(offsets[row], offsets[row + 1])
        tagger.tag_words(weights, spellings[span], tags, gold[span])

    room = 2 * _FEATURES_OF_TAGS * np.diff(offsets)
    return _learn(learn, rows, room, TAGGER_PASSES, seed, "learning to tag")


def learn_arcs(
    words: Int64s, tags: Int64s, heads: Ints, arcs: Ints, offsets: Int64s, labels: int, options: ParserOptions
) -> Weights:
    """Train a parser on projective trees; ``arcs`` has the label number of each word, or −1 for the root."""
    rows = np.arange(len(offsets) - 1)
    cuts = [slice(start, stop) for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    actions = [gold_actions(heads[cut], arcs[cut], labels) for cut in cuts] if options.beam > 1 else []

    def learn(weights: Weights, row: int, round_: int) -> None:
        cut = cuts[row]
        if options.beam > 1:
            parse_with_beam(weights, words[cut], tags[cut], labels, options.beam, actions[row])
        else:
            explore, seed = _EXPLORE if round_ else 0.0, options.seed + round_ * len(rows) + row
            parse_greedily(weights, words[cut], tags[cut], labels, heads[cut], arcs[cut], explore, seed)

    room = 2 * _STEPS_PER_WORD * _FEATURES_OF_STATES * np.diff(offsets)
    return _learn(learn, rows, room, options.passes, options.seed, "learning to parse")


def _learn(
    learn: Callable[[Weights, int, int], None], rows: Int64s, room: Int64s, passes: int, seed: int, label: str
) -> Weights:
    """Make several passes over the sentences, each in a new random order, and return the averaged weights.

    ``learn`` updates the weights with one sentence. ``room`` has, for each sentence, an upper bound on the number of
    weights that it adds.
    """
    weights, rng = no_weights(), np.random.default_rng(seed)
    for round_ in progress(range(passes), label=label, total=passes, unit=" passes"):
        for row in rng.permutation(rows).tolist():
            weights = with_room(weights, int(room[row]))
            learn(weights, row, round_)
    return average(weights)
