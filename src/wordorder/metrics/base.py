"""What a metric is: a small frozen value with a name and parameters, and one contract for all of them.

A metric turns a batch of segments into k sufficient statistics per segment and reference. Everything else – segment
scores, corpus scores, bootstrap samples, documents, the choice of a reference – is made from (weighted) sums of those
rows, so text is looked at once.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from wordorder.orders.alignment import Alignments
from wordorder.orders.permutation import Permutation, Permutations
from wordorder.orders.trees import PermutationTrees
from wordorder.runtime.errors import UsageError, choices

if TYPE_CHECKING:
    from wordorder.matching import Matches
    from wordorder.text import Tokens
    from wordorder.trees import DependencyTrees, ParseLists

Array = NDArray[np.float64]


class Need(Enum):
    """What a metric must be given."""

    ORDER = "word orders"
    SOURCE_ORDER = "orders of the source words"
    SOURCE_LENGTHS = "lengths of the source sentences"
    TARGET_LENGTHS = "lengths of the translations"
    TEXT = "text"
    PARSES = "parses"


class Orders:
    """Word orders of a batch together with their permutation trees, which are built at most once."""

    def __init__(self, permutations: Permutations) -> None:
        self.permutations = permutations

    def __len__(self) -> int:
        return len(self.permutations)

    @cached_property
    def trees(self) -> PermutationTrees:
        """The flattened permutation trees."""
        return PermutationTrees.of(self.permutations)


class Batch(Protocol):
    """Some consecutive segments of one system, as metrics see them; there is one entry per reference."""

    def __len__(self) -> int: ...

    @property
    def orders(self) -> Sequence[Orders]:
        """Word orders against each reference."""

    @property
    def weights(self) -> Array:
        """Weight of each segment under each reference, ``[segments, references]``."""

    @property
    def hypothesis(self) -> Tokens:
        """Words of the hypothesis."""

    @property
    def references(self) -> Sequence[Tokens]:
        """Words of each reference."""

    @property
    def lines(self) -> tuple[list[str], list[list[str]]]:
        """Lines as they were given: hypotheses, and for each reference its lines."""

    @property
    def matches(self) -> Sequence[Matches]:
        """Matched words against each reference."""

    @property
    def alignments(self) -> Alignments:
        """Links between the source and the hypothesis."""

    @property
    def ngrams(self) -> Array:
        """BLEU's statistics over all references, ``[segments, 10]``."""

    @property
    def parses(self) -> tuple[ParseLists[DependencyTrees], Sequence[ParseLists[DependencyTrees]]]:
        """Parses of the hypotheses, and for each reference its parses."""


def parameter(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    options: tuple[str, ...] = (),
    key: str | None = None,
) -> Any:
    """Declare a parameter of a metric: a dataclass field that knows its meaning and its range.

    ``key`` is its name in specs where that is not the name of the field.
    """
    known = {"doc": doc, "low": low, "high": high, "options": options, "key": key}
    return dataclasses.field(default=default, metadata=known)


def key_of(field: dataclasses.Field[Any]) -> str:
    """Give the name of a parameter in specs."""
    return field.metadata.get("key") or field.name


@dataclass(frozen=True)
class Metric(ABC):
    """A metric: its printed form, ``str(metric)``, is its identity and reads back with ``metric(spec)``."""

    name: ClassVar[str]
    formula: ClassVar[str]
    paper: ClassVar[str]
    needs: ClassVar[frozenset[Need]]
    slow: ClassVar[bool] = False
    direction: ClassVar[str] = "0 to 1, higher is better"
    higher_is_better: ClassVar[bool | None] = True

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None or isinstance(value, Metric):
                continue
            if isinstance(field.default, float) and isinstance(value, int):  # 1 and 1.0 must print alike
                object.__setattr__(self, field.name, float(value))
            low, high, options = (field.metadata.get(key) for key in ("low", "high", "options"))
            if options and value not in options:
                raise choices(str(value), list(options), what=f"{field.name} of {self.name}")
            if (low is not None and not value >= low) or (high is not None and not value <= high):
                bounds = f"{low} to {high}" if high is not None else f"{low} or more"
                raise UsageError(f"{self.name}: {field.name} must be {bounds}, not {value}")

    def __str__(self) -> str:
        from wordorder.metrics.spec import write

        return write(self)

    @property
    def requires(self) -> frozenset[Need]:
        """What this metric needs with its parameters; ``needs`` is what its kind needs."""
        return self.needs

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Name the k sufficient statistics."""

    @abstractmethod
    def statistics(self, batch: Batch) -> Array:
        """Give the sufficient statistics ``[segments, references, k]`` of a batch."""

    @abstractmethod
    def segment(self, rows: Array) -> Array:
        """Give segment scores from rows ``[..., k]``; NaN is undefined."""

    @abstractmethod
    def corpus(self, sums: Array) -> Array:
        """Give corpus scores from sums of rows ``[..., k]``."""

    def parts(self, sums: Array) -> dict[str, Array]:
        """Give the components of a combined score by name; a plain metric has none."""
        return {}

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Score one word order; only order metrics can."""
        wanted = " and ".join(sorted(need.value for need in self.requires))
        raise UsageError(f"metric {self} needs {wanted} and cannot score a permutation alone; use wordorder.score")


@dataclass(frozen=True)
class RatioMetric(Metric):
    """A metric that is its first statistic over its second, for a segment as for a corpus; 0/0 is undefined."""

    def segment(self, rows: Array) -> Array:
        """Divide the first statistic by the second."""
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Array = np.asarray(rows[..., 0] / rows[..., 1])
        return result

    def corpus(self, sums: Array) -> Array:
        """Divide the sums."""
        return self.segment(sums)


@dataclass(frozen=True)
class MeanMetric(RatioMetric):
    """A metric whose corpus score is the (weighted) mean of its segment scores.

    Its statistics are ``(w·x, w)``; an undefined segment is ``(0, 0)`` and so takes no part in the mean.
    """

    columns = ("total", "weight")


@dataclass(frozen=True)
class MeanOfParts(RatioMetric):
    """A combined metric whose corpus score is the mean of its segments' scores; its parts are means as well."""

    columns = ("total", "weight", "order", "lexical", "brevity")

    def parts(self, sums: Array) -> dict[str, Array]:
        """Give the means of order, lexical part and brevity penalty."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return {name: sums[..., 2 + i] / sums[..., 1] for i, name in enumerate(self.columns[2:])}


def mean_rows(values: Array, weights: Array) -> Array:
    """Turn scores (NaN = undefined) and weights into the rows ``(w·x, w)`` of a mean.

    >>> mean_rows(np.array([0.5, np.nan]), np.array([2.0, 3.0])).tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """
    defined = ~np.isnan(values)
    weight = np.where(defined, weights, 0.0)
    return np.stack([np.where(defined, values, 0.0) * weight, weight], axis=-1)


@dataclass(frozen=True)
class OrderMetric(MeanMetric):
    """A metric of one permutation against the identity.

    >>> from wordorder.metrics import metric
    >>> metric("kendall")("1 2 4 3")
    0.8333333333333334
    >>> metric("kendall")("2 1 3", reference="1 3 2")     # ranks of the same source words in two orders
    0.3333333333333333
    """

    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORDER})

    @abstractmethod
    def values(self, orders: Orders) -> Array:
        """Score every permutation of a column; the empty one is undefined (NaN)."""

    def statistics(self, batch: Batch) -> Array:
        """Give ``(w·x, w)`` for each segment and reference."""
        return np.stack(
            [mean_rows(self.values(orders), batch.weights[:, r]) for r, orders in enumerate(batch.orders)], axis=1
        )

    @overload
    def __call__(self, order: Permutation | str, reference: Permutation | str | None = None) -> float: ...
    @overload
    def __call__(self, order: Permutations, reference: Permutations | None = None) -> Array: ...
    def __call__(
        self, order: Permutation | str | Permutations, reference: Permutation | str | Permutations | None = None
    ) -> float | Array:
        """Score one order or a column of orders, against the identity or against reference orders."""
        column = order if isinstance(order, Permutations) else Permutations.of([order])
        if reference is not None:
            column = column.relative_to(
                reference if isinstance(reference, Permutations) else Permutations.of([reference])
            )
        values = self.values(Orders(column))
        return values if isinstance(order, Permutations) else float(values[0])
