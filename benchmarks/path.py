"""How long is the way from the command line to the table, and how much code is there?

    python benchmarks/path.py [--package src] [--command score]

Counts the modules and functions of the package that ``wordorder score`` passes with one reference and one system,
and ``wordorder find`` with their source text too, after a first run has imported and loaded everything; the lines
of code in every folder; the parameters of ``scoring.score``; and the functions that are too long. Module bodies,
comprehensions, lambdas, kernels and what calls them are not counted, nor are the functions that declare the
arguments of commands (``build_parser``, ``add_…``): they are lists that no data passes. The package may be an older
one, whose folders had other names.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import io
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
LONGEST = 60
"""Lines that a function may have."""

MIDDLE = ("scoring", "inputs")
"""The folders between the command line and the metrics; as few modules of them as possible should be passed.

The inputs were a folder of their own before they were part of ``scoring``.
"""

PARENTS = ("core", "apps")
"""Folders that only hold folders."""

TEXTS = {
    "--ref": "the cat sat on the mat\nit rained all day\n",
    "--hyp": "on the mat the cat sat\nall day it rained\n",
    "--source": "auf der matte saß die katze\nden ganzen tag regnete es\n",
}
COMMANDS = {"score": ("--ref", "--hyp"), "find": ("--ref", "--hyp", "--source")}
"""The commands whose way is measured, and the texts that each is given."""

NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def passed_functions(package: Path, name: str) -> set[tuple[str, str]]:
    """Return the modules and functions that one run of a command passes, from command line to table."""
    from wordorder.cli.main import main

    passed: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(package)):
            passed.add(frame.f_code)

    with tempfile.TemporaryDirectory() as folder:
        command = [name, "--format", "table"]
        for option in COMMANDS[name]:
            path = Path(folder, f"{option[2:]}.txt")
            path.write_text(TEXTS[option], encoding="utf-8")
            command += [option, str(path)]
        with contextlib.redirect_stdout(io.StringIO()):
            if main(command) != 0:
                raise SystemExit(f"wordorder {name} failed")
            threading.setprofile(note)
            sys.setprofile(note)
            try:
                main(command)
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
    kernels = {(path, name) for path in package.rglob("*.py") for name in kernels_of(path)}
    return {
        (str(Path(code.co_filename).relative_to(package)), code.co_qualname)
        for code in passed
        if not code.co_name.startswith(("<", "add_"))
        and code.co_name != "build_parser"
        and not code.co_filename.endswith("core/runtime/kernels.py")
        and (Path(code.co_filename), code.co_name) not in kernels
    }


def kernels_of(path: Path) -> Iterator[str]:
    """Find the functions of a file that numba compiles; the profiler sees them called all the same."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, Definition) and is_kernel(node):
            yield node.name


def folder_of(module: str) -> str:
    """Return the folder of a module, two levels deep where there is one; its own name if it is in none.

    >>> folder_of("core/text/tokens.py"), folder_of("scoring/inputs/texts.py"), folder_of("version.py")
    ('core/text', 'scoring', 'version.py')
    """
    parts = Path(module).parts
    return "/".join(parts[:2] if parts[0] in PARENTS and len(parts) > 2 else parts[:1])


def code_lines(path: Path) -> int:
    """Count the lines of a file that are code: not blank, no comment, no docstring."""
    text = path.read_text("utf-8")
    documentation: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:  # of a module, class or function, or below an attribute
            case ast.Expr(value=ast.Constant(value=str())):
                documentation |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            used |= set(range(token.start[0], token.end[0] + 1))
    return len(used - documentation)


def long_functions(path: Path) -> Iterator[tuple[int, str]]:
    """Find functions of too many lines that are neither kernels nor lists of command-line arguments."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, Definition):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONGEST and not is_kernel(node) and not node.name.startswith("add_"):
                yield lines, node.name


def is_kernel(node: Definition) -> bool:
    """Whether numba compiles a function, or the function stands in for one that it compiles."""
    return any(word in ast.unparse(each) for each in node.decorator_list for word in ("kernel", "plain_form"))


def package_of(parser: argparse.ArgumentParser) -> tuple[Path, argparse.Namespace]:
    """Parse the arguments, among them the folder that has the package; return the package, which can be imported."""
    parser.add_argument("--package", type=Path, default=REPOSITORY / "src", help="folder that has the package")
    options = parser.parse_args()
    package = options.package.resolve() / "wordorder"
    sys.path.insert(0, str(package.parent))
    return package, options


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", choices=COMMANDS, help="only this command")
    package, options = package_of(parser)
    from wordorder.scoring.score import score

    commands = (options.command,) if options.command else tuple(COMMANDS)
    passed = {command: passed_functions(package, command) for command in commands}
    modules = {name: Counter(map(folder_of, {module for module, _ in found})) for name, found in passed.items()}
    functions = {name: Counter(folder_of(module) for module, _ in found) for name, found in passed.items()}
    files = sorted(package.rglob("*.py"))
    lines: Counter[str] = Counter()
    for path in files:
        lines[folder_of(str(path.relative_to(package)))] += code_lines(path)

    headings = [f"{what} in {command}" for command in commands for what in ("modules", "functions")]
    print(f"{'folder':20}" + "".join(f"{heading:>20}" for heading in (*headings, "lines of code")))
    for name, count in lines.most_common():
        numbers = "".join(f"{modules[command][name]:20}{functions[command][name]:20}" for command in commands)
        print(f"{name:20}{numbers}{count:20,}")
    numbers = "".join(f"{modules[command].total():20}{functions[command].total():20}" for command in commands)
    print(f"{'all':20}{numbers}{lines.total():20,}")

    for command in commands:
        between = sum(modules[command][name] for name in MIDDLE)
        print(f"\nmodules of {' and '.join(MIDDLE)} that {command} passes: {between}", end="")
    parameters = inspect.signature(score).parameters
    print(f"\nparameters of scoring.score: {len(parameters)} ({', '.join(parameters)})")
    print(f"\nfunctions of more than {LONGEST} lines, without kernels and lists of arguments:")
    found = [(count, path, name) for path in files for count, name in long_functions(path)]
    for count, path, name in sorted(found, reverse=True):
        print(f"{count:6}  {path.relative_to(package)}  {name}")


if __name__ == "__main__":
    main()
