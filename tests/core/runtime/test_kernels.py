"""The kernel decorator works where nothing can be cached, divides as numpy does, and never runs stale code."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wordorder.core.runtime.kernels import kernel

HELPERS = """
import numpy as np
from wordorder.core.runtime.kernels import kernel
FACTOR = 10
WEIGHTS = np.array([1, 2, 3])
@kernel
def shift(x):
    return x + 1
"""
USERS = """
import sys
from helpers import FACTOR, WEIGHTS, shift
from wordorder.core.runtime.kernels import kernel
@kernel
def inner(x):
    return FACTOR * shift(x) + WEIGHTS[-1]
@kernel
def outer(x):
    return sum([inner(y) for y in range(x, x + 1)])
print(outer(4), sum(outer.lazy.dispatcher.stats.cache_hits.values()))
"""
TWICE = """
import numpy as np
from wordorder.core.runtime.kernels import kernel
@kernel
def twice(values):
    return np.repeat(values, 2)
"""
USERS_OF_TWICE = """
import sys
import numpy as np
from helpers import twice
from wordorder.core.runtime.kernels import kernel
@kernel
def total(values):
    return twice(values).sum()
size = len(twice(np.arange(3)))
ready_to_compile = "numba.np.npyimpl" in sys.modules
print(total(np.arange(size)), int(ready_to_compile))
"""

LITTLE = """
import sys
import numpy as np
from wordorder.core.runtime.kernels import inner_kernel, kernel
@inner_kernel
def square(x):
    return x * x
@kernel
def total(values):
    found = values.dtype.type(0)
    for value in values:
        found += square(value)
    return found
numbers = np.full(5000, 1 << 63, np.uint64)
print(total(numbers[:5]), "numba" in sys.modules, total(numbers), "numba" in sys.modules, total(numbers[:5]))
"""


def run(folder: Path) -> tuple[int, int]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "users.py"], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    value, second = map(int, done.stdout.split())
    return value, second


@pytest.mark.slow
def test_cached_code_notices_a_change_in_another_file(tmp_path: Path) -> None:
    source = HELPERS
    (tmp_path / "helpers.py").write_text(source)
    (tmp_path / "users.py").write_text(USERS)
    assert [run(tmp_path), run(tmp_path)] == [(53, 0), (53, 1)]
    for old, new, value in (("FACTOR = 10", "FACTOR = 11", 58), ("2, 3]", "2, 4]", 59), ("x + 1", "x + 2", 70)):
        source = source.replace(old, new)
        (tmp_path / "helpers.py").write_text(source)
        assert run(tmp_path) == (value, 0)
    assert run(tmp_path) == (70, 1)


@pytest.mark.parametrize(
    ("switch", "imported"), [(None, "False True"), ("0", "True True"), ("1", "False False")], ids=str
)
def test_numba_is_imported_when_there_is_much_to_do(tmp_path: Path, switch: str | None, imported: str) -> None:
    (tmp_path / "little.py").write_text(LITTLE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": str(switch)}
    if switch is None:
        del environment["NUMBA_DISABLE_JIT"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "little.py"], cwd=tmp_path, env=environment, check=True, capture_output=True
    )
    before, after = imported.split()
    assert done.stdout.decode().split() == ["0", before, "0", after, "0"]


@pytest.mark.slow
def test_cached_code_is_loaded_without_the_compiler_which_can_still_follow(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text(TWICE)
    (tmp_path / "users.py").write_text(USERS_OF_TWICE)
    assert [run(tmp_path), run(tmp_path)] == [(30, 1), (30, 0)]
    (tmp_path / "users.py").write_text(USERS_OF_TWICE.replace("sum()", "sum() + 1"))
    assert run(tmp_path) == (31, 0)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("size", [0, 40])
def test_truncated_cached_code_is_made_anew(tmp_path: Path, ending: str, size: int) -> None:
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "users.py").write_text(USERS)
    assert run(tmp_path) == (53, 0)
    for stored in (tmp_path / "cache").rglob(f"*outer*.{ending}"):
        stored.write_bytes(stored.read_bytes()[:size])
    assert [run(tmp_path), run(tmp_path)] == [(53, 0), (53, 1)]
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_a_kernel_without_a_place_for_its_cache_is_compiled_all_the_same() -> None:
    scope: dict[str, Callable[[float, float], float]] = {}
    exec(compile("def divide(a, b):\n    return a / b\n", "<nowhere>", "exec"), scope)
    divide = kernel(scope["divide"])
    assert divide(1.0, 4.0) == 0.25
    assert math.isnan(divide(0.0, 0.0))
    assert divide(1.0, 0.0) == math.inf


def test_a_kernel_that_is_not_in_the_cache_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    announced = []
    monkeypatch.setattr("wordorder.core.runtime.compilation.announce_compilation", lambda: announced.append(1))
    scope: dict[str, Any] = {}
    exec(compile("def double(a):\n    return a + a\n", "<elsewhere>", "exec"), scope)
    double = kernel(scope["double"])
    assert (double(2), double(3)) == (4, 6)
    assert announced == [1]
