"""The program ``wordorder``: choose a command, run it, and report an error as one line and an exit code."""

import argparse
import contextlib
import errno
import io
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TextIO, cast

from wordorder.cli.output import result_file, result_paths
from wordorder.cli.parser import CommandParser, add_commands
from wordorder.core.runtime.errors import (
    SPELLING,
    UNPRINTABLE,
    GateError,
    InputWarning,
    WordorderError,
    escape,
    spell_option,
)
from wordorder.core.runtime.own_inputs import inputs_kept

_DESCRIPTIONS = {
    "cli.score": "who orders words best, and is the difference real?",
    "apps.find.command": "which sentences are in the wrong order, which words must move?",
    "apps.patterns.command": "which words and word classes stand too early or too late?",
    "cli.inspect": "one permutation, alignment or sentence: tree, every metric",
    "cli.metrics": "every metric with its formula, parameters, range and paper",
    "cli.align": "align the words of parallel text; measure alignment errors",
    "cli.parse": "parse text, or learn a parser from a treebank",
    "apps.monotone.command": "more literal than people? how much must be guessed early?",
    "apps.profile.command": "how much do two languages reorder?",
    "apps.preorder.commands": "reorder sentences by rules; judge rules without translating",
    "apps.metaeval.command": "which metric agrees with human judges?",
    "apps.tune.command": "tune the parameters of a metric to human judgements",
    "apps.nbest.commands": "n-best lists: oracles, tuning, reranking, minimum Bayes risk",
    "apps.smt.commands": "train and run a small phrase-based system (extra 'smt')",
    "apps.scale.commands": "corpora of any size: score, align, profile, filter; Slurm, Dask",
    "apps.study.commands": "studies with people: stimuli, web pages for answers, analysis",
    "cli.demo": "score the demo data that come with the package",
    "cli.completion": "print a completion script for bash, zsh or fish",
}
COMMANDS = {module.split(".")[1]: (f"wordorder.{module}", about) for module, about in _DESCRIPTIONS.items()}
"""For every command, its module (imported when the command is used) and its description in the overview."""

GROUPS = {
    "translations": "score find patterns monotone",
    "one word order, and every metric": "inspect metrics",
    "words, sentences and languages": "align parse profile preorder",
    "metrics and people": "metaeval tune study",
    "systems and large corpora": "nbest smt scale",
    "first steps": "demo completion",
}
"""What commands are about; the overview lists them in these groups."""

DESCRIPTION = "Measure how well a translation orders its words, independently of which words it chose."
EPILOG = """\
examples:
  wordorder demo                                       a first look, ten seconds
  wordorder score --ref ref.txt --hyp A.txt B.txt      who orders words best, and is it significant?
  wordorder find --source s.txt --hyp A.txt --ref r.txt     which sentences have their words in the wrong order?
  wordorder inspect "2 4 5 6 1 3"                      one word order: its tree and every metric
  wordorder COMMAND -h                                 the most important options; --help: all of them
"""


def build_parser(command: str | None = None) -> CommandParser:
    """Build the parser with a subparser for each command, or only for ``command`` if it is a built-in command."""
    commands = {  # omits applications whose folder has been deleted
        name: (module, description)
        for name, (module, description) in COMMANDS.items()
        if (found := find_spec(".".join(module.split(".")[:3]))) and found.has_location
    }
    missing = COMMANDS.keys() - commands.keys()
    examples = [line for line in EPILOG.splitlines() if missing.isdisjoint(line.split()[1:2])]
    parser = CommandParser(
        prog="wordorder", usage="%(prog)s COMMAND [options]", description=DESCRIPTION, epilog="\n".join(examples)
    )
    version = "show the version; with --verbose, also of Python and libraries"
    parser.add_argument("--version", action="store_true", help=version)
    parser.add_argument("--verbose", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-q", "--quiet", action="store_true", help=argparse.SUPPRESS)  # before a command, too
    chosen = {command: commands[command]} if command in commands else commands | _installed_commands()
    add_commands(parser, chosen, required=False, groups=GROUPS)
    return parser


def _installed_commands() -> dict[str, tuple[str, str]]:
    """Return the commands that other packages provide through the entry point group ``wordorder.commands``."""
    from importlib.metadata import entry_points

    return {
        entry.name: (entry.value, f"from the package {entry.dist.name if entry.dist else entry.value}")
        for entry in entry_points(group="wordorder.commands")
        if entry.name not in COMMANDS
    }


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Prevent characters of texts and names from controlling the terminal, in standard output and standard error.

    Standard error shows control characters and others that hide or reorder text as escapes. Standard output shows
    them as spaces on a terminal; a file or a pipe gets the text as it is. A character that a stream cannot encode
    becomes an escape.
    """
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


@dataclass(eq=False)
class _SafeStream:
    """A text stream that replaces all characters that are not printable, except tabs and line breaks.

    Colours and progress bars are drawn by rich, which writes to the stream below (``rich_proxied_file``).
    """

    rich_proxied_file: TextIO
    spell: Callable[[str], str]
    closed: bool = False  # at exit, colorama (of sacreBLEU) writes an escape to every stream that is open

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(UNPRINTABLE.sub(lambda found: self.spell(found[0]), text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@safe_streams()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 (success), 1 (invalid data), 2 (invalid arguments), 3 (gate) or 130 (interrupted)."""
    try:
        _run(build_parser(next(iter(sys.argv[1:] if arguments is None else arguments), None)), arguments)
        sys.stdout.flush()
        return 0
    except SystemExit as end:  # argparse has printed help or an error
        return int(end.code or 0) if _flushed() else 1
    except WordorderError as error:
        print(f"wordorder: {error.spelled(spell_option)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        _discard_output()  # the reader of the pipe has stopped reading
        return 0
    except OSError as error:  # such as a full disk or a failing device
        _report_output_error(error)
        return 1
    except MemoryError as error:
        print(f"wordorder: not enough memory ({error})".replace(" ()", ""), file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Exception) as error:
        if not _is_interrupt(error):
            raise
        print("wordorder: interrupted", file=sys.stderr)
        return 130


def _run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> None:
    options = parser.parse_args(arguments)
    if options.version:
        from wordorder.cli.about import about

        print(about(verbose=options.verbose))
        return
    if options.verbose:
        parser.error("--verbose can be used only with --version")
    if not hasattr(options, "run"):
        parser.print_help()
        return
    options.command = f"wordorder {shlex.join(sys.argv[1:] if arguments is None else arguments)}"
    with inputs_kept(result_paths(options)), _messages(quiet=options.quiet), result_file(options):
        for note in options.notes:
            print(f"wordorder: note: {note}", file=sys.stderr)
        missed = options.run(options)
    if isinstance(missed, GateError):  # only now, because an error would discard the file of the result
        raise missed


@contextlib.contextmanager
def _messages(*, quiet: bool) -> Iterator[None]:
    """Print the package's own warnings as one line each; with ``quiet``, print only errors."""
    with contextlib.ExitStack() as kept, warnings.catch_warnings():
        kept.callback(SPELLING.reset, SPELLING.set(spell_option))
        if quiet:
            kept.enter_context(contextlib.redirect_stderr(kept.enter_context(open(os.devnull, "w"))))
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if isinstance(message, InputWarning):
                print(f"wordorder: warning: {message}", file=sys.stderr)
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused an error, even indirectly, as in an interrupted kernel or import."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _flushed() -> bool:
    """Flush standard output and return whether this succeeded; report any error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _report_output_error(error)
        return False
    return True


def _report_output_error(error: OSError) -> None:
    _discard_output()
    reason = "is closed" if error.errno == errno.EBADF else error.strerror or error
    message = WordorderError(f"{error.filename or 'standard output'}: {reason}")
    print(f"wordorder: {message}", file=sys.stderr)


def _discard_output() -> None:
    """Redirect further output to the null device, so that the interpreter reports no error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
