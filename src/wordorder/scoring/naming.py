"""What people give, named: systems as a mapping from name to file or data, references as a list."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from wordorder.runtime.errors import UsageError
from wordorder.scoring.inputs import TextInputs

Source = TypeVar("Source")


def system_name(path: str | os.PathLike[str]) -> str:
    """Name a system after its file, without ``.gz`` and ``.txt``.

    >>> system_name("runs/online-A.txt.gz")
    'online-A'
    """
    name = os.path.basename(os.fspath(path))
    return name.removesuffix(".gz").removesuffix(".txt") or os.fspath(path)


def named(sources: Mapping[str, Source] | Source) -> dict[str, Source]:
    """Give systems by name; a single file is named after itself, anything else is just ``system``."""
    if isinstance(sources, Mapping):
        if not sources:
            raise UsageError("no system to score")
        return dict(sources)
    if isinstance(sources, (str, os.PathLike)):
        return {system_name(sources): cast(Source, sources)}
    return {"system": sources}


def listed(references: Any, *, of: type | tuple[type, ...]) -> list[Any]:
    """Give a list of references: a file, a column or a list of sentences (of type ``of``) is one of them.

    >>> listed(["a b", "c"], of=str), len(listed([["a b"], ["c d"]], of=str))
    ([['a b', 'c']], 2)
    """
    if references is None or (isinstance(references, (list, tuple)) and not references):
        return []
    several = isinstance(references, (list, tuple)) and not isinstance(references[0], of)
    return list(references) if several else [references]


def linked(sources: Mapping[str, Source] | Source | None, texts: TextInputs) -> dict[str, Source] | None:
    """Name the alignments or parses of systems; those of an only system need no name."""
    if sources is None:
        return None
    if len(texts.systems) == 1 and not isinstance(sources, Mapping):
        return {next(iter(texts.systems)): sources}
    return named(sources)
