"""With and without compilation, every reader, metric and command gives the same, also for large numbers."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import both_modes
import pytest
from fuzz_commands import ENVIRONMENT
from fuzzed_readers import all_readers

import wordorder
from wordorder.metrics.registry import METRICS

TESTS = Path(__file__).resolve().parents[1]
PACKAGE = Path(wordorder.__file__).parent
ELSEWHERE = {
    "linking/aligning/lookup.py:digamma": "linking/aligning/test_training.py",
    "linking/matching/search.py:_keep_promising": "linking/matching/test_search.py",
    "core/trees/projectivity.py:_comes_first": "apps/preorder/test_precedence.py",
    "core/statistics/runs.py:_shuffle": "core/statistics/test_runs.py",
}
"""Kernels that run only for rare settings or very many words, and the tests that compare them with literal twins."""

OPENING = {"line_blocks", "read_whole", "read_model", "open_binary"}

Found = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What plain Python finds, what compiled code finds, and what is found where there is little work."""
    folder = tmp_path_factory.mktemp("files")
    both_modes.write_files(folder)
    results = {}
    for mode, switch, more in (("plain", "1", ()), ("compiled", "0", ()), ("short", None, ("--short",))):
        environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)}
        environment.pop("NUMBA_DISABLE_JIT", None)
        environment |= {"NUMBA_DISABLE_JIT": switch} if switch else {}
        target = folder.parent / f"{mode}.json"
        command = [sys.executable, both_modes.__file__, str(folder), str(target), *more]
        subprocess.run(command, env=environment, check=True)
        results[mode] = json.loads(target.read_text(encoding="utf-8"))
    return results


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["compiled", "short"])
def test_plain_python_finds_the_same(mode: str, found: Found) -> None:
    expected, results = found["plain"]["results"], found[mode]["results"]
    assert {name: one for name, one in results.items() if one != expected[name]} == {}
    assert len(results) == len(expected) if mode == "compiled" else len(results) > 5


@pytest.mark.slow
def test_every_reader_and_every_metric_has_large_numbers(found: Found, tmp_path: Path) -> None:
    read = {name.rpartition(" ")[0] for name in found["plain"]["results"]}
    assert {reader.name for reader in all_readers()} <= read
    measured = [one for _, case in both_modes.metrics(tmp_path) for one in case.args[0]]  # type: ignore[attr-defined]
    assert {spec.partition(":")[0] for spec in measured} == set(METRICS)


@pytest.mark.slow
def test_every_kernel_runs_in_both_modes(found: Found) -> None:
    """Except what tests elsewhere compare with compiled code."""
    kernels = {name for name, node in functions() if any(map(is_kernel, node.decorator_list))}
    assert len(kernels) > 200
    assert kernels - set(found["plain"]["functions"]) == set(ELSEWHERE)
    assert all((TESTS / name).exists() for name in ELSEWHERE.values())


@pytest.mark.slow
def test_every_function_that_opens_a_file_runs_in_both_modes(found: Found) -> None:
    opening = {name for name, node in functions() if not OPENING.isdisjoint(called_in(node))}
    assert len(opening) > 20
    assert opening - set(found["plain"]["functions"]) == set()


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield every function of the package, with its file."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(PACKAGE)}:{node.name}", node


def is_kernel(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("kernel", "inner_kernel")


def called_in(function: ast.FunctionDef) -> set[str]:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {called.id for called in calls if isinstance(called, ast.Name)}
