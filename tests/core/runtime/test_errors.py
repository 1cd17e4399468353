"""Errors are one line a person can act on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError, choices, excerpt


def test_exit_codes() -> None:
    assert WordorderError.exit_code == 1
    assert InputError("x").exit_code == 1
    assert UsageError("x").exit_code == 2


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [("a.txt", 3, "a.txt:3: bad"), ("a.txt", None, "a.txt: bad"), (None, 3, "line 3: bad"), (None, None, "bad")],
)
def test_where_it_happened(path: str | None, line: int | None, expected: str) -> None:
    error = InputError("bad", path=path, line=line)
    assert str(error) == expected
    assert (error.message, error.path, error.line) == ("bad", path, line)


@given(st.text(), st.integers(1, 50))
def test_excerpts_stay_on_one_line_and_short(text: str, limit: int) -> None:
    shown = excerpt(text, limit=limit)
    assert len(shown.splitlines()) == 1
    assert len(shown) <= 10 * (limit + 1) + 2  # the longest escape of a character is \U with eight digits
    if len(text) <= limit:
        assert shown == repr(text)


def test_unknown_names_get_the_valid_ones() -> None:
    error = choices("zzz", ["one", "two"], what="policy")
    assert isinstance(error, UsageError)
    assert str(error) == "unknown policy 'zzz' (valid: one, two)"
    assert "did you mean 'one'?" in str(choices("oen", ["one", "two"], what="policy"))
