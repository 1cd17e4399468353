"""Libraries that take long to import or are optional: each is imported when something in it is first used."""

import sys
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

from wordorder.core.runtime.errors import UsageError

_lock = RLock()


class _Library:
    """A module that stands for one that is imported later."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        with _lock:
            return getattr(self._load(), name)

    def _load(self) -> ModuleType:
        return import_module(self._name)


class _Functions(_Library):
    """The compiled functions of ``scipy.special``, which load ten times as fast without the rest of the package."""

    def _load(self) -> ModuleType:
        compiled = f"{self._name}._ufuncs"
        if compiled in sys.modules:
            return sys.modules[compiled]
        package = ModuleType(self._name)
        package.__path__ = [f"{folder}/special" for folder in import_module("scipy").__path__]
        found = sys.modules.setdefault(self._name, package)
        try:
            return import_module(compiled)
        except ImportError:
            pass  # another release of scipy may have other files
        finally:
            if found is package:
                del sys.modules[self._name]
        return super()._load()


pa: Any = _Library("pyarrow")
pc: Any = _Library("pyarrow.compute")
pq: Any = _Library("pyarrow.parquet")
stats: Any = _Library("scipy.stats")
special: Any = _Functions("scipy.special")


def optional(module: str, extra: str) -> Any:
    """Import an optional library; if it is missing, raise an error that names the extra that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"{module} is not installed; install it with: pip install 'wordorder[{extra}]'") from None
