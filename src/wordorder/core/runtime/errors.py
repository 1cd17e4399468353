"""Errors a person can act on: one line with the file, the line, what was found and what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable

_MOST_NAMES = 12
_MENTION = re.compile("\x02([a-z_]+)(?:=([^\x00-\x1f]*))?\x03")
_CONTROL = re.compile(f"({_MENTION.pattern})|[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def mention(setting: str, value: object = None) -> str:
    """Mention a setting in a message; whoever prints the message spells it as the caller does.

    >>> print(UsageError(f"use {mention('tokenize', 'zh')}"))
    use tokenize='zh'
    >>> UsageError(f"use {mention('tokenize', 'zh')} and {mention('lowercase', True)}").spelled(spell_option)
    'use --tokenize zh and --lowercase'
    """
    return f"\x02{setting}\x03" if value is None else f"\x02{setting}={value}\x03"


def spell_argument(setting: str, value: str | None) -> str:
    """Spell a setting as an argument in Python: ``tokenize='zh'``, or ``source`` without a value."""
    if value is None:
        return setting
    return f"{setting}={value if value in ('True', 'False') or value.lstrip('-').isdigit() else repr(value)}"


def spell_option(setting: str, value: str | None) -> str:
    """Spell a setting as an option of the command line: ``--tokenize zh``, ``--join-subwords``, ``--no-cache``."""
    name = setting.replace("_", "-")
    if value == "False":
        return f"--no-{name}"
    return f"--{name}" if value in (None, "True") else f"--{name} {value}"


Spell = Callable[[str, str | None], str]


class _Message:
    """A message that can be spelled in two ways; it is one line, and control characters in it become escapes."""

    args: tuple[str, ...]

    def __str__(self) -> str:
        return self.spelled(spell_argument)

    def spelled(self, spell: Spell) -> str:
        """Return the message with the settings that it mentions as ``spell`` writes them."""
        text = _CONTROL.sub(lambda found: found[1] or repr(found[0])[1:-1], str(self.args[0]) if self.args else "")
        return _MENTION.sub(lambda found: spell(found[1], found[2]), text)


class WordorderError(_Message, Exception):
    """Base of every error wordorder raises on purpose; the command line prints it without a traceback.

    The message is one line: control characters, which a file may hold, are written as escapes.

    >>> print(WordorderError("unknown column 'a\\x1b[31m'"))
    unknown column 'a\\x1b[31m'
    """

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(message)


class InputError(WordorderError):
    """The content of a file or value is not what it should be.

    >>> str(InputError("2 appears twice", path="orders.txt", line=7))
    'orders.txt:7: 2 appears twice'
    >>> str(InputError("2 appears twice", line=7))
    'line 7: 2 appears twice'
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        self.message = message
        self.path = path
        self.line = line
        place = None if line is None else f"line {line}" if path is None else str(line)
        where = "".join(f"{part}:" for part in (path, place) if part is not None)
        super().__init__(f"{where} {message}" if where else message)


class LengthError(InputError):
    """Links or lengths do not fit the sentences they belong to: the words were cut differently, as a rule."""


class InputWarning(_Message, UserWarning):
    """The content of a file can be read but is probably meant otherwise; the command line prints it as one line."""


class UsageError(WordorderError):
    """A wrong argument, an unknown metric or a missing file."""

    exit_code = 2


def excerpt(found: str, *, limit: int = 40) -> str:
    """Quote what was found in an error message, shortened so that the message stays one line.

    >>> excerpt("a" * 100, limit=5)
    "'aaaaa…'"
    """
    return repr(found if len(found) <= limit else found[:limit] + "…")


def mistyped(what: str, found: object, *, expected: str) -> UsageError:
    """Build the error for an argument that is of another type than expected.

    >>> str(mistyped("seed", 1.5, expected="a whole number"))
    'seed must be a whole number, not 1.5 (float)'
    """
    shown = excerpt(found) if isinstance(found, str) else excerpt(str(found))[1:-1]
    return UsageError(f"{what} must be {expected}, not {shown} ({type(found).__name__})")


def choices(found: object, valid: list[str], *, what: str, listing: str | None = None) -> UsageError:
    """Build the error for an unknown name: what was found and every name that would have been right.

    Where these are more than a dozen, ``listing``, what lists them all, is named in their place. Of near names, one
    with two neighbouring letters swapped is nearest.

    >>> str(choices("kendal", ["kendall", "hamming"], what="metric"))
    "unknown metric 'kendal'; did you mean 'kendall'? (valid: kendall, hamming)"
    >>> str(choices("pfe", ["pet", "pef"], what="metric"))
    "unknown metric 'pfe'; did you mean 'pef'? (valid: pet, pef)"
    """
    import difflib

    name = str(found)
    known = {part.lower(): name for name in valid for part in (*name.split("/"), name)}
    low = name.lower()
    swapped = (low[:place] + low[place : place + 2][::-1] + low[place + 2 :] for place in range(len(low) - 1))
    near = [known[one] for one in swapped if one in known]
    near = near or difflib.get_close_matches(name, valid, n=1)
    near = near or [known[one] for one in difflib.get_close_matches(low, known, n=1)]
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if not valid:
        return UsageError(f"unknown {what} {found!r} (there are none)")
    names = f"valid: {', '.join(valid)}" if listing is None or len(valid) <= _MOST_NAMES else f"{listing} lists them"
    return UsageError(f"unknown {what} {found!r}{hint} ({names})")
