"""Engines: what becomes of the errors that an executor reports."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from wordorder.apps.scale.engines import ExecutorEngine, SerialEngine


class OtherError(Exception):
    """An executor's own error for an item."""


def task(item: int) -> None:
    if item == 1:
        raise OtherError("gone")
    if item == 2:
        raise ValueError("wrong")


def test_every_item_comes_with_its_own_error() -> None:
    with ThreadPoolExecutor(2) as executor:
        found = dict(ExecutorEngine(executor).run(task, range(3)))
    assert [type(found[item]) for item in range(3)] == [type(None), OtherError, ValueError]
    assert [type(error) for _, error in SerialEngine().run(task, range(3))] == [type(None), OtherError, ValueError]
