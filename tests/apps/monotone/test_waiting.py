"""Order beside latency against literal twins; simulated wait-k and logs with source text."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.monotone import measure_logs, simulate_waiting
from wordorder.apps.monotone.waiting import ORDER, order_rows, wait_k_delays
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats.delay_logs import TimedOutput
from wordorder.metrics import Batch, metric
from wordorder.metrics.monotonicity import words_read


@st.composite
def pairs(draw: st.DrawFn) -> Alignment:
    source, target = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    cells = [(s, t) for s in range(source) for t in range(target)]
    links = draw(st.frozensets(st.sampled_from(cells), max_size=10))
    return Alignment(tuple(links), source, target)


def literal(pair: Alignment, delays: list[float]) -> list[float]:
    """guessed, lag, forced lag and the rest, summed over the words of a sentence pair."""
    assert pair.source_length is not None
    assert pair.target_length is not None
    rate = Fraction(pair.source_length, pair.target_length)
    guessed, zero = 0, Fraction(0)
    lag = forced = zero
    for j, delay in enumerate(delays, start=1):
        guessed += any(s + 1 > delay for s, t in pair.links if t + 1 == j)
        lag += max(zero, Fraction(delay) - j * rate)
        forced += max(zero, max((s + 1 for s, t in pair.links if t < j), default=0) - j * rate)
    return [guessed, float(lag), float(forced), float(lag - forced)]


@given(st.lists(pairs(), max_size=4), st.data())
def test_order_beside_latency_equals_its_twin(several: list[Alignment], data: st.DataObject) -> None:
    read = [[float(data.draw(st.integers(0, 8))) for _ in range(pair.target_length or 0)] for pair in several]
    rows = order_rows(Alignments.of(several), np.array([delay for some in read for delay in some]))
    wanted = [literal(pair, some) for pair, some in zip(several, read, strict=True)]
    assert np.allclose(rows[:, ::2], np.array(wanted).reshape(-1, 4), atol=1e-12)
    assert rows[:, 1::2].tolist() == [[pair.target_length] * 4 for pair in several]


@given(st.lists(pairs(), min_size=1, max_size=4), st.integers(1, 5))
def test_wait_k_guesses_what_anticipation_counts(several: list[Alignment], k: int) -> None:
    column = Alignments.of(several)
    delays = wait_k_delays(column.source_lengths, column.target_lengths, k)
    rows = order_rows(column, delays)
    counted = metric(f"anticipation:k={k}").statistics(Batch([], alignments=column))[:, 0]
    assert rows[:, :2].tolist() == counted.tolist()
    forced = metric("forced-lag").statistics(Batch([], alignments=column))[:, 0]
    assert np.allclose(rows[:, 4:6], forced, atol=1e-12)


@given(st.lists(pairs(), min_size=1, max_size=4))
def test_who_reads_what_the_order_requires_guesses_nothing_and_waits_no_longer(several: list[Alignment]) -> None:
    column = Alignments.of(several)
    rows = order_rows(column, words_read(column).astype(np.float64))
    assert not rows[:, ORDER.index("guessed") * 2].any()
    assert not rows[:, ORDER.index("policy-lag") * 2].any()


def test_simulated_waiting() -> None:
    turned = Alignments.of([Alignment.parse("3-0 0-1 1-2 2-3")] * 3)
    straight = Alignments.of([Alignment.parse("0-0 1-1 2-2 3-3")] * 3)
    texts = {"source": ["a b c d"] * 3, "tokenize": "none"}
    found = simulate_waiting(
        {"turned": ["D A B C"] * 3, "straight": ["A B C D"] * 3},
        hyp_align={"turned": turned, "straight": straight},
        wait_k=(1, 3, 4),
        **texts,  # type: ignore[arg-type]
    )
    value = {
        (text, k, name): float(found.scores[f"{text} k={k}", name])
        for text in ("turned", "straight")
        for k in (1, 3, 4)
        for name in found.scores.names
    }
    assert [value["turned", k, "guessed"] for k in (1, 3, 4)] == [0.25, 0.25, 0]
    assert [value["straight", k, "guessed"] for k in (1, 3, 4)] == [0, 0, 0]
    assert {value["turned", k, "forced-lag"] for k in (1, 3, 4)} == {(3 + 2 + 1 + 0) / 4}
    assert [value["straight", k, "al"] for k in (1, 3)] == [1, 3]  # the known lag of wait-k
    assert value["straight", 3, "lag"] == value["straight", 3, "policy-lag"] == (2 + 2 + 1 + 0) / 4
    assert found.simulated
    assert [row[1].value for row in found.table().rows] == [1, 3, 4, 1, 3, 4]
    assert found.to_dict()["systems"][0]["k"] == 1
    with pytest.raises(UsageError, match="wait_k must be 1 or more, not 0"):
        simulate_waiting({"A": ["a"]}, source=["a"], wait_k=[0])


def test_curves_of_simulated_waiting() -> None:
    pytest.importorskip("altair")
    links = {"A": Alignments.of([Alignment.parse("1-0 0-1")] * 2)}
    found = simulate_waiting({"A": ["b a"] * 2}, source=["x y"] * 2, hyp_align=links, tokenize="none")
    drawn = found.plot().to_dict()
    assert [panel["title"] for panel in drawn["concat"]] == ["guessed", "forced-lag"]


SOURCES = ["x y z", "u v"]
EAGER = [
    TimedOutput("c a b", (1, 2, 3), source_length=3, source="x y z"),
    TimedOutput("d e", (1, 2), source_length=2, source="u v"),
]
PATIENT = [
    TimedOutput("a b c", (3, 3, 3), source_length=3, source="x y z"),
    TimedOutput("d e", (2, 2), source_length=2, source="u v"),
]
LINKS = {
    "eager": Alignments.of([Alignment.parse("2-0 0-1 1-2"), Alignment.parse("0-0 1-1")]),
    "patient": Alignments.of([Alignment.parse("0-0 1-1 2-2"), Alignment.parse("0-0 1-1")]),
}


def test_logs_with_words_show_order_beside_latency() -> None:
    found = measure_logs({"eager": EAGER, "patient": PATIENT}, hyp_align=LINKS, given={"comet": {"eager": [0, 1]}})
    assert found.scores.names == [*ORDER, "yaal", "laal", "al", "dal", "ap"]
    assert float(found.scores["eager", "guessed"]) == 1 / 5
    assert float(found.scores["patient", "guessed"]) == 0
    assert float(found.scores["patient", "policy-lag"]) == (2 + 1 + 0 + 1 + 0) / 5
    assert float(found.scores["eager", "forced-lag"]) == (2 + 1 + 0 + 0 + 0) / 5
    assert float(found.scores["eager", "al"]) == 1
    assert found.given == {"comet": {"eager": 0.5}}
    assert not found.simulated
    assert "k" not in [column.name for column in found.table().columns]


def test_logs_of_speech_have_latency_alone(tmp_path: Path) -> None:
    log = tmp_path / "instances.log"
    record = {
        "prediction": "a b",
        "delays": [900, 1800],
        "elapsed": [950, 1900],
        "source": ["x.wav"],
        "source_length": 2000,
    }
    log.write_text(json.dumps(record) + "\n" + json.dumps(record) + "\n")
    found = measure_logs({"A": log}, ["a b c", "a"])
    assert found.scores.names == [
        "yaal",
        "laal",
        "al",
        "dal",
        "ap",
        *(f"ca-{n}" for n in ("yaal", "laal", "al", "dal", "ap")),
    ]
    assert any("only latency is measured" in note for note in found.notes)
    assert float(found.scores["A", "ap"]) == pytest.approx((2700 / (2000 * 3) + 2700 / 2000) / 2)
    with pytest.raises(UsageError, match="there is no curve to draw"):
        found.plot()


def test_logs_must_fit_each_other() -> None:
    with pytest.raises(InputError, match="the logs differ in their numbers of outputs: 2 in A, 1 in B"):
        measure_logs({"A": EAGER, "B": EAGER[:1]})
    other = [TimedOutput("a", (1,), source_length=1, source="q")] * 2
    with pytest.raises(InputError, match="B does not translate the same sources as A"):
        measure_logs({"A": EAGER, "B": other})
    with pytest.raises(InputError, match="found 1 reference for 2 outputs"):
        measure_logs({"A": EAGER}, ["a"])
    with pytest.raises(UsageError, match="outputs are cut where the segments of a reference end; give ref"):
        measure_logs({"A": EAGER}, segments="x.yaml")
