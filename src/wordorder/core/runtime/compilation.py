"""Compilation of kernels with numba, which is imported only with this module, and the cache of compiled code.

A kernel may call kernels and use constants from other files. numba's own cache would not notice changes to these, so
they are part of the key under which this module stores compiled code.
"""

import contextlib
import gc
import hashlib
import linecache
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.runtime.nrt import rtsys
from numba.core.types import Array, unliteral
from numba.core.typing.typeof import typeof_impl
from numba.np.numpy_support import from_dtype, map_layout

from wordorder.core.runtime.drafts import open_draft
from wordorder.core.runtime.kernels import Lazy

_CONSTANTS = (int, float, complex, str, bytes, tuple, np.generic, np.ndarray)


def compile_lazily(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return numba's dispatcher for a kernel, which loads or compiles the code for each new combination of types."""
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
    compiled: Any = numba.njit(**options)(function)
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
    return compiled


@typeof_impl.register(FunctionType)
def _type_of_kernel(function: Callable[..., Any], context: Any) -> Any:
    """Return the numba type of a kernel that another kernel calls; None for any other function."""
    kernel = getattr(function, "lazy", None)
    return kernel.dispatcher._numba_type_ if isinstance(kernel, Lazy) else None


_type_of_any_array = typeof_impl.dispatch(np.ndarray)


@typeof_impl.register(np.ndarray)
def _type_of_array(array: Any, context: Any) -> Any:
    """Return the numba type of an array; numba's own function would import ``numpy.ma``."""
    if type(array) is not np.ndarray or array.dtype.kind not in "biuf":
        return _type_of_any_array(array, context)
    return Array(from_dtype(array.dtype), array.ndim, map_layout(array), readonly=not array.flags.writeable)


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
            if isinstance(kernel := getattr(value, "lazy", None), Lazy):
                if kernel.function not in reached:
                    reached.append(kernel.function)
                    digest.update(_digest_of_file(kernel.function))
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
