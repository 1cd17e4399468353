"""Train a phrase-based translation system with Thot, and translate text with it.

Words are aligned in both directions (IBM model 1, then HMM), the links are symmetrised, phrases are extracted, and
the n-grams of the target side are counted. Thot performs the alignment, the phrase extraction and the decoding.

A translation has features, so that systems can write n-best lists for tuning.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from wordorder.apps.nbest.weights import sort_weights, write_weights
from wordorder.core.runtime.drafts import draft_folder
from wordorder.core.runtime.errors import InputError, count_of, refuse, reject
from wordorder.core.runtime.files import display_name
from wordorder.core.runtime.libraries import optional
from wordorder.core.runtime.own_inputs import note_folder
from wordorder.core.runtime.threads import progress
from wordorder.core.text import lower_lines, tokenise
from wordorder.core.text.tokenizers import without_long_sentences
from wordorder.formats.sources import text_blocks
from wordorder.version import __version__

DESCRIPTION = "system.json"
TRANSLATION_MODEL = "tm/src_trg"
LANGUAGE_MODEL = "lm/trg.lm"
START_WEIGHTS = "weights.tsv"

FEATURES = ("WordPenalty", "LM", "TargetLength", "Jump", "SourceSegments", "TM_0", "TM_1", "SentenceLength")
"""The features of Thot, in its own order: number of words, language model, lengths of target phrases, jumps in the
source, lengths of source phrases, phrase tables in both directions, and sentence length."""

START = dict.fromkeys(FEATURES[:-1], 1.0) | {FEATURES[-1]: 0.0}
"""The default weights of the features."""

# the separator of fields in phrase tables and n-best lists, and the brackets around links, with their replacements
_WRITTEN = {"|||": "<bars>", "({": "<open>", "})": "<close>"}
_READ = {written: word for word, written in _WRITTEN.items()}


def read_words(text: Any, *, tokenizer: str, lowercase: bool) -> Iterator[list[str]]:
    """Yield the words of each line, replacing words and characters that Thot cannot read."""
    for block in without_long_sentences(text_blocks(text), name_of(text), tokenizer=tokenizer):
        (tokens,) = tokenise([lower_lines(block) if lowercase else block], tokenizer=tokenizer)
        for row in range(len(tokens)):
            yield [_WRITTEN.get(word, word.replace("\0", "\ufffd")) for word in tokens.words(row)]


def name_of(text: Any) -> str | None:
    """Return the file name of a text, or None if the text is not a file."""
    return display_name(text) if isinstance(text, (str, os.PathLike)) else None


def join_words(words: Sequence[str]) -> str:
    """Join words from Thot into a line, restoring the words that :func:`read_words` replaced."""
    return " ".join(_READ.get(word, word) for word in words)


def digest_of_models(folder: Path) -> str:
    """Return a digest of the models in the folder of a system; Thot trusts every byte of them."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.glob("[lt]m/*")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


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
        library = self._library = optional("thot", "smt")
        path = Path(folder)
        refuse(not path.is_dir(), f"{path}: no such folder")
        note_folder(path)
        try:
            self.description: dict[str, Any] = json.loads((path / DESCRIPTION).read_text(encoding="utf-8"))
            self._words = {"tokenizer": self.description["tokenizer"], "lowercase": self.description["lowercase"]}
            whole = self.description["models"] == digest_of_models(path)
        except (OSError, ValueError, KeyError, TypeError):
            message = f"expected a translation system, but {DESCRIPTION} is missing, damaged or older than 0.3"
            raise InputError(f"{message} (train a system with 'wordorder smt train')", path=str(path)) from None
        self._model = library.translation.SmtModel(library.alignment.AlignmentModelType.HMM)
        whole = whole and self._model.load_translation_model(str(path / TRANSLATION_MODEL))
        whole = whole and self._model.load_language_model(str(path / LANGUAGE_MODEL))
        message = "the translation system is damaged: its models are not those that were trained; train it again"
        reject(not whole, message, path=str(path))
        self._model.w, self._model.a, self._model.e = _SPREAD, _TABLE, _EXPANDED
        self._model.heuristic = _HEURISTIC

    def translate(
        self, source: Any, *, count: int = 1, weights: Mapping[str, float] | None = None, limit: int = LIMIT
    ) -> Iterator[list[Translation]]:
        """Translate every line of a text, and yield up to ``count`` translations of each, best first.

        ``limit`` is the number of source words that may be skipped; 0 means monotone translation. A line without
        words has only one translation, which is empty.
        """
        refuse(count < 1, f"the number of translations must be 1 or more, not {count}")
        refuse(limit < 0, f"the reordering limit must be 0 or more, not {limit}")
        self._model.weights = sort_weights(START if weights is None else weights, FEATURES, "the system")
        self._model.non_monotonicity, most = min(limit, LONGEST_SOURCE), min(count, 2**31 - 1)
        decoder = self._library.translation.SmtDecoder(self._model)  # copies the settings of the model
        decoder.s, decoder.is_breadth_first = _STACK, True
        lines = progress(read_words(source, **self._words), label="translating", unit=" sentences")
        for number, words in enumerate(lines, start=1):
            if len(words) > LONGEST_SOURCE:
                message = f"the sentence has {len(words)} words; Thot translates at most {LONGEST_SOURCE}"
                raise InputError(message, path=name_of(source), line=number)
            found = [_read(data) for data in decoder.translate_n(" ".join(words), most)] if words else [EMPTY]
            reject(not found, "Thot found no translation of this sentence", path=name_of(source), line=number)
            yield found


def _read(data: Any) -> Translation:
    """Convert a translation returned by Thot, where words are counted from 1."""
    ends = list(data.target_segment_cuts)
    starts = [0, *ends[:-1]]
    spans = zip(data.source_segmentation, starts, ends, strict=True)
    phrases = tuple((first - 1, last - 1, start, end - 1) for (first, last), start, end in spans)
    return Translation(tuple(data.target), tuple(map(float, data.score_components)), float(data.score), phrases)


Sentences = Sequence[Sequence[str]]

LONGEST = 100
"""Maximum number of words in a training sentence; longer sentences take too much time and contribute little."""

_NGRAM = 3
_FIXED = {  # Thot's models of phrase lengths, and the weight of lexical smoothing in the phrase table
    "lambda": "0.7 0.7",
    "srcsegmlentable": "Uniform",
    "trgcutstable": "0.999",
    "trgsegmlentable": "Geometric",
}


def train(
    source: Any,
    target: Any,
    folder: str | os.PathLike[str],
    *,
    tokenizer: str = "none",
    lowercase: bool = False,
    phrase_length: int = 5,
    iterations: int = 5,
) -> dict[str, Any]:
    """Train a system on a source text and its line-by-line translation, and write it to a new folder.

    ``phrase_length`` is the maximum length of a phrase, and ``iterations`` is the number of training iterations of
    each alignment model. Return the description of the system, which is also stored in the folder.
    """
    library = optional("thot", "smt")
    for value, what in ((phrase_length, "phrase length"), (iterations, "number of iterations")):
        refuse(value < 1, f"the {what} must be 1 or more, not {value}")
    refuse(os.path.lexists(folder), f"{os.fspath(folder)} already exists; choose a new folder, or delete this one")
    sides = [list(read_words(text, tokenizer=tokenizer, lowercase=lowercase)) for text in (source, target)]
    pairs, kept = len(sides[0]), _choose_pairs(*sides)
    parent = os.path.dirname(os.path.abspath(folder))
    os.makedirs(parent, exist_ok=True)
    with draft_folder(parent) as draft:
        _train_phrases(library, *kept, Path(draft, TRANSLATION_MODEL), phrase_length, iterations)
        _count_words(kept[1], Path(draft, LANGUAGE_MODEL))
        description = {
            "version": __version__,
            "pairs": pairs,
            "used": len(kept[0]),
            "tokenizer": tokenizer,
            "lowercase": lowercase,
            "phrase_length": phrase_length,
            "iterations": iterations,
            "models": digest_of_models(Path(draft)),
        }
        Path(draft, DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
        write_weights(Path(draft, START_WEIGHTS), {"weight": START})
        os.rename(draft, folder)
    return description


def _choose_pairs(source: Sentences, target: Sentences) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    """Return the sentence pairs with 1 to ``LONGEST`` words on each side."""
    kept: tuple[list[Sequence[str]], list[Sequence[str]]] = ([], [])
    for one, other in zip_longest(source, target):
        if one is None or other is None:
            counts = f"the source has {count_of(len(source), 'line')}, but the target has {len(target)}"
            raise InputError(f"{counts}; the texts must be translations of each other, line by line")
        if 0 < len(one) <= LONGEST and 0 < len(other) <= LONGEST:
            kept[0].append(one)
            kept[1].append(other)
    reject(not kept[0], f"there is nothing to train on; no pair of lines has 1 to {LONGEST} words on both sides")
    return kept


def _train_phrases(
    library: Any, source: Sentences, target: Sentences, prefix: Path, phrase_length: int, iterations: int
) -> None:
    """Align words in both directions, symmetrise the links, and write the phrase table."""
    prefix.parent.mkdir()
    directions = ((source, target, f"{prefix}_invswm"), (target, source, f"{prefix}_swm"))
    for one, other, name in progress(directions, label="aligning", unit=" directions"):
        _align(library.alignment, one, other, name, iterations)
    extractor = library.translation.AlignmentExtractor()
    _require(extractor.open(f"{prefix}_swm.links"))
    _require(extractor.symmetrize1(f"{prefix}_invswm.links", f"{prefix}.links", transpose=True))
    extractor.close()
    settings = library.translation.PhraseExtractParameters()
    settings.max_target_phrase_length = phrase_length
    settings.constrain_source_length = True
    phrases = library.translation.PhraseModel()
    _require(phrases.build(f"{prefix}.links", settings, False))
    _require(phrases.print_phrase_table(f"{prefix}.ttable", n=20))
    phrases.clear()
    for ending, content in _FIXED.items():
        Path(f"{prefix}.{ending}").write_text(content, encoding="utf-8")
    for name in ("_swm.links", "_invswm.links", ".links"):
        os.unlink(f"{prefix}{name}")


def _align(models: Any, source: Sentences, target: Sentences, name: str, iterations: int) -> None:
    """Train an aligner in one direction; write the aligner and its links of the training text (in GIZA++ format)."""
    first = models.Ibm1AlignmentModel()
    for one, other in zip(source, target, strict=True):
        first.add_sentence_pair(one, other)
    model = first
    for model in (first, models.HmmAlignmentModel(first)):
        model.start_training()
        for _ in range(iterations):
            model.train()
        model.end_training()
    _require(model.print(name))
    links = model.get_best_alignments(source, target)
    with open(f"{name}.links", "w", encoding="utf-8", newline="\n") as file:
        for one, other, (_, matrix) in zip(source, target, links, strict=True):
            linked = np.asarray(matrix.to_numpy(), dtype=bool)
            rows = [("NULL", ~linked.any(axis=0)), *zip(one, linked, strict=True)]
            places = (f"{word} ({{ {''.join(f'{j + 1} ' for j in np.flatnonzero(row))}}})" for word, row in rows)
            file.write(f"# 1\n{' '.join(other)}\n{' '.join(places)}\n")


def _count_words(sentences: Sentences, prefix: Path) -> None:
    """Write the n-gram counts of the target side; the first occurrence of each word is counted as an unknown word."""
    prefix.parent.mkdir()
    counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(_NGRAM)]
    for line in _with_unknown_words(sentences):
        for n, counter in enumerate(counts, start=1):
            counter.update(zip(*(line[place:] for place in range(n)), strict=False))
    total = sum(counts[0].values())
    with prefix.open("w", encoding="utf-8", newline="\n") as file:
        for n, counter in enumerate(counts):
            for ngram in sorted(counter):
                before = counts[n - 1][ngram[:-1]] if n else total
                file.write(f"{' '.join(ngram)} {before} {counter[ngram]}\n")
    # Weights of the interpolation with shorter n-grams: 0.5 for each order and each of three frequency classes.
    weights = " ".join(["0.5"] * 3 * _NGRAM)
    Path(f"{prefix}.weights").write_text(f"{_NGRAM} 3 10 {weights}\n", encoding="utf-8")
    Path(f"{prefix}.wp").write_text("", encoding="utf-8")  # needed only for interactive translation


def _with_unknown_words(sentences: Sentences) -> Iterator[list[str]]:
    known: set[str] = set()
    for words in sentences:
        line = ["<s>"]
        for word in words:
            line.append(word if word in known else "<unk>")
            known.add(word)
        yield [*line, "</s>"]


def _require(done: bool) -> None:
    reject(not done, "Thot could not write or read a model; check whether the disk is full")
