"""Docstrings as Markdown, for the pages of the Python interface: examples become code blocks, roles become code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_ROLE = re.compile(r":\w+:`([^`]+)`")


def as_markdown(text: str) -> str:
    """Put doctests into code blocks, and write ``:class:`` and the like as code.

    >>> print(as_markdown("Add, as :func:`sum` does.\\n\\n>>> 1 + 1\\n2").replace("```", "---"))
    Add, as `sum` does.
    <BLANKLINE>
    ---pycon
    >>> 1 + 1
    2
    ---
    """
    lines: list[str] = []
    inside = False
    for line in _ROLE.sub(r"`\1`", text).splitlines():
        if not inside and line.lstrip().startswith(">>> "):
            lines += ["", "```pycon"] if lines and lines[-1] else ["```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)


class Docstrings(Extension):
    """Turns every docstring while the package is read."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Turn the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
