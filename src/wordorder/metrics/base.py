"""The interface that every metric implements; a metric is a small immutable object with a name and parameters.

A metric turns a batch of segments into k sufficient statistics for each segment and reference. The scores
of segments, documents, corpora and bootstrap samples are all computed from (weighted) sums of these statistics, which
also decide which of several references is used. The text is therefore read only once.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Protocol, Self, overload

import numpy as np

from wordorder.core.orders.permutation import Permutation, Permutations
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, choices, refuse
from wordorder.metrics.batch import Batch as Batch
from wordorder.metrics.batch import Orders as Orders

Array = Floats


class Need(Enum):
    """The kinds of input that metrics can require."""

    ORDER = "word orders"
    SOURCE_ORDER = "orders of the source words"
    SOURCE_LENGTHS = "lengths of the source sentences"
    TARGET_LENGTHS = "lengths of the translations"
    TEXT = "text"
    PARSES = "parses"
    PAIRS = "links between the source and its translations"
    GIVEN = "scores that are given"


DRAWN = frozenset(Need) - {Need.TEXT, Need.PARSES, Need.PAIRS, Need.GIVEN}
"""The kinds of input that differ between sampled alignments when scores are averaged over samples."""


class ForestRequest(NamedTuple):
    """A request for the expected counts of arcs in packed forests, with probabilities raised to the power γ.

    If ``chains`` is true, chains of two arcs are counted as well.
    """

    gamma: float
    chains: bool


class CorpusContext(Protocol):
    """Properties of the whole test set that a metric can depend on; see :meth:`Metric.bind`."""

    @property
    def dk(self) -> float | None:
        """The mean ``kendall-sqrt`` score of the source word order in references, or None without alignments."""


def parameter(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    options: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
    key: str | None = None,
    values: str = "names",
) -> Any:
    """Declare a metric parameter: a dataclass field with a description and the range of allowed values.

    ``low`` and ``high`` are the limits of a numeric parameter. ``options`` lists the values that a text parameter can
    have; it is a function if these are only known at run time. ``key`` is the name of the parameter in metric specs
    if it differs from the field name. ``values`` is the phrase by which the documentation describes the values of a
    text parameter.
    """
    known = {"doc": doc, "low": low, "high": high, "options": options, "key": key, "values": values}
    return dataclasses.field(default=default, metadata=known)


class TakenValue(float):
    """The value of a parameter that a metric took from the test set, not from the user; see :meth:`Metric.bind`."""


def write_value(value: Any) -> str:
    """Return the value of a parameter in the form that metric specs use."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def key_of(field: dataclasses.Field[Any]) -> str:
    """Return the name that a parameter has in metric specs."""
    return field.metadata.get("key") or field.name


def options_of(field: dataclasses.Field[Any]) -> tuple[str, ...]:
    """Return the values that a text parameter can have, or an empty tuple if any value is allowed."""
    options = field.metadata.get("options", ())
    result: tuple[str, ...] = options() if callable(options) else options
    return result


@dataclass(frozen=True)
class Metric(ABC):
    """The base class of metrics; ``wordorder.metric`` turns the spec ``str(metric)`` back into an equal metric.

    A subclass with parameters of its own is a frozen dataclass; others need no decorator, and are imported faster.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    paper: ClassVar[str]
    needs: ClassVar[frozenset[Need]]
    slow: ClassVar[bool] = False
    direction: ClassVar[str] = "0 to 1, higher is better"
    higher_is_better: ClassVar[bool | None] = True
    group: ClassVar[str | None] = None
    """The group to which the metric belongs; if None, ``registry.group_of`` derives it from ``needs``."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None or isinstance(value, Metric):
                continue
            if isinstance(field.default, float | None) and isinstance(value, int):  # 1 and 1.0 must print alike
                object.__setattr__(self, field.name, float(value))
            low, high = (field.metadata.get(key) for key in ("low", "high"))
            if value != field.default and (options := options_of(field)) and value not in options:
                raise choices(str(value), list(options), what=f"{key_of(field)} of {self.name}")
            if (low is not None and not value >= low) or (high is not None and not value <= high):
                bounds = f"{low} to {high}" if high is not None else f"{low} or more"
                raise UsageError(f"{self.name}: {field.name} must be {bounds}, not {value}")

    def __str__(self) -> str:
        return ":".join([self.name, *self._settings("")])

    @property
    def label(self) -> str:
        """The spec without values taken from the test set: the name under which the metric was requested."""
        fields = dataclasses.fields(self)
        taken = {each.name: each.default for each in fields if isinstance(getattr(self, each.name), TakenValue)}
        return str(dataclasses.replace(self, **taken) if taken else self)

    def _settings(self, prefix: str) -> list[str]:
        """Return the settings that differ from their defaults, in the form ``key=value`` that metric specs use.

        ``prefix`` is put before every key; for the settings of a nested metric, it is the name of the parameter that
        holds the metric, followed by a dot.
        """
        found = []
        for field in dataclasses.fields(self):
            value, default = getattr(self, field.name), field.default
            if isinstance(value, Metric):
                if not isinstance(default, Metric) or value.name != default.name:
                    found.append(f"{prefix}{field.name}={value.name}")
                found += value._settings(f"{prefix}{field.name}.")
            elif value != default:
                found.append(f"{prefix}{key_of(field)}={write_value(value)}")
        return found

    @property
    def fingerprint(self) -> str:
        """A string that identifies the metric and the content of any files that it uses."""
        parts = [getattr(self, field.name) for field in dataclasses.fields(self)]
        return " ".join([str(self), *(part.fingerprint for part in parts if isinstance(part, Metric))])

    @property
    def requires(self) -> frozenset[Need]:
        """The kinds of input that this metric requires; with some metrics, they depend on the parameters."""
        return self.needs

    @property
    def parses(self) -> int:
        """The number of parses of each sentence that this metric uses."""
        return int(Need.PARSES in self.requires)

    @property
    def forest(self) -> ForestRequest | None:
        """The expected counts that this metric requires from packed forests, or None if it needs no forests."""
        return None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Metrics in other packages may still define these methods with the names of version 0.1.
        for former, name in (("wants", "bind"), ("facts", "signature_fields")):
            if former in vars(cls) and name not in vars(cls):
                setattr(cls, name, vars(cls)[former])

    def bind(self, inputs: CorpusContext) -> Self:
        """Return a copy with values taken from the whole test set, or ``self`` if the metric takes none from it."""
        return self

    def signature_fields(self) -> dict[str, Any]:
        """Return the fields that this metric adds to the signature, such as values taken from the test set.

        If several metrics of a run return the same field, lists are concatenated; other values must be equal.
        """
        return {}

    @property
    def note(self) -> str:
        """A note that tables print below the scores of this metric, or an empty string if no note is needed."""
        return ""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the k sufficient statistics."""

    @abstractmethod
    def statistics(self, batch: Batch) -> Array:
        """Return the sufficient statistics ``[segments, references, k]`` of a batch."""

    @abstractmethod
    def segment(self, rows: Array) -> Array:
        """Compute segment scores from statistics ``[..., k]``; an undefined score is NaN."""

    def corpus(self, sums: Array) -> Array:
        """Compute corpus scores from sums of statistics ``[..., k]``; by default, the segment formula is used."""
        return self.segment(sums)

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return the components of a combined score by name; most metrics have none."""
        return {}

    def __call__(self, hypothesis: Any, *references: Any, **options: Any) -> Any:
        """Score a sentence against one or more references; the options are ``tokenizer`` and ``lowercase``.

        >>> from wordorder.metrics import metric
        >>> round(metric("bleu1")("the cat sat down", "the cat sat"), 2)
        0.75
        """
        if not self.requires <= {Need.ORDER, Need.TEXT}:
            wanted = " and ".join(sorted(need.value for need in self.requires))
            raise UsageError(f"metric {self} needs {wanted}, so it cannot score two sentences; use wordorder.score")
        refuse(not references, f"metric {self} compares a sentence with a reference, but no reference was given")
        batch = Batch.of_sentences(hypothesis, references, **options)
        return float(self.segment(choose_reference(self, self.statistics(batch)))[0])


def choose_reference(metric: Metric, rows: Array, choice: str = "closest") -> Array:
    """Reduce the statistics of several references to one row per segment.

    The shape ``[segments, references, k]`` becomes ``[segments, k]``. If ``choice`` is ``closest``, each segment
    keeps the row of the reference with which it scores best. If it is ``average``, the segment gets the mean of the
    rows of all references with which it has a score.
    """
    if rows.shape[1] == 1:
        return rows[:, 0]
    scores = metric.segment(rows)
    defined = ~np.isnan(scores)
    if choice == "average":
        defined |= ~defined.any(axis=1, keepdims=True)
        result: Array = np.where(defined[..., None], rows, 0.0).sum(axis=1) / defined.sum(axis=1)[:, None]
        return result
    best = np.argmax(np.where(defined, scores, -np.inf), axis=1)
    return np.take_along_axis(rows, best[:, None, None], axis=1)[:, 0]


class RatioMetric(Metric):
    """A metric whose segment and corpus scores are its first statistic divided by its second.

    The score is undefined if both statistics are 0.
    """

    def segment(self, rows: Array) -> Array:
        """Return the first statistic divided by the second, or NaN if both are 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Array = np.asarray(rows[..., 0] / rows[..., 1])
        return result


class MeanMetric(RatioMetric):
    """A metric whose corpus score is the (weighted) mean of its segment scores.

    The statistics of a segment with the score x and the weight w are ``(w·x, w)``. They are ``(0, 0)`` for a segment
    without a score, so such a segment does not affect the mean.
    """

    columns = ("total", "weight")


class MeanOfParts(RatioMetric):
    """A combined metric whose corpus score and components are all means over segments."""

    columns = ("total", "weight", "order", "lexical", "brevity")

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return the means over segments of the order part, the lexical part and the brevity penalty."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return {name: sums[..., 2 + i] / sums[..., 1] for i, name in enumerate(self.columns[2:])}


def mean_rows(values: Array, weights: Array) -> Array:
    """Return the statistics ``(w·x, w)`` for scores x and weights w, or ``(0, 0)`` where a score is NaN.

    >>> mean_rows(np.array([0.5, np.nan]), np.array([2.0, 3.0])).tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """
    defined = ~np.isnan(values)
    weight = np.where(defined, weights, 0.0)
    return np.stack([np.where(defined, values, 0.0) * weight, weight], axis=-1)


class OrderMetric(MeanMetric):
    """A metric that scores a permutation by comparing it with the identity.

    >>> from wordorder.metrics import metric
    >>> metric("kendall")("1 2 4 3")
    0.8333333333333334
    >>> metric("kendall")("2 1 3", reference="1 3 2")     # ranks of the same source words in two orders
    0.3333333333333333
    >>> metric("kendall")("sat the cat", "the cat sat")     # words
    0.3333333333333333
    """

    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORDER})

    @abstractmethod
    def values(self, orders: Orders) -> Array:
        """Return the score of each order; the score of an empty order is NaN."""

    def statistics(self, batch: Batch) -> Array:
        """Return ``(w·x, w)`` for each segment and reference, where x is the score and w the weight."""
        means = [mean_rows(self.values(orders), batch.weights[:, r]) for r, orders in enumerate(batch.orders)]
        return np.stack(means, axis=1)

    @overload
    def __call__(self, order: Permutation | str, reference: Permutation | str | None = None) -> float: ...
    @overload
    def __call__(self, order: Permutations, reference: Permutations | None = None) -> Array: ...
    def __call__(
        self, order: Permutation | str | Permutations, reference: Permutation | str | Permutations | None = None
    ) -> float | Array:
        """Score one order, or each order of a column, by comparing it with the identity or with a reference order.

        Two texts with letters are a hypothesis and a reference, of which the words that match are compared.
        """
        if isinstance(order, str) and isinstance(reference, str) and any(map(str.isalpha, order + reference)):
            return float(super().__call__(order, reference))
        column = order if isinstance(order, Permutations) else Permutations.of([order])
        if reference is not None:
            other = reference if isinstance(reference, Permutations) else Permutations.of([reference])
            column = column.relative_to(other)
        values = self.values(Orders(column))
        return values if isinstance(order, Permutations) else float(values[0])
