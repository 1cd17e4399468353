"""Output for whole recordings and documents is cut where the segments of a reference end."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from wordorder.apps.monotone.cutting import cut_recordings, cut_texts, cut_words
from wordorder.apps.monotone.latency import MEASURES, latency_of
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats import delay_logs
from wordorder.formats.delay_logs import TimedOutput

REFERENCES = ["the cat sat", "on the mat today", "it was nice"]


@pytest.fixture
def mweralign() -> None:
    pytest.importorskip("mweralign", reason="mweralign is not installed; pip install mweralign (the extra 'longform')")


@pytest.mark.usefixtures("mweralign")
def test_words_go_where_the_reference_has_them(capfd: pytest.CaptureFixture[str]) -> None:
    assert cut_words(["The", "cat", "sat", "on", "a", "mat", "today", "It", "was", "very", "nice"], REFERENCES) == [
        3,
        4,
        4,
    ]
    assert cut_words([], REFERENCES) == [0, 0, 0]
    assert cut_words(list("他来了她走了"), ["他 来了", "她走了"], characters=True) == [3, 3]
    assert cut_texts(["the cat sat on the", "mat today it was nice"], REFERENCES) == REFERENCES
    assert capfd.readouterr().err == ""  # the aligner itself prints its progress


@pytest.mark.usefixtures("mweralign")
def test_delays_count_from_the_beginning_of_a_segment() -> None:
    words = " ".join(REFERENCES)
    times = tuple(100.0 * place for place in range(1, 11))
    talk = TimedOutput(
        words,
        times,
        tuple(time + 10 * n for n, time in enumerate(times)),
        1000,
        source="a/talk.wav",
        total_runtime=True,
    )
    segments = [("talk", 0.0, 300.0), ("talk", 300.0, 400.0), ("talk", 700.0, 300.0)]
    found = cut_recordings([talk], segments, REFERENCES)
    assert [each.prediction for each in found] == REFERENCES
    assert [each.delays for each in found] == [(100, 200, 300), (100, 200, 300, 400), (100, 200, 300)]
    assert [each.recording_end for each in found] == [1000, 700, 300]
    assert [each.source_length for each in found] == [300, 400, 300]
    assert all(each.long and each.elapsed for each in found)
    assert list(found[2].elapsed or ()) == [110, 210, 310]  # each word took 10 ms; SimulEval adds up all of them
    with pytest.raises(UsageError, match="unknown recording 'other'"):
        cut_recordings([talk], [("other", 0, 1)], ["a"])
    with pytest.raises(InputError, match="found 1 reference for 3 segments"):
        cut_recordings([talk], segments, ["a"])
    with pytest.raises(InputError, match="talk: found 1 delay; the output needs 10"):
        cut_recordings([TimedOutput(words, (1,), source="talk")], segments, REFERENCES)


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mweralign", None)
    with pytest.raises(
        UsageError, match=r"mweralign is not installed; install it with: pip install 'wordorder\[longform\]'"
    ):
        cut_texts(["a"], ["a"])


@pytest.mark.realdata
@pytest.mark.slow
@pytest.mark.usefixtures("mweralign")
def test_real_talks_are_cut_nearly_as_omnisteval_cuts_them(shared: Path) -> None:
    """OmniSTEval has an aligner of its own; the two agree within a tenth."""
    folder = shared / "data" / "omnisteval" / "speech_resegmentation_example"
    segments = delay_logs.read_segments(folder / "ref_segments.yaml")
    references = (folder / "references.txt").read_text("utf-8").splitlines()
    ours = cut_recordings(delay_logs.read(folder / "instances.log"), segments, references)
    theirs = delay_logs.read(folder / "segmentation_output" / "instances.resegmented.jsonl")
    words = [[n for n, each in enumerate(cut) for _ in each.prediction.split()] for cut in (ours, theirs)]
    same = sum(one == two for one, two in zip(*words, strict=True))
    assert same > 0.9 * len(words[0])
    for aware in (False, True):
        found, known = (np.nanmean(latency_of(each, aware=aware), axis=0) for each in (ours, theirs))
        assert found[MEASURES.index("laal")] == pytest.approx(known[MEASURES.index("laal")], rel=0.1)
