"""Word orders given as permutations, or as alignments of hypotheses and references with the same source."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from itertools import tee
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import UNKNOWN, Alignment, Alignments
from wordorder.core.orders.partial import compare_pairs
from wordorder.core.orders.projection import (
    DEFAULT_POLICY,
    MONOTONE_UNLINKED,
    POLICIES,
    order_against_reference,
    order_against_source,
)
from wordorder.core.runtime.errors import InputError, UsageError, check_choice, mention, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.runtime.threads import spans
from wordorder.formats import AlignmentFile
from wordorder.formats.sources import (
    AlignmentSource,
    LengthSource,
    References,
    TextSource,
    alignment_blocks,
    as_references,
    labels,
    length_blocks,
    lockstep,
    permutation_blocks,
    systems_by_name,
    text_blocks,
)
from wordorder.metrics import Batch, Metric, Need
from wordorder.metrics.registry import MONOTONE_DEFAULTS, ORDER_DEFAULTS
from wordorder.scoring.inputs.base import Blocks, Inputs, check_rereadable
from wordorder.scoring.inputs.drawing import Line, draw_crossings, draw_runs, find_crossings

REFERENCE = "reference"


Pairs = Callable[[], NDArray[np.float64]]
"""A function without arguments that compares pairs of source words; it is called only if a metric needs it."""


@dataclass(frozen=True, eq=False)
class GivenOrders(Inputs):
    """Word orders given as permutations, which list the reference rank of each hypothesis word from left to right.

    ``origin`` replaces the signature fields that say where the orders come from.

    >>> GivenOrders({"A": ["1 2 3", "2 1 3"], "B": ["3 2 1", "1 2 3"]}).systems
    ('A', 'B')
    """

    permutations: Any
    _: KW_ONLY
    base: int = 1
    origin: Mapping[str, Any] | None = None

    offers = frozenset({Need.ORDER})
    defaults = ORDER_DEFAULTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "permutations", systems_by_name(self.permutations))

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.permutations)

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature fields that say where the orders come from."""
        return {"order": "permutations", "base": self.base} if self.origin is None else dict(self.origin)

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return one line per segment: its order, with bars between runs of consecutive ranks."""
        blocks = permutation_blocks(check_rereadable(self.permutations[system]), base=self.base)
        return [[("hyp", draw_runs(order))] for order in take_rows(blocks, rows)]

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks with one word order per segment and system."""
        sources = list(self.permutations.items())
        streams = [permutation_blocks(source, base=self.base) for _, source in sources]
        for columns in lockstep(dict(zip(labels(sources), streams, strict=True))):
            yield [Batch([column]) for column in columns]


@accepts_old_names
@dataclass(frozen=True, eq=False)
class AlignedOrders(Inputs):
    """Alignments of the source with hypotheses and references; each determines an order of the source words.

    Every policy except ``drop`` requires the number of source words, which is taken from ``source`` or
    ``source_lengths``.
    """

    needs_references: ClassVar[bool] = True

    hyp_align: Any
    ref_align: Any = ()
    _: KW_ONLY
    source: TextSource | None = None
    source_lengths: LengthSource | None = None
    policy: str = DEFAULT_POLICY
    align_format: str = "pharaoh"
    base: int | None = None

    def __post_init__(self) -> None:
        check_policy(self.policy)
        systems = {name: self._file(links) for name, links in systems_by_name(self.hyp_align).items()}
        gold = as_references(self.ref_align, of=Alignment, what="reference alignments")
        object.__setattr__(self, "hyp_align", systems)
        object.__setattr__(self, "ref_align", References(map(self._file, gold)))
        if not gold and self.needs_references:
            raise UsageError(f"there is no reference: give {mention('ref_align')} or {mention('order', 'monotone')}")

    @property
    def offers(self) -> frozenset[Need]:
        """The kinds of data provided to metrics: word orders, and comparisons of source word pairs."""
        return frozenset({Need.ORDER, Need.PAIRS})

    @property
    def defaults(self) -> tuple[Metric, ...]:
        """The default metrics of word order."""
        return ORDER_DEFAULTS

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.hyp_align)

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature fields that say how alignments are read and converted to orders."""
        links = [*self.ref_align, *self.hyp_align.values()]
        counted = {"references": len(self.ref_align)}
        return {"order": "source", **policy_signature(self.policy), **counted, **link_signature(links)}

    def _file(self, links: AlignmentSource) -> AlignmentSource:
        return alignment_file(links, self.align_format, self.base)

    def _read(self) -> list[tuple[str, Iterator[Alignments]]]:
        """Open all alignments, first those of references, and return each label with an iterator over blocks."""
        sources: list[tuple[str, AlignmentSource]] = [
            (f"reference {number}", links) for number, links in enumerate(self.ref_align, start=1)
        ]
        sources += self.hyp_align.items()
        lengths = length_blocks(self.source, self.source_lengths)  # read once for all alignments
        copies = [None] * len(sources) if lengths is None else tee(lengths, len(sources))
        streams = [
            alignment_blocks(links, source_lengths=copy) for (_, links), copy in zip(sources, copies, strict=True)
        ]
        return list(zip(labels(sources), streams, strict=True))

    def draw(self, system: str, rows: Sequence[int], by: Metric) -> list[list[Line]]:
        """Return lines with the links and their crossings, and with the source words if the source text is known."""
        links = [*self.ref_align, *self.hyp_align.values()][-len(self.systems) :][self.systems.index(system)]
        sentences: list[Sequence[str] | None] = [None] * len(rows)
        if self.source is not None:
            sentences = [line.split() for line in take_rows(text_blocks(check_rereadable(self.source)), rows)]
        lengths = length_blocks(self.source, self.source_lengths)
        blocks = alignment_blocks(check_rereadable(links), source_lengths=lengths)
        found = []
        for words, row in zip(sentences, take_rows(blocks, rows), strict=True):
            pairs = " ".join(f"{i}-{j}" for i, j in row.links)
            lines = [("src", " ".join(words))] if words is not None else []
            crossing = draw_crossings(find_crossings(row), words, None, what="crossing links")
            found.append([*lines, ("hyp", pairs), crossing])
        return found

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks with the order of the source words in each system relative to each reference."""
        seen = 0
        gold = len(self.ref_align)
        for columns in lockstep(dict(self._read())):
            try:
                yield [
                    Batch(
                        [order_against_reference(column, known, policy=self.policy) for known in columns[:gold]],
                        pairs=partial(pairs_against, column, columns[:gold]),
                    )
                    for column in columns[gold:]
                ]
            except InputError as error:
                line = None if error.line is None else seen + error.line
                raise InputError(error.message, path=error.path, line=line) from None
            seen += len(columns[0])


@accepts_old_names
@dataclass(frozen=True, eq=False)
class MonotoneAlignments(AlignedOrders):
    """Alignments of the source with references and systems; each order is compared with that of the source itself."""

    needs_references = False
    ranked = False

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the references, followed by those of the systems."""
        return (*reference_names(len(self.ref_align), tuple(self.hyp_align)), *self.hyp_align)

    @property
    def reference_count(self) -> int:
        """The number of references."""
        return len(self.ref_align)

    @cached_property
    def columns(self) -> list[Alignments]:
        """The alignments of all references and systems."""
        found = [Alignments.concatenate(blocks) for blocks in zip(*lockstep(dict(self._read())), strict=True)]
        if self.policy != "drop" and not _known(found, "source_lengths"):
            raise UsageError(
                f"the policy {self.policy} requires the length of every source sentence: "
                f"give {mention('source')} or {mention('source_lengths')}, or use {mention('policy', 'drop')}"
            )
        return found

    @property
    def offers(self) -> frozenset[Need]:
        """The kinds of data provided to metrics: orders, comparisons of source word pairs, and lengths if known."""
        found = {Need.ORDER, Need.SOURCE_ORDER, Need.PAIRS}
        found |= {Need.SOURCE_LENGTHS} if _known(self.columns, "source_lengths") else set()
        found |= {Need.TARGET_LENGTHS} if _known(self.columns, "target_lengths") else set()
        return frozenset(found)

    @property
    def defaults(self) -> tuple[Metric, ...]:
        """The default monotonicity metrics, without those that need sentence lengths if the lengths are unknown."""
        return tuple(metric for metric in MONOTONE_DEFAULTS if metric.requires <= self.offers)

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature fields that say how alignments are read and converted to orders."""
        links = [*self.ref_align, *self.hyp_align.values()]
        return {"order": "monotone", "policy": self.policy, **link_signature(links)}

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield blocks with the word order of each text relative to the source."""
        for start, stop in spans(len(self.columns[0]), lines):
            block = [column[start:stop] for column in self.columns]
            yield monotone_block(block, [partial(pairs_against, links) for links in block], policy=self.policy)


def take_rows(blocks: Iterable[Any], rows: Sequence[int]) -> list[Any]:
    """Return the requested rows (counted from 0, in any order) of a column that is read in blocks."""
    wanted = dict.fromkeys(rows)
    first = 0
    for block in blocks:
        for row in wanted:
            if first <= row < first + len(block):
                found = block[row - first]
                wanted[row] = found.as_py() if hasattr(found, "as_py") else found
        first += len(block)
    return [wanted[row] for row in rows]


def _known(columns: Sequence[Alignments], lengths: str) -> bool:
    return not any((getattr(column, lengths) == UNKNOWN).any() for column in columns)


def monotone_block(columns: Sequence[Alignments], pairs: Sequence[Pairs], *, policy: str) -> list[Batch]:
    """Return the batches of one block, with the word order of each text relative to the source itself."""
    return [
        Batch([order_against_source(block, policy=policy)], alignments=block, pairs=given)
        for block, given in zip(columns, pairs, strict=True)
    ]


def pairs_against(links: Alignments, golds: Sequence[Alignments] | None = None) -> NDArray[np.float64]:
    """Compare the order of source word pairs with each reference or, if ``golds`` is None, with the source.

    The result has the shape ``[segments, references, 3]``; the last axis is that of :func:`compare_pairs`.
    """
    return np.stack([compare_pairs(links, gold) for gold in ([None] if golds is None else golds)], axis=1)


def policy_signature(policy: str) -> dict[str, Any]:
    """Return the signature fields of orders that are compared with a reference through the source."""
    return {"policy": policy} | ({"unlinked": "monotone"} if policy in MONOTONE_UNLINKED else {})


def check_policy(policy: str) -> None:
    """Raise an error if the policy for converting alignments to orders is unknown."""
    check_choice(policy, POLICIES, "policy")


def alignment_file(links: AlignmentSource, format: str, base: int | None) -> AlignmentSource:
    """Attach a format to an alignment file unless its name has one (``talp:FILE``); return other data unchanged."""
    checked = AlignmentFile("", format, base)
    if not isinstance(links, (str, os.PathLike)):
        return links
    return AlignmentFile.parse(links, format=checked.format, base=base)


def link_signature(links: Sequence[AlignmentSource]) -> dict[str, Any]:
    """Return the signature fields that say how alignment files are read; values that differ are joined by +."""
    found = [each.signature for each in links if isinstance(each, AlignmentFile)]
    if not found:
        return {}
    if all(each == found[0] for each in found):
        return found[0]
    return {key: "+".join(str(each[key]) for each in found) for key in found[0]}


def reference_names(count: int, systems: Sequence[str] = ()) -> tuple[str, ...]:
    """Return names for references that are scored as systems; raise an error if a system has one of these names."""
    names = tuple(REFERENCE if count == 1 else f"{REFERENCE}{number}" for number in range(1, count + 1))
    for name in names:
        refuse(name in systems, f"the system name {name!r} is reserved for a reference; give the system another name")
    return names
