"""Latency against literal formulas, and against OmniSTEval where it is installed."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.monotone.latency import MEASURES, latency_of
from wordorder.formats import delay_logs
from wordorder.formats.delay_logs import TimedOutput

ABSENT = "OmniSTEval is not installed; pip install omnisteval (in the extra 'peers')"


def literal(output: TimedOutput) -> dict[str, float]:
    """The formulas as the papers write them, word by word."""
    d, source = output.delays, output.source_length
    found = dict.fromkeys(MEASURES, math.nan)
    if not d or not source > 0:
        return found
    n, reference = len(d), len(d) if output.reference is None else len(output.reference.split(" "))
    tau = next((j for j, delay in enumerate(d, start=1) if delay >= source), n)

    def lagging(words: int) -> float:
        if d[0] > source:
            return d[0]
        return mean(d[j] - j * source / words for j in range(tau))

    found["al"], found["laal"] = lagging(reference), lagging(max(n, reference))
    found["ap"] = sum(d) / (source * reference)
    written = [d[0]]
    for delay in d[1:]:
        written.append(max(delay, written[-1] + source / n))
    found["dal"] = mean(time - j * source / n for j, time in enumerate(written))
    early = 0
    while early < n and d[early] < output.recording_end and (output.long or d[early] < source):
        early += 1
    if early:
        found["yaal"] = mean(d[j] - j * source / max(n, reference) for j in range(early))
    return found


@st.composite
def outputs(draw: st.DrawFn) -> TimedOutput:
    times = draw(st.lists(st.integers(-2, 12).map(float), max_size=8))
    if draw(st.booleans()):
        times.sort()
    return TimedOutput(
        " ".join("x" * len(times)),
        tuple(times),
        source_length=draw(st.sampled_from([math.nan, 0.0, 3.0, 7.5, 12.0])),
        reference=draw(st.sampled_from([None, "", "a", "a b c", "a b c d e f g h i"])),
        recording_end=draw(st.sampled_from([math.inf, 0.0, 5.0])),
        long=draw(st.booleans()),
    )


@given(st.lists(outputs(), max_size=5))
def test_measures_equal_their_formulas(several: list[TimedOutput]) -> None:
    found = latency_of(several)
    wanted = [[literal(output)[name] for name in MEASURES] for output in several]
    assert np.allclose(found, np.array(wanted).reshape(-1, 5), rtol=1e-12, atol=1e-12, equal_nan=True)


def test_known_values() -> None:
    """Wait-3 on six words each way: AL is 3 (Ma et al. 2019), and so are LAAL and DAL without catch-up at the end."""
    wait3 = TimedOutput("a b c d e f", (3, 4, 5, 6, 6, 6), source_length=6, reference="a b c d e f")
    found = dict(zip(MEASURES, latency_of([wait3])[0].tolist(), strict=True))
    assert (found["al"], found["laal"], found["yaal"]) == (3, 3, 3)
    assert found["ap"] == pytest.approx(30 / 36)
    characters = TimedOutput("ab", (1, 2), source_length=2, reference="a b ")
    assert latency_of([characters], characters=True)[0, MEASURES.index("ap")] == pytest.approx(3 / (2 * 3))


def theirs(instances: list[Any], *, long: bool) -> dict[str, float]:
    scoring = pytest.importorskip("omnisteval.scoring", reason=ABSENT)
    found: dict[str, float] = scoring.evaluate_instances(instances, compute_quality=False, is_longform=long)[0]
    return {name.replace("long_", ""): value for name, value in found.items()}


def compare(outputs_: list[TimedOutput], found: dict[str, float]) -> None:
    for aware, prefix in ((False, ""), (True, "ca_")):
        values = latency_of(outputs_, aware=aware)
        for m, name in enumerate(MEASURES):
            known = values[~np.isnan(values[:, m]), m]
            if prefix + name in found and len(known):
                assert found[prefix + name] == pytest.approx(float(known.mean()), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(several=st.lists(outputs().filter(lambda output: output.source_length > 0), min_size=1, max_size=6))
def test_measures_equal_omnisteval(several: list[TimedOutput]) -> None:
    data = pytest.importorskip("omnisteval.data", reason=ABSENT)
    for long in (False, True):
        same = [
            TimedOutput(
                o.prediction, o.delays, o.delays, o.source_length, o.reference or "", None, o.recording_end, long
            )
            for o in several
        ]
        instances = [
            data.Instance(
                o.prediction,
                o.reference,
                source_length=o.source_length,
                emission_cu=list(o.delays),
                emission_ca=list(o.delays),
                time_to_recording_end=o.recording_end,
            )
            for o in same
        ]
        compare(same, theirs(instances, long=long))


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["simulstream_example", "speech_resegmentation_example"])
def test_real_logs_equal_omnisteval_and_its_report(shared: Path, name: str) -> None:
    folder = shared / "data" / "omnisteval" / name / "segmentation_output"
    path = folder / "instances.resegmented.jsonl"
    found = delay_logs.read(path)
    report = (folder / "evaluation_report.txt").read_text("utf-8")
    printed = re.findall(r"Long(\w+) \((CU|CA)\)\s+([\d.]+)", report)
    assert len(printed) == 10
    for measure, kind, value in printed:
        column = latency_of(found, aware=kind == "CA")[:, MEASURES.index(measure.lower())]
        assert float(value) == pytest.approx(float(np.nanmean(column)), abs=6e-5)
    data = pytest.importorskip("omnisteval.data", reason=ABSENT)
    instances = [data.Instance.from_dict(json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    compare(found, theirs(instances, long=True))


@pytest.mark.realdata
def test_a_log_of_simuleval_equals_omnisteval(shared: Path) -> None:
    io = pytest.importorskip("omnisteval.io", reason=ABSENT)
    path = shared / "data" / "omnisteval" / "speech_resegmentation_example" / "instances.log"
    instances = io.load_shortform_instances(str(path), None, "delays", "elapsed")
    compare(delay_logs.read(path), theirs(instances, long=False))
