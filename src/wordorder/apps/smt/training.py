"""Train a phrase-based system on parallel text.

Words are aligned in both directions (IBM model 1, then HMM), the links are symmetrised, phrases are extracted, and
the n-grams of the target side are counted. Thot performs the alignment, the phrase extraction and the decoding.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from wordorder.apps.nbest.weights import write_weights
from wordorder.apps.smt.library import (
    DESCRIPTION,
    LANGUAGE_MODEL,
    START,
    START_WEIGHTS,
    TRANSLATION_MODEL,
    digest_of_models,
    read_words,
    thot,
)
from wordorder.core.runtime.drafts import draft_folder
from wordorder.core.runtime.errors import InputError, UsageError, count_of
from wordorder.core.runtime.threads import progress
from wordorder.version import __version__

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
    library = thot()
    for value, what in ((phrase_length, "phrase length"), (iterations, "number of iterations")):
        if value < 1:
            raise UsageError(f"the {what} must be 1 or more, not {value}")
    if os.path.lexists(folder):
        raise UsageError(f"{os.fspath(folder)} already exists; choose a new folder, or delete this one")
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
    if not kept[0]:
        raise InputError(f"there is nothing to train on; no pair of lines has 1 to {LONGEST} words on both sides")
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
    if not done:
        raise InputError("Thot could not write or read a model; check whether the disk is full")
