"""Texts compared through their source, by means of word links that are either given or made by an aligner.

An aligner is trained on whole texts, so these inputs, unlike others, hold whole texts in memory.

For *expected* scores, many alignments are sampled from link probabilities, and the statistics of metrics are averaged
over the samples. References and systems are sampled independently; all systems use the same random numbers, so that
equal systems have equal scores.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from wordorder.core.orders.alignment import UNKNOWN, Alignment, Alignments, sample_links
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.projection import DEFAULT_POLICY, order_against_reference, order_against_source
from wordorder.core.runtime.columns import rows_of, strings
from wordorder.core.runtime.errors import InputError, LengthError, UsageError, count_of, mention, refuse, reject
from wordorder.core.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.statistics.settings import MOST_SAMPLES
from wordorder.core.text import Tokens, encode, tokenise
from wordorder.core.text.tokens import Numbering
from wordorder.formats import ALIGNMENT_FORMATS, AlignmentFile, read_alignments, sources
from wordorder.linking.aligning import Aligner, Aligning, load, train
from wordorder.metrics import Batch, Metric, Need, Orders
from wordorder.metrics.flat import KendallSqrt
from wordorder.metrics.registry import TEXT_DEFAULTS
from wordorder.scoring.inputs.base import Blocks, check_names, metric_signature
from wordorder.scoring.inputs.drawing import Line, draw_crossings, find_crossings
from wordorder.scoring.inputs.orders import (
    alignment_file,
    check_policy,
    link_signature,
    pairs_against,
    policy_signature,
)
from wordorder.scoring.inputs.texts import TextInputs, reread, rereadable, take_lines


@accepts_old_names
@dataclass(frozen=True, eq=False)
class SourceTexts(TextInputs):
    """Hypotheses compared with references by the order of the *source* words in both; no shared words are needed.

    Links that are not given are made by an aligner, which is loaded or trained on first use. Given links must count
    words as the tokeniser ``tokenize`` splits them. ``expected`` is the number of alignments to sample from link
    probabilities, with the random seed ``seed``; if it is 0, only the best alignment is used.
    """

    source: sources.TextSource | None = None
    _: KW_ONLY
    aligning: Aligning = Aligning()
    hyp_align: Any = None
    ref_align: Any = ()
    policy: str = DEFAULT_POLICY
    align_format: str = "pharaoh"
    base: int | None = None
    expected: int = 0
    seed: int = 12345
    threads: int = 1

    offers = frozenset({Need.ORDER, Need.TEXT, Need.PAIRS})
    defaults = TEXT_DEFAULTS
    missing_reference = f"{mention('order', 'source')} requires a reference; {mention('order', 'monotone')} does not"
    _foreign: ClassVar[int] = 1
    _whole: ClassVar[tuple[SourceTexts, NDArray[np.integer]] | None] = None
    """If these texts were selected from larger ones: the larger texts and the indices of the selected segments."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_policy(self.policy)
        if (self.align_format, self.base) != ("pharaoh", None):
            AlignmentFile("", self.align_format, self.base)  # rejects unknown formats before aligning
        refuse(self.source is None, f"comparing orders through the source needs its text; give {mention('source')}")
        limits = f"(the number of samples) must be between 2 and {MOST_SAMPLES:,}, not {self.expected}"
        refuse(self.expected and not 2 <= self.expected <= MOST_SAMPLES, f"{mention('expected')} {limits}")
        object.__setattr__(self, "source", rereadable(self.source))
        object.__setattr__(self, "ref", sources.References(map(rereadable, self.ref)))
        object.__setattr__(self, "hyp", {name: rereadable(text) for name, text in self.hyp.items()})
        only = self.systems[0] if len(self.systems) == 1 else None
        if self.hyp_align is not None:
            given = sources.systems_by_name(self.hyp_align, only=only)
            check_names(given, tuple(self.hyp), "alignments")
            object.__setattr__(self, "hyp_align", {n: self._file(links) for n, links in given.items()})
        gold = sources.as_references(self.ref_align, of=Alignment, what="reference alignments")
        object.__setattr__(self, "ref_align", sources.References(map(self._file, gold)))
        if gold and len(gold) != len(self.ref):
            raise UsageError(f"expected alignments of {count_of(len(self.ref), 'reference')}, found {len(gold)}")

    def _sources(self) -> list[tuple[str, sources.TextSource]]:
        return [("source", self.source), *super()._sources()]

    @cached_property
    def tokens(self) -> tuple[Tokens, ...]:
        """The words of the source, the references and the systems, followed by any training texts."""
        numbering = Numbering()
        for columns in self.line_blocks():
            for place, words in enumerate(tokenise(columns, tokenizer=self.tokenize)):
                numbering.add(place, words)
        if self.aligning.train_source is not None:
            training = sources.read_text(self.aligning.train_source), sources.read_text(self.aligning.train_target)
            if len(training[0]) != len(training[1]):
                raise InputError(f"training texts differ in length: {len(training[0])} and {len(training[1])} lines")
            cut = tokenise([self._prepare(column) for column in training], tokenizer=self.tokenize)
            for place, words in enumerate(cut, start=1 + len(self.ref) + len(self.hyp)):
                numbering.add(place, words)
        found = numbering.finish()
        reject(not found, "there is nothing to score, because the input has no segments")
        return found

    @cached_property
    def _lowered(self) -> tuple[Tokens, ...]:
        """The words of :attr:`tokens` in lower case, as the aligner reads them; this helps with rare words."""
        low = strings(word.lower() for word in self.tokens[0].vocabulary.to_pylist())
        return tuple(replace(column, vocabulary=low) for column in self.tokens)

    @cached_property
    def aligner(self) -> Aligner:
        """The aligner, loaded from a file or trained on the texts to be scored and on any training texts."""
        if self.aligning.align_model is not None:
            return load(self.aligning.align_model)
        count = len(self.ref) + len(self.hyp)
        source, *targets = self._lowered[: 1 + count]
        pairs = [(source, target) for target in targets]
        if self.aligning.train_source is not None:
            pairs = [(self._lowered[1 + count], self._lowered[2 + count]), *pairs]
        how = self.aligning
        return train(*pairs[0], beside=pairs[1:], model=how.aligner, lexicon=how.lexicon, threads=self.threads)

    @cached_property
    def reference_links(self) -> tuple[Alignments, ...]:
        """The links between the source and each reference."""
        given = self.ref_align or [None] * len(self.ref)
        return tuple(self._links(1 + r, f"reference {r + 1}", links) for r, links in enumerate(given))

    @cached_property
    def system_links(self) -> tuple[Alignments, ...]:
        """The links between the source and each system."""
        given = self.hyp_align or {}
        first = 1 + len(self.ref)
        return tuple(self._links(first + s, name, given.get(name)) for s, name in enumerate(self.hyp))

    @cached_property
    def likely_links(self) -> tuple[list[Alignments], list[Alignments]]:
        """The links, with probabilities, from which alignments are sampled: for each reference, then for each system.

        For each target word, the aligner provides the probability of each source word. Given links are used as they
        are.
        """
        if self._whole is not None:
            texts, rows = self._whole
            known, made = texts.likely_links
            return [_take(links, rows) for links in known], [_take(links, rows) for links in made]
        first = 1 + len(self.ref)
        gold = self.reference_links if self.ref_align else map(self._posteriors, range(1, first))
        places = range(first, first + len(self.hyp))
        systems = self.system_links if self.hyp_align else map(self._posteriors, places)
        return list(gold), list(systems)

    @property
    def training_links(self) -> Alignments | None:
        """The links of the training text, with probabilities; None if there is no such text or a model is loaded."""
        texts = self._lowered[1 + len(self.ref) + len(self.hyp) :]
        if not texts or self.aligning.align_model is not None:
            return None
        return self.aligner.posteriors(*texts, direction="forward", threads=self.threads)

    def draws(self, start: int, stop: int) -> Iterator[tuple[list[Alignments], list[Alignments]]]:
        """Yield the links of references and systems in a range of segments: the best links, or all samples."""
        if not self.expected:
            yield [one[start:stop] for one in self.reference_links], [one[start:stop] for one in self.system_links]
            return
        if all(links.probability is None for each in self.likely_links for links in each):
            raise UsageError("no link has a probability; expected scores need an aligner, or links such as 3-4:0.93")
        gold, systems = ([links[start:stop] for links in each] for each in self.likely_links)
        for draw in range(self.expected):
            how: Any = {"seed": self.seed, "draw": draw, "first": start}
            yield (
                [sample_links(column, stream=1 + r, **how) for r, column in enumerate(gold)],
                [sample_links(column, **how) for column in systems],
            )

    @cached_property
    def dk(self) -> float | None:
        """The mean ``kendall-sqrt`` score of the source word order in references (1 if it is monotone), or None."""
        return measure_dk(self.reference_links, self.policy) if self.ref else None

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature fields, including the policy, the aligner, the tokenisation and :attr:`dk`."""
        return {
            "order": "source",
            **policy_signature(self.policy),
            **self._aligner_signature(),
            **({"dk": self.dk} if metrics else {}),
            **metric_signature(metrics),
            **self._text_signature(),
            **self._link_signature(),
        }

    def _aligner_signature(self) -> dict[str, Any]:
        """Return the signature fields that say whether links were given or made, and by which aligner."""
        given = bool(self.ref_align or self.hyp_align)
        made = [str(self.aligning)] * self._makes_links
        sampled = ["sampled"] * bool(self.expected)
        known: dict[str, Any] = {"aligner": "+".join(["given"] * given + made + sampled)}
        drawn = {"draws": self.expected, "draw_seed": self.seed} if self.expected else {}
        return known | (self.aligner.training_text.signature if made else {}) | drawn

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the training text (if an aligner makes links) and on the number of sampled alignments (if any)."""
        learnt = (self.aligner.training_text.note,) if self._makes_links else ()
        drawn = f"expected over {self.expected} sampled alignments; spread is their standard deviation"
        return (*learnt, drawn) if self.expected else learnt

    @property
    def _makes_links(self) -> bool:
        """Whether an aligner makes at least some of the links."""
        return not self.hyp_align or (bool(self.ref) and not self.ref_align)

    def _link_signature(self) -> dict[str, Any]:
        return link_signature([*self.ref_align, *(self.hyp_align or {}).values()])

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks with the texts and the order of the source words in each system relative to each reference."""
        texts = slice(1, 1 + len(self.ref) + len(self.hyp))  # excludes the source and the training text
        self._prepare_links(metrics)
        _ = self.tokens  # reports errors in the training text before the texts are read again
        stop = 0
        for columns in self.line_blocks(lines=lines):
            start, stop = stop, stop + len(columns[0])
            words = [tokens[start:stop] for tokens in self.tokens[texts]]
            block = columns[texts]
            pairs = [partial(self._pairs, s, start, stop) for s in range(len(self.hyp))]
            if not self.expected:
                orders = [partial(self._orders, s, start, stop) for s in range(len(self.hyp))]
                yield self._block(words, block, orders, pairs)
                continue
            yield join_draws(
                self._block(words, block, [self._compare(own, gold) for own in systems], pairs)
                for gold, systems in self.draws(start, stop)
            )

    def _prepare_links(self, metrics: Sequence[Metric]) -> None:
        """Compute the links that metrics need, so that threads do not compute them several times."""
        needs = frozenset().union(*(metric.requires for metric in metrics))
        if Need.PAIRS in needs:
            _ = self.likely_links
        if Need.ORDER in needs and not self.expected:
            _ = self.reference_links, self.system_links

    def _orders(self, system: int, start: int, stop: int) -> list[Permutations]:
        """Compare the order of the source words in some segments of a system with that in each reference."""
        return self._compare(self.system_links[system][start:stop], [one[start:stop] for one in self.reference_links])

    def _compare(self, links: Alignments, references: Sequence[Alignments]) -> list[Permutations]:
        return [order_against_reference(links, each, policy=self.policy) for each in references]

    def _pairs(self, system: int, start: int, stop: int) -> NDArray[np.float64]:
        """Compare the order of source word pairs in some segments of a system with that in each reference.

        The pairs are weighted by link probabilities.
        """
        references, systems = self.likely_links
        return pairs_against(systems[system][start:stop], [gold[start:stop] for gold in references])

    def texts_of(self, system: str) -> dict[str, pa.LargeStringArray]:
        """Return the lines of the source, of a system and of the references."""
        assert self.source is not None
        return {"source": self._prepare(reread(self.source)), **super().texts_of(system)}

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return lines with the source, a reference and the hypothesis of each segment.

        Further lines list the links that cross in the hypothesis but not in the reference, and the reverse.
        """
        place = self.systems.index(system)
        both = self.system_links[place], self.reference_links[0]
        texts = self.tokens[0], self.tokens[1], self.tokens[1 + len(self.ref) + place]
        found = []
        for row in rows:
            source, reference, hypothesis = (text.words(row) for text in texts)
            crossings = [find_crossings(links[row]) for links in both]
            crossed = [{(one[0], two[0]) for one, two in each} for each in crossings]
            here, there = (
                [(one, two) for one, two in own if (one[0], two[0]) not in other]
                for own, other in zip(crossings, reversed(crossed), strict=True)
            )
            found.append(
                [
                    ("src", " ".join(source)),
                    ("ref", " ".join(reference)),
                    ("hyp", " ".join(hypothesis)),
                    draw_crossings(here, source, hypothesis, what="crossing here, not in the reference"),
                    draw_crossings(there, source, reference, what="crossing in the reference, not here"),
                ]
            )
        return found

    def select(self, segments: NDArray[np.integer]) -> Self:
        """Return texts that contain only the given segments; the aligner is still trained on all segments."""
        gold = [_take(links, segments) for links in self.reference_links]
        links = [_take(links, segments) for links in self.system_links]
        chosen = replace(super().select(segments), source=take_lines(self.source, segments))
        found = replace(chosen, hyp_align=dict(zip(self.hyp, links, strict=True)), ref_align=gold)
        object.__setattr__(found, "_whole", (self, segments))
        return found

    def _posteriors(self, place: int) -> Alignments:
        texts = self._lowered[0], self._lowered[place]
        return self.aligner.posteriors(*texts, direction="forward", threads=self.threads)

    def _file(self, links: sources.AlignmentSource) -> sources.AlignmentSource:
        return alignment_file(links, self.align_format, self.base)

    def _links(self, place: int, name: str, given: sources.AlignmentSource | None) -> Alignments:
        if given is None:
            how: Any = {"symmetrise": self.aligning.symmetrise, "threads": self.threads}
            return Alignments.concatenate([*self.aligner.align_parts(self._lowered[0], self._lowered[place], **how)])
        source, target = (self.tokens[side].lengths.astype(np.int32) for side in (0, place))
        file = display_name(given) if isinstance(given, (str, os.PathLike)) else name
        try:
            if isinstance(given, (str, os.PathLike)):
                blocks = read_alignments(given, source_lengths=source, target_lengths=target)
                column = Alignments.concatenate(list(blocks))
                counted = ALIGNMENT_FORMATS[AlignmentFile.parse(given).format].counted
            else:
                column = given if isinstance(given, Alignments) else Alignments.of(given)
                counted = not (column.source_lengths == UNKNOWN).any()
                if len(column) != len(source):
                    raise InputError(
                        f"expected {count_of(len(source), 'alignment')}, one per sentence, found {len(column)}",
                        path=name,
                    )
                column = column.with_lengths(source=source, target=target)
        except LengthError as error:
            names = sources.labels(self._sources())
            question = f"is this the alignment of {names[0]} with {names[place]}, line by line"
            if self.tokenize != "none":
                split = f"{mention('tokenize', self.tokenize)} splits them, not {mention('tokenize', 'none')}"
                question += f", and of their words as {split}"
            raise InputError(f"{error.message}; {question}?", path=file, line=error.line) from None
        if not counted:
            self._check_words(column, place, file)
        return column

    def _check_words(self, links: Alignments, place: int, file: str) -> None:
        """Raise an error if links seem to count words separated by spaces, although the tokeniser makes more words.

        Links do not contain sentence lengths. But if the tokeniser splits sentences into more words, some links
        should reach the additional words; if none does, the links were probably made for words separated by spaces.
        """
        rows = rows_of(links.offsets)
        longer = np.zeros(len(links), dtype=np.bool_)
        for side, places in ((0, links.source), (place, links.target)):
            plain = self._count_words(side)
            if (places >= plain[rows]).any():
                return
            longer |= self.tokens[side].lengths > plain
        longer &= links.lengths > 0
        if longer.any():
            raise InputError(
                f"{np.count_nonzero(longer)} of {len(links)} sentence pairs (this is the first) have more words when "
                f"split by {mention('tokenize', self.tokenize)} than when split at spaces, but no link reaches the "
                f"extra words; use {mention('tokenize', 'none')} if the links count words between spaces",
                path=file,
                line=int(np.argmax(longer)) + 1,
            )

    def _count_words(self, side: int) -> NDArray[np.int64]:
        """Return the number of space-separated words in each line; ``none`` splits only at ASCII spaces."""
        whitespace: Literal["ascii", "unicode"] = "ascii" if self.tokenize == "none" else "unicode"
        blocks = map(self._prepare, sources.text_blocks(self._sources()[side][1]))
        return np.concatenate([encode(block, whitespace=whitespace)[0].lengths for block in blocks])


def measure_dk(references: Sequence[Alignments], policy: str) -> float:
    """Return the mean ``kendall-sqrt`` score of the source word order in references.

    It is not rounded, neither for metrics nor in signatures, so that a spec with this value reproduces the scores.
    """
    values = [KendallSqrt().values(Orders(order_against_source(links, policy=policy))) for links in references]
    known = np.concatenate(values)
    known = known[~np.isnan(known)]
    reject(not len(known), "no source word is linked to any reference, so there is no reference order to compare with")
    return float(known.mean())


def _take(links: Alignments, rows: NDArray[np.integer]) -> Alignments:
    """Return the links of the given segments."""
    return Alignments.concatenate([links[row : row + 1] for row in rows.tolist()])


def join_draws(draws: Iterable[list[Batch]]) -> list[Batch]:
    """Combine batches from several sampled alignments into one batch per system."""
    first, *others = draws
    return [Batch.of_draws(batches) for batches in zip(first, *others, strict=True)] if others else first
