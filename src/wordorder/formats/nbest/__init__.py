"""N-best lists and sampled translations, with one module per format; the format is never guessed."""

from collections.abc import Iterator
from importlib import import_module
from inspect import signature
from typing import Any

from wordorder.core.runtime.errors import UsageError, check_choice
from wordorder.core.runtime.files import Path, display_name
from wordorder.core.text.tokenizers import refuse_long_sentences
from wordorder.formats.nbest.hypotheses import Hypotheses

NBEST_FORMATS = {
    "moses": "'id ||| hypothesis ||| features ||| total' (Moses, Joshua, Z-MERT)",
    "marian": "the same with alignments and word scores before the features (Marian)",
    "fairseq": "lines H- D- P- A- (fairseq-generate)",
    "lines": "a fixed number of lines per sentence (OpenNMT, eole)",
    "jsonl": "JSON objects, one per line (Sockeye, CTranslate2, other dumps)",
}
"""All formats of n-best lists by name."""


def read_blocks(path: Path, *, format: str = "moses", **options: Any) -> Iterator[Hypotheses]:
    """Read an n-best list of any format in blocks of hypotheses; options that are None or False are ignored."""
    check_choice(format, NBEST_FORMATS, "format of n-best lists")
    read = import_module(f"wordorder.formats.nbest.{format}").read_blocks
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    for name in given:
        if name not in signature(read).parameters:
            raise UsageError(f"n-best lists in {format} format have no option {name.replace('_', ' ')!r}")
    return _without_long_sentences(read(path, **given), path)


def _without_long_sentences(blocks: Iterator[Hypotheses], path: Path) -> Iterator[Hypotheses]:
    for block in blocks:
        refuse_long_sentences(block.texts, display_name(path), block.lines, tokenizer="none")
        yield block
