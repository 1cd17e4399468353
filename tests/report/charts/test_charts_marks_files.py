"""Charts as files."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from wordorder.core.runtime.errors import InputError
from wordorder.report.charts.marks import save_chart


def test_where_the_renderer_would_end_the_process_the_limit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (2 << 30, -1) if kind == resource.RLIMIT_AS else None)
    with pytest.raises(InputError, match=r"chart\.svg: saving a chart .* the limit is 2\.0 GB; raise it with 'ulimit"):
        save_chart(None, tmp_path / "chart.svg")
    assert list(tmp_path.iterdir()) == []
