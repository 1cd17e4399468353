"""The output of ``wordorder --version``; ``--verbose`` adds the versions of everything that may affect results."""

import os
import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from wordorder.version import __version__

_NAME = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w-]+)["']""")
_NOT_OURS = ("bench", "dev", "docs")
"""Extras that are not listed, because they are meant for developers of the project."""


def about(*, verbose: bool) -> str:
    """Return the version; if ``verbose``, add lines for Python, the machine, all libraries and the cache folder."""
    title = f"wordorder {__version__}"
    if not verbose:
        return title
    from wordorder.core.runtime.cache import cache_folder

    machine = f"{platform.system()} {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    lines = [title, f"Python: {python}, {machine}, {os.cpu_count()} processors"]
    for kind, names in _packages().items():
        lines.append(f"{kind}: {', '.join(f'{name} {_version(name)}' for name in names)}")
    return "\n".join([*lines, f"cache: {cache_folder()}"])


def _packages() -> dict[str, list[str]]:
    """Return the required packages and those of every extra, read from the metadata of the installed package."""
    found: dict[str, list[str]] = {"packages": ["llvmlite"]}
    for name, extra in _requirements():
        if name != "wordorder" and extra not in _NOT_OURS:
            found.setdefault(f"extra {extra}" if extra else "packages", []).append(name)
    return {kind: sorted(names, key=str.lower) for kind, names in found.items()}


def _requirements() -> Iterator[tuple[str, str]]:
    try:
        needed = requires("wordorder") or []
    except PackageNotFoundError:  # run from the source folder without being installed
        needed = []
    for requirement in needed:
        name, extra = _NAME.match(requirement), _EXTRA.search(requirement)
        if name is not None:
            yield name[0], extra[1] if extra else ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
