"""The one decorator for compiled code.

A kernel is plain Python over arrays, compiled by numba. It releases the interpreter lock, so threads help, and
it is cached on disk, so the second run starts at once. A kernel may call only kernels of its own file: numba's
cache does not notice a change in another file. ``parallel`` and ``fastmath`` are never used: they would let the
last digits depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile ``function``; where no folder can hold the cache, compile it anew in every process."""
    try:
        return cast(Function, numba.njit(nogil=True, cache=True, error_model="numpy")(function))
    except RuntimeError:
        return cast(Function, numba.njit(nogil=True, error_model="numpy")(function))
