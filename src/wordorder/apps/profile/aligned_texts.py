"""Align two texts automatically, and combine them into a word-aligned corpus."""

from __future__ import annotations

import os
from typing import Any

from wordorder.apps.profile.corpus import Corpus
from wordorder.apps.profile.sentences import read_sentences
from wordorder.core.runtime.errors import InputError
from wordorder.core.text import encode
from wordorder.core.text.tokens import concatenate, lower
from wordorder.formats.sources import TextSource, read_text
from wordorder.linking.aligning import Aligning, load, train


def align_texts(
    name: str,
    source: TextSource,
    target: TextSource,
    *,
    aligning: Aligning | None = None,
    threads: int = 1,
    **options: Any,
) -> Corpus:
    """Align the words of two texts, and return the texts with the links as a corpus.

    Text is split at whitespace and lowercased for the aligner, which is trained on the two texts and on the
    additional training text of ``aligning``, if any. The remaining ``options`` are passed to :class:`Corpus`.

    >>> align_texts("x", ["a b", "a", "b"] * 9, ["B A", "A", "B"] * 9).signature
    {'aligner': 'hmm+grow-diag-final-and', 'train_pairs': 27, 'train_text': '15f15ea6e47c'}
    """
    aligning = aligning or Aligning()
    texts = [_lines(source, "source"), _lines(target, "target")]
    if aligning.train_source is not None and aligning.train_target is not None:
        texts += [_lines(aligning.train_source, "source"), _lines(aligning.train_target, "target")]
    for one, two in zip(texts[::2], texts[1::2], strict=True):
        if len(one) != len(two):
            raise InputError(
                f"{name}: source and target must have the same number of lines, but the source has {len(one)} and "
                f"the target {len(two)}"
            )
    words = lower(encode(*texts, whitespace="ascii"))
    if aligning.align_model is not None:
        aligner = load(aligning.align_model)
    else:
        sides = [concatenate([*words[2 + side :: 2], words[side]]) for side in (0, 1)]
        aligner = train(*sides, model=aligning.aligner, threads=threads)
    links = aligner.align(words[0], words[1], symmetrise=aligning.symmetrise, threads=threads)
    return Corpus(
        name,
        links,
        source,
        target,
        aligned_by={"aligner": str(aligning), **aligner.training_text.signature},
        **options,
    )


def _lines(text: TextSource, side: str) -> Any:
    """Return the lines of a text; for a treebank, join the words of each sentence with spaces."""
    if not isinstance(text, (str, os.PathLike)) or not os.fspath(text).removesuffix(".gz").endswith(".conllu"):
        return read_text(text)
    blocks = read_sentences(text, None, side=side, words=True) or ()
    columns = [block.words for block in blocks if block.words is not None]
    return [" ".join(word.replace(" ", "_") for word in words) for column in columns for words in column]
