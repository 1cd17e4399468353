"""Errors with one-line messages that name the file, the line, what was found and what was expected."""

import contextlib
import re
from collections.abc import Callable, Collection, Iterator
from contextvars import ContextVar
from numbers import Real
from typing import Any

_MOST_NAMES = 12
_MENTION = re.compile("\x02([a-z_]+)(?:=([^\x00-\x1f]*))?\x03")

UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Characters that control a terminal, change the order of a line or hide text; tabs and line breaks are not included.

The joiners U+200C and U+200D are not included, either: Persian, Hindi and emoji need them.
"""

_CONTROL = re.compile(f"({_MENTION.pattern})|[\t\n]|{UNPRINTABLE.pattern}")


def escape(character: str) -> str:
    """Return the escape sequence of a character in Python: ``\\x1b``, ``\\u202e``."""
    return repr(character)[1:-1]


def mention(setting: str, value: object = None) -> str:
    """Return a placeholder for a setting in a message, to be printed as a Python argument or command-line option.

    >>> print(UsageError(f"use {mention('tokenize', 'zh')}"))
    use tokenize='zh'
    >>> UsageError(f"use {mention('tokenize', 'zh')} and {mention('lowercase', True)}").spelled(spell_option)
    'use --tokenize zh and --lowercase'
    """
    return f"\x02{setting}\x03" if value is None else f"\x02{setting}={value}\x03"


def spell_argument(setting: str, value: str | None) -> str:
    """Return a setting as a Python argument: ``tokenize='zh'``, or only its name if it has no value."""
    if value is None:
        return setting
    return f"{setting}={value if value in ('True', 'False') or value.lstrip('-').isdigit() else repr(value)}"


def spell_option(setting: str, value: str | None) -> str:
    """Return a setting as a command-line option such as ``--tokenize zh``, ``--join-subwords`` or ``--no-cache``."""
    name = setting.replace("_", "-")
    if value == "False":
        return f"--no-{name}"
    return f"--{name}" if value in (None, "True") else f"--{name} {value}"


Spell = Callable[[str, str | None], str]

SPELLING: ContextVar[Spell] = ContextVar("SPELLING", default=spell_argument)
"""How messages and notes spell settings; the command line spells them as options."""


class _Message:
    """A one-line message that may mention settings; control characters in it are printed as escape sequences."""

    args: tuple[str, ...]

    def __str__(self) -> str:
        return self.spelled(SPELLING.get())

    def spelled(self, spell: Spell) -> str:
        """Return the message with every setting that it mentions formatted by ``spell``."""
        text = _CONTROL.sub(lambda found: found[1] or escape(found[0]), str(self.args[0]) if self.args else "")
        return _MENTION.sub(lambda found: spell(found[1], found[2]), text)


class WordorderError(_Message, Exception):
    """Base class of all errors that wordorder raises on purpose; the command line prints them without a traceback.

    The message stays on one line: control characters, which may come from a file, are printed as escape sequences.

    >>> print(WordorderError("unknown column 'a\\x1b[31m'"))
    unknown column 'a\\x1b[31m'
    """

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(message)


class InputError(WordorderError):
    """Raised if a value or the content of a file is not as expected.

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
    """Raised if links or lengths do not fit their sentences, usually because the texts were tokenised differently."""


@contextlib.contextmanager
def located(path: str, line: int | None = None, *, prefix: str = "") -> Iterator[None]:
    """Add the file name, the line number and a message prefix to any ``InputError`` raised inside the context.

    >>> with located("orders.txt", 7):
    ...     raise InputError("2 appears twice")
    Traceback (most recent call last):
    wordorder.core.runtime.errors.InputError: orders.txt:7: 2 appears twice
    """
    try:
        yield
    except InputError as error:
        raise InputError(prefix + error.message, path=path, line=line) from None


class InputWarning(_Message, UserWarning):
    """A warning about a file that can be read but is probably not what the user intended."""


class UsageError(WordorderError):
    """Raised if an argument is wrong, a name is unknown, or a file is missing."""

    exit_code = 2


class UnknownNameError(UsageError, KeyError):
    """Raised if results are looked up by a name that they do not have; the message lists the valid names."""


class GateError(WordorderError):
    """Raised after a result has been written if it misses a limit that the user has set for it."""

    exit_code = 3


def refuse(wrong: object, message: str) -> None:
    """Raise a ``UsageError`` with the given message if ``wrong`` is true."""
    if wrong:
        raise UsageError(message)


def reject(wrong: object, message: str, *, path: str | None = None, line: int | None = None) -> None:
    """Raise an ``InputError`` with the given message if ``wrong`` is true."""
    if wrong:
        raise InputError(message, path=path, line=line)


def excerpt(found: str, *, limit: int = 40) -> str:
    """Return text in quotes for an error message, cut off after ``limit`` characters.

    >>> excerpt("a" * 100, limit=5)
    "'aaaaa…'"
    """
    return repr(found if len(found) <= limit else found[:limit] + "…")


def mistyped(what: str, found: object, *, expected: str) -> UsageError:
    """Return a ``UsageError`` for an argument of the wrong type.

    >>> str(mistyped("seed", 1.5, expected="a whole number"))
    'seed must be a whole number, not 1.5 (float)'
    """
    shown = excerpt(found) if isinstance(found, str) else excerpt(str(found))[1:-1]
    return UsageError(f"{what} must be {expected}, not {shown} ({type(found).__name__})")


def choices(found: object, valid: list[str], *, what: str, listing: str | None = None) -> UsageError:
    """Return a ``UsageError`` for an unknown name; its message suggests a similar name and lists all valid names.

    If there are more than a dozen valid names, the message refers to ``listing`` instead, if it is given. A name that
    differs only by two swapped neighbouring letters is suggested before all others.

    >>> str(choices("kendal", ["kendall", "hamming"], what="metric"))
    "unknown metric 'kendal'; did you mean 'kendall'? (valid: kendall, hamming)"
    >>> str(choices("pfe", ["pet", "pef"], what="metric"))
    "unknown metric 'pfe'; did you mean 'pef'? (valid: pet, pef)"
    """
    near = nearest(str(found), valid)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if not valid:
        return UsageError(f"unknown {what} {found!r} (none are available)")
    names = f"valid: {', '.join(valid)}" if listing is None or len(valid) <= _MOST_NAMES else f"{listing} lists them"
    return UsageError(f"unknown {what} {found!r}{hint} ({names})")


def check_choice(found: str, valid: Collection[str], what: str, *, listing: str | None = None) -> None:
    """Raise the error of ``choices`` if a name is not among the valid ones."""
    if found not in valid:
        raise choices(found, list(valid), what=what, listing=listing)


def nearest(name: str, valid: Collection[str], *, cutoff: float = 0.6) -> list[str]:
    """Return the most similar valid name in a list, or an empty list if none is similar enough.

    >>> nearest("hpy", ["hyp", "hypothesis"]), nearest("sort", ["symmetrise"])
    (['hyp'], [])
    """
    import difflib

    known = {part.lower(): name for name in valid for part in (*name.split("/"), name)}
    low = name.lower()
    swapped = (low[:place] + low[place : place + 2][::-1] + low[place + 2 :] for place in range(len(low) - 1))
    near = [known[one] for one in swapped if one in known][:1]
    near = near or difflib.get_close_matches(name, valid, n=1, cutoff=cutoff)
    return near or [known[one] for one in difflib.get_close_matches(low, known, n=1, cutoff=cutoff)]


def whole(value: Any, what: str) -> int:
    """Return a whole number as an int, even if it is given as a float; ``what`` describes it in the error message.

    >>> whole(2.0, "a rank")
    2
    """
    if type(value) is int:
        return value
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not float(value).is_integer():
        raise mistyped(what, value, expected="a whole number")
    return int(value)


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number together with its noun in the singular or plural.

    >>> count_of(1, "segment"), count_of(2, "segment"), count_of(0, "corpus", "corpora")
    ('1 segment', '2 segments', '0 corpora')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
