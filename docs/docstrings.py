"""Docstrings as Markdown, for the pages of the Python interface: examples become code blocks, roles become code.

A setting has no docstring but a declaration; its page shows the help and the choices that are declared.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from griffe import Docstring, Extension

from wordorder.core.runtime.settings import Setting, settings_of

_ROLE = re.compile(r":\w+:`([^`]+)`")
_OPTION = re.compile(r"--([a-z][a-z-]*)")


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


def describe_setting(known: Setting) -> str:
    """Return the help of a setting for readers of Python: with arguments instead of options, and the choices.

    >>> describe_setting(Setting("alignments, in the order of --ref", choices=("a", "b")))
    'alignments, in the order of `ref` (one of `a`, `b`)'
    """
    text = _OPTION.sub(lambda found: f"`{found[1].replace('-', '_')}`", known.help)
    listed = ", ".join(f"`{choice}`" for choice in known.choices)
    return f"{text} (one of {listed})" if listed else text


class Docstrings(Extension):
    """Turns every docstring while the package is read, and gives settings their help."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Turn the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)

    def on_attribute_instance(self, *, attr: Any, **_: Any) -> None:
        """Give a setting its help, its default and its plain type instead of its declaration."""
        declared = "setting(" in str(attr.value), "Setting(" in str(attr.annotation)
        if not any(declared) or not attr.parent.is_class:
            return
        owner = getattr(import_module(attr.parent.parent.path), attr.parent.name)
        attr.docstring = Docstring(describe_setting(settings_of(owner)[attr.name]), parent=attr)
        if declared[0]:
            attr.value = attr.value.arguments[0]
        else:
            attr.annotation = attr.annotation.slice.elements[0]
