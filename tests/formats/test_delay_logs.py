"""Logs of simultaneous systems: what is read, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError
from wordorder.formats import delay_logs
from wordorder.formats.delay_logs import TimedOutput


def write(path: Path, *records: Any) -> Path:
    path.write_text("\n".join(record if isinstance(record, str) else json.dumps(record) for record in records) + "\n")
    return path


def test_simuleval(tmp_path: Path) -> None:
    log = write(
        tmp_path / "instances.log",
        {
            "prediction": "a b",
            "delays": [1, 2],
            "elapsed": [1.5, 2.5],
            "source": "x y",
            "source_length": 2,
            "reference": "a",
        },
        "",
        {"prediction": "", "source": ["talk.wav", "samplerate: 16000 Hz"]},
    )
    one, two = delay_logs.read(log)
    assert one == TimedOutput("a b", (1, 2), (1.5, 2.5), 2, "a", "x y", total_runtime=True)
    assert (two.delays, two.elapsed, two.source, two.long) == ((), None, "talk.wav", False)
    assert math.isnan(two.source_length)


def test_omnisteval(tmp_path: Path) -> None:
    record = {
        "prediction": "a",
        "emission_cu": [-5.0],
        "emission_ca": [7],
        "source_length": 9,
        "time_to_recording_end": 11,
    }
    (found,) = delay_logs.read(write(tmp_path / "x.jsonl", record))
    assert found == TimedOutput("a", (-5,), (7,), 9, recording_end=11, long=True)


def pieces(*steps: tuple[list[str], list[str]]) -> list[dict[str, Any]]:
    """The lines of simulstream about one recording; each step takes a second and 0.25 s of computation."""
    found: list[dict[str, Any]] = [{"model_loading_time": 1.0}, {"id": 7, "metadata": {"wav_name": "a/talk.wav"}}]
    for second, (deleted, made) in enumerate(steps, start=1):
        times = {"total_audio_processed": float(second), "computation_time": 0.25}
        found.append({"id": 7, **times, "deleted_tokens": deleted, "generated_tokens": made})
    return found


def test_simulstream(tmp_path: Path) -> None:
    steps: tuple[tuple[list[str], list[str]], ...] = (([], ["▁a", "▁b"]), ([], ["c"]), (["c"], ["▁d"]), ([], []))
    (found,) = delay_logs.read(write(tmp_path / "log", *pieces(*steps)))
    assert (found.prediction, found.source, found.source_length) == ("a b d", "a/talk.wav", 4000)
    assert list(found.delays) == [1000, 3000, 3000]  # b became bc, and then b again
    assert list(found.elapsed or ()) == [1250, 3250, 3250]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.lists(st.sampled_from(["▁a", "▁b", "c", "▁de"]), max_size=3)), max_size=8)
)
def test_a_word_has_the_delay_of_its_last_change(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, list[str]]]
) -> None:
    """The twin keeps the words after every single deletion and addition."""
    tokens: list[str] = []
    lines: list[tuple[list[str], list[str]]] = []
    times: list[int] = []
    for second, (count, made) in enumerate(steps, start=1):
        deleted = tokens[len(tokens) - min(count, len(tokens)) :]
        lines.append((deleted, made))
        for changed in (tokens[: len(tokens) - len(deleted)], [*tokens[: len(tokens) - len(deleted)], *made]):
            old, new = ("".join(each).replace("▁", " ").split() for each in (tokens, changed))
            last = min(len(old), len(new)) - 1
            times = [time if w < last or old[w] == new[w] else second for w, time in enumerate(times[: len(new)])]
            times += [second] * (len(new) - len(times))
            tokens = changed
    (found,) = delay_logs.read(write(tmp_path_factory.mktemp("log") / "x", *pieces(*lines)))
    assert found.delays == tuple(1000 * time for time in times)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"delays": [1]}, "expected text under the key 'prediction', found 'None'"),
        ({"prediction": "a"}, "no delays; expected an object"),
        ({"prediction": "a", "delays": 3}, "expected a list of numbers under the key 'delays', found '3'"),
        ({"prediction": "a", "delays": ["x"]}, "expected a number under the key 'delays'"),
        ({"prediction": "a", "delays": [1], "source_length": "x"}, "expected a number under the key 'source_length'"),
        ({"prediction": "a", "delays": [1], "reference": 1}, "expected text under the key 'reference'"),
        ({"id": 1, "total_audio_processed": 1}, "the recording '1' has no line with its metadata"),
    ],
)
def test_mistakes_name_file_and_line(tmp_path: Path, record: Any, message: str) -> None:
    log = write(tmp_path / "x.log", record)
    with pytest.raises(InputError, match=r"x\.log:1: ") as caught:
        delay_logs.read(log)
    assert message in str(caught.value)


def test_lines_are_objects(tmp_path: Path) -> None:
    for line in ("{", "[1]"):
        with pytest.raises(InputError, match=r"x\.log:2: "):
            delay_logs.read(write(tmp_path / "x.log", {"prediction": "a", "delays": [1]}, line))


def test_deleted_tokens_are_the_last_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the deleted tokens '▁b' are not the last that were written"):
        delay_logs.read(write(tmp_path / "x", *pieces(([], ["▁a"]), (["▁b"], []))))
    with pytest.raises(InputError, match='expected a piece of a simulstream log, with "generated_tokens"'):
        delay_logs.read(write(tmp_path / "x", *pieces(([], [1]))))  # type: ignore[list-item]
    with pytest.raises(InputError, match="the log has no output"):
        delay_logs.read(write(tmp_path / "x", ""))


@pytest.mark.parametrize(
    "text",
    [
        "- {duration: 4.5, offset: 12.25, who: s, wav: talks/one.wav}\n- {duration: 1, offset: 20, wav: 'two.wav'}\n",
        '[{"wav": "one.wav", "offset": 12.25, "duration": 4.5},\n {"wav": "two.wav", "offset": 20, "duration": 1}]\n',
    ],
)
def test_segments_of_recordings(tmp_path: Path, text: str) -> None:
    path = tmp_path / "segments"
    path.write_text(text)
    assert delay_logs.read_segments(path) == [("one", 12250, 4500), ("two", 20000, 1000)]


def test_segments_need_their_times(tmp_path: Path) -> None:
    path = tmp_path / "segments.yaml"
    path.write_text("- {offset: 1, wav: x}\n")
    with pytest.raises(InputError, match=r"segments\.yaml:1: expected duration, offset and wav, found"):
        delay_logs.read_segments(path)
    path.write_text("nothing\n")
    with pytest.raises(InputError, match="found no segment; expected lines such as"):
        delay_logs.read_segments(path)
