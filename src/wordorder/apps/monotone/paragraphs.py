"""Word order within and across the sentences of paragraphs and documents.

Source and translation are split into sentences, which are aligned by the word links between them, in any order. A
sentence belongs to the sentence of the other side with which it shares most links. Sentences that belong together are
a group. For each paragraph, this gives:

* ``within``: the mean over groups of ``kendall-sqrt``, computed from the words that are linked inside the group
* ``swapped``: the share of pairs of groups that the translation has in another order
* ``joined``: the share of translated sentences that combine several source sentences
* ``split``: the share of source sentences that became several sentences
* ``crossed``: the share of linked words in runs of at least three words that moved into another group
* ``unaligned-source``: the share of source words without a link

Scores are means over paragraphs, so that a long paragraph counts as much as a short one.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby, pairwise
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from wordorder.apps.monotone.literalness import UNALIGNED, Literalness
from wordorder.apps.monotone.measures import Measure, mean_columns, scores_of
from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Int64s, offsets_from_lengths
from wordorder.core.runtime.errors import count_of, mention, refuse
from wordorder.core.runtime.settings import accepts_options
from wordorder.core.statistics import Resampling
from wordorder.core.text import DEFAULT_TOKENIZER, tokenise
from wordorder.core.text.splitting import split_sentences
from wordorder.formats.sources import as_references, read_text, systems_by_name
from wordorder.scoring.inputs import make_inputs
from wordorder.scoring.options import InputOptions

MEASURES = (Measure("within", literal=True), *map(Measure, ("swapped", "joined", "split", "crossed", UNALIGNED)))

RUN = 3
"""The smallest number of words that count as moved into another group; single words are often alignment errors."""

_SHARE = 1 / 4
"""The share of the words of a sentence that must be linked to another one for the two to belong together."""


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
) -> "Paragraphs":
    """Compare the order of systems and references with that of the source, within and across sentences.

    Each line of the texts is a paragraph or a document, whose sentences may be separated by marks such as ``<p>``.
    With ``cut``, the lines of systems may differ from those of the first reference; mweralign then cuts the systems
    where the lines of this reference end. The other arguments are those of :func:`wordorder.apps.monotone.monotone`.

    >>> from wordorder import Alignment, Alignments
    >>> links = {"A": Alignments.of([Alignment.parse("0-2 1-3 2-0 3-1")])}
    >>> found = compare_paragraphs({"A": ["You go. I am."]}, source=["I am. You go."], hyp_align=links, tokenize="none")
    >>> found.scores["A", "swapped"].value, found.scores["A", "within"].value
    (1.0, 1.0)
    """
    source = cast(Any, options.get("source"))
    refuse(source is None, f"word order is compared with the source; give {mention('source')}")
    people = [read_text(text).to_pylist() for text in as_references(ref, of=str)]
    texts = {name: read_text(text).to_pylist() for name, text in systems_by_name(hyp).items()}
    if cut:
        from wordorder.apps.monotone.cutting import cut_texts

        refuse(not people, f"output is cut where the lines of a reference end; give {mention('ref')}")
        texts = {name: cut_texts(lines, people[0]) for name, lines in texts.items()}
    columns = [read_text(source).to_pylist(), *people, *texts.values()]
    pieces = [[split_sentences(line) for line in column] for column in columns]
    joined = [[" ".join(sentences) for sentences in column] for column in pieces]
    settings: Any = {**options, "order": "monotone", "source": joined[0], "threads": threads}
    hyp = dict(zip(texts, joined[1 + len(people) :], strict=True))
    inputs = make_inputs(hyp, joined[1 : 1 + len(people)] or None, **settings)
    lengths = [_sentence_lengths(column, settings.get("tokenize") or DEFAULT_TOKENIZER) for column in pieces]
    done: dict[str, list[Paragraph]] = {name: [] for name in inputs.systems}
    for block in inputs.batches(()):
        for target, batch, found in zip(lengths[1:], block, done.values(), strict=True):
            links, first = batch.alignments, len(found)
            for row, (start, stop) in enumerate(pairwise(links.offsets.tolist())):
                sizes = _fitting(lengths[0][first + row], links.source_lengths[row])
                others = _fitting(target[first + row], links.target_lengths[row])
                found.append(group_sentences(links.source[start:stop], links.target[start:stop], sizes, others))
    rows = {name: mean_columns(np.array([each.values for each in found])) for name, found in done.items()}
    several = sum(len(sentences) > 1 for sentences in pieces[0])
    lines = count_of(len(pieces[0]), "source line")
    note = f"{several} of {lines} have several sentences; means over lines, so that long ones do not dominate"
    resampling = Resampling(samples, seed, threads, "segments" if docs is None else "documents")
    signature = {**inputs.signature(()), "sentences": "rules and marks"} | ({"cut": "mweralign"} if cut else {})
    scores = scores_of(rows, MEASURES, signature, resampling, documents=docs, notes=(note, *inputs.notes))
    return Paragraphs(scores, len(people), nonsense=getattr(inputs, "nonsense", {}), paragraphs=done)


def _sentence_lengths(column: Sequence[Sequence[str]], tokenizer: str) -> list[Int64s]:
    """Return the number of words of each sentence of each paragraph."""
    (words,) = tokenise([[sentence for sentences in column for sentence in sentences]], tokenizer=tokenizer)
    offsets = offsets_from_lengths([len(sentences) for sentences in column])
    return [words.lengths[start:stop].astype(np.int64) for start, stop in pairwise(offsets.tolist())]


def _fitting(lengths: Int64s, words: Any) -> Int64s:
    """Return the sentence lengths; if their sum is not the length of the paragraph, return the latter alone."""
    return lengths if lengths.sum() == words else np.array([words], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Paragraph:
    """How the sentences of a paragraph are grouped; sentences are numbered from 0.

    ``groups`` has the source and the target sentences of each group, in source order. ``swapped`` has pairs of groups
    in another order, ``missing`` source sentences without a translation, ``crossed`` runs of target words that moved
    into another group, and ``values`` has the :data:`MEASURES`; a measure is NaN if there is nothing to count.
    """

    sentences: tuple[int, int]
    groups: tuple[tuple[tuple[int, ...], ...], ...]
    swapped: tuple[tuple[int, int], ...]
    joined: tuple[int, ...]
    split: tuple[int, ...]
    missing: tuple[int, ...]
    crossed: tuple[tuple[int, ...], ...]
    values: tuple[float, ...]


def group_sentences(source: Any, target: Any, source_lengths: Int64s, target_lengths: Int64s) -> Paragraph:
    """Group the sentences of a paragraph, given its word links and the lengths of its sentences."""
    from scipy.sparse.csgraph import connected_components

    rows, columns = len(source_lengths), len(target_lengths)
    ends = [np.repeat(np.arange(len(sizes)), sizes) for sizes in (source_lengths, target_lengths)]
    one, two = ends[0][source], ends[1][target]
    shared = np.zeros((rows, columns), dtype=np.int64)
    np.add.at(shared, (one, two), 1)
    edges = _homes(shared, source_lengths) | _homes(shared.T, target_lengths).T
    joint = np.zeros((rows + columns, rows + columns), dtype=np.bool_)
    joint[:rows, rows:] = edges
    label = connected_components(joint, directed=False)[1]
    own, home = label[one], label[rows + two]
    names = dict.fromkeys(label[:rows][edges.any(axis=1)].tolist())  # in source order
    members = [
        tuple(tuple(np.flatnonzero(side == name).tolist()) for side in (label[:rows], label[rows:])) for name in names
    ]
    places = [float(np.mean(targets)) for _, targets in members]
    swapped = tuple((a, b) for a, b in combinations(range(len(members)), 2) if places[a] > places[b])
    targets, sources = edges.sum(axis=0), edges.sum(axis=1)
    joined, split, missing = (tuple(np.flatnonzero(e).tolist()) for e in (targets > 1, sources > 1, sources == 0))
    crossed = _runs(np.asarray(target), own, home, ends[1])
    within = [
        _monotonicity(source[inside], target[inside])
        for name in names
        if (inside := (own == name) & (home == name)).any()
    ]
    linked = len(np.unique(target))
    counts = [
        (sum(within), len(within)),
        (len(swapped), len(members) * (len(members) - 1) // 2),
        (len(joined), columns if rows > 1 else 0),
        (len(split), rows if linked else 0),
        (sum(map(len, crossed)), linked if max(rows, columns) > 1 else 0),
        (len(ends[0]) - len(np.unique(source)), len(ends[0])),
    ]
    values = tuple(count / total if total else math.nan for count, total in counts)
    return Paragraph((rows, columns), tuple(members), swapped, joined, split, missing, crossed, values)


def _homes(shared: Int64s, words: Int64s) -> NDArray[np.bool_]:
    """Mark the sentence with which each sentence shares the most links, unless it shares only few with any.

    ``shared[i, j]`` is the number of links between sentence i on one side and sentence j on the other; sentence i has
    ``words[i]`` words. Of sentences with equally many links, the one nearest to the diagonal is marked.
    """
    rows, columns = shared.shape
    found = np.zeros(shared.shape, dtype=np.bool_)
    if columns:
        away = np.abs((np.arange(rows)[:, None] + 0.5) / rows - (np.arange(columns) + 0.5) / columns)
        best, every = np.argmax(shared - away, axis=1), np.arange(rows)
        most = shared[every, best]
        found[every, best] = (most > 0) & (most >= _SHARE * words)
    return found


def _runs(target: Any, own: Int64s, home: Int64s, sentence: Int64s) -> tuple[tuple[int, ...], ...]:
    """Return runs of linked target words of one sentence that all come from the same other group."""
    words, place = np.unique(target, return_inverse=True)
    low, high = np.full(len(words), len(own) + len(home)), np.full(len(words), -1)
    np.minimum.at(low, place, own)
    np.maximum.at(high, place, own)
    at = np.zeros(len(words), dtype=np.int64)
    at[place] = home
    origin = np.where((low == high) & (low != at), low, -1)
    runs = groupby(range(len(words)), key=lambda n: (origin[n], sentence[words[n]]))
    moved = [tuple(int(words[n]) for n in several) for key, several in runs if key[0] >= 0]
    return tuple(run for run in moved if len(run) >= RUN)


def _monotonicity(source: Any, target: Any) -> float:
    """Return ``kendall-sqrt`` of the linked source words in target order; the first link of each word counts."""
    order = np.lexsort((target, source))
    words, first = np.unique(source[order], return_index=True)
    links = Alignments(words, target[order][first], np.array([0, len(words)]))
    return 1 - math.sqrt(int(links.crossings()[0]) / max(math.comb(len(words), 2), 1))


@dataclass(frozen=True, eq=False)
class Paragraphs(Literalness):
    """The order of sentences and words in paragraphs; ``paragraphs`` has the groups of sentences of each system."""

    paragraphs: Mapping[str, Sequence[Paragraph]] = field(default_factory=dict)

    def findings(self) -> list[dict[str, Any]]:
        """Return the paragraphs in which sentences were swapped, joined, split or left out, or words crossed a border.

        Paragraphs, sentences and words are counted from 1.
        """
        found = []
        for system, paragraphs in self.paragraphs.items():
            for number, each in enumerate(paragraphs, start=1):
                record = {
                    "swapped": [[[n + 1 for n in each.groups[g][0]] for g in pair] for pair in each.swapped],
                    "joined": [n + 1 for n in each.joined],
                    "split": [n + 1 for n in each.split],
                    "missing": [n + 1 for n in each.missing],
                    "crossed": [[run[0] + 1, run[-1] + 1] for run in each.crossed],
                }
                if any(record.values()):
                    found.append({"system": system, "line": number, "sentences": list(each.sentences), **record})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data, with the paragraphs in which something was found."""
        return super().to_dict() | {"findings": self.findings()}
