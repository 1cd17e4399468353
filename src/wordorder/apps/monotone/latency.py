"""The latency of simultaneous translation: AL, LAAL, AP, DAL and YAAL, equal to those of OmniSTEval.

For output words j = 1 … n with delays d_j, a source of length J and a reference of I words, with γ = I/J:

* AL (Ma et al. 2019) is the mean of d_j − (j − 1)/γ over the words up to the first that sees the whole source.
* LAAL (Papi et al. 2022) takes γ from the longer of output and reference, so that long outputs are not rewarded.
* AP (Cho & Esipova 2016) is Σ d_j/(J·I).
* DAL (Cherry & Foster 2019) is the mean of d′_j − (j − 1)·J/n, in which each word takes at least J/n after the last.
* YAAL (Polák et al. 2025) is LAAL over the words that are written before the source ends; in long recordings, before
  the recording ends.
"""

from collections.abc import Sequence

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s, offsets_from_lengths
from wordorder.core.runtime.kernels import kernel
from wordorder.formats.delay_logs import TimedOutput

MEASURES = ("yaal", "laal", "al", "dal", "ap")


def latency_of(outputs: Sequence[TimedOutput], *, characters: bool = False, aware: bool = False) -> Floats:
    """Return the five :data:`MEASURES` of each output; undefined ones are NaN.

    With ``characters``, delays belong to characters rather than words. With ``aware``, they include computation time.
    """
    delays = [(output.elapsed or ()) if aware else output.delays for output in outputs]
    lengths = [
        len(times) if output.reference is None else _length(output.reference, characters)
        for output, times in zip(outputs, delays, strict=True)
    ]
    return measure_delays(
        np.array([time for times in delays for time in times], dtype=np.float64),
        offsets_from_lengths([len(times) for times in delays]),
        np.array([output.source_length for output in outputs], dtype=np.float64),
        np.array(lengths, dtype=np.int64),
        np.array([output.recording_end for output in outputs], dtype=np.float64),
        np.array([output.long for output in outputs], dtype=np.bool_),
    )


def _length(reference: str, characters: bool) -> int:
    return len(reference.strip()) if characters else len(reference.split(" "))


@kernel
def measure_delays(
    delays: Floats, offsets: Int64s, sources: Floats, references: Int64s, ends: Floats, long: Bools
) -> Floats:
    """Return YAAL, LAAL, AL, DAL and AP of each output, whose delays are at ``offsets[i]:offsets[i + 1]``."""
    found = np.full((len(offsets) - 1, 5), np.nan)
    for row in range(len(offsets) - 1):
        first, words = offsets[row], offsets[row + 1] - offsets[row]
        source, reference = sources[row], references[row]
        if words == 0 or not source > 0:
            continue
        fast, slow = source / max(words, reference), source / reference if reference else np.inf
        total = 0.0
        counted = 0
        for j in range(words):
            delay = delays[first + j]
            if delay >= ends[row] or (delay >= source and not long[row]):
                break
            total += delay - j * fast
            counted += 1
        if counted:
            found[row, 0] = total / counted
        adaptive, plain, spread, proportion = 0.0, 0.0, 0.0, 0.0
        last = -np.inf
        done = False
        for j in range(words):
            delay = delays[first + j]
            proportion += delay
            last = max(delay, last + source / words)
            spread += last - j * source / words
            if not done:
                adaptive += delay - j * fast
                plain += delay - j * slow
                if delay >= source or j == words - 1:
                    done = True
                    found[row, 1], found[row, 2] = adaptive / (j + 1), plain / (j + 1)
        if delays[first] > source:
            found[row, 1] = found[row, 2] = delays[first]
        found[row, 3] = spread / words
        if reference:
            found[row, 4] = proportion / (source * reference)
    return found
