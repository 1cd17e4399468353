"""The command-line parser: argparse with short help, one-line errors, and commands that are loaded when used."""

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
    """An argument parser that reports errors in one line and accepts files before, between and after options.

    Options cannot be abbreviated, so that adding an option never changes the meaning of existing scripts.
    """

    _mixing = False

    def __init__(self, *, module: str | None = None, **settings: Any) -> None:
        self.module = module
        self.common: tuple[str, ...] = ()
        settings |= {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter, "add_help": False}
        super().__init__(**settings)
        about: Any = {"nargs": 0, "dest": argparse.SUPPRESS, "default": argparse.SUPPRESS}
        self.add_argument("-h", action=_ShortHelp, help="show the most important options and exit", **about)
        self.add_argument("--help", action="help", help="show all options and exit")
        self.register("action", None, _Store)
        self.register("action", "store", _Store)

    def load(self) -> None:
        """Import the module of this command and add its arguments or subcommands, unless this was done before."""
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
            # The module belongs to another package, so report the error in one line.
            raise UsageError(f"the command {self.prog!r} ({self.module}) cannot be loaded: {error}") from error
        self.module = None
        self.description, heading, examples = (command.__doc__ or "").partition("\nexamples:\n")
        self.epilog = f"examples:\n{examples}" if heading else None
        if hasattr(command, "run"):
            quiet = "print only results and errors, without progress, notes or warnings"
            self.add_argument("-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=quiet)
            self.set_defaults(run=command.run)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, translating alternative option names; an unknown option is an error."""
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
        """Return the help text with only the most important options, or with all options if there are few."""
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
        """Return the option and value in an argument such as ``-w2``, or an empty list for other arguments."""
        name, value = option_string[:2], option_string[2:]
        short = not option_string.startswith("--") and name in self._option_string_actions
        return [(self._option_string_actions[name], name, value)] if short else []

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an error that suggests the nearest choice if the value is not among the choices."""
        if action.choices is None or value in action.choices:
            return
        valid = [str(choice) for choice in action.choices]
        if action.option_strings:
            raise argparse.ArgumentError(action, str(choices(str(value), valid, what="value")))
        what = str(action.metavar or action.dest).lower()
        raise argparse.ArgumentError(None, str(choices(str(value), valid, what=what)))

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        """Convert the value of an option; if a number is expected, the error message says so in plain words."""
        try:
            value = super()._get_value(action, text)
        except argparse.ArgumentError:
            if action.type not in _NUMBERS:
                raise
            raise argparse.ArgumentError(action, f"expected {_NUMBERS[action.type]}, found {text!r}") from None
        if action.type is int and value.bit_length() > 63:
            raise argparse.ArgumentError(action, f"expected a whole number of at most 64 bits, found {text!r}")
        return value

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse itself would ignore errors such as a full disk

    def error(self, message: str) -> NoReturn:
        """Exit with a one-line message that says where to find help; if a command is missing, list all commands."""
        if message.endswith("required: COMMAND"):
            commands = next(action for action in self._actions if isinstance(action, argparse._SubParsersAction))
            message = f"expected a command: {', '.join(commands.choices)}"
        self.exit(2, f"{self.prog}: {message.removeprefix('argument ')} (see {self.prog} --help)\n")


def _shown(action: argparse.Action) -> str:
    """Return the placeholder for the value of an argument, as shown in help."""
    return str(action.metavar or action.dest.upper())


def _first_part(text: str) -> str:
    """Return the help of an option up to its first semicolon, removing an unclosed parenthesis.

    >>> _first_part("the source text; also for B"), _first_part("a table (MQM; ESA), with texts")
    ('the source text', 'a table')
    """
    part = text.partition(";")[0]
    return part if part.count("(") == part.count(")") else part.rpartition("(")[0].rstrip()


class _ShortHelp(argparse.Action):
    """The argparse action of ``-h``, which prints the short help and exits."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Print the short help and exit."""
        parser._print_message(parser.format_short_help(), sys.stdout)
        parser.exit()


class JoinNames(argparse.Action):
    """An argparse action for names separated by commas or spaces, as in ``-m bleu,chrf`` or ``-m bleu chrf``."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Join the names with commas, starting with those from earlier uses of the option."""
        seen = namespace.__dict__.setdefault("given_options", set())
        before = [getattr(namespace, self.dest)] if self.dest in seen else []
        seen.add(self.dest)
        setattr(namespace, self.dest, ",".join([*before, *values]))


class _Store(argparse._StoreAction):
    """An argparse action that stores the value of an option; repeated list options are concatenated."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if self.nargs in ("+", "*") and option_string is not None:
            seen = namespace.__dict__.setdefault("given_options", set())
            values = [*getattr(namespace, self.dest), *values] if self.dest in seen else values
            seen.add(self.dest)
        setattr(namespace, self.dest, values)


def add_commands(
    parser: argparse.ArgumentParser,
    commands: Mapping[str, tuple[str, str]],
    *,
    required: bool,
    groups: Mapping[str, str] | None = None,
) -> None:
    """Add one subparser per command; ``commands`` maps names to (module, description).

    The module of a command is imported when the command is used. The module's docstring becomes the help text and
    ends with examples. The module has either the functions ``add_arguments`` and ``run`` or, if the command has
    subcommands, a dictionary ``COMMANDS`` that maps their names (the names of submodules) to descriptions.
    ``groups`` maps titles to the names of commands that the help lists below them.
    """
    about: Any = {"title": "commands", "metavar": "COMMAND", "prog": parser.prog, "parser_class": type(parser)}
    parsers = parser.add_subparsers(required=required, **about)
    for name, (module, description) in commands.items():
        parsers.add_parser(name, help=description, module=module)
    for title, names in (groups or {}).items():
        listed = [each for each in parsers._choices_actions if each.dest in names.split()]
        parser.add_argument_group(title)._group_actions += listed
        parsers._choices_actions = [each for each in parsers._choices_actions if each not in listed]
    if not parsers._choices_actions:  # then the help needs no other list of commands
        parsers.help = argparse.SUPPRESS
