"""The band of human references and the verdicts on systems, on alignments whose order is planted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wordorder.apps.monotone import Literalness, monotone
from wordorder.apps.monotone.literalness import ALIKE, FEW_LINKS, FREER, LITERAL, UNDECIDED, literal_sign
from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import UsageError
from wordorder.report.terminal import render_terminal

SIZE = 12


def links(rng: np.random.Generator, swaps: float, count: int) -> list[Alignment]:
    """Alignments in which each pair of neighbours is swapped with the probability ``swaps``."""
    found = []
    for _ in range(count):
        order = np.arange(SIZE)
        for place in np.flatnonzero(rng.random(SIZE // 2) < swaps) * 2:
            order[[place, place + 1]] = order[[place + 1, place]]
        found.append(Alignment(tuple(zip(order.tolist(), range(SIZE), strict=True)), SIZE, SIZE))
    return found


def planted(
    people: tuple[float, ...], systems: dict[str, float], *, count: int = 200, seed: int = 1, **how: Any
) -> Literalness:
    rng = np.random.default_rng(seed)
    gold = [links(rng, swaps, count) for swaps in people]
    made = {name: links(rng, swaps, count) for name, swaps in systems.items()}
    return monotone(hyp_align=made, ref_align=gold, **how)


SYSTEMS = {"free": 0.9, "same": 0.5, "word for word": 0.1, "between": 0.45}


def test_verdicts_follow_the_planted_order() -> None:
    found = planted((0.4, 0.5), SYSTEMS)
    assert {system: found.verdict(system) for system in SYSTEMS} == {
        "free": FREER,
        "same": ALIKE,
        "word for word": LITERAL,
        "between": ALIKE,
    }
    assert found.systems[0] == "word for word"
    assert found.systems[-1] == "free"
    for metric in ("non-monotonicity", "crossing-rate", "jump"):  # lower is more literal
        assert found.verdict("word for word", metric) == LITERAL
        assert found.verdict("free", metric) == FREER
    assert found.verdict("free", "unaligned-source") != FREER  # every word is linked everywhere
    low, high = found.band("kendall-sqrt")
    assert low < high == float(found.scores["reference1", "kendall-sqrt"])
    assert found.summary == (
        "By kendall-sqrt, 1 of 4 systems translates more literally than both human references; "
        "1 of 4 systems translates more freely than both human references."
    )


def test_a_verdict_is_what_the_tests_against_every_reference_say() -> None:
    found = planted((0.3, 0.5, 0.6), {f"s{n}": n / 10 for n in range(9)}, count=60)
    signs = {str(metric): literal_sign(metric) for metric in found.scores.metrics}
    assert signs["kendall-sqrt"] == 1 == -signs["anticipation"]
    seen = set()
    for system in found.systems:
        for metric in found.scores.names:
            tests = [one for one in found.comparisons if (one.a, one.metric) == (system, metric)]
            assert {one.b for one in tests} == {"reference1", "reference2", "reference3"}
            more = all(one.significant and one.difference * signs[metric] > 0 for one in tests)
            less = all(one.significant and one.difference * signs[metric] < 0 for one in tests)
            assert found.verdict(system, metric) == (LITERAL if more else FREER if less else ALIKE)
            seen.add(found.verdict(system, metric))
    assert seen == {LITERAL, FREER, ALIKE}


def test_systems_that_translate_as_people_do_are_rarely_called_otherwise() -> None:
    """Ten equal systems in twenty test sets: after correction, at most 5% of the sets may have a false verdict."""
    false = 0
    for seed in range(20):
        found = planted((0.5, 0.5), dict.fromkeys("abcdefghij", 0.5), count=50, seed=seed, metrics="kendall-sqrt")
        false += any(found.verdict(system) != ALIKE for system in found.systems)
    assert false <= 2


def test_too_little_data_is_said_and_no_reference_means_no_verdict() -> None:
    few = planted((0.5, 0.5), SYSTEMS, count=3)
    assert {few.verdict(system) for system in SYSTEMS} == {UNDECIDED}
    assert few.summary == "There is too little data for any difference from people to be significant."
    alone = planted((), SYSTEMS)
    assert alone.verdict("free") is None
    assert alone.comparisons == []
    assert alone.summary == "Without a human reference, nothing says which values are normal."
    assert np.isnan(alone.band("jump")).all()
    assert "verdict" not in [column.name for column in alone.table().columns]


def test_documents_are_resampled_if_they_are_known() -> None:
    names = [f"d{row // 50}" for row in range(200)]
    found = planted((0.5, 0.6), SYSTEMS, docs=names)
    assert found.signature["resampled"] == "documents"
    assert {one.segments for one in found.comparisons} == {200}
    assert found.verdict("word for word") == UNDECIDED  # four documents are too few
    many = planted((0.5, 0.6), SYSTEMS, docs=[f"d{row // 10}" for row in range(200)])
    assert many.verdict("word for word") == LITERAL


def test_the_table_and_the_data_say_the_same() -> None:
    found = planted((0.4, 0.5), SYSTEMS, given={"comet": {"free": [0.5, 1.0], "same": [0.0]}})
    table = found.table()
    people = ["people min", "people max", "reference1", "reference2"]
    assert [row[0].value for row in table.rows] == [*people, *found.systems]
    assert [row[1].value for row in table.rows][:4] == [None, None, "human", "human"]
    assert tuple(row[2].value for row in table.rows[:2]) == found.band("kendall-sqrt")
    data = found.to_dict()
    assert data["people"]["jump"] == dict(zip(("low", "high"), found.band("jump"), strict=True))
    assert {one["system"]: one["verdict"] for one in data["verdicts"] if one["metric"] == "kendall-sqrt"} == {
        system: found.verdict(system) for system in SYSTEMS
    }
    assert table.rows[-1][-1].value == 0.75
    assert [row[-1].value for row in table.rows[:5]] == [None] * 5
    assert len(data["tests"]) == (4 * 2 + 1) * len(found.scores.names)


def test_systems_with_few_links_have_no_verdict() -> None:
    """Order is measured on linked words alone, so leaving most words or most lines out must not look literal."""
    rng = np.random.default_rng(1)
    made = {"whole": links(rng, 0.1, 200)}
    made["one word"] = [Alignment(((0, 0),), SIZE, 1)] * 200
    made["a third"] = [Alignment(one.links[: SIZE // 3], SIZE, SIZE) for one in made["whole"]]
    silent = Alignment((), SIZE, 0)
    made["odd lines"] = [one if row % 5 > 2 else silent for row, one in enumerate(made["whole"])]
    made["nothing"] = [silent] * 200
    for metrics in (None, "kendall-sqrt"):
        found = monotone(hyp_align=made, ref_align=[links(rng, 0.5, 200)], metrics=metrics)
        assert {system: found.verdict(system) for system in made} == {
            "whole": LITERAL,
            **dict.fromkeys(("one word", "a third", "odd lines", "nothing"), FEW_LINKS),
        }
        assert {each.a for each in found.comparisons} == {"whole"}
        assert found.summary.startswith("By kendall-sqrt, 1 of 5 systems translates more literally")
        assert "one word has no verdict: it links only 8.3% of the source words" in found.table().notes
        data = found.to_dict()
        assert {"system": "nothing", "metric": "kendall-sqrt", "verdict": FEW_LINKS, "p": None} in data["verdicts"]
        assert any(note.startswith("nothing has no verdict: it links only 0.0%") for note in data["notes"])
    alone = monotone(hyp_align={"nothing": [silent] * 200}, ref_align=[links(rng, 0.5, 200)])
    assert alone.summary == "No system can be compared with people."


ENGLISH = [
    "the old house near the river is empty now",
    "nobody has seen the two boys today",
    "it rains a lot here",
] * 20
GERMAN = [
    "das alte Haus am Fluss ist jetzt leer",
    "heute hat niemand die beiden Jungen gesehen",
    "hier regnet es viel",
] * 20
FRENCH = ["la vieille maison est vide", "personne ne les a vus", "il pleut beaucoup ici"] * 20


def test_nonsense_has_no_verdict() -> None:
    """The source itself is as literal as can be, and any language has an order; neither is a translation."""
    half = [pair[row % 2] for row, pair in enumerate(zip(ENGLISH, GERMAN, strict=True))]
    made = {"good": GERMAN, "copy": ENGLISH, "half": half, "French": FRENCH, "shout": [t.upper() for t in ENGLISH]}
    person = [line.replace("jetzt", "nun") for line in GERMAN]
    found = monotone(made, [person, GERMAN], source=ENGLISH, samples=100)
    verdicts = {system: found.verdict(system) for system in made}
    assert verdicts.pop("good") not in {"copies source", "few matches"}
    assert verdicts == {
        "copy": "copies source",
        "half": "copies source",
        "French": "few matches",
        "shout": "few matches",
    }
    notes = found.to_dict()["notes"]
    copied = "copy is hardly a translation: 100.0% of its words are in the source, too (references: 0.0%)"
    assert copied in notes
    assert "French is hardly a translation: it matches only 0.0% of the reference words" in notes
    assert {each.a for each in found.comparisons} == {"good"}
    alone = monotone({"copy": ENGLISH}, source=ENGLISH, samples=0)
    assert "copy is hardly a translation: 100.0% of its words are in the source, too" in alone.table().notes
    assert monotone({"copy": ENGLISH}, [person], source=ENGLISH).summary == "No system can be compared with people."
    same = monotone({"A": ENGLISH}, [ENGLISH], source=ENGLISH)  # as in a dialect: people change nothing either
    assert not same.nonsense


def test_eighty_columns_are_enough() -> None:
    """On a narrow terminal, only the first measure has intervals; a wide one shows all of them."""
    table = planted((0.4, 0.5), {"a system with quite a long name": 0.1, "another": 0.9}).table()
    narrow, wide = (render_terminal(table, width=width).split("\n") for width in (80, 200))
    lines = next(number for number, line in enumerate(narrow) if line.startswith("─"))
    assert max(map(len, narrow[lines - 2 : lines + 7])) <= 80
    assert [line.count("±") for line in narrow[lines + 1 : lines + 7]] == [0, 0, 1, 1, 1, 1]
    assert [line.count("±") for line in wide if line.startswith("a system")] == [6]
    assert sum(line.startswith("─") for line in narrow) == 1


def test_one_reference_is_one_person() -> None:
    found = planted((0.5,), {"A": 0.1})
    assert found.summary == "By kendall-sqrt, the system translates more literally than the human reference."
    assert any(note.startswith("one reference shows the order of one person") for note in found.table().notes)
    alike = planted((0.5,), {"A": 0.5})
    assert alike.summary == "By kendall-sqrt, no system differs significantly from the human reference."


def test_charts_have_the_band() -> None:
    pytest.importorskip("altair")
    found = planted((0.4, 0.5), SYSTEMS, metrics="kendall-sqrt,jump")
    drawn = found.plot().to_dict()
    assert len(drawn["concat"]) == 3  # the share of source words without a link is always there
    layer = drawn["concat"][0]["layer"][0]
    assert layer["mark"]["type"] == "rect"
    (band,) = layer["data"]["values"]
    assert (band["people min"], band["people max"]) == found.band("kendall-sqrt")
    alone = planted((), SYSTEMS, metrics="jump").plot("jump").to_dict()
    assert all(each["mark"]["type"] != "rect" for each in alone["layer"])


def test_other_orders_are_refused() -> None:
    with pytest.raises(UsageError, match="texts are always compared with their source; leave out order"):
        monotone(["a"], ["a"], source=["a"], order="source")
