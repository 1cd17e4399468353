"""The structure of the package: who may import whom, which test belongs to which module, and what a kernel may call.

Everything is read from the source, so a folder is checked from the day it exists.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "wordorder"

LAYERS = ("core", "report", "formats", "linking", "metrics", "scoring", "show", "cli", "apps")
"""The folders of the package, bottom up: each imports only those before it. ``data`` holds no code."""

CORE = ("runtime", "text", "orders", "trees", "statistics", "reorderings")
"""The folders of the core, bottom up."""

APPS = {
    "find": "",
    "patterns": "find",
    "monotone": "",
    "profile": "",
    "preorder": "",
    "metaeval": "",
    "nbest": "",
    "tune": "metaeval",
    "smt": "nbest",
    "scale": "profile",
    "study": "profile metaeval",
}
"""Every application, and the applications that it stands on; ARCHITECTURE.md gives the reasons."""

MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py*")
    if path.suffix in (".py", ".pyi") and len(path.relative_to(PACKAGE).parts) > 1
)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def imported(tree: ast.AST, path: Path) -> Iterator[tuple[str, str | None]]:
    """Yield every module of the package that is imported, anywhere in the file, and the name taken from it if any."""
    package = ("wordorder", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if alias.name.split(".")[0] == "wordorder")
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *((node.module or "").split(".") if node.module else ())))
            if module.split(".")[0] == "wordorder":
                yield from ((module, alias.name) for alias in node.names)


def folders_imported(path: Path) -> set[tuple[str, ...]]:
    """Return the folders of the package that a file imports, as parts of their paths."""
    found = set()
    for module, name in imported(tree_of(path), path):
        parts = module.split(".")[1:] or [name or ""]
        whole = (*parts, name or "")
        found.add(tuple(parts if (PACKAGE.joinpath(*parts)).is_dir() or len(parts) > 2 else whole))
    return found


def test_every_folder_is_in_the_table() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {*LAYERS, "data"}
    assert len(folders) <= 10
    assert {path.name for path in (PACKAGE / "core").iterdir() if (path / "__init__.py").is_file()} == set(CORE)
    assert {path.name for path in (PACKAGE / "apps").iterdir() if (path / "__init__.py").is_file()} == set(APPS)


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/metrics.md", "CONTRIBUTING.md"])
def test_files_that_pages_name_exist(page: str) -> None:
    root = PACKAGE.parents[1]
    named = re.findall(r"`([\w/]+/[\w/]*\.py)`", (root / page).read_text("utf-8"))
    assert [name for name in named if not ((PACKAGE / name).exists() or (root / name).exists())] == []


def test_architecture_has_the_same_table_of_applications() -> None:
    text = (PACKAGE.parents[1] / "ARCHITECTURE.md").read_text("utf-8")
    for app, below in APPS.items():
        for other in below.split():
            assert re.search(rf"^\| `{app}` \|.*`{other}`", text, re.MULTILINE), f"{app} → {other}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_is_below_it(path: Path) -> None:
    layer, folder = path.relative_to(PACKAGE).parts[:2]
    for parts in folders_imported(path):
        other = parts[0]
        if other in ("version", "__version__", ""):
            continue
        assert other in LAYERS, f"{name_of(path)} imports {'.'.join(parts)}; import what you need from where it is"
        assert LAYERS.index(other) <= LAYERS.index(layer), f"{name_of(path)} imports {'.'.join(parts)}"
        if layer == other == "core" and len(parts) > 1 and parts[1] in CORE:
            assert CORE.index(parts[1]) <= CORE.index(folder), f"{name_of(path)} imports {'.'.join(parts)}"
        if layer == other == "apps":
            assert parts[1] in {folder, *APPS[folder].split()}, f"{name_of(path)} imports {'.'.join(parts)}"


@pytest.mark.parametrize("path", [path for path in MODULES if "apps" in path.parts], ids=name_of)
def test_only_commands_import_the_command_line(path: Path) -> None:
    if "command" in path.stem or "options" in path.stem or "commands" in path.parts:
        return
    assert not any(parts[0] == "cli" for parts in folders_imported(path))


def test_the_command_line_finds_applications_by_name_alone() -> None:
    from wordorder.cli.main import COMMANDS

    for module, _ in COMMANDS.values():
        assert (
            PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py").is_file()
            or PACKAGE.joinpath(*module.split(".")[1:], "__init__.py").is_file()
        )


TESTS = Path(__file__).parent
ABOUT_ALL = {"whole", "docs", "fuzzing", "mutation", "packaging", "papers", "conformance"}
"""Folders of tests of the project as a whole; all others mirror the package."""


@pytest.mark.parametrize(
    "path",
    [p for p in TESTS.rglob("test_*.py") if p.parent != TESTS and p.relative_to(TESTS).parts[0] not in ABOUT_ALL],
    ids=lambda path: path.stem,
)
def test_a_test_file_names_the_module_that_it_tests(path: Path) -> None:
    folder = PACKAGE / path.parent.relative_to(TESTS)
    assert folder.is_dir(), f"{folder} does not exist"
    modules = {found.stem for found in folder.iterdir() if found.suffix == ".py" or (found / "__init__.py").is_file()}
    names = {
        folder.name,
        f"{folder.parent.name}_{folder.name}",
        *modules,
        *(f"{folder.name}_{module}" for module in modules),
    }
    stem = path.stem.removeprefix("test_")
    assert any(stem == name or stem.startswith(f"{name}_") for name in names), f"{path.name} names no module"


@pytest.mark.parametrize(
    "path",
    [path for path in TESTS.rglob("*.py") if path.parent == TESTS or path.relative_to(TESTS).parts[0] in LAYERS[:-1]],
    ids=lambda path: str(path.relative_to(TESTS)),
)
def test_tests_of_the_core_need_no_application(path: Path) -> None:
    modules = {module for module, _ in imported(tree_of(path), PACKAGE / "__init__.py")}
    assert not any(module.startswith("wordorder.apps") for module in modules)


def test_the_checks_see_every_kind_of_import() -> None:
    path = PACKAGE / "core" / "orders" / "invented.py"
    source = """
import wordorder.metrics.base, numpy
from wordorder import text
from wordorder.core.runtime.errors import InputError
from . import permutation
from ...formats.pharaoh import read
def inside():
    from wordorder.cli import main
"""
    assert set(imported(ast.parse(source), path)) == {
        ("wordorder.metrics.base", None),
        ("wordorder", "text"),
        ("wordorder.core.runtime.errors", "InputError"),
        ("wordorder.core.orders", "permutation"),
        ("wordorder.formats.pharaoh", "read"),
        ("wordorder.cli", "main"),
    }


# --- kernels ------------------------------------------------------------------------------------------------------

LIBRARIES = {"np", "math"}


def kernels_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {
        node.name: node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(
            isinstance(decorator, ast.Name) and decorator.id in ("kernel", "inner_kernel")
            for decorator in node.decorator_list
        )
    }


def root_of(node: ast.expr) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def records_of(tree: ast.Module) -> set[str]:
    """Return the named tuples of a file: kernels of the same file may make them, for its cache sees them change."""
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(root_of(base) == "NamedTuple" for base in node.bases)
    }


def imported_kernels(tree: ast.Module, path: Path) -> set[str]:
    """Return the kernels a file imports from the files that define them."""
    found = set()
    for module, name in imported(tree, path):
        source = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
        if name and source.is_file() and name in kernels_of(ast.parse(source.read_text(encoding="utf-8"))):
            found.add(name)
    return found


def faults_of(tree: ast.Module, path: Path) -> list[str]:
    """Say what kernels of a file use that their cache would not notice changing, or that changes bytes."""
    own_kernels = kernels_of(tree)
    kernels = own_kernels.keys() | imported_kernels(tree, path) | records_of(tree)
    foreign = {name or module.split(".")[0] for module, name in imported(tree, path)} - kernels
    faults = []
    for kernel in own_kernels.values():
        arguments = kernel.args.posonlyargs + kernel.args.args + kernel.args.kwonlyargs
        own = {argument.arg for argument in arguments}
        names = [node for node in ast.walk(kernel) if isinstance(node, ast.Name)]
        own |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
        body = [node for statement in kernel.body for node in ast.walk(statement)]
        for node in body:
            if isinstance(node, ast.Call):
                root = root_of(node.func)
                called = ast.unparse(node.func)
                plain = isinstance(node.func, ast.Name)
                if plain and called not in kernels and not hasattr(builtins, called):
                    faults.append(f"{kernel.name} calls {called}, which is not a kernel imported by its name")
                if not plain and root not in own | LIBRARIES and root is not None:
                    faults.append(f"{kernel.name} calls {called}, which is not a kernel imported by its name")
                if called in ("np.dot", "np.matmul", "np.vdot", "np.linalg.norm"):
                    faults.append(f"{kernel.name} uses BLAS: {called}")
            elif isinstance(node, ast.Name) and node.id in foreign - own and not node.id.isupper():
                faults.append(f"{kernel.name} uses {node.id} of another file, which is not a constant")
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                faults.append(f"{kernel.name} uses BLAS: @")
    return faults


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_kernels_call_only_kernels(path: Path) -> None:
    assert faults_of(tree_of(path), path) == []


def test_the_kernel_check_sees_what_is_wrong() -> None:
    source = """
import numpy as np
from wordorder.core.orders import trees
from wordorder.metrics.flat import count_pairs, _hamming
from wordorder.core.orders.trees import LEAF, catalan
from wordorder.core.runtime.kernels import kernel
def plain(x): ...
class Pair(NamedTuple): ...
@kernel
def fine(x): return fine(np.sqrt(x).sum()) + len(x.copy()) + LEAF + _hamming(x, x) + Pair(x)[0]
@kernel
def one(x): return count_pairs(x)
@kernel
def two(x): return plain(x)
@kernel
def three(x): return trees.catalan(x)
@kernel
def four(x, y): return x @ y
@kernel
def five(x): return fine(x, catalan)
"""
    faults = faults_of(ast.parse(source), PACKAGE / "metrics" / "invented.py")
    assert {fault.split()[0] for fault in faults} == {"one", "two", "three", "four", "five"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_numba_is_used_through_the_decorator_alone(path: Path) -> None:
    """``parallel`` and ``fastmath`` would let the last digits depend on the machine or the number of threads."""
    tree = tree_of(path)
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    if name_of(path) != "core/runtime/compilation.py":
        assert not any(name.split(".")[0] == "numba" for name in names)
    options = {keyword.arg for node in ast.walk(tree) if isinstance(node, ast.Call) for keyword in node.keywords}
    assert not options & {"parallel", "fastmath"}
