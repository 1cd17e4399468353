"""Word order within and across the sentences of paragraphs and documents.

Source and translation are split into sentences, which are aligned by the word links between them, in any order. A
sentence belongs to the sentence of the other side with which it shares most links. Sentences that belong together are
a group. For each paragraph, this gives:

* ``within``: the mean over groups of ``kendall-sqrt`` between source and translation, inside the group
* ``swapped``: the share of pairs of groups that the translation has in another order
* ``joined``: the share of translated sentences that combine several source sentences
* ``split``: the share of source sentences that became several sentences
* ``crossed``: the share of linked words in runs of at least three words that moved into another group

Scores are means over paragraphs, so that a long paragraph counts as much as a short one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Unpack, cast

import numpy as np

from wordorder.apps.monotone.literalness import Literalness
from wordorder.apps.monotone.measures import Measure, scores_of
from wordorder.core.orders.alignment import Alignments
from wordorder.core.orders.projection import order_against_source
from wordorder.core.runtime.columns import Int64s, offsets_from_lengths
from wordorder.core.runtime.errors import count_of, mention, refuse
from wordorder.core.runtime.settings import accepts_options
from wordorder.core.statistics import Resampling
from wordorder.core.text import DEFAULT_TOKENIZER, tokenise
from wordorder.core.text.sentences import split_sentences
from wordorder.formats.sources import as_references, read_text, systems_by_name
from wordorder.metrics.base import Array, mean_rows
from wordorder.metrics.batch import Orders
from wordorder.metrics.flat import KendallSqrt
from wordorder.scoring.inputs import make_inputs
from wordorder.scoring.inputs.orders import reference_names
from wordorder.scoring.options import InputOptions

MEASURES = (Measure("within", literal=True), *map(Measure, ("swapped", "joined", "split", "crossed")))

RUN = 3
"""The smallest number of words that count as moved into another group; single words are often alignment errors."""

_SHARE = 1 / 3
"""The share of the links of a sentence that another sentence must have for the two to belong together."""


@accepts_options(InputOptions)
def compare_paragraphs(
    hyp: Any,
    ref: Any = None,
    *,
    docs: Sequence[str] | None = None,
    cut: bool = False,
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
    **options: Unpack[InputOptions],
) -> Paragraphs:
    """Compare the order of systems and references with that of the source, within and across sentences.

    Each line of the texts is a paragraph or a document, whose sentences may be separated by marks such as ``<p>``.
    With ``cut``, systems may have other lines than the first reference; they are then cut where its lines end, by
    mweralign. The other arguments are those of :func:`wordorder.apps.monotone.monotone`.

    >>> from wordorder import Alignment, Alignments
    >>> links = {"A": Alignments.of([Alignment.parse("0-2 1-3 2-0 3-1")])}
    >>> found = compare_paragraphs({"A": ["Y z. W x."]}, source=["W x. Y z."], hyp_align=links, tokenize="none")
    >>> found.scores["A", "swapped"].value, found.scores["A", "within"].value
    (1.0, 1.0)
    """
    source = options.get("source")
    refuse(source is None, f"word order is compared with the source; give {mention('source')}")
    references = as_references(ref, of=str)
    people = [read_text(text).to_pylist() for text in references]
    texts = {name: read_text(text).to_pylist() for name, text in systems_by_name(hyp).items()}
    if cut:
        from wordorder.apps.monotone.cutting import cut_texts

        refuse(not people, f"output is cut where the lines of a reference end; give {mention('ref')}")
        texts = {name: cut_texts(lines, people[0]) for name, lines in texts.items()}
    names = [*reference_names(len(people), tuple(texts)), *texts]
    pieces = [
        [split_sentences(line) for line in column]
        for column in (read_text(cast(Any, source)).to_pylist(), *people, *texts.values())
    ]
    joined = [[" ".join(sentences) for sentences in column] for column in pieces]
    settings: Any = {**options, "order": "monotone", "source": joined[0]}
    inputs = make_inputs(
        dict(zip(texts, joined[1 + len(people) :], strict=True)),
        joined[1 : 1 + len(people)] or None,
        threads=threads,
        **settings,
    )
    tokenizer = settings.get("tokenize") or DEFAULT_TOKENIZER
    lengths = [_sentence_lengths(column, tokenizer) for column in pieces]
    done: dict[str, list[Paragraph]] = {name: [] for name in names}
    for block in inputs.batches(()):
        for place, (name, batch) in enumerate(zip(names, block, strict=True), start=1):
            start = len(done[name])
            rows = zip(lengths[0][start:], lengths[place][start : start + len(batch)], strict=False)
            links = batch.alignments
            for row, (source_lengths, target_lengths) in enumerate(rows):
                span = slice(int(links.offsets[row]), int(links.offsets[row + 1]))
                sides = links.source[span], links.target[span]
                whole = int(links.source_lengths[row]), int(links.target_lengths[row])
                sizes = (_whole(source_lengths, whole[0]), _whole(target_lengths, whole[1]))
                done[name].append(group_sentences(*sides, sizes[0], sizes[1]))
    rows_by_name = {name: _rows(paragraphs) for name, paragraphs in done.items()}
    several = sum(len(sentences) > 1 for sentences in lengths[0])
    notes = (
        f"{several} of {count_of(len(lengths[0]), 'source line')} have several sentences; means over lines, so that "
        "long ones do not dominate",
        *inputs.notes,
    )
    resampling = Resampling(samples, seed, threads, "segments" if docs is None else "documents")
    signature = {**inputs.signature(()), "sentences": "rules and marks"} | ({"cut": "mweralign"} if cut else {})
    scores = scores_of(rows_by_name, MEASURES, signature, resampling, documents=docs, notes=notes)
    return Paragraphs(scores, len(people), paragraphs=done)


def _sentence_lengths(column: Sequence[Sequence[str]], tokenizer: str) -> list[Int64s]:
    """Return the number of words of each sentence of each paragraph."""
    (words,) = tokenise([[sentence for sentences in column for sentence in sentences]], tokenizer=tokenizer)
    offsets = offsets_from_lengths([len(sentences) for sentences in column])
    return [words.lengths[start:stop].astype(np.int64) for start, stop in pairwise(offsets.tolist())]


def _whole(lengths: Int64s, words: int) -> Int64s:
    """Return the lengths, or a single sentence if the tokeniser splits the paragraph into another number of words."""
    return lengths if lengths.sum() == words else np.array([words])


@dataclass(frozen=True, eq=False)
class Paragraph:
    """How the sentences of a paragraph are grouped; sentences are numbered from 0.

    ``groups`` has the source and the target sentences of each group, in source order. ``swapped`` has pairs of groups
    in another order, ``crossed`` the spans of target words that moved into another group, and ``orders`` the links
    inside each group.
    """

    sentences: tuple[int, int]
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    swapped: tuple[tuple[int, int], ...]
    joined: tuple[int, ...]
    split: tuple[int, ...]
    crossed: tuple[tuple[int, int], ...]
    linked: int
    moved: int
    orders: tuple[Alignments, ...]


def group_sentences(source: Any, target: Any, source_lengths: Int64s, target_lengths: Int64s) -> Paragraph:
    """Group the sentences of a paragraph, given its word links and the lengths of its sentences."""
    of_source = np.repeat(np.arange(len(source_lengths)), source_lengths)
    of_target = np.repeat(np.arange(len(target_lengths)), target_lengths)
    shape = len(source_lengths), len(target_lengths)
    shared = np.zeros(shape, dtype=np.int64)
    np.add.at(shared, (of_source[source], of_target[target]), 1)
    edges = {(a, int(b)) for a, b in enumerate(_homes(shared)) if b >= 0}
    edges |= {(int(a), b) for b, a in enumerate(_homes(shared.T)) if a >= 0}
    group = _components(edges, shape)
    members = sorted(set(group.values()))
    sides = [
        [tuple(sorted(n for s, n in group if s == side and group[s, n] == name)) for side in (0, 1)]
        for name in members
    ]
    sides.sort()
    number = {(side, n): g for g, both in enumerate(sides) for side in (0, 1) for n in both[side]}
    places = [float(np.mean(targets)) for _, targets in sides]
    swapped = tuple((a, b) for a in range(len(sides)) for b in range(a + 1, len(sides)) if places[a] > places[b])
    group_of = [np.array([number.get((side, n), -1) for n in range(shape[side])], dtype=np.int64) for side in (0, 1)]
    own, home = group_of[0][of_source[source]], group_of[1][of_target[target]]
    crossed = _runs(np.asarray(target), own, home, of_target)
    inside = [(own == g) & (home == g) for g in range(len(sides))]
    return Paragraph(
        shape,
        tuple((one, two) for one, two in sides),
        swapped,
        tuple(b for b in range(shape[1]) if sum((a, b) in edges for a in range(shape[0])) > 1),
        tuple(a for a in range(shape[0]) if sum((a, b) in edges for b in range(shape[1])) > 1),
        tuple((first, last) for first, last, _ in crossed),
        len(np.unique(target)),
        sum(words for _, _, words in crossed),
        tuple(
            _restrict(
                np.asarray(source)[chosen],
                np.asarray(target)[chosen],
                *(np.isin(each, part) for each, part in zip((of_source, of_target), both, strict=True)),
            )
            for chosen, both in zip(inside, sides, strict=True)
        ),
    )


def _homes(shared: Int64s) -> Int64s:
    """Return, for each row, the column with most links (the nearest to the diagonal if tied), or −1 if it has few."""
    rows, columns = shared.shape
    if not columns:
        return np.full(rows, -1)
    away = np.abs((np.arange(rows)[:, None] + 0.5) / rows - (np.arange(columns) + 0.5) / columns)
    best = np.argmax(shared - away, axis=1)
    most, total = shared[np.arange(rows), best], shared.sum(axis=1)
    return np.where((most > 0) & (most >= _SHARE * total), best, -1)


def _components(edges: set[tuple[int, int]], shape: tuple[int, int]) -> dict[tuple[int, int], int]:
    """Return the number of the connected component of each sentence (side, number) that has an edge."""
    group: dict[tuple[int, int], int] = {}
    for name, (a, b) in enumerate(sorted(edges)):
        one, two = group.get((0, a), name), group.get((1, b), name)
        group |= {(0, a): name, (1, b): name}
        group = {key: name if old in (one, two) else old for key, old in group.items()}
    return group


def _runs(target: Any, own: Int64s, home: Int64s, of_target: Int64s) -> list[tuple[int, int, int]]:
    """Return runs of linked target words of one sentence that all come from another group: first, last, words."""
    origin = {}
    for word in np.unique(target).tolist():
        links = target == word
        away = own[links]
        origin[word] = int(away[0]) if (away == away[0]).all() and away[0] not in (-1, home[links][0]) else -1
    found: list[tuple[int, int, int]] = []
    run: list[int] = []
    for word in [*sorted(origin), None]:
        extends = (
            word is not None and run and origin[word] == origin[run[-1]] and of_target[word] == of_target[run[-1]]
        )
        if run and not extends:
            found += [(run[0], run[-1], len(run))] * (len(run) >= RUN)
            run = []
        if word is not None and origin[word] >= 0:
            run.append(word)
    return found


def _restrict(source: Any, target: Any, source_words: Any, target_words: Any) -> Alignments:
    """Return links inside a group, whose words are renumbered."""
    sides = [
        (np.cumsum(words) - 1)[side].astype(np.int32)
        for words, side in ((source_words, source), (target_words, target))
    ]
    sizes = [np.array([words.sum()], dtype=np.int32) for words in (source_words, target_words)]
    return Alignments(sides[0], sides[1], np.array([0, len(sides[0])]), sizes[0], sizes[1])


def _rows(paragraphs: Sequence[Paragraph]) -> Array:
    """Return the statistics of all measures: a paragraph counts once in each for which it has something to count."""
    orders = [order for paragraph in paragraphs for order in paragraph.orders]
    values = (
        KendallSqrt().values(Orders(order_against_source(Alignments.concatenate(orders), policy="birch")))
        if orders
        else np.zeros(0)
    )
    groups = np.array([len(paragraph.orders) for paragraph in paragraphs])
    where = np.repeat(np.arange(len(paragraphs)), groups)
    known = ~np.isnan(values)
    columns = [
        (
            np.bincount(where[known], values[known], len(paragraphs)),
            np.bincount(where[known], minlength=len(paragraphs)),
        ),
        ([len(each.swapped) for each in paragraphs], groups * (groups - 1) // 2),
        (
            [len(each.joined) for each in paragraphs],
            [each.sentences[1] * (each.sentences[0] > 1) for each in paragraphs],
        ),
        ([len(each.split) for each in paragraphs], [each.sentences[0] * bool(each.linked) for each in paragraphs]),
        ([each.moved for each in paragraphs], [each.linked * (max(each.sentences) > 1) for each in paragraphs]),
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = [np.asarray(count, dtype=np.float64) / np.asarray(total) for count, total in columns]
    return np.hstack([mean_rows(ratio, np.ones(len(paragraphs))) for ratio in ratios])


@dataclass(frozen=True, eq=False)
class Paragraphs(Literalness):
    """The order of sentences and words in paragraphs; ``paragraphs`` has the groups of sentences of each system."""

    paragraphs: Mapping[str, Sequence[Paragraph]] = field(default_factory=dict)

    def findings(self) -> list[dict[str, Any]]:
        """Return the paragraphs in which sentences were swapped, joined or split, or words crossed a border.

        Paragraphs, sentences and words are counted from 1.
        """
        found = []
        for system, paragraphs in self.paragraphs.items():
            for number, each in enumerate(paragraphs, start=1):
                record = {
                    "swapped": [[[n + 1 for n in each.groups[g][0]] for g in pair] for pair in each.swapped],
                    "joined": [n + 1 for n in each.joined],
                    "split": [n + 1 for n in each.split],
                    "crossed": [[first + 1, last + 1] for first, last in each.crossed],
                }
                if any(record.values()):
                    found.append({"system": system, "line": number, "sentences": list(each.sentences), **record})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data, with the paragraphs in which something was found."""
        return super().to_dict() | {"findings": self.findings()}
