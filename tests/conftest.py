"""Shared settings: hypothesis without deadlines (kernels compile on first call) and the folder of real data."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("project", deadline=None, print_blob=True)
settings.load_profile("project")

REAL_DATA = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and format samples; tests that use it carry the mark ``realdata``."""
    if not REAL_DATA.is_dir():
        pytest.skip("the folder of real data is not here")
    return REAL_DATA
