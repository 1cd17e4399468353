"""The program that changes the core in small ways, tried on a package of one function."""

import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import mutants
import pytest
from mutants import Mutant

SOURCE = '''\
"""A module."""
LIMIT = 3
CALLS = {"less": lambda a: a - 1, "more": lambda a: a + 1}


def clip(value: int, *, low: int = 0) -> int:
    """Clip a value."""
    if value < low:
        return low
    return min(value, LIMIT)
'''
TESTS = """\
from wordorder.core.orders.clip import clip


def test_clip():
    assert [clip(-1), clip(2), clip(7)] == [0, 2, 3]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one module and its test."""
    for path, text in (
        ("src/wordorder/__init__.py", ""),
        ("src/wordorder/core/orders/clip.py", SOURCE),
        ("tests/core/orders/test_clip.py", TESTS),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_change_is_one_change() -> None:
    found = {one.change: mutants.changed(one, SOURCE) for one in mutants.mutants_of("clip.py", SOURCE)}
    assert list(found) == [
        "3 → 4", "a - 1 → a + 1", "a - 1 → a", "1 → 2", "a + 1 → a - 1", "a + 1 → a",
        "0 → 1", "if value < low: → if not value < low:", "value < low → value <= low",
        "value < low → not value < low", "min(value, LIMIT) → min(LIMIT, value)",
    ]  # fmt: skip
    namespace: dict[str, object] = {}
    exec(compile(found["3 → 4"], "clip.py", "exec"), namespace)
    assert namespace["LIMIT"] == 4


def test_messages_types_and_texts_are_left_alone() -> None:
    source = 'def f(x: dict[str, 3 + 4]) -> tuple[1 + 2]:\n    """1 + 1."""\n    raise ValueError(f"{x + 1}", 1 + 2)\n'
    assert list(mutants.mutants_of("f.py", source)) == []


def test_a_longer_sample_holds_a_shorter_one(tree: Path) -> None:
    short, long = (mutants.sample(tree, count, seed=7) for count in (4, 9))
    assert (len(short), len(long)) == (4, 9)
    assert set(short) < set(long)
    assert short != mutants.sample(tree, 4, seed=8)
    assert {one.text for one in mutants.sample(tree, 99, seed=7, line="LIMIT = ")} == {"LIMIT = 3"}
    assert mutants.sample(tree, 99, seed=7, only=["statistics"]) == []


def test_functions_of_a_process_take_in_a_change_each_its_own() -> None:
    namespace: dict[str, object] = {}
    exec(compile(SOURCE, "clip.py", "exec"), namespace)
    functions = [one for one in namespace.values() if isinstance(one, FunctionType)]
    calls = namespace["CALLS"]
    assert isinstance(calls, dict)
    [one] = [one for one in mutants.mutants_of("clip.py", SOURCE) if one.change == "value < low → not value < low"]
    mutants.take_in(compile(mutants.changed(one, SOURCE), "clip.py", "exec"), [*functions, *calls.values()])
    assert (functions[0](-2), functions[0](2)) == (-2, 0)
    assert (calls["less"](5), calls["more"](5)) == (4, 6)


def test_equivalent_mutants_have_a_module_and_a_reason() -> None:
    for (module, text, change), reason in mutants.read_equivalents().items():
        assert (mutants.REPOSITORY / mutants.PACKAGE / module).exists(), module
        assert text, change
        assert " → " in change
        assert len(reason.split()) > 3, (module, change)


@pytest.mark.slow
def test_a_run_finds_what_tests_do_not_notice(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tree / "results.jsonl"
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, mutants.__file__, "--work", "--count", "99", "--results", str(results)]

    def run() -> str:
        ran = subprocess.run(
            command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True
        )
        return ran.stderr

    assert "1 of 1 tests pass in time" in run()
    found = mutants.sample(tree, 99, seed=1)
    assert mutants.report(tree, found, results, {}) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines if line.startswith("core/orders/clip.py")] == [
        "core/orders/clip.py:3: a - 1 → a + 1",
        "core/orders/clip.py:3: a - 1 → a",
        "core/orders/clip.py:3: 1 → 2",
        "core/orders/clip.py:3: a + 1 → a - 1",
        "core/orders/clip.py:3: a + 1 → a",
        "core/orders/clip.py:3: 1 → 2",
        "core/orders/clip.py:8: value < low → value <= low",
        "core/orders/clip.py:10: min(value, LIMIT) → min(LIMIT, value)",
    ]
    assert lines[-1].split() == ["all", "12", "4", "8", "0", "33.3%"]

    same = {one.key: "It does the same." for one in found if one.line in (3, 8, 10)}
    assert mutants.report(tree, found, results, same) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["all", "12", "4", "0", "8", "100.0%"]

    before = results.read_text(encoding="utf-8")
    assert run() == ""  # nothing has changed
    with open(tree / "tests/core/orders/test_clip.py", "a", encoding="utf-8") as file:
        file.write("    from wordorder.core.orders.clip import CALLS\n    assert CALLS['less'](5) == 4\n")
    assert "LIVES" in run()
    assert results.read_text(encoding="utf-8").startswith(before)
    assert mutants.report(tree, found, results, {}) == 1
    assert capsys.readouterr().out.splitlines()[-1].split() == ["all", "12", "7", "5", "0", "58.3%"]


def test_mutants_are_named_by_what_they_change() -> None:
    one = Mutant("core/orders/clip.py", "clip", 8, "if value < low:", "value < low → value <= low", True, 9)
    assert one.key == ("core/orders/clip.py", "if value < low:", "value < low → value <= low")
