"""Approximate randomisation for several runs of each system: the rows of a segment are shuffled among all runs.

Tuning a system twice gives two different systems. Under the null hypothesis, any run of any system could have
produced any row of a segment (Clark, Dyer, Lavie & Smith 2011).
"""

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import refuse
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.threads import map_chunks, spans
from wordorder.core.statistics.resampling import Streams, draw_below, open_streams
from wordorder.core.statistics.settings import DEFAULT_SEED, DEFAULT_TRIALS

Rows = NDArray[np.float64]

_TOGETHER = 16  # trials whose sums fit into the fastest cache


def shuffled_sums(
    rows: Rows, *, trials: int = DEFAULT_TRIALS, seed: int = DEFAULT_SEED, threads: int = 1
) -> NDArray[np.float64]:
    """Return the sums of every run after shuffling each segment's rows among the runs, for each of ``trials`` trials.

    ``rows`` has the shape ``[segments, runs, K]``, and the result has the shape ``[trials, runs, K]``.

    >>> shuffled_sums(np.array([[[1.0], [2.0], [4.0]]]), trials=5).sum(axis=1).ravel().tolist()
    [7.0, 7.0, 7.0, 7.0, 7.0]
    """
    refuse(trials < 1, f"the number of trials must be 1 or more, not {trials}")
    streams = open_streams(trials, seed)
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    sums = np.empty((trials, *rows.shape[1:]))
    chunks = spans(trials, _TOGETHER)
    parts = map_chunks(lambda span: _shuffle(rows, streams[slice(*span)]), chunks, threads=threads)
    for (start, stop), part in zip(chunks, parts, strict=True):
        sums[start:stop] = part
    return sums


@kernel
def _shuffle(rows: Rows, streams: Streams) -> NDArray[np.float64]:
    """Shuffle the runs of each segment (Fisher–Yates) and return the sums of the rows, with one trial per stream."""
    segments, runs, width = rows.shape
    sums = np.zeros((len(streams), runs, width))
    places = np.empty(runs, np.int64)
    for segment in range(segments):
        for trial in range(len(streams)):
            state = streams[trial]
            for run in range(runs):
                places[run] = run
            for last in range(runs - 1, 0, -1):
                state, drawn = draw_below(state, np.uint64(last + 1))
                place = np.int64(drawn)
                places[last], places[place] = places[place], places[last]
            streams[trial] = state
            for run in range(runs):
                total, shuffled = sums[trial, run], rows[segment, places[run]]
                for column in range(width):
                    total[column] += shuffled[column]
    return sums
