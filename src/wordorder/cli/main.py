"""``wordorder``: choose the command, run it, and turn mistakes into one clear line and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from wordorder.cli import align, demo, inspect, metaeval, metrics, parse, preorder, profile, score, tune
from wordorder.cli.arguments import add_commands
from wordorder.runtime.errors import InputWarning, WordorderError
from wordorder.version import __version__

COMMANDS = (score, inspect, metrics, align, parse, profile, preorder, metaeval, tune, demo)

DESCRIPTION = "Measure how well a translation orders its words, apart from which words it chose."
EPILOG = """\
examples:
  wordorder demo                                       a first look, ten seconds
  wordorder inspect "2 4 5 6 1 3"                      one word order: its tree and every metric
  wordorder score --ref ref.txt --hyp A.txt B.txt      who orders words best, and is it certain?
  wordorder score --permutations A.orders B.orders     the same from word orders
  wordorder metrics                                    every metric: formula, parameters, paper
  wordorder align --source s.txt --target t.txt        align words
  wordorder parse --grammar en.grammar text.txt        parse sentences
  wordorder profile a.align --source s --target t      how much do two languages reorder?
  wordorder preorder evaluate --trees t --align a --rules r1 r5     reordering rules, judged without translating
  wordorder COMMAND --help                             what a command takes, with examples
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, and which takes files before, between and after options."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        files = [action for action in self._get_positional_actions() if action.nargs == "*"]
        if not files or self._mixing:
            return super().parse_known_args(args, namespace)
        self._mixing = True  # argparse comes back here twice: for the options, then for the files
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """Build the parser with one sub-parser per command."""
    parser = _Parser(
        prog="wordorder",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wordorder {__version__}")
    add_commands(parser, COMMANDS)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give the exit code (0 fine, 1 bad content, 2 bad arguments, 130 interrupted)."""
    parser = build_parser()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # an escape for what a terminal cannot show, not a crash
    try:
        options = parser.parse_args(arguments)
        if not hasattr(options, "run"):
            parser.print_help()
            return 0
        options.command = f"wordorder {shlex.join(sys.argv[1:] if arguments is None else arguments)}"
        _announce_compilation()
        with _plain_warnings():
            options.run(options)
        sys.stdout.flush()
        return 0
    except WordorderError as error:
        print(f"wordorder: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        _give_up_output()  # the reader has seen enough
        return 0
    except OSError as error:  # a full disk, a device that fails
        _give_up_output()
        print(f"wordorder: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Exception) as error:
        if not _is_interrupt(error):
            raise
        print("wordorder: interrupted", file=sys.stderr)
        return 130


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show our own warnings as one line, without the place in the code."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, InputWarning):
                print(f"wordorder: warning: {message}", file=sys.stderr)
            else:
                usual(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: a kernel or an import that is interrupted makes another one of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _give_up_output() -> None:
    """Send what is left of the output nowhere, so that the interpreter does not complain about it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _announce_compilation() -> None:
    """Say why the first run is slow: numba compiles the kernels once and keeps them beside the package."""
    package = Path(__file__).parents[1]
    if sys.stderr.isatty() and not any(package.glob("orders/__pycache__/*.nbi")):
        print("wordorder: first run, compiling (up to a minute); later runs start at once", file=sys.stderr)
