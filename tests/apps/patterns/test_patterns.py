"""``wordorder.patterns``: what is found in one system, in several, through the source, and between languages."""

from __future__ import annotations

import random

import pytest

import wordorder
from wordorder.apps.patterns import Pattern, Patterns, patterns
from wordorder.apps.patterns.results import TOGETHER
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling

OBJECTS = ("bread", "milk", "tea", "soup", "rice", "fish", "corn", "cake")
GOLD = [f"we saw {thing} in town today" for thing in OBJECTS] * 12
TAGS = [["PRON", "VERB", "NOUN", "ADP", "NOUN", "ADV"]] * len(GOLD)
LATE = [f"we {thing} in town today saw" for thing in OBJECTS] * 6 + GOLD[48:]


def links(*pairs: tuple[int, int]) -> wordorder.Alignments:
    return wordorder.Alignments.of([wordorder.Alignment(pairs)] * 96)


def named(found: Patterns) -> list[tuple[str, str, str]]:
    return [(one.kind, one.label, one.direction) for one in found.found]


def test_the_class_that_moves_is_found_with_examples() -> None:
    found = wordorder.patterns(LATE, GOLD, tags=TAGS)
    first = found.found[0]
    assert (first.kind, first.label, first.direction) in {("word", "saw", "late"), ("class", "VERB", "late")}
    verbs = next(one for one in found.found if one.label == "VERB")
    assert (verbs.words, verbs.moved, verbs.rate, verbs.elsewhere, verbs.share) == (96, 48, 0.5, 0.0, 1.0)
    assert verbs.distance == 4
    assert verbs.interval is not None
    assert verbs.interval[0] < 0.5 < verbs.interval[1]
    assert verbs.mostly == (("saw", 48.0),)
    assert [(one.segment, one.marked) for one in first.examples] == [
        (1, "we →1 bread in town today [1 saw]"),
        (2, "we →1 milk in town today [1 saw]"),
    ]
    assert ("class", "NOUN", "early") not in named(found)
    assert sum(not one.repeats for one in found.found) == 1  # the word and its class are the same moves
    assert str(found).startswith(f"system: 8.3% of its matched words stand too early or too late\n  {first.sentence}\n")
    assert verbs.segments == tuple((row, "saw") for row in range(1, 49))


def test_nothing_moves_nothing_found() -> None:
    found = patterns(GOLD, GOLD, tags=TAGS)
    assert (found.found, found.differences) == ((), ())
    assert "no pattern was found" in str(found)
    assert all(one.p == 1 for one in found.tried)


def test_several_systems_are_compared_with_the_first_and_tested_together() -> None:
    found = patterns({"good": GOLD, "late": LATE}, GOLD, tags=TAGS)
    assert {one.system for one in found.found} == {TOGETHER, "late"}
    first = found.differences[0]
    assert (first.system, first.baseline, first.label, first.direction) == ("late", "good", "saw", "late")
    assert (first.rate, first.elsewhere) == (0.5, 0.0)
    assert first.interval is not None
    assert first.sentence == "'saw' stands too late more often than in good: 50.0% against 0.0%"
    swapped = patterns({"late": LATE, "good": GOLD}, GOLD, tags=TAGS)
    assert (swapped.differences[0].rate, swapped.differences[0].elsewhere) == (0.0, 0.5)
    assert swapped.differences[0].p == first.p
    assert swapped.differences[0].sentence == "'saw' stands too late less often than in late: 0.0% against 50.0%"
    for each in (found, swapped):  # examples come from the system that moves more
        shown = str(each).splitlines()
        assert shown.index("     late  we →1 bread in town today [1 saw]") < shown.index(
            "     good  we saw bread in town today"
        )
    document = found.to_dict()
    assert len(document["patterns"]) == len(found.found)
    assert document["patterns"][-1]["examples"][0].keys() == {"segment", "reference", "marked"}
    assert {row[0].value for row in found.tables()["differences"].rows} == {"late"}


def test_rare_labels_are_counted_together() -> None:
    found = patterns(LATE, GOLD)
    labels = {one.label for one in found.tried if one.kind == "word"}
    assert labels == {"we", "saw", "in", "town", "today", "(rare)"}  # every object occurs twelve times


def test_labels_of_the_source_reach_translations_through_links() -> None:
    source = [f"wir sahen {thing}" for thing in OBJECTS] * 12
    gold, made = [f"we saw {thing}" for thing in OBJECTS] * 12, [f"we {thing} saw" for thing in OBJECTS] * 12
    tags = [["PRON", "VERB", "NOUN"]] * 96
    found = patterns(
        *(made, gold),
        source=source,
        source_tags=tags,
        hyp_align=links((0, 0), (1, 2), (2, 1)),
        ref_align=links((0, 0), (1, 1), (2, 2)),
    )
    assert ("source class", "VERB", "late") in named(found)
    assert found.signature["order"] == "source"


def test_without_a_translation_the_languages_are_compared() -> None:
    source = [f"wir haben {thing} gesehen" for thing in OBJECTS] * 12
    gold = [f"we have seen {thing}" for thing in OBJECTS] * 12
    tags = [["PRON", "AUX", "NOUN", "VERB"]] * 96
    found = patterns(None, gold, source=source, source_tags=tags, ref_align=links((0, 0), (1, 1), (2, 3), (3, 2)))
    assert found.systems == ("source",)
    assert {("class", "VERB", "late"), ("class", "NOUN", "early")} <= set(named(found))
    (verbs,) = (one for one in found.found if one.label == "VERB")
    assert (verbs.rate, verbs.examples) == (0.5, ())  # either of two neighbours moves by half


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="patterns are differences in order from a reference; give ref"):
        patterns(GOLD, source=GOLD)
    with pytest.raises(UsageError, match="give hyp, source or both"):
        patterns(None, GOLD)
    with pytest.raises(UsageError, match="patterns are differences from one reference"):
        patterns(GOLD, [GOLD, GOLD])
    with pytest.raises(UsageError, match="source_tags requires source"):
        patterns(GOLD, GOLD, source_tags=TAGS)


def test_the_plan_of_a_sentence() -> None:
    one = Pattern("A", "class", "VERB", "late", 100, 31, 0.31, 0.09, 0.8, 4.23, 0.001)
    assert one.sentence == ("verbs (VERB) stand too late 31.0% of the time (other words 9.0%), by 4.2 words on average")


def test_examples_are_clear_cases_of_the_most_frequent_words() -> None:
    gold = ["we saw the bread", "they sold a lot of milk", "we saw the tea in the old town"] * 30
    made = ["we the bread saw", "they a lot of milk sold", "we new tea or town saw"] * 30
    tags = [["PRON", "VERB", "DET", "NOUN"], ["PRON", "VERB", "DET", "NOUN", "ADP", "NOUN"]]
    tags.append(["PRON", "VERB", "DET", "NOUN", "ADP", "DET", "ADJ", "NOUN"])
    found = patterns(made, gold, tags=tags * 30, examples=3)
    (verbs,) = (one for one in found.found if one.label == "VERB")
    assert [one.marked for one in verbs.examples] == [
        "we →1 the bread [1 saw]",
        "they →1 a lot of milk [1 sold]",
        "we →1 the bread [1 saw]",
    ]


def test_a_system_that_matches_few_words_is_not_examined() -> None:
    nonsense = ["today"] * len(GOLD)
    found = patterns({"nonsense": nonsense, "good": GOLD, "late": LATE}, GOLD, tags=TAGS)
    assert found.unranked == {"nonsense": "it matches only 16.7% of the reference words"}
    assert found.systems == ("good", "late")
    assert {one.system for one in found.tried} == {TOGETHER, "good", "late"}
    assert {(one.system, one.baseline) for one in found.compared} == {("late", "good")}
    assert "nonsense is not examined: it matches only 16.7% of the reference words" in found.footer
    assert found.to_dict()["unranked"] == found.unranked
    alone = patterns(nonsense, GOLD)
    assert (alone.systems, alone.tried, alone.compared) == ((), (), ())


def test_many_systems_are_summarised() -> None:
    systems = {"test.good": GOLD, "test.late": LATE, "test.later": LATE[:48] * 2}
    found = patterns(systems, GOLD, tags=TAGS)
    shared, each = found.overview()
    assert shared.title == "test.*: 96 segments"
    assert [cell.value for cell in shared.rows[0]] == ["'saw' too late", "2 of 3", pytest.approx(0.5), "100.0% later"]
    assert [row[0].value for row in each.rows] == ["good", "late", "later"]  # the one with the fewest moves first
    assert [row[2].value for row in each.rows] == ["–", "saw late 50%", "saw late 100%"]
    assert str(found) == f"{shared}\n\n{each}"


def test_exchangeable_systems_do_not_differ() -> None:
    chance = random.Random(1)
    alarms = 0
    for _ in range(20):
        flips = [chance.random() < 0.5 for _ in GOLD]
        one = [late if flip else good for late, good, flip in zip(LATE, GOLD, flips, strict=True)]
        two = [good if flip else late for late, good, flip in zip(LATE, GOLD, flips, strict=True)]
        found = patterns({"one": one, "two": two}, GOLD, tags=TAGS, examples=0, resampling=Resampling(samples=0))
        alarms += bool(found.differences)
    assert alarms <= 2
