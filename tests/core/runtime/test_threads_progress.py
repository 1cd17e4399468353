"""Progress shows itself on a terminal only, after a moment, and wipes itself off."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator
from typing import TypeVar

import pytest

from wordorder.core.runtime.compilation import announce_compilation
from wordorder.core.runtime.threads import progress

Item = TypeVar("Item")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show_on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal on standard error, and have no patience."""
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("wordorder.core.runtime.threads._PATIENCE", -1.0)
    return shown


def started(items: Iterator[Item]) -> Iterator[Item]:
    """Pass items through, but give the clock that starts the display its time after the first."""
    for place, item in enumerate(items):
        if not place:
            time.sleep(0.3)
        yield item


def plain(terminal: Terminal) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue())


def test_nothing_is_shown_off_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    monkeypatch.setattr("wordorder.core.runtime.threads._PATIENCE", -1.0)
    assert list(progress(range(100), label="reading")) == list(range(100))
    assert pipe.getvalue() == ""


def test_a_terminal_sees_how_far_the_work_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = show_on_terminal(monkeypatch)
    assert list(started(progress("abcdefgh", label="reading", total=8, unit="lines"))) == list("abcdefgh")
    shown = plain(terminal)
    assert re.search(r"reading .* 0% 0/8 lines 0:00:00", shown)  # before the first is done
    assert re.search(r"reading .* 100% 8/8 lines 0:00:00", shown)
    assert terminal.getvalue().endswith("\x1b[2K")  # wiped off


def test_it_is_wiped_off_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = show_on_terminal(monkeypatch)

    def work() -> Iterator[int]:
        yield from range(5)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        list(started(progress(work(), label="reading")))
    assert "%" not in plain(terminal)  # nobody knows of how many
    assert "5/?" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_a_total_is_counted_only_if_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def count() -> int:
        counted.append(1)
        return 4

    assert len(list(progress(range(4), label="reading", total=count))) == 4
    assert counted == []
    terminal = show_on_terminal(monkeypatch)
    assert len(list(started(progress(iter(range(4)), label="reading", total=count)))) == 4
    assert counted == [1]
    assert "100% 4/4" in plain(terminal)


def test_compilation_is_announced_once_and_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    announce_compilation.cache_clear()
    announce_compilation()
    assert pipe.getvalue() == ""
    announce_compilation.cache_clear()
    terminal = show_on_terminal(monkeypatch)
    announce_compilation()
    announce_compilation()
    assert terminal.getvalue().count("compiles code, which can take a minute") == 1
    announce_compilation.cache_clear()


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = show_on_terminal(monkeypatch)
    monkeypatch.setattr("wordorder.core.runtime.threads._PATIENCE", 60.0)
    assert list(progress([1, 2], label="reading")) == [1, 2]
    assert terminal.getvalue().strip() == ""
