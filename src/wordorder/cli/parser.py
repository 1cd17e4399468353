"""The parser of the command line: argparse with short help, one-line errors and commands that load when used."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from copy import copy
from importlib import import_module
from keyword import iskeyword
from typing import Any, NoReturn

from wordorder.core.runtime.errors import UsageError, choices

SHORT_HELP_LINES = 45
"""The largest number of lines that ``-h`` prints; ``--help`` prints everything."""

SHORT_HELP_EXAMPLES = 5
_NUMBERS: dict[Any, str] = {int: "a whole number", float: "a number"}


class CommandParser(argparse.ArgumentParser):
    """A parser with one-line errors that accepts files before, between and after options.

    Options cannot be abbreviated, so that a new option never changes the meaning of an existing script.
    """

    _mixing = False

    def __init__(self, *, module: str | None = None, **settings: Any) -> None:
        self.module = module
        self.common: tuple[str, ...] = ()
        settings |= {
            "allow_abbrev": False,
            "formatter_class": argparse.RawDescriptionHelpFormatter,
            "add_help": False,
        }
        super().__init__(**settings)
        nothing = argparse.SUPPRESS
        self.add_argument(
            "-h",
            action=_ShortHelp,
            nargs=0,
            dest=nothing,
            default=nothing,
            help="show the most important options and exit",
        )
        self.add_argument("--help", action="help", help="show all options and exit")
        self.register("action", None, _Store)
        self.register("action", "store", _Store)

    def load(self) -> None:
        """Import the module of this command and declare its arguments or commands, if not done before."""
        if self.module is None:
            return
        try:
            command = import_module(self.module)
            self.common = tuple(getattr(command, "COMMON", "").split())
            if hasattr(command, "COMMANDS"):
                names = {name: f"{self.module}.{name}{'_' * iskeyword(name)}" for name in command.COMMANDS}
                below = {name: (names[name], about) for name, about in command.COMMANDS.items()}
                add_commands(self, below, required=True)
            else:
                command.add_arguments(self)
        except Exception as error:
            if self.module.startswith("wordorder."):
                raise
            # The error is in another package.
            raise UsageError(f"the command {self.prog!r} ({self.module}) cannot be loaded: {error}") from error
        self.module = None
        self.description, heading, examples = (command.__doc__ or "").partition("\nexamples:\n")
        self.epilog = f"examples:\n{examples}" if heading else None
        if hasattr(command, "run"):
            quiet = "no progress, notes or warnings: only results and errors"
            self.add_argument("-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=quiet)
            self.set_defaults(run=command.run)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, also under their other names; an unknown option is an error."""
        self.load()
        if self._mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        args = sys.argv[1:] if args is None else args
        notes: list[str] = []
        known = self._option_string_actions
        if any(word.startswith("-") and word.partition("=")[0] not in known for word in args):
            from wordorder.cli.names import translate, unknown

            args, notes = translate(args, known)
            if wrong := unknown(args, known):
                self.error(wrong)
        self._mixing = True  # argparse calls this method again, once for the options and once for the files
        try:
            mixed = any(action.nargs == "*" for action in self._get_positional_actions())
            parse = self.parse_known_intermixed_args if mixed else super().parse_known_args
            options, rest = parse(args, namespace)
        finally:
            self._mixing = False
        if rest:
            self.error(f"unexpected argument {rest[0]!r}")
        options.notes = notes
        return options, rest

    def format_short_help(self) -> str:
        """Return the help of the most important options, or of all options if they are few."""
        whole = self.format_help()
        if not self.common or whole.count("\n") <= SHORT_HELP_LINES:
            return whole
        formatter = self._get_formatter()
        formatter.add_usage(" ".join([self.prog, "[options]", *map(_shown, self._get_positional_actions())]), [], [])
        formatter.add_text((self.description or "").partition("\n\n")[0])
        formatter.start_section("most important options")
        actions = {action.dest: action for action in reversed(self._actions)}
        for action in map(copy, map(actions.__getitem__, self.common)):
            if action.option_strings:
                action.option_strings = [next(one for one in action.option_strings if one.startswith("--"))]
                action.metavar = _shown(action) if action.nargs != 0 else None
                action.nargs = None if action.nargs == "+" else action.nargs
            action.help = _first_part(action.help or "")
            formatter.add_argument(action)
        formatter.end_section()
        examples = "\n".join((self.epilog or "").partition("\n\n")[0].splitlines()[:SHORT_HELP_EXAMPLES])
        formatter.add_text(examples)
        count = sum(bool(action.option_strings) for action in self._actions)
        formatter.add_text(f"{count} options in all: {self.prog} --help")
        return formatter.format_help()

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Return the one-letter option that is written together with its value, as in ``-w2``, if there is one."""
        name, value = option_string[:2], option_string[2:]
        short = not option_string.startswith("--") and name in self._option_string_actions
        return [(self._option_string_actions[name], name, value)] if short else []

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, and suggest the nearest one."""
        if action.choices is None or value in action.choices:
            return
        valid = [str(choice) for choice in action.choices]
        if action.option_strings:
            raise argparse.ArgumentError(action, str(choices(str(value), valid, what="value")))
        what = str(action.metavar or action.dest).lower()
        raise argparse.ArgumentError(None, str(choices(str(value), valid, what=what)))

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        """Convert the value of an option, reporting values that are not numbers in plain words."""
        try:
            return super()._get_value(action, text)
        except argparse.ArgumentError:
            if action.type not in _NUMBERS:
                raise
            raise argparse.ArgumentError(action, f"expected {_NUMBERS[action.type]}, found {text!r}") from None

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse would ignore that the disk is full

    def error(self, message: str) -> NoReturn:
        """Print the message and where to find help, on one line, and exit; list the commands if one is missing."""
        if message.endswith("required: COMMAND"):
            commands = next(action for action in self._actions if isinstance(action, argparse._SubParsersAction))
            message = f"expected a command: {', '.join(commands.choices)}"
        self.exit(2, f"{self.prog}: {message.removeprefix('argument ')} (see {self.prog} --help)\n")


def _shown(action: argparse.Action) -> str:
    """Return the placeholder for the value of an argument, as help shows it."""
    return str(action.metavar or action.dest.upper())


def _first_part(text: str) -> str:
    """Return the help of an option up to its first semicolon, without an unclosed bracket.

    >>> _first_part("the source text; also for B"), _first_part("a table (MQM; ESA), with texts")
    ('the source text', 'a table')
    """
    part = text.partition(";")[0]
    return part if part.count("(") == part.count(")") else part.rpartition("(")[0].rstrip()


class _ShortHelp(argparse.Action):
    """The action of ``-h``: print the short help and exit."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Print the short help and exit."""
        parser._print_message(parser.format_short_help(), sys.stdout)
        parser.exit()


class JoinNames(argparse.Action):
    """An action that takes names separated by commas or spaces: ``-m bleu,chrf`` or ``-m bleu chrf``."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Join the names with commas, after those of earlier uses of the option."""
        before = [getattr(namespace, self.dest)] if _is_repeated(self, namespace) else []
        setattr(namespace, self.dest, ",".join([*before, *values]))


class _Store(argparse._StoreAction):
    """An action that stores the value of an option; an option that takes several files adds up over its uses."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if self.nargs in ("+", "*") and option_string is not None and _is_repeated(self, namespace):
            values = [*getattr(namespace, self.dest), *values]
        setattr(namespace, self.dest, values)


def _is_repeated(action: argparse.Action, namespace: Any) -> bool:
    """Note that an option is given, and return whether it was given before."""
    seen = namespace.__dict__.setdefault("given_options", set())
    repeated = action.dest in seen
    seen.add(action.dest)
    return repeated


def add_commands(parser: argparse.ArgumentParser, commands: Mapping[str, tuple[str, str]], *, required: bool) -> None:
    """Add one sub-parser per command, from a table of names, modules and one-line descriptions.

    The module of a command is imported when the command is used. Its docstring is the help, with examples at the end.
    It has ``add_arguments`` and ``run``, or COMMANDS: descriptions of commands of its own, which are modules in it.
    """
    subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=required, parser_class=type(parser)
    )
    for name, (module, description) in commands.items():
        subparsers.add_parser(name, help=description, module=module)
