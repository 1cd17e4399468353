"""How long is the way from the command line to the table, and how much code is there?

    python benchmarks/path.py [--package src]

Counts the modules and functions of ours that one ``wordorder score`` of text passes, after a first run has imported
and loaded everything; the lines of code in every room; the parameters of ``scoring.score``; and the functions that
are too long. Module bodies, comprehensions, lambdas and compiled kernels are not counted, nor are the functions that
declare the arguments of all commands (``build_parser``, ``add_…``): they are lists that no data passes.
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

MIDDLE = ("inputs", "scoring")
"""The rooms between the command line and the metrics; as few modules of them as possible should be passed."""

NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def passed_functions(package: Path) -> set[tuple[str, str]]:
    """Return the modules and functions that one score of text passes, from command line to table."""
    from wordorder.cli.main import main

    passed: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(package)):
            passed.add(frame.f_code)

    with tempfile.TemporaryDirectory() as folder:
        reference, hypothesis = Path(folder, "ref.txt"), Path(folder, "A.txt")
        reference.write_text("the cat sat on the mat\nit rained all day\n")
        hypothesis.write_text("on the mat the cat sat\nall day it rained\n")
        command = ["score", "--ref", str(reference), "--hyp", str(hypothesis), "--format", "table"]
        with contextlib.redirect_stdout(io.StringIO()):
            main(command)
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
        and (Path(code.co_filename), code.co_name) not in kernels
    }


def kernels_of(path: Path) -> Iterator[str]:
    """Find the functions of a file that numba compiles; the profiler sees them called all the same."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, Definition) and is_kernel(node):
            yield node.name


def room(module: str) -> str:
    """Return the room of a module, or its own name if it stands beside the rooms."""
    return Path(module).parts[0]


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
    """Whether numba compiles a function."""
    return any("kernel" in ast.unparse(decorator) for decorator in node.decorator_list)


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, default=REPOSITORY / "src", help="folder that has the package")
    package = parser.parse_args().package.resolve() / "wordorder"
    sys.path.insert(0, str(package.parent))
    from wordorder.scoring.score import score

    passed = passed_functions(package)
    modules = Counter(room(module) for module in {module for module, _ in passed})
    functions = Counter(room(module) for module, _ in passed)
    files = sorted(package.rglob("*.py"))
    lines: Counter[str] = Counter()
    for path in files:
        lines[room(str(path.relative_to(package)))] += code_lines(path)

    print(f"{'room':16}{'modules passed':>16}{'functions passed':>18}{'lines of code':>16}")
    for name, count in lines.most_common():
        print(f"{name:16}{modules[name]:16}{functions[name]:18}{count:16,}")
    print(f"{'all':16}{modules.total():16}{functions.total():18}{lines.total():16,}")

    print(f"\nmodules passed in {' and '.join(MIDDLE)}: {sum(modules[name] for name in MIDDLE)}")
    parameters = inspect.signature(score).parameters
    print(f"parameters of scoring.score: {len(parameters)} ({', '.join(parameters)})")
    print(f"\nfunctions of more than {LONGEST} lines, without kernels and lists of arguments:")
    found = [(count, path, name) for path in files for count, name in long_functions(path)]
    for count, path, name in sorted(found, reverse=True):
        print(f"{count:6}  {path.relative_to(package)}  {name}")


if __name__ == "__main__":
    main()
