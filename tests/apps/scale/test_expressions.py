"""The language of conditions, beside Python's own evaluation of the same text."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.scale.expressions import Condition
from wordorder.core.runtime.errors import UsageError

NAMES = ("a", "b-c", "d_e", "anticipation:k=3")
PYTHON = {"b-c": "b_c", "anticipation:k=3": "anticipation"}

numbers = st.integers(0, 30).map(str) | st.sampled_from(["0.5", ".25", "1e1", "2."])
sums = st.recursive(
    numbers | st.sampled_from(NAMES),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", " - ", " * "]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"- {text}" if not text.startswith("-") else text),
    ),
    max_leaves=4,
)
comparisons = st.lists(sums, min_size=2, max_size=3).flatmap(
    lambda parts: st.lists(
        st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), min_size=len(parts) - 1, max_size=len(parts) - 1
    ).map(lambda signs: " ".join([parts[0], *(f"{s} {p}" for s, p in zip(signs, parts[1:], strict=True))]))
)
conditions = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" and ", " or "]), inner).map("".join),
        inner.map(lambda text: f"not ({text})"),
        inner.map(lambda text: f"({text})"),
    ),
    max_leaves=5,
)


@given(conditions, st.lists(st.tuples(*[st.integers(-3, 9)] * len(NAMES)), min_size=1, max_size=4))
@settings(max_examples=60)
def test_conditions_are_what_python_makes_of_them(text: str, rows: list[tuple[int, ...]]) -> None:
    columns = {name: pa.array([float(row[k]) for row in rows]) for k, name in enumerate(NAMES)}
    python = text
    for name, other in PYTHON.items():
        python = python.replace(name, other)
    expected = [
        bool(eval(python, {}, {PYTHON.get(name, name): float(row[k]) for k, name in enumerate(NAMES)})) for row in rows
    ]
    condition = Condition.parse(text)
    assert condition.mark(columns).to_pylist() == expected
    again = Condition.parse(str(condition))
    assert again.mark(columns).to_pylist() == expected
    assert str(again) == str(condition)
    parts = [part.mark(columns).to_pylist() for part in condition.parts()]
    assert [all(marks) for marks in zip(*parts, strict=True)] == expected


def test_undefined_is_neither_true_nor_false_unless_the_rest_decides() -> None:
    columns = {"a": pa.array([None, 1.0]), "b": pa.array([1.0, None])}
    for text, expected in (
        ("a > 0", [None, True]),
        ("not a > 0", [None, False]),
        ("a > 0 or b > 0", [True, True]),
        ("a > 0 and b < 0", [False, None]),
        ("a + b > 0", [None, None]),
        ("1 < 2", [True, True]),
    ):
        assert Condition.parse(text).mark(columns).to_pylist() == expected


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", "▸", "expected a name or a number, found the end"),
        ("kendall", "▸kendall", "expected a condition"),
        ("kendall > ", "> ▸", "expected a name or a number"),
        ("kendall >= .9 and pef", "▸pef", "expected a condition"),
        ("(a > 1", "1▸", "expected '\\)'"),
        ("a > 1 b", "▸b", "expected 'and', 'or' or the end"),
        ("(a > 1) + 2 > 3", "▸\\(a", "expected a number"),
        ("a = 1", "a ▸=", "unexpected character"),
        ("a > 1 & b", "▸&", "unexpected character"),
        ("__import__('os')", "▸__import__", "expected a condition"),
        ("not a", "▸a", "expected a condition"),
        ("(" * 60 + "a > 1", "▸\\(", "nested too deeply"),
    ],
)
def test_an_error_shows_the_place(text: str, place: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        Condition.parse(text)
    import re

    assert re.search(place, str(error.value))


@given(st.text(max_size=20) | st.text(alphabet="ab()<>=+-*/. 1andornot:", max_size=20))
@settings(max_examples=60)
def test_any_text_is_a_condition_or_an_error(text: str) -> None:
    try:
        found: Any = Condition.parse(text)
    except UsageError:
        return
    assert str(Condition.parse(str(found))) == str(found)


def test_numbers_are_written_in_full() -> None:
    assert str(Condition.parse(f"a > {math.pi!r}")) == f"a > {math.pi!r}"
    assert str(Condition.parse("a-1 > .50")) == "a - 1 > 0.5"
