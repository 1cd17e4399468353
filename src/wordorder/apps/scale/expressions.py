"""The language of filter conditions such as ``kendall >= .9 and (rquantity <= .2 or target_words < 5)``.

Conditions consist of names, numbers, ``+ - * /``, comparisons (also ``0.1 < x <= 0.4``), ``and``, ``or``, ``not`` and
parentheses. They are parsed here and computed by Arrow on whole columns; nothing is evaluated as Python. A
computation or comparison with an undefined value is undefined. An undefined condition counts as not satisfied.

The values that conditions can use are measures and metrics of each sentence pair, and columns of the corpus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wordorder.apps.profile.measures import count_cycles, find_largest_operators
from wordorder.core.orders import DEFAULT_POLICY, Alignments, order_against_source
from wordorder.core.reorderings.extraction import extract_sorted, rquantity
from wordorder.core.reorderings.links import sort_links
from wordorder.core.reorderings.reorderings import Reorderings
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, choices
from wordorder.core.runtime.libraries import pa, pc
from wordorder.metrics import METRICS, Batch, Metric, Need, metric

Columns = Mapping[str, Any]
"""Arrow columns of numbers by name."""

# A hyphen inside a name is part of it (kendall-sqrt); a minus sign is followed by a space, a digit or a sign.
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w.]*(?:-[^\W\d][\w.]*)*(?::[\w.]+=[\w.+-]+)*)"
    r"|(?P<sign><=|>=|==|!=|[-+*/()<>])"
    r"|(?P<end>$))"
)
_WORDS = ("and", "or", "not")
_COMPARED = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal"}
_COMPUTED = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_JOINED = {"and": "and_kleene", "or": "or_kleene"}
_BINDING = {"or": 1, "and": 2, "not": 3, "compare": 4, "+": 5, "-": 5, "*": 6, "/": 6, "minus": 7}
_DEEPEST = 40


@dataclass(frozen=True)
class Number:
    """A number in a condition."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:g}" if float(f"{self.value:g}") == self.value else repr(self.value)


@dataclass(frozen=True)
class Name:
    """A name in a condition; its value is a measure of a sentence pair."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Operation:
    """An operator and its operands in a condition."""

    operator: str
    operands: tuple[Expression, ...]

    def __str__(self) -> str:
        if self.operator in ("not", "minus"):
            (only,) = self.operands
            return f"{'not ' if self.operator == 'not' else '-'}{_inside(only, _binding(self))}"
        left, right = self.operands
        # Operators of equal precedence associate to the left; a comparison cannot be an operand of a comparison.
        bound = _binding(self)
        return f"{_inside(left, bound + (bound == 4))} {self.operator} {_inside(right, bound + 1)}"


Expression = Number | Name | Operation


def _binding(node: Expression) -> int:
    if not isinstance(node, Operation):
        return 8
    return _BINDING["compare" if node.operator in _COMPARED else node.operator]


def _inside(node: Expression, bound: int) -> str:
    return f"({node})" if _binding(node) < bound else str(node)


class Condition(NamedTuple):
    """A condition that is true, false or undefined for each pair.

    >>> condition = Condition.parse("kendall>=.9 and not (a<b<=2)")
    >>> str(condition), condition.names
    ('kendall >= 0.9 and not (a < b and b <= 2)', ('kendall', 'a', 'b'))
    >>> import pyarrow as pa
    >>> Condition.parse("a - 1 > 0").mark({"a": pa.array([1.0, 2.0, None])}).to_pylist()
    [False, True, None]
    """

    expression: Expression

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse a condition; if it is invalid, raise an error that shows where."""
        return cls(_Parser(text).parse())

    def __str__(self) -> str:
        return str(self.expression)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the condition, in order of appearance."""
        return tuple(dict.fromkeys(_names(self.expression)))

    def parts(self) -> list[Condition]:
        """Split the condition at every top-level ``and``."""

        def split(node: Expression) -> Iterator[Condition]:
            if isinstance(node, Operation) and node.operator == "and":
                for operand in node.operands:
                    yield from split(operand)
            else:
                yield Condition(node)

        return list(split(self.expression))

    def mark(self, columns: Columns) -> pa.Array:
        """Evaluate the condition for each row: true, false or, if undefined, null."""
        found = _compute(self.expression, columns)
        if isinstance(found, pa.Scalar):  # the condition contains no name
            return pa.array([found.as_py()] * len(next(iter(columns.values()))), pa.bool_())
        return found


def _names(node: Expression) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.name
    elif isinstance(node, Operation):
        for operand in node.operands:
            yield from _names(operand)


def _compute(node: Expression, columns: Columns) -> Any:
    if isinstance(node, Number):
        return pa.scalar(node.value, pa.float64())
    if isinstance(node, Name):
        return columns[node.name]
    operands = [_compute(operand, columns) for operand in node.operands]
    if node.operator == "not":
        return pc.invert(operands[0])
    if node.operator == "minus":
        return pc.negate(operands[0])
    return getattr(pc, {**_COMPARED, **_COMPUTED, **_JOINED}[node.operator])(*operands)


class _Parser:
    """A recursive-descent parser of conditions."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._depth = 0
        self._next()

    def parse(self) -> Expression:
        start = self._start
        found = self._expression()
        self._require(found, start, condition=True)
        if self._kind != "end":
            raise self._error("expected 'and', 'or' or the end of the condition")
        return found

    def _next(self) -> None:
        match = _TOKEN.match(self._text, self._place)
        if match is None:
            self._start = self._place + len(self._text[self._place :]) - len(self._text[self._place :].lstrip())
            self._kind, self._value = "sign", self._text[self._start]
            raise self._error("unexpected character")
        self._kind = str(match.lastgroup)
        self._start, self._value = match.start(self._kind), match[self._kind]
        if self._kind == "name" and self._value.lower() in _WORDS:
            self._kind, self._value = "word", self._value.lower()
        self._place = match.end()

    def _taken(self, value: str) -> bool:
        """If the next token is ``value``, consume it and return True; otherwise return False."""
        found = self._kind in ("sign", "word") and self._value == value
        if found:
            self._next()
        return found

    def _expression(self, lowest: int = 1) -> Expression:
        """Parse an expression whose operators bind at least as tightly as ``lowest``."""
        start = self._start
        found = self._prefix(lowest)
        chain: tuple[Expression, int] | None = None  # the last operand of a chain of comparisons, and its position
        while (bound := self._bound()) >= lowest:
            operator = self._value
            self._next()
            left, place = chain if chain is not None and operator in _COMPARED else (found, start)
            self._require(left, place, condition=operator in _JOINED)
            place = self._start
            right = self._expression(bound + 1)
            self._require(right, place, condition=operator in _JOINED)
            link = Operation(operator, (left, right))
            found = link if left is found else Operation("and", (found, link))
            chain = (right, place) if operator in _COMPARED else None
        return found

    def _bound(self) -> int:
        """Return the precedence of the next token, or 0 if it is not a binary operator."""
        if self._kind not in ("sign", "word") or self._value == "not":
            return 0
        return _BINDING["compare"] if self._value in _COMPARED else _BINDING.get(self._value, 0)

    def _prefix(self, lowest: int) -> Expression:
        """Parse a name, a number, an expression in parentheses, or a unary operator with its operand."""
        if lowest <= _BINDING["not"] and self._taken("not"):
            return self._operation("not", condition=True)
        if self._taken("-"):
            return self._operation("minus", condition=False)
        if self._kind in ("number", "name"):
            kind, value = self._kind, self._value
            self._next()
            return Number(float(value)) if kind == "number" else Name(value)
        if self._taken("("):
            inside = self._deeper(self._expression)
            if not self._taken(")"):
                raise self._error("expected ')'")
            return inside
        raise self._error("expected a name or a number")

    def _operation(self, operator: str, *, condition: bool) -> Expression:
        start = self._start
        operand = self._deeper(lambda: self._expression(_BINDING[operator]))
        self._require(operand, start, condition=condition)
        return Operation(operator, (operand,))

    def _deeper(self, read: Callable[[], Expression]) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("the expression is nested too deeply")
        found = read()
        self._depth -= 1
        return found

    def _require(self, node: Expression, start: int, *, condition: bool) -> None:
        """Raise an error unless the expression is a condition or, with ``condition=False``, a number."""
        is_condition = isinstance(node, Operation) and node.operator in (*_COMPARED, *_JOINED, "not")
        if is_condition != condition:
            self._start = start
            kind = "a condition, such as kendall >= 0.9" if condition else "a number"
            raise self._error(f"expected {kind}", found=str(node))

    def _error(self, message: str, *, found: str = "") -> UsageError:
        read = found or self._value
        what = repr(read) if read else "the end"
        where = f"{self._text[: self._start]}▸{self._text[self._start :]}"
        return UsageError(f"invalid condition at the position marked ▸ in '{where}': {message}, found {what}")


OFFERED = frozenset({Need.ORDER, Need.SOURCE_ORDER, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS})


@dataclass(frozen=True, eq=False)
class PairMeasures:
    """The measures of some sentence pairs; each measure is computed when it is first needed."""

    links: Alignments

    @cached_property
    def sorted(self) -> Alignments:
        """The alignments, with the links of each pair sorted by word positions."""
        return sort_links(self.links)

    @cached_property
    def batch(self) -> Batch:
        """The input for metrics, which compare the order of the source words in the target with the source order."""
        return Batch([order_against_source(self.links, policy=DEFAULT_POLICY)], alignments=self.links)

    @cached_property
    def reorderings(self) -> Reorderings:
        """The reorderings of each pair (Birch 2011)."""
        return extract_sorted(self.sorted)

    def widest(self, side: str) -> Floats:
        """Return the width of the widest reordering of each pair, or 0 if the pair has none."""
        widths = np.zeros(len(self.links))
        rows = np.repeat(np.arange(len(self.links)), np.diff(self.reorderings.offsets))
        np.maximum.at(widths, rows, self.reorderings.widths(side))
        return widths

    def score(self, chosen: Metric) -> Floats:
        """Score each pair with a metric; the score is NaN where undefined."""
        return chosen.segment(chosen.statistics(self.batch)[:, 0])


def _ratio(pairs: PairMeasures) -> Floats:
    one, two = (pairs.links.source_lengths.astype(float), pairs.links.target_lengths.astype(float))
    ratio: Floats = np.maximum(one, two) / np.maximum(np.minimum(one, two), 1)
    return ratio


MEASURES: dict[str, tuple[Callable[[PairMeasures], Any], str]] = {
    "source-words": (lambda pairs: pairs.links.source_lengths, "words of the source"),
    "target-words": (lambda pairs: pairs.links.target_lengths, "words of the target"),
    "length-ratio": (_ratio, "number of words on the longer side per word on the shorter side"),
    "links": (lambda pairs: np.diff(pairs.links.offsets), "links"),
    "rquantity": (lambda pairs: rquantity(pairs.reorderings, pairs.sorted), "RQuantity (Birch 2011)"),
    "rquantity-source": (
        lambda pairs: rquantity(pairs.reorderings, pairs.sorted, side="source"),
        "RQuantity with spans of source words",
    ),
    "reorderings": (lambda pairs: pairs.reorderings.lengths, "reorderings"),
    "widest": (lambda pairs: pairs.widest("target"), "target words in the widest reordering"),
    "widest-source": (lambda pairs: pairs.widest("source"), "source words in the widest reordering"),
    "crossings": (lambda pairs: pairs.links.crossings(), "pairs of links that cross"),
    "cycles": (lambda pairs: count_cycles(pairs.batch.orders[0].permutations)[0], "cycles in the order"),
    "longest-cycle": (lambda pairs: count_cycles(pairs.batch.orders[0].permutations)[1], "words in the longest cycle"),
    "largest-operator": (
        lambda pairs: find_largest_operators(pairs.batch.orders[0].permutations),
        "the largest simple operator; 0: binarisable",
    ),
}
"""Measures of a pair by name; conditions can also use the metrics that compare the word order with the source."""


def known_metrics() -> list[str]:
    """Return the names of the metrics that can be computed from links alone."""
    return [name for name, kind in METRICS.items() if kind.needs <= OFFERED and not kind.slow]


def resolve(name: str, columns: dict[str, pa.DataType]) -> str:
    """Find what a name in a condition refers to: a measure, a metric or a column of the corpus.

    Return the canonical name of the measure, the metric with its parameters, or the column with ``@`` in front.
    Underscores in names of measures and metrics are read as hyphens.
    """
    spelt = name.replace("_", "-") if ":" not in name else name
    if spelt in MEASURES:
        return spelt
    kind = spelt.partition(":")[0]
    if kind in METRICS and METRICS[kind].needs <= OFFERED:
        return str(metric(spelt))
    if name in columns and not pa.types.is_nested(columns[name]):
        return f"@{name}"
    raise choices(name, [*MEASURES, *known_metrics(), *columns], what="name in a condition")


def compute(name: str, pairs: PairMeasures) -> Floats:
    """Return the value of a measure or a metric for each pair; NaN where undefined."""
    if name in MEASURES:
        return np.asarray(MEASURES[name][0](pairs), np.float64)
    return pairs.score(metric(name))
