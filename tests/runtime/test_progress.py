"""Progress shows itself on a terminal only, after a moment, and wipes itself off."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from wordorder.runtime.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is half a second later at every look."""
    ticks = iter(tick / 2 for tick in range(10_000))
    monkeypatch.setattr("time.monotonic", lambda: next(ticks))


@pytest.mark.usefixtures("clock")
def test_nothing_is_shown_off_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    assert list(progress(range(100), label="reading")) == list(range(100))
    assert pipe.getvalue() == ""


@pytest.mark.usefixtures("clock")
def test_a_terminal_sees_how_far_the_work_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert list(progress("abcdefgh", label="reading", total=8, unit=" lines")) == list("abcdefgh")
    shown = terminal.getvalue().split("\r\x1b[K")
    assert shown[0] == ""
    assert shown[1] == "reading  37 %  3/8 lines  2 s"
    assert shown[-2] == "reading 100 %  8/8 lines  4 s"
    assert shown[-1] == ""  # wiped off


@pytest.mark.usefixtures("clock")
def test_it_is_wiped_off_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)

    def work() -> Iterator[int]:
        yield from range(5)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        list(progress(work(), label="reading"))
    assert "reading  5  2 s" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    assert list(progress([1, 2], label="reading")) == [1, 2]
    assert terminal.getvalue() == ""
