"""Fuzz whole commands: spoil their files and their arguments, run them, and see what must not happen.

``python tests/fuzzing/fuzz.py`` runs this after the readers. Commands run in forks of a process that has run all of
them once, so that nothing has to be loaded or compiled, each in a folder with copies of the files that it names. A
fork takes more time than most commands, so several run in one fork, one after the other, and what seems to be a fault
must happen again in a fork of its own. A fault is

* a traceback, the end of the process by a signal, or a warning or an error on standard error that is not ours;
* more than ten seconds of the processor or a minute in all, or more than 1.5 GB of memory;
* an exit code other than 0, 1 and 2, and 3 with a gate; one above 0 without a last line that says why; other than 2
  where a file is missing, and 2 where nothing but the content of files is wrong;
* a file that the command reads and that is not as before; one case in ten has an input as a result as well, by its
  own name or as a link, and then no file at all may change;
* output, files or exit code that differ when another process does the same, with other hashes of text.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import gc
import importlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzed_commands import MADE, Base, all_bases, make_files
from mutations import NUMBERS, PACKINGS, TOKENS, Files, spoil_file

SECONDS_OF_PROCESSOR, SECONDS_IN_ALL = 10.0, 60.0
MOST_MEMORY = 3 << 29
ROOM = 4 << 30
"""Address space a command may take beyond that of the process it is forked from."""

LARGEST_FILE = 1 << 28
SHARE_REPEATED = 0.2
MOST = {
    **{"--workers": 2, "--people": 20, "--expected": 20, "--iterations": 20, "--restarts": 20, "--passes": 10},
    **{"--runs": 5, "--directions": 20},
}
"""The largest values of options that take as many processes, or as much work, as they are told to."""

MOST_SAMPLES = 2000
"""The largest value of ``--samples``: correlations of 65,537 samples take longer than ten seconds."""

AT_A_TIME = 100
"""Commands that run in one fork."""

ALONE = {"--plot", "--workers", "--decoder"}
"""Options of commands that need a fork of their own, since threads and processes may outlive them."""

MISSING = "missing.txt"
APART = ("preorder", "nbest", "smt", "scale", "study")
"""Commands of two words."""

OUTPUTS = {
    *("-o", "--output", "--out", "--segments", "--save", "--html", "--report", "--plot", "--picture", "--pairs"),
    "--label-studio",
    *("--write-buckets", "--mtme-scores", "--rows", "--scores-jsonl", "--to", "--work", "--nbest", "--files"),
}
NOT_TRIED = re.compile(
    r"--dask|--database|--compile|--spacy|--shard|serve$|spm|spBLEU|flores|ja-mecab|ko-mecab|s3:|gs:"
)
"""What would open a connection, load what is not there, or never end."""

ENDINGS = {"--plot": ".svg", "--picture": ".svg", "--html": ".html", "--rows": ".tsv", "--scores-jsonl": ".jsonl"}
"""What the name of a result must end in."""

GATES = {"--fail-under", "--fail-if-worse"}
"""Options of ``score`` that may end in exit code 3."""

SHARE_OVER_AN_INPUT = 0.1

_OURS = re.compile(r"wordorder( [a-z]+)*: (?P<kind>note: |warning: )?")
_NAMED_BY_ARGUMENTS = re.compile(
    "unknown (column|feature|error category)|is not a column of|features without a weight|there is no person"
    "|no column .* for '"
    "|the largest amount needs|; choose a column with |; give --|--sentence must be between 1 and"
)
"""What an argument, or a second file, asks of a file: either of the two may be wrong."""

_PROCESS = re.compile(r"(?<=nbest)\.\d+(?=\.part)")
"""The number of the process in the name of a decoder's temporary file, which remains where its list is wrong."""

_STRANGE = re.compile(r"(?!wordorder).*(Warning: |Error\b|Exception|resource_tracker|terminate called)")
_TRIES = 40


@dataclass(frozen=True)
class Case:
    """A command to run: its arguments and standard input, and the files that are not as in the folder of files."""

    base: str
    arguments: tuple[str, ...]
    stdin: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    missing: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
    """Other names of files: those that begin with ``hard`` are hard links, the others symbolic."""
    over: str = ""
    """The input that is a result as well."""

    def __str__(self) -> str:
        return shlex.join(["wordorder", *self.arguments]) + (f" < {shlex.quote(self.stdin)}" if self.stdin else "")


@dataclass(frozen=True)
class Outcome:
    """What came of a command: exit code, or minus the signal; megabytes; what it printed; where it was stopped."""

    code: int
    memory: int
    stdout: bytes
    stderr: str
    stopped: str
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Fault:
    """Something that must not happen, and the key under which it is reported once."""

    what: str
    key: str


# --- the process that commands are forked from ----------------------------------------------------------------------


class Forker:
    """A process that has run every command once, and forks for each further one."""

    def __init__(self, files: Path, *, bases: Sequence[Base] = ()) -> None:
        """Fill the folder of files if it is empty, and run the bases: they must succeed."""
        self.files = files
        if not any(files.iterdir()):
            make_files(files)
            for line in MADE:
                self._warm(Base.of(line, line), files)
        for base in bases:
            if "--plot" in base.arguments:  # what draws has threads of its own, which a fork would wait for
                continue
            with tempfile.TemporaryDirectory(dir=files.parent) as folder:
                lay_out(self.files, Case(base.name, base.arguments, base.stdin), Path(folder))
                self._warm(base, Path(folder))
        with contextlib.suppress(ImportError):
            importlib.import_module("altair")
        gc.collect()
        gc.freeze()

    def _warm(self, base: Base, folder: Path) -> None:
        code, _, errors = perform_in(base, folder)
        if code:
            raise AssertionError(f"{base.name}: exit code {code}\n{errors.decode()}")

    def run(self, case: Case, folder: Path) -> Outcome:
        """Run a command in a new folder and a fork of its own, and return what came of it."""
        return self.run_all([case], folder)[0]

    def run_all(self, cases: Sequence[Case], folder: Path) -> list[Outcome]:
        """Run commands one after the other, each in a new folder, and return what came of them."""
        shutil.rmtree(folder, ignore_errors=True)
        tasks = [Task(case.arguments, case.stdin, str(folder / str(place))) for place, case in enumerate(cases)]
        for case, task in zip(cases, tasks, strict=True):
            lay_out(self.files, case, Path(task.folder) / "work")
        ends = self.fork(tasks)
        return [_outcome(Path(task.folder), *end) for task, end in zip(tasks, ends, strict=True)]

    def fork(self, tasks: Sequence[Task]) -> list[tuple[int, int]]:
        """Run tasks in forks; return the exit code of each, or minus the signal, and the peak of memory."""
        ends: list[tuple[int, int]] = []
        while len(ends) < len(tasks):
            ends += self._fork(tasks[len(ends) :])
        return ends

    def _fork(self, tasks: Sequence[Task]) -> list[tuple[int, int]]:
        """Run tasks in one fork, until one of them ends it or must be the last."""
        read, write = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(read)
                os.setsid()
                for place, task in enumerate(tasks):
                    if place and not ALONE.isdisjoint(task.arguments):
                        break
                    _prepare(task)
                    code = _perform(task.arguments)
                    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
                    os.write(write, f"{code} {peak}\n".encode())
                    if peak > MOST_MEMORY >> 20 or not ALONE.isdisjoint(task.arguments):
                        break
            finally:
                os._exit(0)
        os.close(write)
        _, status, used = os.wait4(child, 0)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)  # what it has started
        with open(read, encoding="ascii") as file:
            ends = [(int(code), int(peak)) for code, peak in map(str.split, file)]
        if status or not ends:
            ends.append((os.waitstatus_to_exitcode(status) or 70, used.ru_maxrss >> 10))
        return ends


@dataclass(frozen=True)
class Task:
    """A command whose folder is laid out."""

    arguments: tuple[str, ...]
    stdin: str | None
    folder: str


def _outcome(folder: Path, code: int, memory: int) -> Outcome:
    """Return what a command has left in its folder."""
    return Outcome(
        code,
        memory,
        (folder / "stdout").read_bytes(),
        _PROCESS.sub("", (folder / "stderr").read_bytes().decode(errors="backslashreplace")),
        (folder / "stopped").read_text(),
        {_PROCESS.sub("", name): content for name, content in contents(folder / "work").items()},
    )


def _prepare(task: Task) -> None:
    """Give the process its folder, streams and limits; what draws charts reserves more addresses than it uses."""
    os.chdir(f"{task.folder}/work")
    source = task.stdin if task.stdin is not None and os.path.isfile(task.stdin) else os.devnull
    writing = os.O_WRONLY | os.O_CREAT
    streams = ((source, os.O_RDONLY), (f"{task.folder}/stdout", writing), (f"{task.folder}/stderr", writing))
    for number, (name, mode) in enumerate(streams):
        opened = os.open(name, mode)
        os.dup2(opened, number)
        os.close(opened)
    stopped = open(f"{task.folder}/stopped", "w")  # noqa: SIM115  # open until the end
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
        faulthandler.register(number, stopped, all_threads=True, chain=True)
    signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_PROCESSOR)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_IN_ALL)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limits = {resource.RLIMIT_FSIZE: LARGEST_FILE, resource.RLIMIT_CORE: 0}
    if "--plot" not in task.arguments:
        limits[resource.RLIMIT_AS] = pages * resource.getpagesize() + ROOM
    for limit, value in limits.items():
        resource.setrlimit(limit, (value, resource.getrlimit(limit)[1]))


def perform_in(base: Base, folder: Path) -> tuple[int, bytes, bytes]:
    """Run a command of this process in a folder; return the exit code and what it printed."""
    with tempfile.TemporaryFile() as target, tempfile.TemporaryFile() as errors, contextlib.chdir(folder):
        kept = [os.dup(number) for number in range(3)]
        with open(base.stdin or os.devnull, "rb") as stdin:
            for number, file in enumerate((stdin, target, errors)):
                os.dup2(file.fileno(), number)
        code = _perform(base.arguments)
        for number, one in enumerate(kept):
            os.dup2(one, number)
            os.close(one)
        target.seek(0)
        errors.seek(0)
        return code, target.read(), errors.read()


def _perform(arguments: Sequence[str]) -> int:
    """Do what the interpreter does for ``wordorder ARGUMENTS``."""
    from wordorder.cli.main import main

    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    sys.stderr.reconfigure(errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    sys.argv = ["wordorder", *arguments]
    try:
        code = main(list(arguments))
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    return code


def serve(files: Path) -> None:
    """Run the commands that come in on standard input; write what came of each to standard output."""
    read, write = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    forker = Forker(files, bases=all_bases())
    print("ready", file=write, flush=True)
    for line in read:
        tasks = [Task(tuple(arguments), stdin, folder) for arguments, stdin, folder in json.loads(line)]
        print(json.dumps(forker.fork(tasks)), file=write, flush=True)


class Served(Forker):
    """The same in another process, with a seed of its own for the hashes of text."""

    def __init__(self, files: Path, hashes: int) -> None:
        self.files = files
        environment = {**os.environ, **ENVIRONMENT, "PYTHONHASHSEED": str(hashes)}
        environment["WORDORDER_CACHE"] = str(files.parent / "cache")
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(files)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            sys.exit("the commands cannot be loaded, or do not succeed on right files")

    def fork(self, tasks: Sequence[Task]) -> list[tuple[int, int]]:
        """Let the other process fork."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        told = [(task.arguments, task.stdin, task.folder) for task in tasks]
        print(json.dumps(told), file=self._process.stdin, flush=True)
        return [(code, memory) for code, memory in json.loads(self._process.stdout.readline())]

    def close(self) -> None:
        """Let the other process end."""
        self._process.communicate()


ENVIRONMENT = {
    **{"PYTHONUTF8": "1", "COLUMNS": "100", "LINES": "50", "NO_COLOR": "1", "TERM": "dumb"},
    **{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore::DeprecationWarning"},
}


# --- files ----------------------------------------------------------------------------------------------------------


def lay_out(files: Path, case: Case, work: Path) -> None:
    """Make a folder with copies of the files that a command names, and its spoilt ones."""
    work.mkdir(parents=True, exist_ok=True)
    for name in named(files, case):
        source, target = files / name, work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.exists():
            shutil.copyfile(source, target)
    for name, content in case.files.items():
        with contextlib.suppress(OSError):
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_bytes(content)
    for name, other in case.links.items():
        (os.link if name.startswith("hard") else os.symlink)(work / other, work / name)


def named(files: Path, case: Case) -> list[str]:
    """Return the files and folders that a command names."""
    words = dict.fromkeys(
        part
        for word in (*case.arguments, case.stdin or "")
        for part in (word, *re.split(r"[=:,]", word), *word.split(), word.partition("=")[2], word.partition(":")[0])
    )
    known = known_paths(files)
    return [word for word in words if os.path.normpath(word) in known and word not in (".", "")]


@cache
def known_paths(files: Path) -> frozenset[str]:
    """Return the paths of all files and folders."""
    return frozenset(str(path.relative_to(files)) for path in files.rglob("*"))


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- spoilt commands ------------------------------------------------------------------------------------------------


class Kitchen:
    """The bases, the folder of files, and what it takes to spoil a command."""

    def __init__(self, files: Path, bases: Sequence[Base]) -> None:
        self.files = files
        self.bases = list(bases)
        self.names = sorted(name for name in known_paths(files) if "/" not in name)
        self.every = sorted(name for name in known_paths(files) if (files / name).is_file())

    def make(self, base: Base, number: int, seed: int) -> Case:
        """Return input ``number`` of a base; it follows from the seed, the name and the number."""
        draw = Random(f"{seed}/{base.name}/{number}")
        whole = Case(base.name, base.arguments, base.stdin)
        if draw.random() < SHARE_OVER_AN_INPUT:
            return self.over_an_input(whole, draw)
        kind = draw.random()
        case = whole
        if kind > 0.4:
            case = self._spoil_arguments(case, draw)
        if kind < 0.6:
            case = self._spoil_files(case, draw)
        return case if not any(map(NOT_TRIED.search, case.arguments)) else whole

    def over_an_input(self, case: Case, draw: Random) -> Case:
        """Let an option for a result name an input, which may be a file of another format."""
        words, known = list(case.arguments), known_paths(self.files)
        begin = 2 if words[0] in APART or words[:2] == ["parse", "train"] else 1
        found = [
            (place, part)
            for place in range(begin, len(words))
            for part in {words[place], *re.split(r"[=:]", words[place])}
            if part in known
        ]
        options = sorted(
            OUTPUTS & ({"-o"} if begin == 2 and words[0] == "parse" else options_of(tuple(words[:begin])).keys())
        )
        if not found or not options:
            return case
        place, name = draw.choice(sorted(found))
        inside = [one for one in self.every if one.startswith(f"{name}/")]
        if not inside and draw.random() < 0.3:
            other = draw.choice(self.every)
            words[place], name = words[place].replace(name, other), other
        over, option = draw.choice(inside or [name]), draw.choice(options)
        link = draw.choice(("hard", "symbolic")) + ENDINGS.get(option, "")
        links = {link: over} if option in ENDINGS or draw.random() < 0.5 else {}
        if option in words:
            del words[words.index(option) : words.index(option) + 2]
        words += [option, link if links else draw.choice((over, f"./{over}"))]
        return replace(case, arguments=tuple(words), links=links, over=over)

    def _spoil_files(self, case: Case, draw: Random) -> Case:
        names = [name for name in named(self.files, case) if (self.files / name).exists()]
        spoilt: Files = {}
        for _ in range(draw.choice((1, 1, 1, 2))):
            if not names:
                break
            name = draw.choice(names)
            if (self.files / name).is_dir():
                inside = sorted(one for one in self.every if one.startswith(f"{name}/"))
                if not inside:
                    continue
                name = draw.choice(inside)
            content = (self.files / name).read_bytes()
            spoilt[name] = spoil_file(name, content, self._other(name, draw), draw)
        return replace(case, files={**case.files, **spoilt}, missing=case.missing and not spoilt)

    def _other(self, name: str, draw: Random) -> bytes:
        ending = os.path.splitext(name)[1]
        alike = (
            [one for one in self.every if one.endswith(ending)]
            if ending in PACKINGS or draw.random() < 0.6
            else self.every
        )
        return (self.files / draw.choice(alike)).read_bytes()

    def _spoil_arguments(self, case: Case, draw: Random) -> Case:
        words, stdin, missing = list(case.arguments), case.stdin, False
        begin = 2 if words[0] in APART else 1
        turns = draw.choice((1, 1, 1, 2, 2, 3))
        for _ in range(turns):
            places = range(begin, len(words))
            place = draw.choice(places) if places else begin
            value = words[place] if place < len(words) else ""
            kind = draw.randrange(12)
            if kind == 0 and places:
                del words[place]
            elif kind == 1 and places:  # an option with all that belongs to it
                end = next((one for one in range(place + 1, len(words)) if words[one].startswith("--")), len(words))
                if draw.random() < 0.5:
                    del words[place:end]
                else:
                    words += words[place:end]
            elif kind == 2:
                words.insert(place, value)
            elif kind == 3 and places:
                other = draw.choice(places)
                words[place], words[other] = words[other], words[place]
            elif kind == 4 and re.search(r"\d", value):
                found = draw.choice(list(re.finditer(r"-?\d+(\.\d+)?", value)))
                words[place] = value[: found.start()] + draw.choice(NUMBERS) + value[found.end() :]
            elif kind in (5, 6):
                words[place : place + 1] = self._option(words[:begin], draw)
            elif kind == 7:
                words[place : place + 1] = [value, *self._option(words[:begin], draw)]
            elif kind == 8:
                stdin = draw.choice(self.every)
                words[place : place + 1] = [value.partition("=")[0] + "=-" if "=" in value else "-"]
            elif value in self.names or value.partition("=")[2] in self.names:
                name, mark, _ = value.rpartition("=") if value not in self.names else ("", "", value)
                put = self._path(draw) if kind < 11 else MISSING
                missing = put == MISSING and turns == 1 and words[place - 1] not in {*OUTPUTS, "--set"}
                words[place] = f"{name}{mark}{put}"
            elif places and not (place and words[place - 1] == "--decoder"):
                words[place] = self._value(draw)
        words = [word for word in words if "\x00" not in word]  # which no shell can give
        words = [str(draw.randint(-1, MOST[before])) if before in MOST and not word.startswith("--") else word
                 for before, word in zip(["", *words], words, strict=False)]  # fmt: skip
        words = [str(min(int(word), MOST_SAMPLES)) if before == "--samples" and word.isdecimal() else word
                 for before, word in zip(["", *words], words, strict=False)]  # fmt: skip
        return replace(case, arguments=tuple(words), stdin=stdin, missing=missing)

    def _path(self, draw: Random) -> str:
        odd = (MISSING, ".", "-", "/dev/full", "/dev/null", "", "two\nlines=ü.txt", "empty", "missing\nx", "en-de/")
        return draw.choice(odd) if draw.random() < 0.25 else draw.choice(self.names)

    def _value(self, draw: Random) -> str:
        kind = draw.random()
        if kind < 0.35:
            return draw.choice(NUMBERS)
        if kind < 0.55:
            return draw.choice(TOKENS).replace("\x00", "")
        if kind < 0.8:
            return self._path(draw)
        return draw.choice(draw.choice(self.bases).arguments)

    def _option(self, command: Sequence[str], draw: Random) -> list[str]:
        """Return an option of a command, with values that are mostly right."""
        known = options_of(tuple(command))
        name = draw.choice(sorted(known))
        choices, most = known[name]
        values = [
            draw.choice(choices) if choices and draw.random() < 0.8 else self._value(draw)
            for _ in range(min(most, draw.choice((1, 1, 2))))
        ]
        return [name, *values]


@cache
def options_of(command: tuple[str, ...]) -> dict[str, tuple[list[str], int]]:
    """Return the options of a command, with their choices and the largest number of values."""
    from wordorder.cli.main import build_parser

    parser: Any = build_parser(command[0])
    for name in command:
        parser = parser._subparsers._group_actions[0].choices[name]
        parser.load()
    return {
        action.option_strings[-1]: (
            [str(choice) for choice in action.choices or values_in(action.help or "")],
            {"+": 2, "*": 2, "?": 1, None: 1}.get(action.nargs, action.nargs),
        )
        for action in parser._actions
        if action.option_strings
    }


def values_in(text: str) -> list[str]:
    """Return the words of a help text that look like values: names of metrics, policies, formats.

    >>> values_in("one or more of exact, stem and first (default exact)")
    ['one', 'or', 'more', 'of', 'exact', 'stem', 'and', 'first', 'default', 'exact']
    """
    return [str(word) for word in re.findall(r"[\w.:+-]+", text)]


# --- judging --------------------------------------------------------------------------------------------------------


def faults(case: Case, outcome: Outcome, before: Mapping[str, bytes]) -> Iterator[Fault]:
    """Yield what must not happen in a run; ``before`` are the files before it."""
    lines = [line for line in outcome.stderr.split("\n") if line]
    command = " ".join(word for word in case.arguments[:2] if word.isalpha())
    if outcome.stopped:
        place = _place(outcome.stopped)
        kind = "seconds of the processor" if outcome.code == -signal.SIGPROF else "seconds of waiting"
        yield Fault(f"stopped after too many {kind}, {place}", f"hang in {place}")
        return
    if outcome.memory > MOST_MEMORY >> 20 or any("not enough memory" in line for line in lines):
        yield Fault(f"{outcome.memory} MB of memory; {lines[-1:]}", f"memory in {case.base}")
        return
    if "Traceback (most recent call last)" in outcome.stderr:
        yield Fault(f"traceback: {lines[-1]}", f"{lines[-1].partition(':')[0]} {_place(outcome.stderr)}")
        return
    gated = case.arguments[:1] == ("score",) and not GATES.isdisjoint(case.arguments)
    if outcome.code not in (0, 1, 2) and not (outcome.code == 3 and gated):
        yield Fault(f"exit code {outcome.code}; {lines[-1:]}", f"exit code {outcome.code} of {command}")
        return
    strange = [line for line in lines if _STRANGE.match(line) or any(map(_controls, line))]
    if strange and "loop" not in command:  # a decoder says what it likes
        yield Fault(f"on standard error: {strange[0]!r:.300}", f"line {re.sub(r'[^a-zA-Z ]', '', strange[0])[:40]}")
    last = _OURS.match(lines[-1]) if lines else None
    errors = lines[-1:] if last and not last["kind"] else []
    if outcome.code and not errors:
        yield Fault(f"exit code {outcome.code} and no error: {lines[-1:]}", f"no error of {command}")
    if case.missing and outcome.code != 2:
        yield Fault(f"exit code {outcome.code} for a missing file: {errors}", f"missing file of {case.base}")
    base = bases_by_name().get(case.base)
    same = base is not None and case.arguments == base.arguments and case.stdin == base.stdin
    if same and outcome.code == 2 and not any(map(_NAMED_BY_ARGUMENTS.search, errors)):
        key = re.sub(r"\S*[^a-z]\S* ", "", errors[0])[:40] if errors else ""
        yield Fault(f"exit code 2, but only files are wrong: {errors}", f"exit code 2 of {case.base}: {key}")
    changed = [name for name, content in before.items() if outcome.files.get(name) != content]
    if case.over:
        changed = [name for name in changed if name == case.over or case.arguments[0] != "study"]  # a study grows
    else:
        changed = [name for name in changed if _is_read(name, case)]
    if changed:
        yield Fault(f"changed: {changed}", f"{command} changes what it reads")


def _controls(letter: str) -> bool:
    return unicodedata.category(letter) == "Cc"


def _place(trace: str) -> str:
    """Return the last line of the project on a traceback, or the first of a stack of faulthandler."""
    found = re.findall(r'File "[^"]*/wordorder/([\w/]+\.py)", line (\d+)', trace)
    if not found:
        return "outside"
    return ":".join(found[0] if "most recent call first" in trace else found[-1])


def _is_read(name: str, case: Case) -> bool:
    """Whether a command has a file as input, besides those that it may write."""
    if case.arguments[:1] == ("study",) or "--work" in case.arguments or "--overwrite" in case.arguments:
        return False
    pairs = zip(("", *case.arguments), case.arguments, strict=False)
    return any(name in (word, word.rpartition("=")[2]) for option, word in pairs if option not in OUTPUTS)


def differences(one: Outcome, other: Outcome) -> list[str]:
    """Return what differs between two runs of the same command."""
    found = [name for name in ("code", "stdout", "stderr") if getattr(one, name) != getattr(other, name)]
    names = sorted(one.files.keys() | other.files.keys())
    return found + [name for name in names if one.files.get(name) != other.files.get(name)]


MAY_DIFFER = re.compile(r"(^|/)((study|pilot)\.db|study\.toml|links.*|_?timings?.*|.*\.npz)$")


def _different(one: Outcome, other: Outcome) -> list[str]:
    """Return what differs between two runs of the same command and should not."""
    return [name for name in differences(one, other) if not MAY_DIFFER.search(name)]


# --- a run ----------------------------------------------------------------------------------------------------------


@dataclass
class Commands:
    """A run over all commands: what was found, and how many inputs there were."""

    out: Path
    seed: int
    kitchen: Kitchen
    forker: Forker
    twin: Forker | None = None
    counts: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    repeated: int = 0
    findings: dict[str, dict[str, Any]] = field(default_factory=dict)
    once: list[str] = field(default_factory=list)
    """What seemed to be a fault and did not happen again."""
    started: float = field(default_factory=time.monotonic)

    def fuzz(self, *, seconds: float, inputs: int) -> None:
        """Run spoilt commands until the time is over, or there were so many."""
        self.started = time.monotonic()
        written = 0.0
        bases = self.kitchen.bases
        for start in range(0, inputs, AT_A_TIME):
            numbers = range(start, min(start + AT_A_TIME, inputs))
            cases = [self.kitchen.make(bases[one % len(bases)], one // len(bases), self.seed) for one in numbers]
            self.several(dict(zip(numbers, cases, strict=True)))
            spent = time.monotonic() - self.started
            if spent - written > 30:
                written = spent
                self.report()
            if spent > seconds:
                break
        self.report()

    def one(self, case: Case, number: int) -> list[Fault]:
        """Run a case and note its faults."""
        return self.several({number: case})[number]

    def several(self, cases: Mapping[int, Case]) -> dict[int, list[Fault]]:
        """Run numbered cases in one fork, some of them twice; note and return the faults of each."""
        folder = self.kitchen.files.parent / "run"
        outcomes = dict(zip(cases, self.forker.run_all(list(cases.values()), folder), strict=True))
        suspects: dict[int, str] = {}
        repeats = []
        for number, case in cases.items():
            outcome = outcomes[number]
            self.counts[case.base] += 1
            self.codes[outcome.code] += 1
            if fault := next(faults(case, outcome, self._before(case)), None):
                suspects[number] = fault.what
            elif self.twin is not None and "invite" not in case.arguments:  # links are secrets
                share = SHARE_REPEATED * (1 if outcome.code == 0 else 0.2)
                repeats += [number] * (Random(f"{number}/{case}").random() < share)
        if self.twin is not None and repeats:
            self.repeated += len(repeats)
            others = self.twin.run_all([cases[number] for number in repeats], folder)
            for number, other in zip(repeats, others, strict=True):
                if different := _different(outcomes[number], other):
                    said = f"{outcomes[number].stderr!r:.500} and {other.stderr!r:.500}"
                    suspects[number] = f"two runs differ in {', '.join(different)}: {said}"
        found: dict[int, list[Fault]] = {number: [] for number in cases}
        for number, what in suspects.items():
            found[number] = self._note_faults(cases[number], number)
            if not found[number] and not cases[number].over:
                self.once.append(f"{cases[number]}: {what}")
        return found

    def _note_faults(self, case: Case, number: int) -> list[Fault]:
        """Run a case that seems to have a fault by itself, and note what happens again."""
        found = self._faults(case)
        if (
            found
            and case.over
            and not self._reads(replace(case, arguments=case.arguments[:-2], links={}, over=""), case.over)
        ):
            return []
        for fault in found:
            if fault.key not in self.findings:
                small = case if fault.key.startswith("hang") and self._asked_for(case) else self.smaller(case, fault)
                self._note(small, fault, number)
        return found

    def _faults(self, case: Case) -> list[Fault]:
        """Return the faults of a case, run by itself, and otherwise the difference to another run."""
        outcome = self.forker.run(case, self.kitchen.files.parent / "run")
        return list(faults(case, outcome, self._before(case))) or self._compare(case, outcome)

    def _asked_for(self, case: Case) -> bool:
        return any(re.search(r"\d{4,}", word) for word in case.arguments)

    def _reads(self, case: Case, name: str) -> bool:
        """Return whether it makes a difference to a command what is in a file."""
        folder = self.kitchen.files.parent / "run"
        runs = [self.forker.run(one, folder) for one in (case, replace(case, files={**case.files, name: b"\xff\x00"}))]
        return any(part != name for part in differences(*runs))

    def _before(self, case: Case) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory(dir=self.kitchen.files.parent) as folder:
            lay_out(self.kitchen.files, case, Path(folder))
            return contents(Path(folder))

    def _compare(self, case: Case, outcome: Outcome) -> list[Fault]:
        if self.twin is None or "invite" in case.arguments:
            return []
        different = _different(outcome, self.twin.run(case, self.kitchen.files.parent / "run"))
        if not different:
            return []
        return [Fault(f"two runs differ in {', '.join(different)}", f"{case.base} differs in {different[0]}")]

    def again(self, case: Case, fault: Fault) -> bool:
        """Return whether a case has the same fault."""
        return any(one.key == fault.key for one in self._faults(case))

    def smaller(self, case: Case, fault: Fault) -> Case:
        """Leave out arguments, spoilt files, and parts of these that the fault does not need."""
        if fault.key.startswith("hang") or case.over:
            return case
        tries = _TRIES
        for name in case.files:
            rest = replace(case, files={one: content for one, content in case.files.items() if one != name})
            if self.again(rest, fault):
                case = rest
        place = len(case.arguments) - 1
        while place > 0 and tries > 0 and not case.missing and "exit code 2" not in fault.key:
            tries -= 1
            rest = replace(case, arguments=case.arguments[:place] + case.arguments[place + 1 :])
            case = rest if self.again(rest, fault) else case
            place -= 1
        for name in case.files:
            size = len(case.files[name]) // 2
            while size and tries > -2 * _TRIES:
                start = 0
                while start < len(case.files[name]) and tries > -2 * _TRIES:
                    tries -= 1
                    content = case.files[name]
                    rest = replace(case, files={**case.files, name: content[:start] + content[start + size :]})
                    if self.again(rest, fault):
                        case = rest
                    else:
                        start += size
                size //= 2
        return case

    def _note(self, case: Case, fault: Fault, number: int) -> None:
        place = f"{len(self.findings):03d}"
        self.findings[fault.key] = {"place": place, "number": number, "command": str(case), "base": case.base,
                                    **vars(fault)}  # fmt: skip
        lay_out(self.kitchen.files, case, self.out / place)
        outcome = self.forker.run(case, self.kitchen.files.parent / "run")
        told = {"arguments": case.arguments, "stdin": case.stdin, "base": case.base, "missing": case.missing}
        (self.out / f"{place}.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        text = f"$ {case}\n{fault.what}\n--- exit code {outcome.code}\n{outcome.stderr}{outcome.stopped}"
        (self.out / f"{place}.txt").write_text(text, encoding="utf-8")

    def report(self) -> None:
        """Write how far the run is, and what was found."""
        document = {
            "seed": self.seed,
            "seconds": round(time.monotonic() - self.started, 1),
            "inputs": self.counts.total(),
            "repeated": self.repeated,
            "codes": dict(self.codes),
            "commands": dict(self.counts),
            "findings": list(self.findings.values()),
            "once": self.once,
        }
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "report.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


@cache
def bases_by_name() -> dict[str, Base]:
    """Return all bases by their names."""
    return {base.name: base for base in all_bases()}


def chosen_bases(only: Sequence[str]) -> list[Base]:
    """Return the bases that have one of these in their name, or all."""
    return [base for base in all_bases() if not only or any(part in base.name for part in only)]


def fuzz_commands(options: argparse.Namespace) -> Commands:
    """Fuzz commands as the options of ``fuzz.py`` say, and print what was found."""
    out = Path(options.out) / "commands"
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        files = Path(folder) / "files"
        files.mkdir()
        servers = [Served(files, hashes) for hashes in (1, 2)]
        kitchen = Kitchen(files, chosen_bases(options.only))
        run = Commands(out, options.seed, kitchen, servers[0], servers[1])
        try:
            run.fuzz(seconds=options.seconds, inputs=options.inputs)
        finally:
            run.report()
            for server in servers:
                server.close()
    spent = time.monotonic() - run.started
    codes = ", ".join(f"{code}: {count:,}" for code, count in sorted(run.codes.items()))
    print(f"{run.counts.total():,} inputs of {len(run.kitchen.bases)} commands in {spent:.0f} s (exit codes {codes});"
          f" {run.repeated:,} twice; {len(run.findings)} findings, {len(run.once)} more not again")  # fmt: skip
    for found in run.findings.values():
        print(f"{found['place']} {found['base']}: {found['what']}\n    {found['command']!r:.300}")
    return run


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
