"""Packages whose public names stand in a stub, ``__init__.pyi``; each name is loaded on first use."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from os.path import dirname, join
from types import ModuleType
from typing import Any


def names_in_stub(package: str) -> dict[str, str]:
    """Return the public names of a package, each with the module that it is in.

    >>> names_in_stub("wordorder.core.reorderings")["extract"]
    'wordorder.core.reorderings.extraction'
    """
    module: Any = sys.modules[package]
    stub = module.__loader__.get_data(join(dirname(module.__file__), "__init__.pyi")).decode()
    return {name: source for source, name in re.findall(r"^from (\S+) import (\S+)", stub, re.MULTILINE)}


class _Package(ModuleType):
    """A package in which a public name is never hidden by the submodule of the same name, which Python sets."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, which loads the public names of a package, with its ``__dir__`` and ``__all__``."""
    sources = names_in_stub(package)
    names = sorted(sources)

    def load(name: str) -> Any:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(sources[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    sys.modules[package].__class__ = _Package
    return load, lambda: names, names
