"""Decorators for kernels: functions over arrays that are compiled where this saves time.

numba compiles a kernel. It releases the interpreter lock, so that threads run in parallel, and the compiled code is
cached on disk, so that only the first run is slow. The options ``parallel`` and ``fastmath`` are never used, because
the last digits of results would then depend on the number of threads.

A small amount of work is done in plain Python, with the same results, because importing numba and loading compiled
code takes a third of a second, and compiling takes many seconds. The amount is judged by the shapes of the arrays;
the limit is lower if compiled code is already on disk. After some time in plain Python, everything is compiled. With
``NUMBA_DISABLE_JIT=1``, kernels always run as plain Python, which is useful in a debugger; with
``NUMBA_DISABLE_JIT=0``, they are always compiled.

Kernels can use a mixing function for hashing, and an open-addressing hash table with 64-bit keys. A table consists of
an array of keys and an array of values. A slot counts as empty if its value is below ``least``. A caller that stores
increasing values can therefore clear the whole table at no cost by raising ``least``.

They can also use a Fenwick tree (Fenwick 1994), which counts the inserted positions below a given position. A tree
over n positions is an ``int32`` array, initially n + 1 zeros; inserting a position and counting positions take O(log
n) time each.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
Plain = TypeVar("Plain", bound=Callable[..., Any] | None)

_SWITCH = "NUMBA_DISABLE_JIT"


class _Patience(NamedTuple):
    """The limits beyond which kernels are compiled: the size of arrays, and the total seconds in plain Python."""

    items: int
    seconds: float


_TO_LOAD, _TO_COMPILE_MORE, _TO_COMPILE = _Patience(1000, 0.2), _Patience(1000, 0.6), _Patience(4000, 0.6)
_COMPILATION = "wordorder.core.runtime.compilation"
_BYTES = 8  # bytes of text that count as one item

_work = threading.local()
_spent = [0.0]


@cache
def _stored_in(folder: str) -> set[str]:
    """Return the names of the kernels whose compiled code is stored in a folder."""
    return {file.name.rpartition(".py")[0] for file in Path(folder).rglob("*.nbi")}


class Lazy:
    """A kernel that has not been compiled yet; its ``dispatcher``, which numba calls, is made when first needed."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.function = function
        self.plain: Callable[..., Any] | None = function
        self.items: int | None = None
        self._options = options

    @cached_property
    def dispatcher(self) -> Any:
        """numba's dispatcher, which loads or compiles the code."""
        from wordorder.core.runtime.compilation import compile_lazily

        return compile_lazily(self.function, self._options)

    @cached_property
    def _is_on_disk(self) -> bool:
        path = Path(self.function.__code__.co_filename)
        name = f"{path.stem}.{self.function.__qualname__}-{self.function.__code__.co_firstlineno}"
        return name in _stored_in(os.environ.get("NUMBA_CACHE_DIR", str(path.parent / "__pycache__")))

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel: as plain Python if there is little to do, otherwise compiled."""
        if getattr(_work, "plain", False):
            return self.function(*arguments)
        if self.plain is None or os.environ.get(_SWITCH) == "0" or not self._is_little(arguments):
            return self.dispatcher(*arguments)
        start = time.thread_time()
        _work.plain = True
        try:
            with np.errstate(all="ignore"):  # as in compiled code, hashes overflow and undefined values are NaN
                return self.plain(*arguments)
        finally:
            _work.plain = False
            _spent[0] += time.thread_time() - start

    def _is_little(self, arguments: tuple[Any, ...]) -> bool:
        more = _TO_COMPILE_MORE if _COMPILATION in sys.modules else _TO_COMPILE  # the next run finds what is stored
        items, seconds = _TO_LOAD if self._is_on_disk else more
        if self.items is not None and _COMPILATION not in sys.modules:
            items = self.items
        arrays = [each for each in arguments if isinstance(each, np.ndarray)]
        sizes = (max(each.shape) // (_BYTES if each.strides == (1,) else 1) for each in arrays)
        return _spent[0] <= seconds and max(sizes, default=0) <= items


def kernel(function: Function) -> Function:
    """Compile ``function`` when it first has much to do, and cache the compiled code on disk if possible."""
    if os.environ.get(_SWITCH) == "1":
        np.seterr(all="ignore")
        return function
    lazy = Lazy(function, {})

    @wraps(function)
    def run(*arguments: Any) -> Any:
        return lazy.__dict__.get("dispatcher", lazy)(*arguments)

    run.lazy = lazy  # type: ignore[attr-defined]
    return cast(Function, run)


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call; leaving out its Python wrapper makes compilation 20% faster."""
    if os.environ.get(_SWITCH) != "1":
        function.lazy = Lazy(function, {"no_cpython_wrapper": True})  # type: ignore[attr-defined]
    return function


def plain_form(kernel: Callable[..., Any], *, items: int | None = None) -> Callable[[Plain], Plain]:
    """Return a decorator for the plain Python function that replaces a kernel if there is little to do.

    If None is decorated instead of a function, the kernel is always compiled. A function without loops is fast for
    larger arrays, too: up to ``items``, it is faster than loading numba.
    """

    def replace(function: Plain) -> Plain:
        if hasattr(kernel, "lazy"):
            kernel.lazy.plain, kernel.lazy.items = function, items
        return function

    return replace


@inner_kernel
def longest_row(offsets: Any) -> Any:
    """Return the length of the longest row of a ragged column, or 0 if there are no rows.

    This is a loop because ``np.diff(offsets).max()`` would load numba's linear algebra, which takes a quarter of a
    second.
    """
    longest = 0
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest


@inner_kernel
def mix(state: np.uint64) -> np.uint64:
    """Scramble a 64-bit number with the output function of splitmix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@inner_kernel
def hash_table(entries: int | np.int64) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys and values of an empty table with room for ``entries`` keys; all values are −1."""
    size = 16
    while size < 2 * entries:
        size *= 2
    return np.empty(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)


@inner_kernel
def find_slot(
    keys: NDArray[np.int64], values: NDArray[np.int64], least: int | np.int64, key: int | np.int64
) -> np.int64:
    """Return the slot that holds a key, or the empty slot where it should be inserted."""
    mask = np.int64(len(keys) - 1)
    # Fibonacci hashing: the high bits of the product are well mixed.
    slot = ((np.int64(key) * np.int64(-7046029254386353131)) >> 32) & mask
    while values[slot] >= least and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@inner_kernel
def enter(tree: NDArray[np.int32], place: int | np.int64, size: int | np.int64) -> None:
    """Insert a position into a tree over ``size`` positions."""
    node = place + 1
    while node <= size:
        tree[node] += 1
        node += node & -node


@inner_kernel
def count_below(tree: NDArray[np.int32], place: int | np.int64) -> int:
    """Return the number of inserted positions below ``place``."""
    count = 0
    while place > 0:
        count += tree[place]
        place -= place & -place
    return count
