"""Ctrl-C, SIGTERM and SIGHUP at random moments of long commands: how long until they end, and what they leave behind.

    python benchmarks/signals.py                 ten moments, three signals, five commands: about a quarter of an hour
    python benchmarks/signals.py --moments 2

A run is wrong if it takes longer than two seconds to end, has another exit code than 128 + the signal's number, says
more than one line, or leaves a file that was not there before.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from corpora import write_corpus

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 2.0

COMMANDS = {
    "score": "score --ref target.txt --hyp a.txt b.txt --threads 2 --samples 20000 --segments made.jsonl",
    "score -m 1-ter": "score --ref target.txt --hyp a.txt --metrics 1-ter --threads 2 --segments made.jsonl",
    "align": "align --source source.txt --target target.txt -o made.align",
    "score --order source": "score --source source.txt --ref target.txt --hyp a.txt b.txt --order source --threads 2",
    "profile": "profile links.align --source source.txt --target target.txt --samples 100000",
}


@dataclass(frozen=True)
class Ending:
    """How a run ended: after how many seconds, with which exit code, what it said, and what it left behind."""

    seconds: float
    code: int
    said: str
    left: tuple[str, ...]

    def wrong(self, number: signal.Signals) -> bool:
        """Whether the end was not what it should be."""
        ended = (self.code, self.said.count("\n")) == (128 + number, 1)
        too_early = (self.code, self.said) == (
            -number,
            "",
        )  # before Python had loaded anything: shells see no difference
        return self.seconds > PATIENCE or not (ended or too_early) or bool(self.left)


EARLIEST = 0.5
"""Seconds; before that the interpreter itself is starting, and nothing of ours has been loaded."""


def stop(folder: Path, command: str, number: signal.Signals, moment: float) -> Ending | None:
    """Start a command and stop it after so many seconds; None if it was faster."""
    before = set(folder.rglob("*"))
    with subprocess.Popen(
        [sys.executable, "-m", "wordorder", *command.split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            sent = time.monotonic()
            said = process.communicate()[1]
            seconds = time.monotonic() - sent
            left = tuple(sorted(str(path.relative_to(folder)) for path in set(folder.rglob("*")) - before))
            return Ending(seconds, process.returncode, said, left)
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=150_000)
    parser.add_argument("--latest", type=float, default=6.0, help="the latest moment, in seconds (default 6)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_corpus(folder, pairs=options.pairs)
        print(f"{'command':24}{'signal':>8}{'runs':>6}{'wrong':>7}{'slowest end (s)':>17}")
        for label, command in COMMANDS.items():
            for number in SIGNALS:
                moments = [draw.uniform(EARLIEST, options.latest) for _ in range(options.moments)]
                found = [(moment, stop(folder, command, number, moment)) for moment in moments]
                endings = [(moment, ending) for moment, ending in found if ending is not None]
                wrong = [(moment, ending) for moment, ending in endings if ending.wrong(number)]
                slowest = max((ending.seconds for _, ending in endings), default=0.0)
                print(f"{label:24}{number.name:>8}{len(endings):>6}{len(wrong):>7}{slowest:>17.2f}", flush=True)
                for moment, ending in wrong:
                    print(f"  after {moment:.2f} s: {ending}", flush=True)


if __name__ == "__main__":
    main()
