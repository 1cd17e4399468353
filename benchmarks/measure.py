"""Timing side by side: the same inputs, one run, processor time, ratios instead of seconds."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """Processor time in seconds and memory in MB."""

    seconds: float
    memory: float

    def __str__(self) -> str:
        return f"{self.seconds:,.1f} s, {self.memory:,.0f} MB"


def run_whole(command: list[str], folder: Path, **environment: str) -> Measured:
    """Run a command in a folder and return what it took; what it prints is dropped."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "WORDORDER_CACHE": str(folder / "cache"), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Measured(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def rate(work: Callable[[], object], items: int, *, seconds: float = 0.4) -> float:
    """Give items per second of processor time: the best of several rounds after one to warm up."""
    work()
    best = float("inf")
    deadline = time.process_time() + seconds
    while True:
        start = time.process_time()
        work()
        now = time.process_time()
        best = min(best, now - start)
        if now > deadline:
            return items / best


def thousands(value: float) -> str:
    """Write a rate for people."""
    if value >= 1e6:
        return f"{value / 1e6:.1f} M"
    return f"{value / 1e3:.1f} k" if value >= 1e3 else f"{value:.0f}"


def ratio(value: float) -> str:
    """Write a ratio for people."""
    return f"{value:,.0f}×" if value >= 10 else f"{value:.1f}×"
