"""Progress shows itself on a terminal only, after a moment, and wipes itself off."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest

from wordorder.runtime.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show_on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal on standard error, and have no patience."""
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("wordorder.runtime.progress._PATIENCE", -1.0)
    return shown


def test_nothing_is_shown_off_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    monkeypatch.setattr("wordorder.runtime.progress._PATIENCE", -1.0)
    assert list(progress(range(100), label="reading")) == list(range(100))
    assert pipe.getvalue() == ""


def test_a_terminal_sees_how_far_the_work_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = show_on_terminal(monkeypatch)
    assert list(progress("abcdefgh", label="reading", total=8, unit="lines")) == list("abcdefgh")
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue())
    assert re.search(r"reading .* 1/8 lines 0:00:00", shown)
    assert re.search(r"reading .* 8/8 lines 0:00:00", shown)
    assert terminal.getvalue().endswith("\x1b[2K")  # wiped off


def test_it_is_wiped_off_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = show_on_terminal(monkeypatch)

    def work() -> Iterator[int]:
        yield from range(5)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        list(progress(work(), label="reading"))
    assert "5/?" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = show_on_terminal(monkeypatch)
    monkeypatch.setattr("wordorder.runtime.progress._PATIENCE", 60.0)
    assert list(progress([1, 2], label="reading")) == [1, 2]
    assert terminal.getvalue().strip() == ""
