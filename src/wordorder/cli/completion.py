"""Print a script that completes commands, options and their values in your shell.

examples:
  source <(wordorder completion bash)                                      for this shell (likewise in zsh)
  wordorder completion bash >> ~/.bash_completion                          for every new bash
  wordorder completion zsh >> ~/.zshrc                                     after compinit
  wordorder completion fish > ~/.config/fish/completions/wordorder.fish
"""

import argparse
from collections.abc import Iterator
from importlib.resources import files
from warnings import warn

from wordorder.cli.output import add_file
from wordorder.cli.parser import CommandParser
from wordorder.core.runtime.errors import InputWarning, UsageError

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("shell", choices=SHELLS, help="shell for which to print the script")
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Print the completion script for the chosen shell."""
    from wordorder.cli.main import build_parser

    commands = dict(_commands(build_parser()))
    if options.shell == "fish":
        print("\n".join(_fish(commands)))
        return
    if options.shell == "zsh":
        print("autoload -U +X bashcompinit && bashcompinit")
    print(_bash(commands), end="")


def _commands(parser: CommandParser, name: str = "") -> Iterator[tuple[str, CommandParser]]:
    """Yield the name (such as `` nbest oracle``; empty for the program itself) and the parser of every command."""
    try:
        parser.load()
    except UsageError as error:  # the command of another package cannot be loaded
        warn(str(error), InputWarning, stacklevel=2)
    yield name, parser
    for word, sub in _below(parser).items():
        yield from _commands(sub, f"{name} {word}")


def _below(parser: argparse.ArgumentParser) -> dict[str, CommandParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return sorted(option for option in parser._option_string_actions if option.startswith("--"))


def _values(parser: argparse.ArgumentParser) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the names and the possible values of every option that has a fixed set of values."""
    for action in parser._actions:
        if action.option_strings and action.choices and not isinstance(action, argparse._SubParsersAction):
            yield list(action.option_strings), [str(value) for value in action.choices]


def _positional(parser: argparse.ArgumentParser) -> list[str]:
    """Return the possible values of positional arguments that have a fixed set of values."""
    actions = [action for action in parser._get_positional_actions() if isinstance(action.choices, tuple)]
    return [str(value) for action in actions for value in action.choices or ()]


def _bash(commands: dict[str, CommandParser]) -> str:
    leading = [f'      "{name}") command="{name}" ;;' for name in commands if name]
    values = [
        f'    {"|".join(f"{chr(34)}{name} {option}{chr(34)}" for option in options)}) offered="{" ".join(found)}" ;;'
        for name, parser in commands.items()
        for options, found in _values(parser)
    ]
    words = {name: [*_below(parser), *_positional(parser)] for name, parser in commands.items()}
    parts = {
        "commands": leading,
        "values": values,
        "words": [_offer(name, found) for name, found in words.items() if found],
        "options": [_offer(name, _options(parser)) for name, parser in commands.items()],
    }
    script = files("wordorder.cli").joinpath("completion.bash").read_text(encoding="utf-8")
    return script % {name: "\n".join(lines) for name, lines in parts.items()}


def _offer(name: str, words: list[str]) -> str:
    return f'      "{name}") offered="{" ".join(words)}" ;;'


def _fish(commands: dict[str, CommandParser]) -> Iterator[str]:
    for name, parser in commands.items():
        words = name.split()
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in words)
        below = _below(parser)
        for word, sub in below.items():
            unseen = f"not __fish_seen_subcommand_from {' '.join(below)}"
            about = (sub.description or "").partition("\n")[0].replace("'", "’")
            yield f"complete -c wordorder -f -n '{f'{seen}; and ' if seen else ''}{unseen}' -a {word} -d '{about}'"
        values = {option: found for options, found in _values(parser) for option in options}
        for option in _options(parser) if words else ():
            choice = f" -x -a '{' '.join(values[option])}'" if option in values else ""
            yield f"complete -c wordorder -n '{seen}' -l {option[2:]}{choice}"
