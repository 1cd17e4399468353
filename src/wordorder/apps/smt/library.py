"""File names, features and text conversion shared by training and translation with Thot."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import display_name
from wordorder.core.text import lower_lines, tokenise
from wordorder.formats.sources import text_blocks

DESCRIPTION = "system.json"
TRANSLATION_MODEL = "tm/src_trg"
LANGUAGE_MODEL = "lm/trg.lm"
START_WEIGHTS = "weights.tsv"

FEATURES = ("WordPenalty", "LM", "TargetLength", "Jump", "SourceSegments", "TM_0", "TM_1", "SentenceLength")
"""The features of Thot, in its own order: number of words, language model, lengths of target phrases, jumps in the
source, lengths of source phrases, phrase tables in both directions, and sentence length."""

START = dict.fromkeys(FEATURES[:-1], 1.0) | {FEATURES[-1]: 0.0}
"""The default weights of the features."""

# the separator of fields in phrase tables and n-best lists, and the brackets around links, with their replacements
_WRITTEN = {"|||": "<bars>", "({": "<open>", "})": "<close>"}
_READ = {written: word for word, written in _WRITTEN.items()}


def thot() -> ModuleType:
    """Import and return Thot; if it is not installed, raise UsageError and explain how to install it."""
    try:
        return import_module("thot")
    except ImportError:
        raise UsageError("Thot is not installed; install it with: pip install 'wordorder[smt]'") from None


def read_words(text: Any, *, tokenizer: str, lowercase: bool) -> Iterator[list[str]]:
    """Yield the words of each line, replacing words and characters that Thot cannot read."""
    for block in text_blocks(text):
        (tokens,) = tokenise([lower_lines(block) if lowercase else block], tokenizer=tokenizer)
        for row in range(len(tokens)):
            yield [_WRITTEN.get(word, word.replace("\0", "\ufffd")) for word in tokens.words(row)]


def name_of(text: Any) -> str | None:
    """Return the file name of a text, or None if the text is not a file."""
    return display_name(text) if isinstance(text, (str, os.PathLike)) else None


def join_words(words: Sequence[str]) -> str:
    """Join words from Thot into a line, restoring the words that :func:`read_words` replaced."""
    return " ".join(_READ.get(word, word) for word in words)


def digest_of_models(folder: Path) -> str:
    """Return a digest of the models in the folder of a system; Thot trusts every byte of them."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.glob("[lt]m/*")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()
