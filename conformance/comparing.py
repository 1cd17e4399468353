"""What a comparison is: values of ours and of a peer on the same inputs, and differences that are explained."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module, metadata
from typing import Any

import numpy as np

SAME = 1e-9
"""Values closer than this are equal: what is left is the order in which floats were added."""


class AbsentError(Exception):
    """A peer cannot be used; the message says which, and why."""


@dataclass(frozen=True)
class Peer:
    """A tool that computes what we compute: its module, the package it comes in, and how to install it.

    ``part`` is the module of it that needs the most, where the first one can be imported without the others.
    """

    name: str
    module: str
    package: str
    install: str = "pip install '.[peers]'"
    part: str = ""

    @cached_property
    def version(self) -> str:
        """The version that can be imported; empty where there is none."""
        return "" if self.problem else metadata.version(self.package)

    @cached_property
    def problem(self) -> str:
        """Why the peer cannot be used; empty where it can."""
        try:
            metadata.version(self.package)
            import_module(f"{self.module}.{self.part}" if self.part else self.module)
        except metadata.PackageNotFoundError:
            return "not installed"
        except ImportError as error:
            return f"installed, but it cannot be imported: {error}"
        return ""

    def load(self, part: str = "") -> Any:
        """Import the peer, or a module of it."""
        try:
            return import_module(f"{self.module}.{part}" if part else self.module)
        except ImportError as error:
            raise AbsentError(f"{self.name}: {self.problem or error}") from None


@dataclass(frozen=True)
class Comparison:
    """One row: what was computed, by whom, on how many inputs, the mean of both sides, and how far they are apart.

    ``why`` explains a difference, or is the title of a :class:`Difference` that does; ``within`` is how far two
    right values may be apart, where they are estimates.
    """

    what: str
    peer: str
    count: int
    ours: float
    theirs: float
    largest: float
    differing: int
    why: str = ""
    within: float = SAME

    @property
    def equal(self) -> bool:
        """Whether no two values differ."""
        return self.differing == 0

    @property
    def explained(self) -> bool:
        """Whether the values are equal or it is said why they are not."""
        return self.equal or bool(self.why)

    @property
    def verdict(self) -> str:
        """What the page says."""
        if self.equal:
            return "equal" if self.within == SAME else f"within {self.within:g}"
        share = (
            f"{self.differing} of {self.count} differ, by {self.largest:.2g} at most" if self.count > 1 else "differs"
        )
        return f"{share}: {self.why or '**unexplained**'}"


def compare(
    what: str, peer: str, ours: Iterable[float], theirs: Iterable[float], *, why: str = "", within: float = SAME
) -> Comparison:
    """Put two lists of values side by side; two undefined values are equal.

    >>> compare("τ", "someone", [0.5, 1.0], [0.5, 0.75], why="ties").verdict
    '1 of 2 differ, by 0.25 at most: ties'
    """
    one, two = (np.asarray(list(values), dtype=np.float64) for values in (ours, theirs))
    if one.shape != two.shape:
        raise ValueError(f"{what}: {len(one)} values of ours, {len(two)} of {peer}")
    apart = np.where(np.isnan(one) & np.isnan(two), 0.0, np.abs(one - two))
    differing = ~(apart <= within)
    largest = float(np.nan_to_num(apart, nan=np.inf).max(initial=0.0))
    return Comparison(what, peer, len(one), mean(one), mean(two), largest, int(differing.sum()), why=why, within=within)


def mean(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """The mean of the defined values; NaN where there is none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


@dataclass(frozen=True)
class Difference:
    """A difference shown on the smallest input: whose fault it is (``bug``, ``definition``), and why ours is so."""

    title: str
    kind: str
    given: str
    ours: float | str
    theirs: float | str
    text: str

    @property
    def holds(self) -> bool:
        """Whether the two still differ; a peer may have been mended."""
        return self.ours != self.theirs


@dataclass(frozen=True)
class Section:
    """One part of the page: its comparisons, and the differences that they name."""

    title: str
    inputs: str
    comparisons: list[Comparison]
    differences: list[Difference]

    def check(self) -> list[str]:
        """Say what is wrong: differences nobody has explained, and explanations of what no longer differs."""
        wrong = [f"{row.what} and {row.peer}: {row.verdict}" for row in self.comparisons if not row.explained]
        wrong += [f"{each.title}: no longer differs; remove it" for each in self.differences if not each.holds]
        return wrong
