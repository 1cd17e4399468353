"""How large is the package? Lines, modules, classes, options, public names and imports inside functions.

    python benchmarks/counts.py [--package src]

Lines are those of code: neither blank, nor comments, nor documentation. An option slot is an option of one command:
``--seed`` of two commands is two slots; options for help are none. Commands of other packages are left out. The
package may be an older one, whose folders had other names.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import io
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from path import Definition, code_lines, folder_of, package_of

WIDTH = "80"
"""Columns of the terminal on which the help is printed."""


def classes_of(tree: ast.Module) -> Iterator[str]:
    """Yield the names of all classes of a file, those inside others too."""
    return (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def imports_inside_functions(tree: ast.Module) -> int:
    """Count the statements that import something only when a function runs.

    >>> imports_inside_functions(ast.parse("import a\\ndef f():\\n    import b\\n    def g():\\n        import c"))
    2
    """
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, Definition)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    for block in ast.walk(tree):
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING"):
            inside -= {id(node) for statement in block.body for node in ast.walk(statement)}
    return len(inside)


def load_parsers(parser: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the parser of every command that has none below it, under the words that lead to it."""
    if hasattr(parser, "load"):
        if not (parser.module or "wordorder").startswith("wordorder"):
            return
        parser.load()
    below = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield words, parser
    for choices in below:
        for name, sub in choices.items():
            yield from load_parsers(sub, (*words, name))


def count_options(parser: argparse.ArgumentParser) -> int:
    """Count the options of a parser, each once whatever its other names, without those for help."""
    actions = {id(action): action for action in parser._actions if action.option_strings}
    return sum({"-h", "--help"}.isdisjoint(action.option_strings) for action in actions.values())


def count_help_lines(words: Sequence[str], option: str) -> int:
    """Count the lines that ``-h`` or ``--help`` of a command prints."""
    from wordorder.cli.main import main

    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        main([*words, option])
    return len(shown.getvalue().splitlines())


def main() -> None:
    """Print everything."""
    os.environ["COLUMNS"] = WIDTH
    package, _ = package_of(
        argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    )
    files = {path: ast.parse(path.read_text("utf-8")) for path in sorted(package.rglob("*.py"))}
    folders: dict[str, Counter[str]] = {}
    names: Counter[str] = Counter()
    for path, tree in files.items():
        counted = folders.setdefault(folder_of(str(path.relative_to(package))), Counter())
        found = list(classes_of(tree))
        names.update(found)
        counted["lines"] += code_lines(path)
        counted["modules"] += 1
        counted["classes"] += len(found)
        counted["imports"] += imports_inside_functions(tree)

    columns = ("lines", "modules", "classes", "imports")
    print(f"{'folder':20}" + "".join(f"{column:>10}" for column in columns))
    total = sum(folders.values(), Counter())
    for folder, counted in [*sorted(folders.items()), ("all", total)]:
        print(f"{folder:20}" + "".join(f"{counted[column]:10,}" for column in columns))

    print(f"\nlines of code: {total['lines']}")
    print(f"modules: {total['modules']}")
    print(f"classes: {total['classes']}")
    repeated = sorted(name for name, count in names.items() if count > 1)
    print(f"class names that exist more than once: {len(repeated)} ({', '.join(repeated)})")
    public = importlib.import_module("wordorder").__all__
    print(f"names in wordorder.__all__: {len(public)}")
    print(f"imports inside functions: {total['imports']}")

    build_parser = importlib.import_module("wordorder.cli.main").build_parser
    commands = {words: count_options(parser) for words, parser in load_parsers(build_parser())}
    print(f"commands: {len(commands)}")
    print(f"option slots: {sum(commands.values())}")
    print(f"\n{'command':28}{'options':>10}{'lines -h':>10}{'lines --help':>14}")
    for words, count in commands.items():
        short, long = (count_help_lines(words, option) for option in ("-h", "--help"))
        print(f"{' '.join(words):28}{count:10}{short:10}{long:14}")


if __name__ == "__main__":
    main()
