"""Pairs of different words that may match by stem, synonym or paraphrase, computed once per vocabulary.

Phrases of the hypothesis may match paraphrases of them in the reference. The phrases form a trie over integer word
IDs. Its edges are stored in a hash table, so each sentence is scanned only once.

Paraphrase tables are in METEOR's format, where an entry has three lines: probability, phrase and paraphrase.

Synonyms come from WordNet's database files (``index.noun`` …, ``noun.exc`` …), looked up as in METEOR.

Two words are synonyms if they share a synset (a set of words with one meaning). The index files list the synsets of
each lemma; only these files and the exception lists are read. A word has its own synsets and those of its base form,
regardless of part of speech. The base form is found in the exception lists (``geese`` → ``goose``) or by removing an
ending (``cars`` → ``car``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import (
    Bools,
    Int64s,
    Ints,
    encode_strings,
    offsets_from_lengths,
    places_in,
    rows_of,
    strings,
)
from wordorder.core.runtime.errors import InputError, UsageError, choices, excerpt
from wordorder.core.runtime.files import LineBlock, line_blocks, read_whole
from wordorder.core.runtime.kernels import find_slot, hash_table, inner_kernel, kernel
from wordorder.core.runtime.libraries import pa, pc
from wordorder.core.text.tokens import Tokens, encode
from wordorder.linking.matching.matches import STAGES, WEIGHTS, Weights

DEFAULT_FOLDER = "/usr/share/wordnet"
"""The folder in which Debian's package ``wordnet-base`` installs the files."""

_PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
_ROOM = 1_000_000_000  # synset numbers have at most nine digits and are unique per part of speech

# WordNet's morphology: endings of nouns, verbs and adjectives with their replacements; the first that fits is used.
_ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
_ANY_ENDING = tuple({ending for ending, _ in _ENDINGS})


def database_files(folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the files of the database in ``folder``: for each part of speech, its index and its exception list."""
    place = Path(DEFAULT_FOLDER if folder is None else folder)
    if not (place / "index.noun").is_file():
        raise UsageError(
            f"{place}: no WordNet database found (expected index.noun and related files); give its folder "
            f"or install Debian's package wordnet-base"
        )
    return [place / name for part in _PARTS_OF_SPEECH for name in (f"index.{part}", f"{part}.exc")]


@dataclass(frozen=True, eq=False)
class WordNet:
    """The synsets of each lemma and the base forms of irregular words."""

    lemmas: Mapping[str, tuple[int, ...]]
    exceptions: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, folder: str | os.PathLike[str] | None = None) -> WordNet:
        """Read the database in ``folder``; the default is where Debian's package ``wordnet-base`` installs it."""
        files = database_files(folder)
        lemmas: dict[str, tuple[int, ...]] = {}
        exceptions: dict[str, tuple[str, ...]] = {}
        for number, (index, irregular) in enumerate(zip(files[::2], files[1::2], strict=True)):
            for lemma, synsets in _read_index(index):
                lemmas[lemma] = lemmas.get(lemma, ()) + tuple(number * _ROOM + synset for synset in synsets)
            for form, bases in _read_exceptions(irregular):
                exceptions[form] = exceptions.get(form, ()) + bases
        return cls(lemmas, exceptions)

    def synsets(self, word: str) -> frozenset[int]:
        """Return the synsets of a lower-case word, including those of its base form.

        >>> nouns = WordNet({"car": (1,), "auto": (1,), "goose": (2,)}, {"geese": ("goose",)})
        >>> sorted(nouns.synsets("cars") & nouns.synsets("autos")), sorted(nouns.synsets("geese"))
        ([1], [2])
        """
        bases = self.exceptions.get(word) or (self._base(word),)
        return frozenset(synset for form in (word, *bases) for synset in self.lemmas.get(form, ()))

    def _base(self, word: str) -> str:
        if len(word) > 2 and word.endswith(_ANY_ENDING) and not word.endswith("ss"):
            for ending, instead in _ENDINGS:
                if word.endswith(ending):
                    base = word[: len(word) - len(ending)] + instead
                    if base in self.lemmas:
                        return base
        return word


def _read_index(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Read lines like ``lemma pos synsets pointers [pointer …] senses tagged offset …``.

    Multi-word lemmas, which contain ``_``, are skipped.
    """
    for number, fields in _fields(path):
        lemma = fields[0]
        if "_" in lemma:  # the lemma of several words cannot match a single word
            continue
        try:
            count, pointers = int(fields[2]), int(fields[3])
            synsets = tuple(int(field) for field in fields[6 + pointers :])
        except (IndexError, ValueError):
            count, synsets = -1, ()
        if len(synsets) != count or not all(0 <= synset < _ROOM for synset in synsets):
            raise InputError(
                f"expected an entry of a WordNet index (lemma, part of speech, counts, synsets), "
                f"found {excerpt(' '.join(fields))}",
                path=str(path),
                line=number,
            )
        yield lemma, synsets


def _read_exceptions(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Read lines like ``geese goose``: an irregular form, followed by its base forms."""
    for number, fields in _fields(path):
        if len(fields) < 2:
            message = f"expected base forms after the irregular form {excerpt(fields[0])}, found none"
            raise InputError(message, path=str(path), line=number)
        yield fields[0], tuple(fields[1:])


def _fields(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each line, except for the indented licence at the start."""
    for number, line in enumerate(read_whole(path).split(b"\n"), start=1):
        if line[:1].strip():
            try:
                yield number, [field.decode() for field in line.split()]
            except UnicodeDecodeError:
                raise InputError("not valid UTF-8", path=str(path), line=number) from None


Ragged = tuple[Ints, Int64s]
"""The values and offsets of a ragged column."""

_ENTRIES_AT_A_TIME = 100_000


@dataclass(frozen=True, eq=False)
class Paraphrases:
    """Pairs of phrases: row i of ``others`` is a paraphrase of row i of ``phrases``.

    METEOR does not use the probabilities in such tables, so they are checked but not stored.
    """

    phrases: Tokens
    others: Tokens

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Paraphrases:
        """Read a paraphrase table, which may be compressed (``.gz``)."""
        phrases, others = [], []
        for block in line_blocks(path, lines=3 * _ENTRIES_AT_A_TIME):
            lines = _lines(block)
            if len(lines) % 3:
                message = "the last entry is incomplete; expected three lines: probability, phrase, paraphrase"
                raise block.error(len(lines) - 1, message)
            _check_probabilities(lines[::3], block)
            phrases.append(lines[1::3])
            others.append(lines[2::3])
        columns = encode(*(pa.chunked_array(part, type=pa.large_string()) for part in (phrases, others)))
        for place, column in enumerate(columns, start=2):
            if len(column) and not column.lengths.min():
                line = 3 * int(np.argmin(column.lengths)) + place
                raise InputError("expected a phrase, found an empty line", path=os.fspath(path), line=line)
        return cls(*columns)

    def coded(self, folded: pa.LargeStringArray) -> tuple[Ragged, Ragged]:
        """Return the pairs whose words all occur in a lower-case vocabulary, as indices into that vocabulary."""
        number = places_in(folded, self.phrases.vocabulary)
        sides = [(number[column.ids], column.offsets) for column in (self.phrases, self.others)]
        keep = np.ones(len(self.phrases), dtype=np.bool_)
        for words, offsets in sides:
            keep[rows_of(offsets)[words < 0]] = False
        one, other = (keep_rows(side, keep) for side in sides)
        return one, other


def keep_rows(column: Ragged, keep: Bools) -> Ragged:
    """Return the selected rows of a ragged column."""
    values, offsets = column
    return values[keep[rows_of(offsets)]], offsets_from_lengths(np.diff(offsets)[keep])


def _lines(block: LineBlock) -> pa.LargeStringArray:
    """Return the lines of a block as text, without copying them."""
    starts, data = (pa.py_buffer(np.ascontiguousarray(part)) for part in (block.starts, block.data))
    lines = pa.LargeStringArray.from_buffers(len(block), starts, data)
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        for row in range(len(block)):
            block.text(row)  # raises an error that includes the line number
        raise
    return lines


def _check_probabilities(lines: pa.LargeStringArray, block: LineBlock) -> None:
    try:
        pc.utf8_trim_whitespace(lines).cast(pa.float64())
    except pa.ArrowInvalid:
        for row, line in enumerate(lines.to_pylist()):
            try:
                float(line)
            except ValueError:
                raise block.error(3 * row, f"expected a probability, found {excerpt(line.strip())}") from None


_MOST = 1 << 20  # limit on the candidates of a row


class PhraseTable(NamedTuple):
    """A trie of phrases, with the paraphrases of each phrase.

    ``folded[w]`` is the ID of word w in lower case. The edge with the key ``keys[k]`` = state · (number of words) +
    word leads to state ``states[k]``. ``accepts[state]`` is the phrase that ends in a state, or −1 if none does. The
    paraphrases of phrase p are ``others[offsets[p]:offsets[p + 1]]``.
    """

    folded: Ints
    keys: Int64s
    states: Int64s
    accepts: Ints
    offsets: Int64s
    others: Ints

    @classmethod
    def build(cls, folded: Ints, one: tuple[Ints, Int64s], other: tuple[Ints, Int64s]) -> PhraseTable:
        """Build the table from two ragged columns; row i of one column is a paraphrase of row i of the other."""
        words = np.concatenate([one[0], other[0]])
        offsets = np.concatenate([one[1], one[1][-1] + other[1][1:]])
        keys, states, accepts, phrase = _build_trie(words, offsets, max(1, len(folded)))
        left, right = phrase[: len(one[1]) - 1], phrase[len(one[1]) - 1 :]
        count = max(1, int(phrase.max(initial=-1)) + 1)
        one_way, other_way = np.divmod(np.unique(np.concatenate([left * count + right, right * count + left])), count)
        starts = np.searchsorted(one_way, np.arange(count + 1)).astype(np.int64)
        return cls(folded, keys, states, accepts, starts, other_way.astype(np.int32))


@kernel
def _build_trie(words: Ints, offsets: Int64s, vocabulary_size: int) -> tuple[Int64s, Int64s, Ints, Int64s]:
    """Build a trie of phrases, which are the rows of a ragged column.

    Return the keys and target states of the edges, the phrase that ends in each state, and the phrase of each row.
    """
    keys, states = hash_table(len(words))
    accepts = np.full(len(words) + 1, -1, dtype=np.int32)
    phrase = np.empty(len(offsets) - 1, dtype=np.int64)
    made, phrases = 1, 0
    for row in range(len(offsets) - 1):
        state = 0
        for k in range(offsets[row], offsets[row + 1]):
            key = state * vocabulary_size + words[k]
            slot = find_slot(keys, states, 0, key)
            if states[slot] < 0:
                keys[slot] = key
                states[slot] = made
                made += 1
            state = states[slot]
        if accepts[state] < 0:
            accepts[state] = phrases
            phrases += 1
        phrase[row] = accepts[state]
    return keys, states, accepts[:made], phrase


@inner_kernel
def _find_phrases(words: Ints, table: PhraseTable, found: Int64s) -> tuple[int, Int64s]:
    """Write the start, end and phrase number of each known phrase in a sentence to ``found``.

    Return the number of phrases found and the array ``found``, which is enlarged if necessary.
    """
    count = 0
    for start in range(len(words)):
        state = np.int64(0)
        for k in range(start, len(words)):
            slot = find_slot(table.keys, table.states, 0, state * len(table.folded) + table.folded[words[k]])
            if table.states[slot] < 0:
                break
            state = table.states[slot]
            if table.accepts[state] >= 0:
                if count == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                found[count, 0], found[count, 1], found[count, 2] = start, k + 1, table.accepts[state]
                count += 1
    return count, found


@kernel
def phrase_candidates(
    hyp_ids: Ints, hyp_offsets: Int64s, ref_ids: Ints, ref_offsets: Int64s, table: PhraseTable
) -> tuple[Int64s, Ints, Bools]:
    """Return the candidate matches of each row, and whether the list of candidates of each row is complete.

    The result consists of the row offsets, the candidates and a Boolean for each row (true if its list is complete).
    A candidate is (hypothesis start, end, reference start, end), with positions counted from the start of the row.
    """
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    whole = np.ones(rows, dtype=np.bool_)
    candidates = np.empty((1024, 4), dtype=np.int64)
    used = 0
    # The last occurrence of each phrase in the reference.
    latest = np.full(len(table.offsets) - 1, -1, dtype=np.int64)
    in_hypothesis, in_reference = np.empty((1024, 3), dtype=np.int64), np.empty((1024, 3), dtype=np.int64)
    for row in range(rows):
        hyp_words = hyp_ids[hyp_offsets[row] : hyp_offsets[row + 1]]
        hyp_count, in_hypothesis = _find_phrases(hyp_words, table, in_hypothesis)
        ref_count, in_reference = _find_phrases(ref_ids[ref_offsets[row] : ref_offsets[row + 1]], table, in_reference)
        before = np.empty(ref_count, dtype=np.int64)  # the previous occurrence of the same phrase
        for at in range(ref_count):
            before[at], latest[in_reference[at, 2]] = latest[in_reference[at, 2]], at
        for place in range(hyp_count):
            phrase = in_hypothesis[place, 2]
            for other in range(table.offsets[phrase], table.offsets[phrase + 1]):
                at = latest[table.others[other]]
                while at >= 0:
                    if used - offsets[row] == _MOST:
                        whole[row] = False
                        break
                    if used == len(candidates):
                        candidates = np.concatenate((candidates, np.empty_like(candidates)))
                    candidates[used, :2], candidates[used, 2:] = in_hypothesis[place, :2], in_reference[at, :2]
                    used += 1
                    at = before[at]
        for at in range(ref_count):
            latest[in_reference[at, 2]] = -1
        offsets[row + 1] = used
    return offsets, candidates[:used].astype(np.int32), whole


@dataclass(frozen=True, eq=False)
class Relations:
    """The pairs of different words of a vocabulary that may match, as arrays for kernels.

    Word w may match the words ``words[offsets[w]:offsets[w + 1]]``; ``stages`` holds the matching stage of each of
    these pairs. ``phrases`` holds the paraphrases that have more than one word on at least one side.
    """

    offsets: Int64s
    words: Ints
    stages: NDArray[np.int8]
    weights: Weights = WEIGHTS
    phrases: PhraseTable | None = None


@dataclass(frozen=True, eq=False)
class Resources:
    """The resources used for matching: a stemmer, WordNet, paraphrases, and the weight of a match in each stage.

    ``stem`` is the name of a PyStemmer language. Words are looked up in lower case, so the stem stage also matches
    words that differ only in case.
    """

    stem: str | None = None
    synonyms: WordNet | None = None
    paraphrases: Paraphrases | None = None
    weights: Weights = WEIGHTS

    def __post_init__(self) -> None:
        if self.stem is not None:
            _stemmer(self.stem)
        if len(self.weights) != len(STAGES) or not all(0 <= weight <= 1 for weight in self.weights):
            raise UsageError(f"expected {len(STAGES)} weights from 0 to 1 ({', '.join(STAGES)}), not {self.weights}")

    def relate(self, vocabulary: pa.StringArray) -> Relations:
        """Compute which words of a vocabulary may match each other.

        >>> import pyarrow as pa
        >>> related = Resources(stem="english").relate(pa.array(["walk", "talk", "walks", "Walked"]))
        >>> related.words[related.offsets[0] : related.offsets[1]].tolist()
        [2, 3]
        """
        lower = [word.lower() for word in vocabulary.to_pylist()]
        pairs: list[tuple[Int64s, Int64s, int]] = []
        if self.stem is not None:
            stems, _ = encode_strings(strings(_stemmer(self.stem).stemWords(lower)))
            pairs.append((*_pair_up(stems, np.arange(len(lower))), STAGES.index("stem")))
        if self.synonyms is not None:
            sets = [self.synonyms.synsets(word) for word in lower]
            counts = np.array([len(members) for members in sets], dtype=np.int64)
            keys = np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=int(counts.sum()))
            pairs.append((*_pair_up(keys, np.repeat(np.arange(len(lower)), counts)), STAGES.index("synonym")))
        phrases = None
        if self.paraphrases is not None:
            single, phrases = _relate_phrases(self.paraphrases, *encode_strings(strings(lower)))
            pairs.append((*single, STAGES.index("paraphrase")))
        return Relations(*_gather(pairs, len(lower), self.weights), self.weights, phrases)


def _stemmer(language: str) -> Any:
    import Stemmer

    try:
        return Stemmer.Stemmer(language.lower(), 0)  # no cache, because a vocabulary contains each word only once
    except (KeyError, UnicodeEncodeError):  # names of languages are ASCII
        raise choices(language, sorted(Stemmer.algorithms()), what="stemming language") from None


def _pair_up(keys: NDArray[np.integer], words: Int64s) -> tuple[Int64s, Int64s]:
    """Return all ordered pairs of words that have a key in common, once for each common key."""
    order = np.argsort(keys, kind="stable")
    words = words[order]
    _, first, sizes = np.unique(keys[order], return_index=True, return_counts=True)
    repeats = np.repeat(sizes, sizes)  # each word is paired with every word of its group
    begins = np.repeat(first, sizes)
    left = np.repeat(np.arange(len(words)), repeats)
    within = np.arange(len(left)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return words[left], words[begins[left] + within]


def _relate_phrases(
    paraphrases: Paraphrases, folded: Ints, dictionary: pa.LargeStringArray
) -> tuple[tuple[Int64s, Int64s], PhraseTable | None]:
    """Return the word-to-word paraphrases as pairs, and all other paraphrases as a phrase table (None if empty).

    Paraphrases with a word that is not in the vocabulary are dropped.
    """
    one, other = paraphrases.coded(dictionary)
    single = (np.diff(one[1]) == 1) & (np.diff(other[1]) == 1)
    left, right = one[0][one[1][:-1][single]], other[0][other[1][:-1][single]]
    left, right = np.concatenate([left, right]), np.concatenate([right, left])
    # Each lower-case word represents all its spellings in the vocabulary.
    order = np.argsort(folded, kind="stable")
    starts = np.searchsorted(folded[order], np.arange(len(dictionary) + 1))
    spellings = np.diff(starts)
    counts = spellings[left] * spellings[right]
    pair = np.repeat(np.arange(len(left)), counts)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    wide = spellings[right[pair]]
    sides = order[starts[left[pair]] + within // wide], order[starts[right[pair]] + within % wide]
    if single.all():
        return sides, None
    return sides, PhraseTable.build(folded, keep_rows(one, ~single), keep_rows(other, ~single))


def _gather(
    pairs: list[tuple[Int64s, Int64s, int]], size: int, weights: Weights
) -> tuple[Int64s, Ints, NDArray[np.int8]]:
    """Sort pairs of words and remove duplicates; return offsets, words and stages as in ``Relations``.

    A pair that occurs in several stages is assigned to the stage with the greatest weight or, among stages of equal
    weight, to the earliest.
    """
    none = np.zeros(0, dtype=np.int64)
    # Stages in order of preference: `unique` keeps the first of equal pairs.
    pairs = sorted(pairs, key=lambda part: -weights[part[2]])
    codes = np.concatenate([none, *(left * size + right for left, right, _ in pairs)])
    stages = np.concatenate([none, *(np.full(len(left), stage) for left, _, stage in pairs)])
    codes, first = np.unique(codes, return_index=True)
    left, right = np.divmod(codes, max(1, size))
    keep = left != right
    offsets = np.searchsorted(left[keep], np.arange(size + 1)).astype(np.int64)
    return offsets, right[keep].astype(np.int32), stages[first][keep].astype(np.int8)
