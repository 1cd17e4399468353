"""Chunks in threads: order, laziness, errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.threads import map_chunks, spans


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_come_in_order_whoever_is_first(threads: int) -> None:
    """The first chunk waits until the second is done, where there are threads to do so."""
    second_done = threading.Event()

    def work(chunk: int) -> int:
        if chunk == 0 and threads > 1:
            assert second_done.wait(timeout=60)
        if chunk == 1:
            second_done.set()
        return chunk * chunk

    assert list(map_chunks(work, range(50), threads=threads)) == [chunk * chunk for chunk in range(50)]


def test_threads_work_at_the_same_time() -> None:
    meeting = threading.Barrier(3)
    assert list(map_chunks(lambda chunk: meeting.wait(timeout=60) >= 0, range(3), threads=3)) == [True] * 3


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_chunks_are_taken_only_a_few_ahead(threads: int) -> None:
    taken = 0

    def chunks() -> Iterator[int]:
        nonlocal taken
        for chunk in range(1000):
            taken += 1
            yield chunk

    results = map_chunks(lambda chunk: chunk, chunks(), threads=threads)
    for expected in range(5):
        assert next(results) == expected
    assert taken <= 5 + 2 * threads + 1
    results.close()  # type: ignore[attr-defined]
    assert taken <= 5 + 2 * threads + 1


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_reaches_the_caller(threads: int) -> None:
    def work(chunk: int) -> int:
        if chunk == 3:
            raise ValueError("chunk 3")
        return chunk

    results = map_chunks(work, range(10), threads=threads)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="chunk 3"):
        next(results)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_of_the_chunks_themselves_reaches_the_caller(threads: int) -> None:
    def chunks() -> Iterator[int]:
        yield 1
        raise UsageError("no such file")

    with pytest.raises(UsageError, match="no such file"):
        list(map_chunks(lambda chunk: chunk, chunks(), threads=threads))


def test_no_chunks_give_no_results() -> None:
    assert list(map_chunks(lambda chunk: chunk, [], threads=2)) == []


def test_thread_counts() -> None:
    assert list(map_chunks(str, range(3), threads=0)) == ["0", "1", "2"]
    with pytest.raises(UsageError, match="not -1"):
        list(map_chunks(str, range(3), threads=-1))


@given(st.integers(0, 200), st.integers(1, 50))
def test_spans_cover_everything_once(total: int, size: int) -> None:
    found = spans(total, size)
    assert [place for start, stop in found for place in range(start, stop)] == list(range(total))
    assert all(stop - start == size for start, stop in found[:-1])
    assert all(stop > start for start, stop in found)
