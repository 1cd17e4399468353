"""Latin squares, the choice of a list, and the sequence of a person."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_folders import TOML, make_study

from wordorder.apps.study import Study, choose_list, make_lists, sequence
from wordorder.apps.study.folder import Item, versions_by_condition
from wordorder.core.runtime.errors import InputError


def a_study(groups: int, versions: int, *, share: float = 1.0, twice: float = 0.0, repeats: int = 0) -> Study:
    from wordorder.apps.study.kinds import kind_of
    from wordorder.apps.study.settings import Checks, People, Question, StudySettings

    questions = (Question("fluency", "?", (1, 7)),)
    people, checks = People(share=share, twice=twice), Checks(repeats=repeats)
    settings = StudySettings("scramble", "T", questions=questions, people=people, checks=checks)
    items = [
        Item(f"{group}x{version}", f"g{group}", f"bin{version}", content={"text": "a", "order": [1]})
        for group in range(groups)
        for version in range(versions)
    ]
    items.append(replace(items[0], id="p", role="practice"))
    return Study(Path("."), settings, tuple(items), kind_of(settings))


@settings(max_examples=30)
@given(st.integers(1, 30), st.integers(1, 5), st.sampled_from([1.0, 0.5, 0.34, 0.03]))
def test_lists_are_latin_squares(groups: int, versions: int, share: float) -> None:
    study = a_study(groups, versions, share=share)
    lists = make_lists(study)
    shown = Counter(key for one in lists for key in one)
    assert set(shown.values()) == {1}
    assert len(shown) == groups * versions
    for one in lists:
        seen = [study.by_id[key].group for key in one]
        assert len(set(seen)) == len(seen)
        bins = Counter(study.by_id[key].condition for key in one)
        assert max(bins.values()) - min([*bins.values(), *[0] * (versions - len(bins))]) <= 1
    if share < 1:
        assert max(map(len, lists)) <= max(share * groups + 1, 1)


def test_forty_items_in_five_bins_make_five_lists_with_eight_of_each() -> None:
    study = a_study(40, 5)
    lists = make_lists(study)
    assert len(lists) == 5
    for one in lists:
        assert len({study.by_id[key].group for key in one}) == 40
        assert set(Counter(study.by_id[key].condition for key in one).values()) == {8}


def test_items_done_twice_stand_on_two_lists() -> None:
    study = a_study(20, 1, share=0.5, twice=0.2)
    lists = make_lists(study)
    counts = Counter(key for one in lists for key in one)
    assert Counter(counts.values()) == {1: 17, 2: 3}
    assert all(len(set(one)) == len(one) <= 10 for one in lists)


def test_groups_with_too_few_versions_are_named() -> None:
    study = a_study(4, 2)
    short = Study(study.folder, study.settings, study.items[1:], study.kind)
    with pytest.raises(Exception, match="expected 2 versions in group 'g0', as in other groups, found 1"):
        make_lists(short)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(0, 3))
def test_the_sequence_of_a_person(person: int, repeats: int) -> None:
    study = a_study(25, 5, repeats=repeats)
    keys = sequence(study, str(person), person % 5)
    assert keys == sequence(study, str(person), person % 5)
    assert keys[0] == "p"
    again = [key for key in keys if key.endswith("#2")]
    assert len(again) == repeats
    for key in again:
        assert keys.index(key) - keys.index(key[:-2]) >= 15
    once = [key for key in keys[1:] if not key.endswith("#2")]
    assert sorted(once) == sorted(make_lists(study)[person % 5])
    bins = [study.by_id[key].condition for key in once]
    assert all(len(set(bins[place : place + 3])) > 1 for place in range(len(bins) - 2))


def test_different_people_have_different_sequences() -> None:
    study = a_study(20, 1)
    assert len({sequence(study, str(person), 0) for person in range(10)}) == 10


def test_too_few_items_are_not_repeated() -> None:
    assert len(sequence(a_study(10, 1, repeats=2), "x", 0)) == 11


def spread_of_finished(seed: int, *, way: str) -> int:
    """Let 100 people come, of whom a third drops out; return how far finished lists differ."""
    chance = random.Random(seed)
    finished, active = [0] * 5, [0] * 5
    working: list[tuple[int, bool]] = []
    for arrival in range(100):
        if way == "ours":
            place = choose_list([a + b for a, b in zip(finished, active, strict=True)], seed=seed, arrival=arrival)
        else:
            place = arrival % 5 if way == "arrival" else chance.randrange(5)
        active[place] += 1
        working.append((place, chance.random() < 1 / 3))
        while working and (len(working) > 5 or chance.random() < 0.5):
            done, dropped = working.pop(chance.randrange(len(working)))
            active[done] -= 1
            finished[done] += not dropped
    for place, dropped in working:
        finished[place] += not dropped
    return max(finished) - min(finished)


def test_lists_stay_balanced_though_a_third_drops_out() -> None:
    ours = [spread_of_finished(seed, way="ours") for seed in range(200)]
    assert sum(spread <= 3 for spread in ours) >= 190
    others = {way: [spread_of_finished(seed, way=way) for seed in range(200)] for way in ("arrival", "random")}
    assert all(sorted(spreads)[190] > 3 for spreads in others.values())


def test_lists_of_a_folder(tmp_path: Path) -> None:
    study = Study.read(make_study(tmp_path / "s", TOML))
    assert make_lists(study) == (("0x0", "1x1", "2x0", "3x1"), ("0x1", "1x0", "2x1", "3x0"))


def test_every_group_needs_an_item_of_every_condition() -> None:
    study = a_study(4, 2)
    items = (replace(study.items[0], condition="bin1"), *study.items[1:])
    with pytest.raises(InputError, match=r"items\.jsonl: expected one 'bin1' in each group"):
        versions_by_condition(Study(study.folder, study.settings, items, study.kind))
