"""Engines: what becomes of the errors that an executor reports."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from wordorder.apps.scale.engines import ExecutorEngine, SerialEngine, WorkerError


class LostError(Exception):
    """An executor's own error for an item whose workers all died."""


def task(item: int) -> None:
    if item == 1:
        raise LostError("gone")
    if item == 2:
        raise ValueError("wrong")


def test_only_the_errors_that_are_named_mean_a_lost_worker() -> None:
    with ThreadPoolExecutor(2) as executor:
        found = dict(ExecutorEngine(executor, (LostError,)).run(task, range(3)))
        plain = dict(ExecutorEngine(executor).run(task, range(3)))
    assert found[0] is None
    assert isinstance(found[1], WorkerError)
    assert str(found[1]) == "every worker that processed this part died; it may have been killed or run out of memory"
    assert isinstance(found[2], ValueError)
    assert isinstance(plain[1], LostError)
    assert [type(error) for _, error in SerialEngine().run(task, range(3))] == [type(None), LostError, ValueError]
