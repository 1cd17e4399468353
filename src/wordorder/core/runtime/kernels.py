"""The decorators for compiled code.

A kernel is a Python function over arrays that numba compiles. It releases the interpreter lock, so that threads run
in parallel, and the compiled code is cached on disk, so that only the first run is slow. The options ``parallel`` and
``fastmath`` are never used, because with them the last digits would depend on the number of threads.

With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python, for a debugger or for a few sentences: the numbers are the
same, nothing is compiled, and the code is a hundred times slower. ``wordorder demo`` runs like this.

A kernel may call kernels and use constants of other files. numba's own cache would not notice if these change, so
they are part of the key under which compiled code is stored here.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import linecache
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
from wordorder.core.runtime.progress import announce_compilation

Function = TypeVar("Function", bound=Callable[..., Any])

_CONSTANTS = (int, float, complex, str, bytes, tuple, np.generic, np.ndarray)


def kernel(function: Function) -> Function:
    """Compile ``function`` at its first call; use the cache on disk if there is a writable folder for it."""
    return _compile(function, {})


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call; without a wrapper for Python this takes a fifth less time."""
    return _compile(function, {"no_cpython_wrapper": True})


def _compile(function: Function, options: dict[str, Any]) -> Function:
    options = {"no_cfunc_wrapper": True, **options}
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba creates its settings at run time
        np.seterr(all="ignore")  # like compiled code: hashes overflow, undefined values are NaN
        return function
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    compiled._cache = _CacheOnFirstUse(compiled)
    compiled._compiler.compile = _without_collecting(compiled._compiler.compile)
    find_template = compiled.get_call_template

    def find_without_constants(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Share one compiled version between calls by kernels; numba would make one per constant argument."""
        plain: Callable[[Any], Any] = unliteral
        return find_template(tuple(map(plain, arguments)), {key: plain(kind) for key, kind in named.items()})

    compiled.get_call_template = find_without_constants
    return cast(Function, compiled)


def _without_collecting(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``work`` with garbage collection switched off: compiling makes millions of objects and keeps most."""

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
    """A cache that is set up at the first call of its kernel, since a process uses few of the kernels of a file."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Find the folder of the cache and load the compiled code from it."""
        try:
            self._compiled._cache = _KernelCache(self._compiled.py_func)
        except RuntimeError:  # no folder is writable
            self._compiled._cache = NullCache()
        loaded = self._compiled._cache.load_overload(signature, context)
        if loaded is None:
            announce_compilation()
        return loaded


class _KernelCache(FunctionCache):
    """numba's cache of one kernel, with the constants and kernels of other files that it uses in the key."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file.__class__ = _KernelFiles

    def save_overload(self, signature: Any, data: Any) -> None:
        """Store compiled code; ignore a full disk."""
        with contextlib.suppress(OSError):
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load compiled code with only those parts of numba that are needed to run it.

        numba's own cache first refreshes the context, which imports the whole compiler and takes half a second. The
        compiler does this itself if it is needed later.
        """
        rtsys.initialize(context)  # the functions that allocate and free arrays
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)  # type: ignore[no-untyped-call]

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        key = super()._index_key(signature, codegen)  # type: ignore[no-untyped-call]
        return (*key, _digest_of_globals(self._py_func))


class _KernelFiles(IndexDataCacheFile):
    """The cache files of a kernel; damaged files are ignored, and drafts are deleted after a signal."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:  # pickle can raise anything for a damaged file
            return {}

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)  # type: ignore[no-untyped-call]
        except Exception as error:
            raise OSError(f"{name} is damaged") from error  # numba then compiles again

    def _open_for_write(self, path: str) -> Any:
        return open_draft(path)


@cache
def _digest_of_globals(function: Callable[..., Any]) -> str:
    """Return a digest of the constants a kernel uses and of the files of the kernels it calls, directly or not."""
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
    """Yield the global names and attributes that the code uses, including the comprehensions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
