"""Libraries that take long to import or are optional: each is imported when something in it is first used."""

from importlib import import_module
from typing import Any

from wordorder.core.runtime.errors import UsageError


class _Library:
    """A module that stands for one that is imported later."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


pa: Any = _Library("pyarrow")
pc: Any = _Library("pyarrow.compute")
pq: Any = _Library("pyarrow.parquet")
stats: Any = _Library("scipy.stats")
special: Any = _Library("scipy.special")


def optional(module: str, extra: str) -> Any:
    """Import an optional library; if it is missing, raise an error that names the extra that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"{module} is not installed; install it in the clone with: pip install '.[{extra}]'") from None
