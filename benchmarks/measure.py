"""Timing side by side: the same inputs, one run, processor time, ratios instead of seconds."""

from __future__ import annotations

import time
from collections.abc import Callable


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
