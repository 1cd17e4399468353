"""The rooms of the package: who may import whom, and what a kernel may call.

Everything is read from the source, so a room is checked from the day it exists.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "wordorder"

DIRECT = {
    "runtime": "",
    "text": "runtime",
    "orders": "runtime",
    "trees": "runtime",
    "statistics": "runtime",
    "report": "runtime",
    "charts": "report",
    "formats": "text orders trees",
    "matching": "text orders",
    "aligning": "text orders",
    "parsing": "formats",
    "metrics": "text orders trees matching",
    "inputs": "formats aligning parsing metrics",
    "scoring": "inputs statistics report charts",
    "reordering": "ABOVE",
    "preordering": "ABOVE",
    "metaevaluation": "ABOVE",
    "pictures": "reordering preordering",
    "explorer": "reordering preordering metaevaluation",
    "finding": "scoring",
    "translation": "scoring",
    "scale": "reordering",
    "studies": "reordering preordering metaevaluation pictures",
    "cli": "ALL",
}
"""Bottom up: each room and the rooms it stands on. What those stand on may be imported too."""

LAST_ROW = ("reordering", "preordering", "metaevaluation")
TOP = ("pictures", "explorer", "finding", "translation", "scale", "studies", "cli")


def allowed(room: str) -> set[str]:
    if DIRECT[room] == "ALL":
        return set(DIRECT)
    if DIRECT[room] == "ABOVE":
        return set(DIRECT) - {*LAST_ROW, *TOP} | {room}
    found = {room}
    for below in DIRECT[room].split():
        found |= allowed(below)
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if len(path.relative_to(PACKAGE).parts) > 1)
ROOMS = sorted({path.relative_to(PACKAGE).parts[0] for path in MODULES})


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


def rooms_imported(path: Path) -> set[str]:
    """Return the rooms a file imports; the package itself counts as the room ``wordorder``."""
    found = set()
    for module, name in imported(tree_of(path), path):
        parts = module.split(".")
        room = parts[1] if len(parts) > 1 else name if name and (PACKAGE / name).is_dir() else "wordorder"
        found.add(room)
    return found


def test_the_table_stands_on_its_feet() -> None:
    names = list(DIRECT)
    for room in names:
        below = set(names[: names.index(room)])
        if room not in LAST_ROW:
            assert allowed(room) <= below | {room} or room == "cli"
    assert allowed("metrics") == {"metrics", "text", "orders", "trees", "matching", "runtime"}
    assert "formats" not in allowed("metrics")
    assert "statistics" not in allowed("inputs")
    assert "scoring" in allowed("metaevaluation")
    assert "preordering" not in allowed("reordering")


def test_the_checks_see_every_kind_of_import() -> None:
    path = PACKAGE / "orders" / "invented.py"
    source = """
import wordorder.metrics.base, numpy
from wordorder import text
from wordorder.runtime.errors import InputError
from . import permutation
from ..formats.pharaoh import read
def inside():
    from wordorder.cli import main
"""
    assert set(imported(ast.parse(source), path)) == {
        ("wordorder.metrics.base", None),
        ("wordorder", "text"),
        ("wordorder.runtime.errors", "InputError"),
        ("wordorder.orders", "permutation"),
        ("wordorder.formats.pharaoh", "read"),
        ("wordorder.cli", "main"),
    }


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_in_the_table(room: str) -> None:
    assert room in DIRECT, f"{room} is a new room: say in the table what it stands on"
    assert (PACKAGE / room / "__init__.py").is_file()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_rooms_import_only_what_they_stand_on(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    wrong = rooms_imported(path) - allowed(room) - {"version"}
    if room == "cli":
        wrong -= {"wordorder"}
    assert not wrong, f"{name_of(path)} imports {sorted(wrong)}; {room} stands on {sorted(allowed(room) - {room})}"


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
from wordorder.orders import trees
from wordorder.metrics.flat import count_pairs, _hamming
from wordorder.orders.trees import LEAF, catalan
from wordorder.runtime.kernels import kernel
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
    if name_of(path) != "runtime/kernels.py":
        assert not any(name.split(".")[0] == "numba" for name in names)
    options = {keyword.arg for node in ast.walk(tree) if isinstance(node, ast.Call) for keyword in node.keywords}
    assert not options & {"parallel", "fastmath"}
