"""Kernels that only kernels call, made callable for tests."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numba

import wordorder.core.runtime.compilation  # noqa: F401  # so that numba knows kernels

Function = TypeVar("Function")


def from_python(inner: Function) -> Function:
    """Give an inner kernel a way in from Python."""

    @numba.njit
    def call(*arguments: Any) -> Any:
        return inner(*arguments)  # type: ignore[operator]

    return cast(Function, call)
