"""Power analysis by simulation: how often would a study detect an effect of a given size?

Ratings are drawn from a linear model with the standard deviations in ``simulation.RATINGS`` (by default), rounded and
clipped to the scale, and tested by the same mixed model as in the analysis. Preferences are drawn for each segment
and tested by the sign-flip test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wordorder.apps.study.folder import Study
from wordorder.apps.study.lists import make_lists
from wordorder.apps.study.simulation import OTHERS, RATINGS
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics.mixed import fit_mixed
from wordorder.core.statistics.tests import sign_flip_p
from wordorder.report.table import Column, Table, Value

STUDIES = 25
EFFECTS = (0.25, 0.5, 1.0)
PREFERENCES = (0.55, 0.6, 0.65)


@dataclass(frozen=True)
class Power:
    """The size of an effect, how many simulated studies found it, and how many studies were simulated."""

    effect: float
    found: int
    studies: int


def rating_power(
    conditions: int,
    items: int,
    people: int,
    *,
    effect: float,
    scale: range,
    spread: Mapping[str, float] | None = None,
    latin: bool = True,
    studies: int = STUDIES,
    seed: int = 1,
    level: float = 0.05,
) -> Power:
    """Simulate studies in which one condition is rated ``effect`` points lower, and count significant F tests.

    Everybody sees every item, either in one condition (``latin``) or in all conditions.
    """
    sizes = {**RATINGS, **(spread or {})}
    chance = np.random.default_rng(seed)
    person, item = (axis.ravel() for axis in np.indices((people, items)))
    place = (person + item) % conditions
    if not latin:
        person, item, place = (axis.ravel() for axis in np.indices((people, items, conditions)))
    contrasts = np.eye(conditions)[1:] - np.eye(conditions)[0]
    groups = {"person": person, "item": item, "stimulus": item * conditions + place}
    groups["interaction"] = person * conditions + place
    found = 0
    for _ in range(studies):
        value = (scale[0] + scale[-1]) / 2 - effect * (place == conditions - 1)
        for name, numbers in groups.items():
            value = value + chance.normal(0, sizes[name], int(numbers.max()) + 1)[numbers]
        value = np.clip(np.rint(value + chance.normal(0, sizes["noise"], len(person))), scale[0], scale[-1])
        found += fit_mixed(value, np.eye(conditions)[place], groups).test(contrasts).p < level
    return Power(effect, found, studies)


def preference_power(
    items: int,
    judgements: int,
    *,
    share: float,
    neither: float = OTHERS["prefer"]["neither"],
    item: float = OTHERS["prefer"]["item"],
    studies: int = 200,
    seed: int = 1,
    level: float = 0.05,
) -> Power:
    """Simulate studies in which one system gets a ``share`` of the preferences, and count significant tests.

    The test is the sign-flip test.
    """
    chance = np.random.default_rng(seed)
    found = 0
    for _ in range(studies):
        logit = np.log(share / (1 - share)) + chance.normal(0, item, items)
        wins = chance.random((items, judgements)) < (1 / (1 + np.exp(-logit)))[:, None]
        votes = np.where(wins, 1, -1) * (chance.random(wins.shape) >= neither)
        found += sign_flip_p(votes.sum(axis=1)) < level
    return Power(share, found, studies)


def power_table(study: Study, people: int | None = None) -> Table | None:
    """Tabulate the power of a study; return None if its kind has no test or if it is too small to be tested."""
    settings = study.settings
    people = people or settings.people.per_item * len(make_lists(study))
    groups = len({item.group for item in study.items if item.role == "item"})
    columns = [Column("effect", "left"), Column("found", number=".0%"), Column("simulated studies")]
    if settings.kind == "prefer":
        found = [preference_power(groups, settings.people.per_item, share=share) for share in PREFERENCES]
        rows: list[list[Value]] = [
            [f"preferred {one.effect:.0%} of the time", one.found / one.studies, one.studies] for one in found
        ]
        each = settings.people.per_item
        notes = [f"{each} judgements of each of {groups} items; sign-flip test over items, p < .05"]
        return Table.of("", columns, rows, notes=notes)
    if settings.kind not in ("scramble", "rate"):
        return None
    first = next(item for item in study.items if item.role == "item")
    latin = settings.kind == "scramble"
    conditions = len({item.condition for item in study.items if item.role == "item"})
    conditions = conditions if latin else len(first.content["outputs"])
    if conditions < 2 or people < 3 or groups < 3:
        return None
    scale = settings.questions[0].values
    found = [
        rating_power(conditions, groups, people, effect=effect, scale=scale, latin=latin)
        for effect in progress(EFFECTS, label="simulating studies", total=len(EFFECTS))
    ]
    rows = [[f"one {_LEVELS[latin]} {one.effect} lower", one.found / one.studies, one.studies] for one in found]
    spread = ", ".join(f"{name} {size}" for name, size in RATINGS.items())
    notes = [f"{people} people; test of the mixed model, p < .05; standard deviations assumed: {spread}"]
    return Table.of("", columns, rows, notes=notes)


_LEVELS = {True: "bin", False: "system"}
