"""Cut the output for whole recordings or documents where the segments of a reference end, with mweralign (Post)."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from wordorder.core.runtime.errors import InputError, check_choice, count_of
from wordorder.core.runtime.libraries import optional
from wordorder.formats.delay_logs import TimedOutput

Segment = tuple[str, float, float]


def cut_words(words: Sequence[str], references: Sequence[str], *, characters: bool = False) -> list[int]:
    """Return the number of words (or characters) of an output that belong to each reference segment.

    Words are compared in lower case.
    """
    align = optional("mweralign", "longform").align_texts
    plain = [" ".join(text.replace(" ", "") if characters else text.split()).lower() or "-" for text in references]
    if not words:
        return [0] * len(references)
    with _without_chatter():
        found = align("\n".join(plain), " ".join(words).lower(), False)
    counts = [len(line.split()) for line in found.removesuffix("\n").split("\n")]
    counts += [0] * (len(references) - len(counts))
    if len(counts) != len(references) or sum(counts) != len(words):
        raise InputError(f"mweralign returned {count_of(sum(counts), 'word')}, but the output has {len(words)}")
    return counts


def cut_recordings(
    outputs: Sequence[TimedOutput], segments: Sequence[Segment], references: Sequence[str], *, characters: bool = False
) -> list[TimedOutput]:
    """Return an output for each segment; delays are counted from the beginning of the segment."""
    if len(segments) != len(references):
        raise InputError(f"found {count_of(len(references), 'reference')} for {count_of(len(segments), 'segment')}")
    named = {os.path.splitext(os.path.basename(output.source or ""))[0]: output for output in outputs}
    found: list[TimedOutput] = []
    for name, group in groupby(zip(segments, references, strict=True), key=lambda pair: pair[0][0]):
        check_choice(name, named, "recording")
        output, several = named[name], list(group)
        aware = _own_runtime(output) if output.total_runtime and output.elapsed else output.elapsed
        words = list(output.prediction.replace(" ", "")) if characters else output.prediction.split()
        if len(words) != len(output.delays):
            raise InputError(f"{name}: found {count_of(len(output.delays), 'delay')}; the output needs {len(words)}")
        end = max(start + length for (_, start, length), _ in several)
        done = 0
        counts = cut_words(words, [text for _, text in several], characters=characters)
        for ((_, start, length), text), count in zip(several, counts, strict=True):
            part = slice(done, done + count)
            done += count
            elapsed = None if aware is None else tuple(time - start for time in aware[part])
            times = tuple(time - start for time in output.delays[part])
            written = ("" if characters else " ").join(words[part])
            found.append(TimedOutput(written, times, elapsed, length, text, name, end - start, long=True))
    return found


def _own_runtime(output: TimedOutput) -> tuple[float, ...]:
    """Return delays that include only the computation time of each word itself, as OmniSTEval derives them."""
    times = list(output.elapsed or ())
    for word in range(len(times) - 1, 0, -1):
        times[word] += output.delays[word - 1] - times[word - 1]
    return tuple(accumulate(times, max))


def cut_texts(lines: Sequence[str], references: Sequence[str]) -> list[str]:
    """Join the lines of a text, and cut the words into lines again: one line for each reference line."""
    words = " ".join(lines).split()
    found, done = [], 0
    for count in cut_words(words, references):
        found.append(" ".join(words[done : done + count]))
        done += count
    return found


@contextlib.contextmanager
def _without_chatter() -> Iterator[None]:
    """Suppress the progress messages that the C++ code prints to standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
