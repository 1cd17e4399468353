"""Rate limits: for each key, at most a given number of events in a given number of seconds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_MOST_KEYS = 10_000


class Limit:
    """Allows each key at most ``times`` events within ``seconds`` seconds.

    >>> clock = iter([0.0, 0.1, 0.2, 1.05, 1.06])
    >>> limit = Limit(2, 1.0, clock=lambda: next(clock))
    >>> [limit.allows("a") for _ in range(5)]
    [True, True, False, True, False]
    """

    def __init__(self, times: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.times = times
        self.seconds = seconds
        self._clock = clock
        self._past: dict[str, deque[float]] = {}

    def allows(self, key: str) -> bool:
        """Return whether another event is allowed, and count it if so."""
        now = self._clock()
        past = self._recent(key, now)
        if len(past) >= self.times:
            return False
        if len(self._past) > _MOST_KEYS:
            self._past = {one: when for one, when in self._past.items() if when and now - when[-1] < self.seconds}
        self._past.setdefault(key, past).append(now)
        return True

    def is_reached(self, key: str) -> bool:
        """Return whether the limit is reached, without counting an event."""
        return len(self._recent(key, self._clock())) >= self.times

    def _recent(self, key: str, now: float) -> deque[float]:
        past = self._past.get(key)
        if past is None:
            return deque()
        while past and now - past[0] >= self.seconds:
            past.popleft()
        return past
