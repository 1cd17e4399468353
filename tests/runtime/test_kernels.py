"""The kernel decorator works where nothing can be cached, and divides as numpy does."""

from __future__ import annotations

import math
from collections.abc import Callable

from wordorder.runtime.kernels import kernel


def test_a_kernel_without_a_place_for_its_cache_is_compiled_all_the_same() -> None:
    scope: dict[str, Callable[[float, float], float]] = {}
    exec(compile("def divide(a, b):\n    return a / b\n", "<nowhere>", "exec"), scope)
    divide = kernel(scope["divide"])
    assert divide(1.0, 4.0) == 0.25
    assert math.isnan(divide(0.0, 0.0))
    assert divide(1.0, 0.0) == math.inf
