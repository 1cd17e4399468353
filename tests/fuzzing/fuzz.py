"""Fuzz every reader, then every command (``fuzz_commands.py``).

    make fuzz SECONDS=60                                           half of the time for readers, half for commands
    python tests/fuzzing/fuzz.py --what readers --seconds 60 --seed 7 --only "nbest moses"
    python tests/fuzzing/fuzz.py --what commands --seconds 600 --only metaeval
    python tests/fuzzing/fuzz.py --show "nbest moses" 12345        write an input into a folder and read it

A reader gets spoilt files, and must give data or a ``WordorderError``, and nothing else. Input n of a reader follows
from the seed, the name of the reader and n; so it can be made again at any time. Inputs are read in a process of
their own. What is reported, once for each place in the code:

* any exception that is not a ``WordorderError``, and any warning that is not an ``InputWarning``;
* an error whose message is not one line, or that has a control character in it;
* a process that dies, an input that takes more than five seconds, or more than a gigabyte of memory.

What is found is made smaller and written below ``build/fuzz/``; the exit code is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import mmap
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzz_commands import fuzz_commands
from fuzzed_readers import Reader, all_readers
from mutations import Files, spoil

from wordorder.core.runtime.errors import InputWarning, WordorderError

SECONDS_OF_A_HANG = 5.0
SECONDS_TO_LOAD = 300.0
SECONDS_OF_A_REPORT = 60.0
MOST_MEMORY = 1 << 30
ROOM = 4 << 30
"""Address space a worker may take beyond what it has at the start, so that it is stopped before the machine is."""

LOADING = -1
"""The turn of a worker that has not begun."""

_TRIES = 400
_AT_A_TIME = 20
"""Inputs of one reader before the next one has its turn."""


@dataclass(frozen=True)
class Finding:
    """Something that must not happen: what it is, and the place in the code that says whether it is known."""

    what: str
    place: str
    trace: str = ""


def attempt(read: Callable[[str], object], path: str) -> Finding | None:
    """Read an input; return what must not happen."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", InputWarning)
        try:
            read(path)
        except WordorderError as error:
            message = str(error)
            if any(unicodedata.category(letter) == "Cc" for letter in message):
                return Finding(f"a message with a control character: {message!r:.300}", _place(error))
        except Exception as error:  # that is what we are looking for
            return Finding(f"{type(error).__name__}: {error!s:.300}", _place(error), traceback.format_exc())
    return None


def _place(error: BaseException) -> str:
    """Return the last line of the project on the way to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}wordorder{os.sep}" in frame.filename]
    last = ours[-1] if ours else frames[-1]
    return f"{type(error).__name__} in {os.path.basename(last.filename)}:{last.lineno}"


class Workshop:
    """Some readers, and a folder in which inputs are made."""

    def __init__(self, folder: Path, readers: Sequence[Reader]) -> None:
        self.folder = folder
        self.readers = readers

    def check_seeds(self) -> None:
        """Read the right files: one that is refused would be a poor start."""
        for reader in self.readers:
            fine: list[Files] = []
            for files in reader.seeds:
                found = attempt(reader.read, self.write(files, folder=reader.folder))
                if found is not None:
                    raise AssertionError(f"{reader.name}: {found.what}\n{found.trace}")
                with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
                    reader.read(self.write(files, folder=reader.folder))
                    fine.append(files)
            if not fine:
                raise AssertionError(f"{reader.name}: no file to begin with can be read")

    def make(self, place: int, number: int, seed: int) -> Files:
        """Return input ``number`` of a reader."""
        reader = self.readers[place]
        draw = Random(f"{seed}/{reader.name}/{number}")
        return spoil(draw.choice(reader.seeds), reader.seeds, draw)

    def write(self, files: Files, *, folder: bool) -> str:
        """Write the files of an input; return the path that is read."""
        place = self.folder / "input"
        if folder:
            shutil.rmtree(place, ignore_errors=True)
        place.mkdir(exist_ok=True)
        for name, content in files.items():
            path = place / name
            if "/" in name:
                path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return str(place if folder else path)

    def try_out(self, place: int, files: Files) -> Finding | None:
        """Let a reader read an input."""
        reader = self.readers[place]
        return attempt(reader.read, self.write(files, folder=reader.folder))

    def make_smaller(self, place: int, files: Files, known: Finding) -> Files:
        """Leave out what is not needed for the same thing to happen at the same place."""
        tries = itertools.count()
        for name in sorted(files, key=lambda one: -len(files[one])):
            size = max(1, len(files[name]) // 2)
            while size and next(tries) < _TRIES:
                start = 0
                while start < len(files[name]) and next(tries) < _TRIES:
                    shorter = {**files, name: files[name][:start] + files[name][start + size :]}
                    found = self.try_out(place, shorter)
                    if found is not None and found.place == known.place:
                        files = shorter
                    else:
                        start += size
                size //= 2
        return files


def chosen_readers(only: Sequence[str]) -> list[Reader]:
    """Return the readers that have one of these in their name, or all."""
    found = [one for one in all_readers() if not only or any(part in one.name for part in only)]
    return found or sys.exit(f"no reader is called {' or '.join(only)}")


def turns(readers: int, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Yield turn, reader and number: some inputs of one reader, then some of the next.

    >>> [(reader, number) for _, reader, number in turns(2, 0, 41)][18:]
    [(0, 18), (0, 19), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8), (1, 9), (1, 10), \
(1, 11), (1, 12), (1, 13), (1, 14), (1, 15), (1, 16), (1, 17), (1, 18), (1, 19), (0, 20)]
    """
    for turn in range(start, stop):
        group, inside = divmod(turn, _AT_A_TIME)
        cycle, reader = divmod(group, readers)
        yield turn, reader, cycle * _AT_A_TIME + inside


# --- the worker: reads one input after the other -------------------------------------------------------------------


def work(options: argparse.Namespace) -> None:
    """Read inputs from ``--start`` on; before each, its turn is written where the supervisor sees it."""
    folder = Path(options.work)
    tempfile.tempdir = options.work  # what readers write is not worth waiting for a disk
    workshop = Workshop(folder, chosen_readers(options.only))
    if options.start == 0:
        workshop.check_seeds()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + ROOM, hard))
    known = set(options.known)
    with open(folder / "turn", "r+b") as file, mmap.mmap(file.fileno(), 8) as shared:
        for turn, place, number in turns(len(workshop.readers), options.start, options.stop):
            shared[:] = struct.pack("q", turn)
            files = workshop.make(place, number, options.seed)
            found = workshop.try_out(place, files)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            if peak > MOST_MEMORY:
                found = Finding(f"{peak / 2**20:.0f} MB of memory", f"memory in {workshop.readers[place].name}")
            if found is not None and found.place not in known:
                known.add(found.place)
                small = files if peak > MOST_MEMORY else workshop.make_smaller(place, files, found)
                _tell(workshop, turn, place, number, found, small)
            if peak > MOST_MEMORY:
                break  # the peak of a process never falls: the next inputs need a new one
        else:
            turn = options.stop - 1
        shared[:] = struct.pack("q", turn + 1)


def _tell(workshop: Workshop, turn: int, place: int, number: int, found: Finding, files: Files) -> None:
    reader = workshop.readers[place]
    target = Path(tempfile.mkdtemp(dir=workshop.folder))
    for name, content in files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    told = {"reader": reader.name, "number": number, "turn": turn, "files": str(target), **vars(found)}
    print(json.dumps(told), flush=True)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


# --- the supervisor: starts workers, and notices those that hang or die ---------------------------------------------


@dataclass
class Run:
    """How far a run is, and what was found."""

    options: argparse.Namespace
    work: Path
    names: list[str]
    turn: int = 0
    seconds: float = 0.0
    begun: float = field(default_factory=time.monotonic)
    findings: list[dict[str, object]] = field(default_factory=list)

    def fuzz(self) -> None:
        """Let workers read until the time is over, or all inputs are read."""
        end = self.begun + self.options.seconds
        while self.turn < self.options.inputs and time.monotonic() < end:
            self._let_work(end)
            self.seconds = time.monotonic() - self.begun
            self.report()

    def _let_work(self, end: float) -> None:
        """Let a worker read until it is done, hangs or dies, or the time is over."""
        worker = self._start(self.turn, self.options.inputs)
        hangs = self._watch(worker, end)
        self.findings += map(json.loads, worker.stdout or ())
        if worker.returncode not in (0, -signal.SIGKILL):
            self._note(f"the process died ({_cause(worker.returncode)})")
        elif hangs and self._watch(self._start(self.turn, self.turn + 1), math.inf):  # and not by chance
            self._note(f"more than {SECONDS_OF_A_HANG:.0f} seconds")

    def _watch(self, worker: subprocess.Popen[str], end: float) -> bool:
        """Wait for a worker; stop it, and return True, where an input takes too long."""
        seen, since, used, written = LOADING, time.monotonic(), 0.0, time.monotonic()
        hangs = False
        while worker.poll() is None:
            time.sleep(0.1)
            turn, now, spent = self._read_turn(), time.monotonic(), _seconds_of(worker.pid)
            if turn != seen:
                seen, since, used = turn, now, spent
            if now - written > SECONDS_OF_A_REPORT:
                self.turn, self.seconds, written = max(turn, self.turn), now - self.begun, now
                self.report()
            limit = SECONDS_TO_LOAD if turn == LOADING else SECONDS_OF_A_HANG
            hangs = spent - used > limit or now - since > 60 * limit  # time of the processor; the machine may be busy
            if hangs or now > end:
                worker.kill()
                worker.wait()
        turn = self._read_turn()
        if turn == LOADING and worker.returncode != -signal.SIGKILL:
            sys.exit("the readers cannot be loaded, or do not read right files")
        self.turn = max(turn, self.turn)
        return hangs

    def _start(self, start: int, stop: int) -> subprocess.Popen[str]:
        (self.work / "turn").write_bytes(struct.pack("q", LOADING))
        known = [str(found["place"]) for found in self.findings]
        command = [sys.executable, __file__, "--work", str(self.work), "--start", str(start), "--stop", str(stop)]
        command += ["--seed", str(self.options.seed), "--known", *known, "--only", *self.options.only]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def _read_turn(self) -> int:
        return int(struct.unpack("q", (self.work / "turn").read_bytes())[0])

    def _note(self, what: str) -> None:
        """Note what happened to the input that was being read, and go on with the next."""
        _, place, number = next(turns(len(self.names), self.turn, self.turn + 1))
        reader = self.names[place]
        known = {"reader": reader, "number": number, "turn": self.turn}
        self.findings.append({**known, "what": what, "place": f"{what} in {reader}", "trace": ""})
        self.turn += 1

    def counts(self) -> Counter[str]:
        """Count the inputs of every reader."""
        whole, rest = divmod(self.turn, _AT_A_TIME * len(self.names))
        groups, inside = divmod(rest, _AT_A_TIME)
        extra = [_AT_A_TIME] * groups + [inside]
        return Counter(
            {
                name: whole * _AT_A_TIME + (extra[place] if place < len(extra) else 0)
                for place, name in enumerate(self.names)
            }
        )

    def report(self) -> None:
        """Write how far the run is, and what was found, into ``build/fuzz``."""
        target = Path(self.options.out)
        target.mkdir(parents=True, exist_ok=True)
        for number, found in enumerate(self.findings):
            if found.get("files") and not (target / f"{number:03d}").exists():
                shutil.copytree(str(found["files"]), target / f"{number:03d}")
        document = {
            "seed": self.options.seed,
            "seconds": round(self.seconds, 1),
            "inputs": self.turn,
            "readers": dict(self.counts()),
            "findings": self.findings,
        }
        (target / "report.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _seconds_of(process: int) -> float:
    """Return the processor time a process has taken."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cause(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def show(options: argparse.Namespace) -> None:
    """Make one input again, and read it."""
    name, number = options.show
    folder = Path(tempfile.mkdtemp())
    workshop = Workshop(folder, chosen_readers([name]))
    place = [reader.name for reader in workshop.readers].index(name)
    files = workshop.make(place, int(number), options.seed)
    print(f"{workshop.write(files, folder=workshop.readers[place].folder)}\n{workshop.try_out(place, files)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", choices=("readers", "commands", "both"), default="both", help="what to fuzz (both)")
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--inputs", type=int, default=1 << 40, help="how many inputs at most, of readers and commands")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other inputs (1)")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="those whose name has this in it")
    parser.add_argument("--out", default="build/fuzz", help="where the report and what was found are written")
    parser.add_argument("--show", nargs=2, metavar=("READER", "NUMBER"), help="make one input again and read it")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--stop", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--known", nargs="*", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        work(options)
        return 0
    if options.show:
        show(options)
        return 0
    shutil.rmtree(options.out, ignore_errors=True)
    if options.what == "both":
        options.seconds /= 2
    found = 0 if options.what == "commands" else fuzz_readers(options)
    return int(found + (0 if options.what == "readers" else len(fuzz_commands(options).findings)) > 0)


def fuzz_readers(options: argparse.Namespace) -> int:
    """Fuzz readers, print what was found, and return how much that is."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        names = [reader.name for reader in chosen_readers(options.only)]
        run = Run(options, Path(folder), names)
        run.fuzz()
        run.report()
    width = max(map(len, names))
    for name, count in run.counts().items():
        print(f"{name:{width}} {count:>9,}")
    print(f"{run.turn:,} inputs of {len(names)} readers in {run.seconds:.0f} s; {len(run.findings)} findings")
    for number, found in enumerate(run.findings):
        print(f"{number:03d} {found['reader']} {found['number']}: {found['what']} ({found['place']})")
    return len(run.findings)


if __name__ == "__main__":
    sys.exit(main())
