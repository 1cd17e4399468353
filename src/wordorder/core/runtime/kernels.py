"""Decorators for compiled functions, which are called kernels.

A kernel is a Python function over arrays that numba compiles. It releases the interpreter lock, so that threads run
in parallel, and the compiled code is cached on disk, so that only the first run is slow. The options ``parallel`` and
``fastmath`` are never used, because the last digits of results would then depend on the number of threads.

With ``NUMBA_DISABLE_JIT=1``, kernels run as plain Python, which is useful in a debugger or for a few sentences: the
numbers are the same and nothing is compiled, but the code is a hundred times slower. ``wordorder demo`` runs this
way.

A kernel may call kernels and use constants from other files. numba's own cache would not notice changes to these, so
they are part of the key under which this module stores compiled code.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import linecache
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.types import unliteral

from wordorder.core.runtime.drafts import open_draft

Function = TypeVar("Function", bound=Callable[..., Any])

_CONSTANTS = (int, float, complex, str, bytes, tuple, np.generic, np.ndarray)


def kernel(function: Function) -> Function:
    """Compile ``function`` at its first call, and cache the compiled code on disk if the cache folder is writable."""
    return _compile(function, {})


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call; leaving out its Python wrapper makes compilation 20% faster."""
    return _compile(function, {"no_cpython_wrapper": True})


def _compile(function: Function, options: dict[str, Any]) -> Function:
    options = {"no_cfunc_wrapper": True, **options}
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba creates its settings at run time
        np.seterr(all="ignore")  # as in compiled code, hashes overflow and undefined values are NaN
        return function
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    compiled._cache = _CacheOnFirstUse(compiled)
    compiled._compiler.compile = _without_collecting(compiled._compiler.compile)
    find_template = compiled.get_call_template

    def find_without_constants(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Find the compiled version for a call from another kernel, ignoring which arguments are constants.

        numba itself would compile a separate version for each constant argument.
        """
        plain: Callable[[Any], Any] = unliteral
        return find_template(tuple(map(plain, arguments)), {key: plain(kind) for key, kind in named.items()})

    compiled.get_call_template = find_without_constants
    return cast(Function, compiled)


@cache
def announce_compilation() -> None:
    """Print a note that the first run is slow because it compiles code, but only once and only on a terminal."""
    if sys.stderr.isatty():
        print(
            "wordorder: the first run of this kind compiles code, which can take a minute; later runs start at once",
            file=sys.stderr,
        )


def _without_collecting(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls ``work`` with garbage collection switched off.

    Compilation creates millions of objects and keeps most of them, so garbage collection would only waste time.
    """

    def run(*arguments: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return work(*arguments)
        finally:
            if collecting:
                gc.enable()

    return run


class _CacheOnFirstUse(NullCache):
    """A cache that is set up when its kernel is first called, since most kernels in a file are never called."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Find the cache folder and return the compiled code stored there, or None if there is none."""
        try:
            self._compiled._cache = _KernelCache(self._compiled.py_func)
        except RuntimeError:  # no folder is writable
            self._compiled._cache = NullCache()
        loaded = self._compiled._cache.load_overload(signature, context)
        if loaded is None:
            announce_compilation()
        return loaded


class _KernelCache(FunctionCache):
    """numba's cache for one kernel; its key also covers the constants and kernels used from other files."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file.__class__ = _KernelFiles

    def save_overload(self, signature: Any, data: Any) -> None:
        """Store compiled code; ignore write errors such as a full disk."""
        with contextlib.suppress(OSError):
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load compiled code, importing only those parts of numba that are needed to run it.

        numba's own cache first refreshes the context, which imports the whole compiler and takes half a second. The
        compiler refreshes the context itself if it is needed later.
        """
        rtsys.initialize(context)  # the functions that allocate and free arrays
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)  # type: ignore[no-untyped-call]

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        key = super()._index_key(signature, codegen)  # type: ignore[no-untyped-call]
        return (*key, _digest_of_globals(self._py_func))


class _KernelFiles(IndexDataCacheFile):
    """The cache files of a kernel; damaged files are ignored, and a termination signal deletes incomplete ones."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:  # pickle can raise anything for a damaged file
            return {}

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)  # type: ignore[no-untyped-call]
        except Exception as error:
            raise OSError(f"the compiled kernel in {name} is damaged") from error  # numba then compiles again

    def _open_for_write(self, path: str) -> Any:
        return open_draft(path)


@cache
def _digest_of_globals(function: Callable[..., Any]) -> str:
    """Return a digest of the constants that a kernel uses and of the source files of the kernels that it calls.

    Kernels that it calls only indirectly are included.
    """
    digest = hashlib.blake2b(digest_size=16)
    reached = [function]
    for user in reached:  # the list grows during the loop
        for name in sorted(set(_names(user.__code__))):
            value = user.__globals__.get(name)
            if isinstance(value, Dispatcher):
                if value.py_func not in reached:
                    reached.append(value.py_func)
                    digest.update(_digest_of_file(value.py_func))
            elif isinstance(value, _CONSTANTS):
                content = repr(value).encode()
                if isinstance(value, np.ndarray):
                    content = f"{value.dtype}{value.shape}".encode() + value.tobytes()
                digest.update(b"%s=%s;" % (name.encode(), content))
    return digest.hexdigest()


def _digest_of_file(function: Callable[..., Any]) -> bytes:
    # linecache also finds modules in a zip file, and reads each file only once.
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    return hashlib.blake2b("".join(lines).encode(), digest_size=16).digest()


def _names(code: CodeType) -> Iterator[str]:
    """Yield the global names and attributes used by the code and by the comprehensions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


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
