"""N-best lists and sampled translations, stored in columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from wordorder.apps.nbest.envelope import first_highest
from wordorder.apps.nbest.weights import sort_weights
from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import (
    Floats,
    Int64s,
    Ints,
    Offsets,
    encode_strings,
    offsets_from_lengths,
    rows_of,
    strings,
    to_column,
)
from wordorder.core.runtime.errors import InputError, InputWarning, choices, count_of, refuse, reject
from wordorder.core.runtime.files import Path, atomic_write, display_name
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.threads import spans
from wordorder.formats import nbest
from wordorder.formats.nbest.hypotheses import Hypotheses

if TYPE_CHECKING:
    from wordorder.apps.nbest.scored_lists import ScoredLists
    from wordorder.metrics.registry import MetricSelection


BLOCKS_TOGETHER = 32
"""The number of text blocks that are joined at a time while reading a list."""

ROOM_BYTES = 1 << 26
"""The size of feature arrays while reading a list; the memory of such large arrays is returned to the system."""

SENTENCES_AT_A_TIME = 1024
"""The number of sentences that are searched for equal texts at a time."""


@dataclass(frozen=True, eq=False)
class NBest:
    """N-best lists; sentence i has the hypotheses ``offsets[i]`` (inclusive) to ``offsets[i + 1]`` (exclusive).

    ``ids`` are the sentence numbers from the file, in ascending order. The text of hypothesis h is
    ``texts[text[h]]``; equal texts of a sentence have the same index. ``features`` has one row for each feature in
    ``names`` and one column for each hypothesis. ``totals`` are the decoder's scores. ``lines`` has, for each
    sentence, the line number of its first hypothesis in the file.
    """

    ids: Int64s
    offsets: Offsets
    texts: pa.LargeStringArray
    text: Ints
    names: tuple[str, ...]
    features: Floats
    totals: Floats | None = None
    alignments: Alignments | None = None
    lines: Int64s | None = None
    name: str = "the list"

    @classmethod
    def read(cls, path: Path, *, format: str = "moses", alignments: bool = False, **options: Any) -> NBest:
        """Read lists from a file in one of the formats in :data:`wordorder.formats.nbest.NBEST_FORMATS`.

        Some formats have options: ``log_base`` (fairseq), ``count`` and ``scores`` (lines), ``keys`` (jsonl), and
        ``base`` (moses; the number of the first word in word alignments).
        """
        blocks = nbest.read_blocks(path, format=format, alignments=alignments, **options)
        return cls.gather(blocks, name=display_name(path))

    @classmethod
    def of(
        cls,
        lists: Sequence[Sequence[str]],
        *,
        features: Mapping[str, Sequence[Sequence[float]]] | None = None,
        totals: Sequence[Sequence[float]] | None = None,
    ) -> NBest:
        """Build n-best lists from a list of texts per sentence; features (by name) and totals have the same shape.

        >>> lists = NBest.of([["a b", "b a"], ["c"]], features={"lm": [[-1, -2], [-3]]})
        >>> len(lists), lists.features.tolist(), lists.texts_at([1, 2])
        (2, [[-1.0, -2.0, -3.0]], ['b a', 'c'])
        """
        given = dict(features or {})
        column = strings(text for hypotheses in lists for text in hypotheses)
        counts = [len(hypotheses) for hypotheses in lists]
        if 0 in counts:
            raise InputError(f"sentence {counts.index(0)} has no hypotheses; every sentence needs at least one")
        values = [np.concatenate([*x], dtype=np.float64) for x in (*given.values(), *([totals] if totals else []))]
        if any(len(each) != len(column) for each in values):
            raise InputError("features and totals must contain one number for each hypothesis")
        known = values.pop() if totals else None
        numbers = np.array(values).reshape(len(given), len(column))
        sentences = np.repeat(np.arange(len(lists)), counts).astype(np.int64)
        block = Hypotheses(sentences, column, tuple(given), numbers, known, sentences + 1)
        return cls.gather([block], name="the list")

    @classmethod
    def gather(cls, blocks: Iterable[Hypotheses], *, name: str) -> NBest:
        """Join blocks of hypotheses into n-best lists, sorted by sentence number."""
        parts: list[Hypotheses] = []
        store = _FeatureStore()
        dictionaries: list[pa.LargeStringArray] = []
        numbers: list[Ints] = []
        known = 0
        for count, block in enumerate(blocks, start=1):
            places, distinct = encode_strings(block.texts)
            numbers.append(places + np.int32(known))
            known += len(distinct)
            dictionaries.append(distinct)
            parts.append(replace(block, texts=None, features=store.copy(block.features)))
            if count % BLOCKS_TOGETHER == 0:
                dictionaries[-BLOCKS_TOGETHER:] = [_join_texts(dictionaries[-BLOCKS_TOGETHER:])]
        del store
        reject(not parts, "no hypotheses; expected one or more", path=name)
        texts, text = _join_texts(dictionaries), np.concatenate(numbers)
        whole = _join_blocks(parts)
        offsets, ends = np.arange(len(whole) + 1), np.cumsum([len(each) for each in numbers])
        given = whole.names, whole.features, whole.totals, whole.alignments, whole.lines
        found = cls(whole.sentences, offsets, texts, text, *given, name)
        grouped = found._grouped()
        if (np.diff(whole.sentences) < 0).any():
            return grouped._with_equal_texts(np.arange(len(grouped)))
        return grouped._with_equal_texts(np.searchsorted(grouped.offsets, ends[:-1], side="right") - 1)

    def _with_equal_texts(self, sentences: Int64s) -> NBest:
        """Return the lists with equal texts of a sentence sharing one index; only the given sentences are checked."""
        if not len(sentences):
            return self
        sentences = np.unique(sentences)
        starts, stops = self.offsets[sentences], self.offsets[sentences + 1]
        rows = np.concatenate([*map(np.arange, starts.tolist(), stops.tolist())])
        same, _ = encode_strings(self.texts.take(to_column(self.text[rows])))
        keys = np.repeat(sentences, stops - starts) * (int(same.max()) + 1) + same
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        text = self.text.copy()
        text[rows] = self.text[rows[first]][which]
        return replace(self, text=text)

    def distinct(self) -> tuple[Ints, Ints]:
        """Return one hypothesis for each distinct text of a sentence, and the index of each hypothesis's text.

        This index is the position of the text in the first array."""
        most = int(self.text.max()) + 1
        rows, row_of, known = [], np.empty(len(self.text), dtype=np.int32), 0
        for start, stop in spans(len(self), SENTENCES_AT_A_TIME):
            own = slice(self.offsets[start], self.offsets[stop])
            keys = rows_of(self.offsets[start : stop + 1] - own.start) * most + self.text[own]
            _, first, which = np.unique(keys, return_index=True, return_inverse=True)
            rows.append((own.start + first).astype(np.int32))
            row_of[own] = known + which
            known += len(first)
        return np.concatenate(rows), row_of

    def _grouped(self) -> NBest:
        """Return the lists with the hypotheses of each sentence grouped; in ``self``, each forms a list by itself."""
        lists = self
        if (np.diff(self.ids) < 0).any():
            order = np.argsort(self.ids, kind="stable")
            assert self.lines is not None
            lists = replace(self._pick(order), ids=self.ids[order], lines=self.lines[order])
        assert lists.lines is not None
        starts = np.flatnonzero(np.diff(lists.ids, prepend=-1))
        offsets = np.append(starts, len(lists.ids)).astype(np.int64)
        return replace(lists, ids=lists.ids[starts], offsets=offsets, lines=lists.lines[starts])

    def _pick(self, rows: Int64s) -> NBest:
        """Return the lists with only the hypotheses ``rows``; the caller must adjust sentences and offsets."""
        links = None if self.alignments is None else self.alignments.take(rows)
        totals = None if self.totals is None else self.totals[rows]
        return replace(self, text=self.text[rows], features=self.features[:, rows], totals=totals, alignments=links)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"NBest({len(self)} sentences, {len(self.text)} hypotheses, {len(self.names)} features)"

    @property
    def sentences(self) -> Int64s:
        """The sentence of each hypothesis, counted from 0."""
        return rows_of(self.offsets)

    def texts_at(self, hypotheses: Sequence[int] | Int64s | Ints) -> list[str]:
        """Return the texts of the given hypotheses."""
        texts: list[str] = self.texts.take(self.text[np.asarray(hypotheses, dtype=np.int64)]).to_pylist()
        return texts

    @property
    def rank(self) -> Floats:
        """Values that rank hypotheses as the decoder does: its scores or, without scores, the list order."""
        if self.totals is None:
            return -np.arange(len(self.text), dtype=np.float64)
        return np.where(np.isnan(self.totals), -np.inf, self.totals)

    def choose(self, weights: Mapping[str, float] | None = None) -> Int64s:
        """Return the best hypothesis of each sentence under the weights or, by default, the decoder's scores."""
        if weights is None:
            return self.highest(self.rank)
        return self.highest(weigh(self.features, self.weights_of(weights)))

    def best(self, count: int, weights: Mapping[str, float] | None = None) -> NBest:
        """Return lists of the ``count`` best hypotheses of each sentence under the weights or the decoder's scores.

        They keep their order.

        >>> lists = NBest.of([["a", "b", "c"], ["d"]], totals=[[-3, -1, -2], [-1]])
        >>> lists.best(2).texts_at([0, 1, 2])
        ['b', 'c', 'd']
        """
        refuse(count < 1, f"the number of best hypotheses must be 1 or more, not {count}")
        values = self.rank if weights is None else weigh(self.features, self.weights_of(weights))
        order = np.lexsort((-values, self.sentences))  # stable, so the first of equal ones is better
        places = np.arange(len(order)) - self.offsets[:-1][self.sentences]
        lengths = np.minimum(np.diff(self.offsets), count)
        return replace(self._pick(np.sort(order[places < count])), offsets=offsets_from_lengths(lengths))

    def highest(self, values: Floats) -> Int64s:
        """Return, for each sentence, the first hypothesis with the highest value."""
        return first_highest(values, self.offsets)

    def weights_of(self, weights: Mapping[str, float]) -> Floats:
        """Return the weights in feature order; raise an error if a feature has no weight or is unknown."""
        return np.array(sort_weights(weights, self.names, self.name), dtype=np.float64)

    def expand(self, name: str) -> list[int]:
        """Return the index of the feature ``name`` or, failing that, of all features ``name_0``, ``name_1`` …"""
        if name in self.names:
            return [self.names.index(name)]
        found = [
            place
            for place, feature in enumerate(self.names)
            if feature.rpartition("_")[0] == name and feature.rpartition("_")[2].isdigit()
        ]
        if not found:
            raise choices(name, list(self.names), what=f"feature of {self.name}")
        return found

    def renumbered(self) -> NBest:
        """Return the lists with sentences renumbered from 0 without gaps."""
        return replace(self, ids=np.arange(len(self), dtype=np.int64))

    def lines_of_choice(self, choice: Int64s) -> list[str]:
        """Return the texts of the chosen hypotheses, one per sentence; warn about gaps in the sentence numbers."""
        gaps = np.flatnonzero(np.diff(self.ids, prepend=self.ids[0] - 1) > 1)
        if len(gaps):
            missing = self.ids[gaps[0]] - 1
            message = f"{self.name}: sentence {missing} is missing, so the output has no line for it"
            warn(message, InputWarning, stacklevel=2)
        return self.texts_at(choice)

    @classmethod
    def union(cls, lists: Sequence[NBest]) -> NBest:
        """Join lists by sentence; of hypotheses with equal texts and features, only the first is kept."""
        first = lists[0]
        for other in lists[1:]:
            if other.names != first.names:
                raise InputError(
                    f"the features of {first.name} ({', '.join(first.names)}) differ from "
                    f"those of {other.name} ({', '.join(other.names)})"
                )
        linked = all(each.alignments is not None for each in lists)
        blocks = (
            Hypotheses(
                each.ids[each.sentences],
                each.texts.take(each.text),
                each.names,
                each.features,
                each.totals,
                np.ones(len(each.text), dtype=np.int64) if each.lines is None else each.lines[each.sentences],
                each.alignments if linked else None,
            )
            for each in lists
        )
        joined = cls.gather(blocks, name=first.name)
        ids = joined.ids[joined.sentences]
        rows = _first_of_equals([ids, joined.text, *joined.features])
        assert joined.lines is not None
        return replace(joined._pick(rows), ids=ids[rows], lines=joined.lines[joined.sentences][rows])._grouped()

    def write(self, path: Path) -> None:
        """Write the lists in Moses format; reading the file restores everything except the alignments."""
        totals = self.totals if self.totals is not None else np.zeros(len(self.text))
        with atomic_write(path) as target:
            for row, (sentence, text) in enumerate(
                zip(self.ids[self.sentences].tolist(), self.texts_at(np.arange(len(self.text))), strict=True)
            ):
                pairs = zip(self.names, self.features[:, row].tolist(), strict=True)
                features = " ".join(f"{name}= {value!r}" for name, value in pairs)
                target.write(f"{sentence} ||| {text} ||| {features} ||| {float(totals[row])!r}\n")

    def score(self, references: Any, metrics: MetricSelection | None = None, **options: Any) -> ScoredLists:
        """Score all hypotheses; see :func:`wordorder.apps.nbest.scored_lists.score_lists`."""
        from wordorder.apps.nbest.scored_lists import score_lists

        return score_lists(self, references, metrics, **options)


@kernel
def weigh(features: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of the features of each hypothesis, adding the features in order."""
    total = np.zeros(features.shape[1])
    for start in range(0, len(total), 4096):  # blocks are small enough for the sums to stay in the fastest cache
        part = total[start : start + 4096]
        for place in range(len(features)):
            weight, values = weights[place], features[place, start : start + 4096]
            for one in range(len(part) if weight else 0):
                part[one] += weight * values[one]
    return total


def rerank(lists: NBest, weights: Mapping[str, float] | None = None) -> list[str]:
    """Return the best translation of each sentence under the given weights or, by default, the decoder's scores.

    >>> lists = NBest.of([["a b", "b a"]], features={"lm": [[-2, -1]], "tm": [[-1, -3]]})
    >>> rerank(lists, {"lm": 1, "tm": 0}), rerank(lists, {"lm": 0, "tm": 1})
    (['b a'], ['a b'])
    """
    return lists.lines_of_choice(lists.choose(weights))


def check_sentences(lists: NBest, count: int, what: str) -> None:
    """Raise InputError if a sentence number is too large for ``count`` lines; warn about lines without hypotheses."""
    beyond = np.flatnonzero(lists.ids >= count)
    if len(beyond):
        line = None if lists.lines is None else int(lists.lines[beyond[0]])
        message = (
            f"sentence {lists.ids[beyond[0]]} is beyond the {what}, which has {count_of(count, 'line')} "
            f"(0 to {count - 1}); renumber the sentences if they are in the right order"
        )
        raise InputError(message, path=lists.name, line=line)
    if len(lists) < count:
        missing = np.setdiff1d(np.arange(count), lists.ids)
        gaps = f"no hypotheses for {count_of(len(missing), 'line')} of the {what} (first: line {missing[0] + 1})"
        warn(f"{lists.name}: {gaps}; lines without any are left out", InputWarning, stacklevel=2)


@dataclass
class _FeatureStore:
    """Large arrays into which the features of successive blocks are copied, next to each other."""

    array: Floats = field(default_factory=lambda: np.empty((0, 0)))
    used: int = 0

    def copy(self, features: Floats) -> Floats:
        """Copy features into the current array, or into a new array if there is not enough room; return the copy."""
        names, count = features.shape
        if names != len(self.array) or self.used + count > self.array.shape[1]:
            self.array, self.used = np.empty((names, max(count, ROOM_BYTES // 8 // max(names, 1)))), 0
        kept = self.array[:, self.used : self.used + count]
        kept[:] = features
        self.used += count
        return kept


def _join_texts(columns: list[pa.LargeStringArray]) -> pa.LargeStringArray:
    """Concatenate columns of texts, releasing the memory of each column as soon as it has been copied."""
    total = sum(map(len, columns))
    ends = [np.frombuffer(column.buffers()[1], np.int64)[column.offset :][: len(column) + 1] for column in columns]
    offsets = offsets_from_lengths(np.concatenate([np.diff(each) for each in ends]))
    letters = np.empty(offsets[-1], dtype=np.uint8)
    stop = int(offsets[-1])
    while columns:
        column, own = columns.pop(), ends.pop()
        start = stop - int(own[-1] - own[0])
        if start < stop:
            letters[start:stop] = np.frombuffer(column.buffers()[2], np.uint8)[own[0] : own[-1]]
        stop = start
        del column, own
        pa.default_memory_pool().release_unused()
    return pa.LargeStringArray.from_buffers(total, pa.py_buffer(offsets), pa.py_buffer(letters))


def _join_blocks(parts: list[Hypotheses]) -> Hypotheses:
    """Concatenate blocks, releasing the memory of each block once it is copied; features missing in a block are 0."""
    totals = [part.totals for part in parts if part.totals is not None]
    links = [part.alignments for part in parts if part.alignments is not None]
    joined = replace(
        parts[-1],
        sentences=np.concatenate([part.sentences for part in parts]),
        totals=np.concatenate(totals) if len(totals) == len(parts) else None,
        alignments=Alignments.concatenate(links) if links else None,
        lines=np.concatenate([part.lines for part in parts]),
        features=np.empty((len(parts[-1].names), sum(map(len, parts)))),
    )
    stop = len(joined)
    while parts:
        part = parts.pop()
        start = stop - len(part)
        joined.features[: len(part.names), start:stop] = part.features
        joined.features[len(part.names) :, start:stop] = 0.0
        stop = start
    return joined


def _first_of_equals(columns: Sequence[Any]) -> Int64s:
    """Return the first row of each group of equal rows, in ascending order."""
    order = np.lexsort(columns)
    differs = np.zeros(len(order), dtype=np.bool_)
    differs[:1] = True
    for column in columns:
        sorted_column = column[order]
        differs[1:] |= sorted_column[1:] != sorted_column[:-1]
    return np.sort(order[differs])
