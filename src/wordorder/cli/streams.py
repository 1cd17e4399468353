"""The standard streams of a command, through which nothing in a text or a name can control the terminal.

Standard error shows control characters and others that hide or reorder text as escapes. Standard output shows them as
spaces on a terminal; a file or a pipe gets the text as it is. Colours and progress bars are drawn by rich, which
writes to the stream below (``rich_proxied_file``).
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TextIO, cast

from wordorder.core.runtime.errors import UNPRINTABLE, escape


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Make the standard streams safe; a character that they cannot encode becomes an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (stream.errors == "strict" or stream.encoding.lower() != "utf-8"):
            stream.reconfigure(errors="backslashreplace")
    output, errors = _SafeStream(sys.stdout, lambda _: " "), _SafeStream(sys.stderr, escape)
    with contextlib.ExitStack() as kept:
        if sys.stdout.isatty():
            kept.enter_context(contextlib.redirect_stdout(cast(TextIO, output)))
        kept.enter_context(contextlib.redirect_stderr(cast(TextIO, errors)))
        try:
            yield
        finally:
            output.closed = errors.closed = True


class _SafeStream:
    """A text stream that replaces all characters that are not printable, except tabs and line breaks."""

    def __init__(self, stream: TextIO, spell: Callable[[str], str]) -> None:
        self.rich_proxied_file = stream
        self.closed = False  # at exit, colorama (of sacreBLEU) writes an escape to every stream that is open
        self._spell = spell

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(UNPRINTABLE.sub(lambda found: self._spell(found[0]), text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)
