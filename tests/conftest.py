"""Shared settings, the folder of real data, and a database for tests of studies.

Hypothesis has no deadlines, because kernels compile on first call. It draws new examples in every run, but the same
ones where the variable ``CI`` is set: there a failure must be of the change that is tested.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from postgres import Cluster

os.environ.setdefault("NUMBA_DISABLE_JIT", "0")  # tests have little work, and compiled code must be tested

# Other examples in every run, so fewer of them find as much in the end.
settings.register_profile("project", deadline=None, print_blob=True, max_examples=50)
settings.register_profile("ci", settings.get_profile("project"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "project")

REAL_DATA = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and format samples; tests that use it carry the mark ``realdata``."""
    if not REAL_DATA.is_dir():
        pytest.skip("the folder of real data is not here")
    return REAL_DATA


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL that runs while the tests of one file do."""
    from postgres import PACKAGE, Cluster, find_binaries  # beside the tests of studies

    binaries = find_binaries()
    if binaries is None:
        pytest.skip(f"there is no PostgreSQL: install the package {PACKAGE}")
    made = Cluster.make(binaries)
    yield made
    made.remove()
