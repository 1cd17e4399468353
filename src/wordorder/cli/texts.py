"""Text files as the command line takes them: named systems, test sets with many texts, a hint about tokenisers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from wordorder.cli.arguments import named_files
from wordorder.runtime.errors import UsageError

_LOOKED_AT = 500


def text_files(hypotheses: list[str], references: list[str]) -> tuple[dict[str, Any], list[Any]]:
    """Resolve file arguments; an XML test set stands for all systems or all references in it."""
    from wordorder.formats import wmt_xml

    systems: dict[str, Any] = {}
    for name, path in named_files(hypotheses).items():
        found: dict[str, Any] = {name: path}
        if _is_xml(path):
            found = dict(wmt_xml.read(path).systems)
            if not found:
                raise UsageError(f"{path}: holds no system output (<hyp system=…>)")
        for system, text in found.items():
            if system in systems:
                raise UsageError(f"two systems are called {system!r}; name them: NAME=FILE")
            systems[system] = text
    gold: list[Any] = []
    for path in references:
        if _is_xml(path):
            texts = list(wmt_xml.read(path).references.values())
            if not texts:
                raise UsageError(f"{path}: holds no reference (<ref …>)")
            gold += texts
        else:
            gold.append(Path(path))
    return systems, gold


def warn_unsegmented(reference: Any, tokenizer: str) -> None:
    """Warn once if the text looks Chinese, Japanese or Thai but is split at blanks."""
    if tokenizer not in ("13a", "none", "intl"):
        return
    reference = Path(reference) if isinstance(reference, str) else reference
    if isinstance(reference, Path) and not reference.is_file():  # a pipe can be read only once
        return
    from itertools import islice

    from wordorder.formats import text
    from wordorder.text import looks_unsegmented

    if isinstance(reference, Path):
        reference = next(islice(text.read_blocks(reference, lines=_LOOKED_AT), 1))
    if looks_unsegmented(reference[:_LOOKED_AT]):
        print(
            f"wordorder: the text looks Chinese, Japanese or Thai, and {tokenizer} splits at blanks; "
            "consider --tokenize zh, ja-mecab or char",
            file=sys.stderr,
        )


def _is_xml(path: str) -> bool:
    return path.removesuffix(".gz").endswith(".xml")
