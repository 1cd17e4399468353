"""Read the alignments and sentences of a word-aligned parallel corpus in blocks.

A corpus can also be made by aligning two texts automatically.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordorder.apps.profile.measures import Measures, measure_blocks
from wordorder.apps.profile.sentences import (
    Sentences,
    SentenceStream,
    Unaligned,
    link_words,
    read_segmented,
    read_sentences,
)
from wordorder.core.orders import Alignments
from wordorder.core.reorderings.links import unalign
from wordorder.core.runtime.errors import InputError, LengthError, UsageError, check_choice, mistyped, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.runtime.threads import spans
from wordorder.core.text import Tokens, encode
from wordorder.core.text.tokens import lower
from wordorder.formats import ALIGNMENT_FORMATS, AlignmentFile
from wordorder.formats.sources import AlignmentSource, LengthSource, TextSource, alignment_blocks, read_text
from wordorder.linking import aligning as aligners

Pairs = tuple[Alignments, Sentences, Sentences]
"""A block of sentence pairs: the alignments, the source sentences and the target sentences."""

_SIDES = ("source", "target")


@accepts_old_names
@dataclass(frozen=True, eq=False)
class Corpus:
    """A word-aligned corpus.

    ``alignments`` is a file, a sequence of alignments, or a folder of aligned treebanks (see ``formats/pud.py``). The
    text of each side is a file (``.conllu`` to include parts of speech) or a sequence of lines. Instead of a text,
    its sentence lengths can be given; neither is needed if the alignment format includes the lengths. If links refer
    to characters, ``source_words`` and ``target_words`` are the same text split into words; if links refer to other
    units, ``source`` or ``target`` is also given, split into these units. ``sure`` removes links marked as possible,
    and ``unalign_source`` and ``unalign_target`` specify words whose links are removed. ``aligned_by`` describes the
    aligner for the signature.
    """

    name: str
    alignments: AlignmentSource
    source: TextSource | None = None
    target: TextSource | None = None
    source_lengths: LengthSource | None = None
    target_lengths: LengthSource | None = None
    source_words: TextSource | None = None
    target_words: TextSource | None = None
    align_format: str = "pharaoh"
    base: int | None = None
    sure: bool = False
    unalign_source: Unaligned = Unaligned()
    unalign_target: Unaligned = Unaligned()
    aligned_by: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        check_choice(self.align_format, ALIGNMENT_FORMATS, "alignment format")
        if self.is_folder:
            names = ("source", "target", "source_lengths", "target_lengths", "source_words", "target_words")
            if any(getattr(self, name) is not None for name in names):
                raise UsageError(
                    f"{self.path}: a folder of aligned treebanks includes texts and sentence lengths; do not give "
                    "other ones"
                )

    @property
    def path(self) -> str | None:
        """The name of the alignment file or folder, or None if the alignments are not in a file."""
        if not isinstance(self.alignments, (str, os.PathLike)):
            return None
        return display_name(AlignmentFile.parse(self.alignments))

    @property
    def is_folder(self) -> bool:
        """Whether the corpus is a folder of aligned treebanks."""
        return isinstance(self.alignments, (str, os.PathLike)) and os.path.isdir(self.alignments)

    @property
    def signature(self) -> dict[str, object]:
        """The signature, which records how the links were made and read."""
        if self.aligned_by is not None:
            found: dict[str, object] = dict(self.aligned_by)
        elif self.is_folder:
            found = {"align_format": "pud"}
        else:
            path = self.alignments if isinstance(self.alignments, (str, os.PathLike)) else ""
            found = AlignmentFile.parse(path, format=self.align_format, base=self.base).signature
        unaligned = {"unaligned_source": self.unalign_source, "unaligned_target": self.unalign_target}
        found |= {"links": "sure"} if self.sure else {}
        for side, words, text in (
            ("source", self.source_words, self.source),
            ("target", self.target_words, self.target),
        ):
            found |= {} if words is None else {f"{side}_links": "characters" if text is None else "pieces"}
        return found | {name: str(words) for name, words in unaligned.items() if words}

    def blocks(self, *, words: bool = False) -> Iterator[Pairs]:
        """Yield the alignments, source sentences and target sentences of the corpus in blocks.

        Target sentences include their words if there is a target text; source sentences only if ``words`` is true.
        """
        for links, source, target in self._read_folder() if self.is_folder else self._read(words):
            alignments = links.sure() if self.sure else links
            sides = zip(_SIDES, (self.unalign_source, self.unalign_target), (source, target), strict=True)
            marks = {side: unaligned.mark(sentences, side) for side, unaligned, sentences in sides if unaligned}
            yield unalign(alignments, **marks) if marks else alignments, source, target

    def measure(self, blocks: Iterator[Pairs], *, policy: str, threads: int) -> Iterator[Measures]:
        """Yield the measures of each block of this corpus; add the name of the corpus to error messages."""
        pairs: Iterator[tuple[Alignments, Tokens | None]] = ((links, target.words) for links, _, target in blocks)
        try:
            yield from measure_blocks(pairs, policy=policy, threads=threads)
        except InputError as error:
            if error.path is not None:
                raise
            raise InputError(error.message, path=self.path or self.name, line=error.line) from None

    def _read(self, words: bool) -> Iterator[Pairs]:
        streams: dict[str, SentenceStream] = {}
        for side, text, lengths, segmented, needed in (
            ("source", self.source, self.source_lengths, self.source_words, words or bool(self.unalign_source)),
            ("target", self.target, self.target_lengths, self.target_words, True),
        ):
            if segmented is None:
                pieces = read_sentences(text, lengths, side=side, words=needed)
            else:
                pieces = read_segmented(segmented, text, lengths, side=side)
            if pieces is not None:
                streams[side] = SentenceStream(pieces)
        known = {f"{side}_lengths": stream.lengths() for side, stream in streams.items()}
        for block in self._links(known):
            source, target = (
                streams[side].take(len(block)) if side in streams else Sentences(lengths)
                for side, lengths in zip(_SIDES, (block.source_lengths, block.target_lengths), strict=True)
            )
            for side, sentences in zip(_SIDES, (source, target), strict=True):
                if sentences.units is not None:
                    block = link_words(block, sentences.units, sentences.lengths, side)
            yield block, source, target

    def _links(self, known: Mapping[str, Any]) -> Iterator[Alignments]:
        """Yield the alignments in blocks; if links do not fit the sentences, raise an error that names the texts."""
        try:
            yield from alignment_blocks(self.alignments, format=self.align_format, base=self.base, **known)
        except LengthError as error:
            texts = [self.source_words or self.source, self.target_words or self.target]
            files = [display_name(text) for text in texts if isinstance(text, (str, os.PathLike))]
            question = f"; is this the alignment of {' with '.join(files)}, line by line?" if files else ""
            raise LengthError(error.message + question, path=error.path, line=error.line) from None

    def _read_folder(self) -> Iterator[Pairs]:
        from wordorder.formats import pud

        assert isinstance(self.alignments, (str, os.PathLike))
        treebank = pud.read(self.alignments)
        source = Sentences.of(treebank.source, treebank.source_tags)
        target = Sentences.of(treebank.target, treebank.target_tags)
        for start, stop in spans(len(treebank.alignments), LINES_PER_BLOCK):
            yield treebank.alignments[start:stop], source.slice(start, stop), target.slice(start, stop)


def check_names(corpora: Sequence[Corpus], what: str) -> None:
    """Raise an error unless there are corpora and their names differ; ``what`` is the noun for them in messages."""
    refuse(not corpora, f"no {what} were given; give at least one")
    for corpus in corpora:
        if not isinstance(corpus, Corpus):
            raise mistyped(what, corpus, expected="of type wordorder.Corpus")
    names = [corpus.name for corpus in corpora]
    for name in names:
        refuse(names.count(name) > 1, f"two {what} have the name {name!r}; rename one of them")


def align_texts(
    name: str,
    source: TextSource,
    target: TextSource,
    *,
    aligning: aligners.Aligning | None = None,
    threads: int = 1,
    **options: Any,
) -> Corpus:
    """Align the words of two texts, and return the texts with the links as a corpus.

    Text is split at whitespace and lowercased for the aligner, which is trained on the two texts and on the
    additional training text of ``aligning``, if any. The remaining ``options`` are passed to :class:`Corpus`.

    >>> align_texts("x", ["a b", "a", "b"] * 9, ["B A", "A", "B"] * 9).signature
    {'aligner': 'hmm+grow-diag-final-and', 'train_pairs': 27, 'train_text': '15f15ea6e47c'}
    """
    aligning = aligning or aligners.Aligning()
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
        aligner = aligners.load(aligning.align_model)
    else:
        sides = [Tokens.concatenate([*words[2 + side :: 2], words[side]]) for side in (0, 1)]
        aligner = aligners.train(*sides, model=aligning.aligner, lexicon=aligning.lexicon, threads=threads)
    links = aligner.align(words[0], words[1], symmetrise=aligning.symmetrise, threads=threads)
    made = {"aligner": str(aligning), **aligner.training_text.signature}
    return Corpus(name, links, source, target, aligned_by=made, **options)


def _lines(text: TextSource, side: str) -> Any:
    """Return the lines of a text; for a treebank, join the words of each sentence with spaces."""
    if not isinstance(text, (str, os.PathLike)) or not os.fspath(text).removesuffix(".gz").endswith(".conllu"):
        return read_text(text)
    blocks = read_sentences(text, None, side=side, words=True) or ()
    columns = [block.words for block in blocks if block.words is not None]
    return [" ".join(word.replace(" ", "_") for word in words) for column in columns for words in column]
