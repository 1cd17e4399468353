"""Change the code of the core in many small ways, and see which changes no test notices: ``make mutants``.

    make mutants COUNT=300 SEED=1
    python tests/mutation/mutants.py --count 50 --seed 7 --only statistics/tests.py
    python tests/mutation/mutants.py --line "units - 1"

A mutant is the package with one operator, comparison, constant, condition, index, argument or statement changed. A
seeded sample of all such changes in the folders of ``FOLDERS`` is tried, without the JIT, in a copy of the tree.
First every quick test runs alone, and the functions it calls are noted. Each mutant then runs the tests that call the
changed function, those of the mirrored folder first, until one of them fails.

Tests are imported once; a mutant is a forked process in which the code of one function is replaced. What cannot be
replaced there (constants of a module, defaults of fields and arguments) is written into the copy, for a new Python.

A mutant that no test could notice, because it does the same, has a line with the reason in ``equivalent.tsv``. The
exit code is 1 if fewer than 90 % of the others are killed or a survivor is not in that file. Results are kept in
``build/mutants`` as they come: a run that was interrupted goes on. After a change, only tests of changed files or
modules are noted again, and only mutants of changed modules, or that lived through tests of changed files, run again.
"""

from __future__ import annotations

import argparse
import ast
import copy
import csv
import gc
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeAlias

import pytest

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PACKAGE = "src/wordorder"
FOLDERS = ("core/orders", "core/statistics", "linking/matching", "metrics", "scoring")
COPIED = ("src", "tests", "conformance", "papers", "docs")
KILLED_AT_LEAST = 0.9
SECONDS_OF_A_TEST = 3.0
"""Processor time; a test that takes longer without the JIT is left out."""
MEMORY = 8 << 30
SECONDS_OF_A_MUTANT = 10.0
"""How long the tests of a mutant took before the change, at most; the mirrored folder and quick tests come first."""

Change: TypeAlias = tuple[str, CodeType]
"""The path of a module, and its code after a change."""

OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.MatMult: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change of one node of a module: where it is, what it was, and what it becomes."""

    module: str
    function: str
    line: int
    text: str
    change: str
    inside: bool
    """Whether it is in the body of a function, so that a running process can take it in."""
    number: int

    @property
    def key(self) -> tuple[str, str, str]:
        """What names it in ``equivalent.tsv``; line numbers change too often."""
        return self.module, self.text, self.change


# --- changes -------------------------------------------------------------------------------------------------------


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""
    match node:
        case ast.BinOp(left, operator, right) if not isinstance(right, ast.Constant | ast.JoinedStr | ast.Tuple) or (
            isinstance(getattr(right, "value", None), int | float)
        ):
            if type(operator) in OPERATORS:
                yield ast.BinOp(left, OPERATORS[type(operator)](), right)
            yield left
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(OPERATORS[type(operator)](), values)
            yield ast.BoolOp(operator, values[:-1]) if len(values) > 2 else values[0]
        case ast.Compare(left, [operator], [right]):
            yield ast.Compare(left, [OPERATORS[type(operator)]()], [right])
            if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                yield ast.UnaryOp(ast.Not(), node)
        case ast.UnaryOp(operator, operand) if not isinstance(operand, ast.Constant):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.IfExp(_, body, other):
            yield from (body, other)
        case ast.If(test, body, other):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, other)
        case ast.Subscript(value, index) if isinstance(index, ast.Name | ast.BinOp | ast.UnaryOp):
            yield ast.Subscript(value, ast.BinOp(index, ast.Add(), ast.Constant(1)), node.ctx)
            if isinstance(node.ctx, ast.Load):
                yield value
        case ast.Subscript(value, ast.Slice(lower, upper, step)):
            if lower:
                yield ast.Subscript(value, ast.Slice(None, upper, step), node.ctx)
            if upper:
                yield ast.Subscript(value, ast.Slice(lower, None, step), node.ctx)
        case ast.Call(called, [first, second, *rest], keywords) if not isinstance(first, ast.Starred):
            if not isinstance(second, ast.Starred):
                yield ast.Call(called, [second, first, *rest], keywords)
        case ast.AugAssign(target, operator, value):
            if type(operator) in OPERATORS:
                yield ast.AugAssign(target, OPERATORS[type(operator)](), value)
            yield ast.Pass()
        case ast.Assign([ast.Subscript() | ast.Attribute()]) | ast.Continue() | ast.Break():
            yield ast.Pass()
        case ast.Expr(ast.Call()):
            yield ast.Pass()


def is_left_alone(node: ast.AST) -> bool:
    """Return whether nothing in a node is changed: texts, messages, types, imports, and what mypy reads."""
    match node:
        case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom() | ast.AnnAssign(value=None):
            return True
        case ast.If(ast.Name("TYPE_CHECKING")):
            return True
        case ast.Call(ast.Name("refuse" | "choices" | "cast" | "TypeVar" | "setting" | "mention")):
            return True
        case ast.Subscript(ast.Name(name)) | ast.Subscript(ast.Attribute(attr=name)):
            return name[:1].isupper() or name in ("dict", "list", "tuple", "type")
    return False


def _places(node: ast.AST, function: str, inside: bool) -> Iterator[tuple[ast.AST, str, Any, str, bool]]:
    """Yield the parent, field and index of every node that may be changed, with its function."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef) and not inside:
        function = f"{function}.{node.name}".lstrip(".")
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases", "keywords") and not isinstance(node, ast.Call):
            continue
        within = inside or (isinstance(node, ast.FunctionDef) and field == "body")
        for place, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST) and not is_left_alone(child):
                yield node, field, place, function, within
                yield from _places(child, function, within)


def _changes(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST, str, bool]]:
    """Make every change in turn, and take it back; yield the node, what stands in its place, and where."""
    for parent, field, place, function, inside in list(_places(tree, "", False)):
        held = getattr(parent, field)
        node = held if place is None else held[place]
        for variant in variants(copy.deepcopy(node)):
            _put(parent, field, place, ast.fix_missing_locations(ast.copy_location(variant, node)))
            yield node, variant, function, inside
            _put(parent, field, place, node)


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    lines = source.splitlines()
    for number, (node, variant, function, inside) in enumerate(_changes(ast.parse(source))):
        line = getattr(node, "lineno", 1)
        yield Mutant(
            module, function, line, lines[line - 1].strip(), f"{_short(node)} → {_short(variant)}", inside, number
        )


def changed(one: Mutant, source: str) -> ast.Module:
    """Return a module with the change in it; what is not changed keeps its line numbers."""
    tree = ast.parse(source)
    for number, _ in enumerate(_changes(tree)):
        if number == one.number:
            return tree
    raise AssertionError(one)


def _put(parent: ast.AST, field: str, place: int | None, node: ast.AST) -> None:
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


def _short(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def sources(root: Path) -> list[Path]:
    """Return the modules that are changed."""
    return [path for folder in FOLDERS for path in sorted((root / PACKAGE / folder).rglob("*.py"))]


def sample(root: Path, count: int, seed: int, only: Sequence[str] = (), line: str = "") -> list[Mutant]:
    """Return a sample of all mutants, module by module; a longer sample of the same seed holds a shorter one."""
    found: list[Mutant] = []
    for path in sources(root):
        module = str(path.relative_to(root / PACKAGE))
        if not only or any(part in module for part in only):
            found += [one for one in mutants_of(module, path.read_text(encoding="utf-8")) if line in one.text]
    order = sorted(found, key=lambda one: Random(f"{seed}/{one.module}/{one.number}/{one.change}").random())
    return sorted(order[:count], key=lambda one: (one.module, one.number))


def read_equivalents(path: Path = HERE / "equivalent.tsv") -> dict[tuple[str, str, str], str]:
    """Return the reasons why some mutants do the same as the code."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {(module, text, change): reason for module, text, change, reason in list(rows)[1:]}


# --- the worker: a pytest whose loop forks -------------------------------------------------------------------------


class Loop:
    """A plugin that runs the tests once and then for every mutant, each time in a process of its own."""

    def __init__(self, root: Path, mutants: Sequence[Mutant], results: Path) -> None:
        self.root, self.mutants, self.results = root, mutants, results
        self.failed = False
        self.out = os.fdopen(os.dup(2), "w")  # pytest captures the other one
        self.sources = {str(path): str(path.relative_to(root / PACKAGE)) for path in sources(root)}
        self.functions: dict[str, list[FunctionType]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed:
            return None  # pytest stops: something could not be imported
        known = _read_lines(self.results)
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename in self.sources:
                self.functions[one.__code__.co_filename].append(one)
        gc.freeze()
        calls, seconds = self.record(session.items)
        for number, mutant in enumerate(self.mutants, start=1):
            mark = mark_of(self.root, mutant)
            before = known.get(mark)
            chosen = self.choose(session.items, mutant, calls, seconds)
            state = self.state(item.nodeid for item in chosen)
            if before and before["file"] == (self.state([before["test"]]) if before["test"] else state):
                continue
            begun = time.monotonic()
            test = self.kill(mutant, chosen, sum(seconds[item.nodeid] for item in chosen))
            file = self.state([test]) if test else state
            _add_line(self.results, {"key": mark, "test": test, "file": file})
            outcome = test.rpartition("/")[2] or f"LIVES after {len(chosen)} tests"
            self.say(f"{number:4} {mutant.module}:{mutant.line} {mutant.change}: {outcome}", time.monotonic() - begun)
        return True

    def say(self, what: str, seconds: float) -> None:
        print(f"{what} ({seconds:.1f} s)", file=self.out, flush=True)

    def state(self, tests: Iterable[str], modules: Iterable[str] = ()) -> str:
        """Return a digest of some tests, their files, and some modules."""
        tests = sorted(tests)
        paths = [*map(self.file_of, tests), *(self.root / PACKAGE / module for module in sorted(modules))]
        return hashlib.sha256("".join([*tests, *map(_digest, paths)]).encode()).hexdigest()[:16]

    def file_of(self, test: str) -> Path:
        return self.root / test.partition("::")[0]

    def record(self, items: Sequence[pytest.Item]) -> tuple[dict[str, set[tuple[str, str]]], dict[str, float]]:
        """Run every test alone; return its functions and seconds, unless it fails or is too long."""
        file = self.results.with_name("calls.jsonl")
        kept = _read_lines(file)
        begun, tried = time.monotonic(), 0
        for item in items:
            before = kept.get(item.nodeid)
            if before is None or before["mark"] != self.mark(item.nodeid, before["calls"]):
                test, lines = self.fork([item], None, SECONDS_OF_A_TEST, record=True)
                calls = json.loads(lines) if lines and not test else None
                kept[item.nodeid] = {"mark": self.mark(item.nodeid, calls), "calls": calls}
                _add_line(file, {"key": item.nodeid, **kept[item.nodeid]})
                tried += 1
        found = {item.nodeid: kept[item.nodeid]["calls"] for item in items if kept[item.nodeid]["calls"]}
        if tried:
            self.say(f"{len(found)} of {len(items)} tests pass in time without the JIT", time.monotonic() - begun)
        reached = {test: {(module, function) for module, function in called} for test, (_, called) in found.items()}
        return reached, {test: seconds for test, (seconds, _) in found.items()}

    def mark(self, test: str, calls: Any) -> str:
        """Return what a record belongs to: a test, and the modules that it calls."""
        return self.state([test], {module for module, _ in calls[1]} if calls else ())

    def choose(
        self,
        items: Sequence[pytest.Item],
        one: Mutant,
        calls: dict[str, set[tuple[str, str]]],
        seconds: dict[str, float],
    ) -> list[pytest.Item]:
        """Return the tests that call the changed function (or any of its module), in the order to try them in."""
        folder, file = os.path.split(one.module)
        near = (f"tests/{folder}/test_{file.removesuffix('.py')}", f"tests/{folder}/", f"{PACKAGE}/{one.module}")

        def place(item: pytest.Item) -> tuple[int, float]:
            return min([k for k, start in enumerate(near) if item.nodeid.startswith(start)], default=3), seconds[
                item.nodeid
            ]

        reach = [
            item
            for item in items
            if any(
                module == one.module and (not one.inside or name == one.function)
                for module, name in calls.get(item.nodeid, ())
            )
        ]
        chosen, spent = [], 0.0
        for item in sorted(reach, key=place):
            if spent + seconds[item.nodeid] <= SECONDS_OF_A_MUTANT:
                chosen.append(item)
                spent += seconds[item.nodeid]
        return chosen

    def kill(self, one: Mutant, chosen: Sequence[pytest.Item], spent: float) -> str:
        """Return the test that kills a mutant, or an empty text."""
        if not chosen:
            return ""
        path = self.root / PACKAGE / one.module
        source = path.read_text(encoding="utf-8")
        tree = changed(one, source)
        code = compile(tree, str(path), "exec")
        if one.inside and _closures(code) == _closures(compile(source, str(path), "exec")):
            return self.fork(chosen, (str(path), code), 3 * spent + 5)[0]
        path.write_text(ast.unparse(tree), encoding="utf-8")
        try:
            command = [sys.executable, "-B", __file__, "--pytest", "-x", "-rfE", *(item.nodeid for item in chosen)]
            ran = subprocess.run(
                command, cwd=self.root, stdout=subprocess.PIPE, text=True, check=False, timeout=60 + 10 * spent
            )
        except subprocess.TimeoutExpired:
            return chosen[0].nodeid
        finally:
            path.write_text(source, encoding="utf-8")
        if ran.returncode == 0:
            return ""
        failed = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return failed[0] if failed and "::" in failed[0] else chosen[0].nodeid

    def fork(
        self, items: Sequence[pytest.Item], change: tuple[str, CodeType] | None, seconds: float, *, record: bool = False
    ) -> tuple[str, str]:
        """Run tests in a child, in so many seconds of its processor time, with the code of a module changed.

        Return the test that failed, or in which the child died, and what the child noted.
        """
        with tempfile.TemporaryFile("w+", encoding="utf-8") as notes, tempfile.TemporaryFile("w+") as running:
            child = os.fork()
            if child == 0:
                try:
                    self.child(items, change, seconds, record, notes, running)
                finally:
                    os._exit(3)
            end = time.monotonic() + 10 * seconds + 60
            while not (ended := os.waitpid(child, os.WNOHANG))[0]:
                if time.monotonic() > end:
                    os.kill(child, signal.SIGKILL)
                time.sleep(0.005)
            notes.seek(0)
            running.seek(0)
            return ("" if ended[1] == 0 else items[int(running.read().split()[-1])].nodeid), notes.read()

    def child(
        self, items: Sequence[pytest.Item], change: Change | None, seconds: float, record: bool, notes: Any,
        running: Any,
    ) -> None:  # fmt: skip
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)  # its signal ends the process
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if change:
            take_in(change[1], self.functions[change[0]])
        called: set[tuple[str, str]] = set()

        def trace(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            if code.co_filename in self.sources:
                called.add((self.sources[code.co_filename], code.co_qualname.partition(".<")[0]))

        if record:
            sys.settrace(trace)
        begun = time.process_time()
        for place, item in enumerate(items):
            following = items[place + 1] if place + 1 < len(items) else None
            print(place, file=running, flush=True)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                os._exit(1)
        if record:
            sys.settrace(None)
            json.dump([time.process_time() - begun, sorted(called)], notes)
            notes.flush()
        os._exit(0)


def take_in(module: CodeType, functions: Sequence[FunctionType]) -> None:
    """Give the functions of a module in this process the code that a changed module has for them."""
    new: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for code in _codes(module):
        new[code.co_qualname, code.co_firstlineno].append(code)
    for function in functions:
        found = new[function.__code__.co_qualname, function.__code__.co_firstlineno]
        if len(found) == 1:  # two lambdas on one line are left as they are
            function.__code__ = found[0]


def _closures(module: CodeType) -> dict[tuple[str, int], tuple[str, ...]]:
    return {(code.co_qualname, code.co_firstlineno): code.co_freevars for code in _codes(module)}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def _read_lines(path: Path) -> dict[str, dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {one["key"]: one for one in map(json.loads, lines)}


def _add_line(path: Path, line: dict[str, Any]) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def mark_of(root: Path, one: Mutant) -> str:
    """Return what a result belongs to: the mutant, in this very source."""
    return f"{one.module}:{one.number}:{one.change}:{_digest(root / PACKAGE / one.module)}"


# --- the run -------------------------------------------------------------------------------------------------------


def run_pytest(arguments: Sequence[str], *plugins: object) -> int:
    """Run pytest, with the same examples each time and no search for smaller ones."""
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutants", deadline=None, derandomize=True, database=None, max_examples=25,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    options = ["-q", "-p", "no:cacheprovider", "--tb=no", "--assert=plain", "--hypothesis-profile=mutants"]
    return int(pytest.main([*options, "-m", "not slow and not realdata", *arguments], plugins=plugins))


def work(options: argparse.Namespace) -> int:
    """Try all mutants of the sample, in the copy."""
    root = Path.cwd()
    mutants = sample(root, options.count, options.seed, options.only, options.line)
    loop = Loop(root, mutants, Path(options.results))
    folders = [folder for name in FOLDERS for folder in (f"tests/{name}", f"{PACKAGE}/{name}")]
    return run_pytest([folder for folder in folders if (root / folder).exists()], loop)


def report(root: Path, mutants: Sequence[Mutant], results: Path, equivalents: dict[tuple[str, str, str], str]) -> int:
    """Print what was killed and what lives; return the exit code."""
    known = _read_lines(results)
    counts = {folder: [0, 0, 0, 0] for folder in (*FOLDERS, "all")}
    alive = []
    for one in mutants:
        found = known.get(mark_of(root, one))
        if found is None:
            continue
        outcome = 1 if found["test"] else 3 if one.key in equivalents else 2
        for folder in (next(folder for folder in FOLDERS if one.module.startswith(f"{folder}/")), "all"):
            counts[folder][0] += 1
            counts[folder][outcome] += 1
        if outcome == 2:
            alive.append(one)
    for one in alive:
        print(f"{one.module}:{one.line}: {one.change}\t{one.text}")
    print(f"{'folder':18} {'mutants':>8} {'killed':>8} {'survived':>8} {'equivalent':>11} {'killed %':>9}")
    for folder, (tried, killed, survived, same) in counts.items():
        share = f"{killed / (killed + survived):.1%}" if killed + survived else "–"
        print(f"{folder:18} {tried:8} {killed:8} {survived:8} {same:11} {share:>9}")
    _, killed, survived, _ = counts["all"]
    return 1 if alive or killed < KILLED_AT_LEAST * (killed + survived) else 0


def main() -> int:
    """Copy the tree, try mutants there, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws others (1)")
    parser.add_argument("--only", nargs="*", default=[], metavar="PART", help="modules whose path has this in it")
    parser.add_argument("--line", default="", metavar="TEXT", help="only changes of lines with this in them")
    parser.add_argument("--results", default=str(REPOSITORY / "build/mutants/results.jsonl"), help="file of results")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options)
    results = Path(options.results).resolve()
    results.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="wordorder-") as name:
        root = Path(name)
        for folder in COPIED:
            shutil.copytree(REPOSITORY / folder, root / folder, ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
        shutil.copy(REPOSITORY / "pyproject.toml", root)
        environment = {**os.environ, "PYTHONPATH": str(root / "src"), "NUMBA_DISABLE_JIT": "1"}
        command = [sys.executable, str(Path(__file__).resolve()), "--work", *sys.argv[1:], "--results", str(results)]
        with open(results.with_name("pytest.log"), "w", encoding="utf-8") as log:
            ran = subprocess.run(command, cwd=root, env=environment, stdout=log, check=False)
        if ran.returncode:
            sys.exit(f"the tests could not be run: see {log.name}")
        mutants = sample(root, options.count, options.seed, options.only, options.line)
        return report(root, mutants, results, read_equivalents())


if __name__ == "__main__":
    sys.exit(run_pytest(sys.argv[2:]) if sys.argv[1:2] == ["--pytest"] else main())
