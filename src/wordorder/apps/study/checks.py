"""Check a study before it starts: report what people will see and how long it takes, and warn of likely mistakes.

A power analysis by simulation shows how often a study would detect an effect of a given size. Ratings are drawn from
a linear model with the standard deviations in ``simulation.RATINGS`` (by default), rounded and clipped to the scale,
and tested by the same mixed model as in the analysis. Preferences are drawn for each segment and tested by the
sign-flip test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from wordorder.apps.study.creation import expected_minutes
from wordorder.apps.study.folder import REPEAT_MARK, Study, make_lists, sequence
from wordorder.apps.study.simulation import OTHERS, RATINGS
from wordorder.core.runtime.errors import count_of
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics.mixed import fit_mixed
from wordorder.core.statistics.tests import sign_flip_p
from wordorder.report.table import Column, Table, Value


def overview_table(study: Study) -> Table:
    """Tabulate what each person sees, how long it takes, and how many people are needed."""
    settings, lists = study.settings, make_lists(study)
    sizes = [len(one) for one in lists]
    roles = Counter(item.role for item in study.items)
    repeats = sum(key.endswith(REPEAT_MARK) for key in sequence(study, "somebody", 0))
    span = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    needed = settings.people.per_item * len(lists)
    rows: list[list[Value]] = [
        ["kind", settings.kind],
        ["sentences", len({item.group for item in study.items if item.role == "item"})],
        ["versions in all", roles["item"]],
        ["lists", len(lists)],
        ["items per person", span],
    ]
    rows += [[f"{role} items", count] for role, count in roles.items() if role != "item"]
    rows += [["shown again", repeats]] if repeats else []
    rows += [["minutes", round(expected_minutes(study))], ["people needed", needed]]
    return Table.of("", [Column("the study", "left"), Column("", "left")], rows)


def lists_table(study: Study) -> Table:
    """Tabulate the number of items in each condition on each list."""
    rows: list[list[Value]] = []
    for number, keys in enumerate(make_lists(study), start=1):
        counts = Counter(study.by_id[key].condition for key in keys)
        rows.append([number, len(keys), *(counts[name] for name in study.conditions)])
    return Table.of("", ["list", "items", *(name or "all" for name in study.conditions)], rows)


def find_problems(study: Study) -> Iterator[str]:
    """Yield a warning for each setting that is allowed but probably a mistake."""
    settings = study.settings
    checks, roles = settings.checks, Counter(item.role for item in study.items)
    for role, asked in (("practice", checks.practice), ("attention", checks.attention)):
        if roles[role] != asked:
            yield f"[checks] {role} = {asked}, but items.jsonl has {count_of(roles[role], f'{role} item')}"
    gold = roles["gold"]
    if checks.gold_pass and not gold and not roles["attention"]:
        yield f"[checks] gold_pass = {checks.gold_pass}, but there is no gold item or attention check to screen with"
    if gold and checks.gold_pass:
        chance = passing_chance(gold, checks.gold_pass)
        if chance > 0.05:
            yield f"with {count_of(gold, 'gold item')}, somebody who guesses passes {chance:.0%} of the time"
    shown = sequence(study, "somebody", 0)
    repeats = sum(key.endswith(REPEAT_MARK) for key in shown)
    if repeats < checks.repeats:
        yield f"[checks] repeats = {checks.repeats}, but there are too few items for that many repeats, 15 apart"
    people, recruiting = settings.people, settings.recruiting
    needed = people.per_item * len(make_lists(study))
    if 0 < people.wanted < needed:
        yield f"[people] wanted = {people.wanted}, but {people.per_item} answers to an item need {needed} people"
    if people.limit and people.limit < 2 * (minutes := expected_minutes(study)):
        yield f"[people] limit = {people.limit}, but many people will take {minutes:.0f} minutes, and some longer"
    if recruiting.parameter and not recruiting.completed:
        yield "[recruiting] completed is empty, so the last page does not lead back to the service"
    words = settings.page_words
    if words["reviewed"] != "yes":
        yield f"no native speaker has reviewed the words of the page ({words['lang']}); see 'study serve --preview'"
    yield from find_consent_problems(study)
    for page in ("consent", "instructions"):
        if not settings.pages.get(page, "").strip():
            yield f"[pages] {page} is empty"
    if settings.kind == "align" and len(make_lists(study)) == 1 and settings.people.per_item == 1:
        yield "every item is done once, so agreement cannot be measured; lower [people] share, or raise per_item"


def find_consent_problems(study: Study) -> Iterator[str]:
    """Yield a warning if the consent page does not name the researcher yet."""
    if "write your name" in study.settings.pages.get("consent", ""):
        yield "the consent page does not yet say who runs the study: name them under [pages] in study.toml"


def passing_chance(gold: int, share: float) -> float:
    """Return the probability of getting this share of gold items right by guessing among three answers.

    >>> round(passing_chance(20, 0.6), 4)
    0.013
    """
    import math

    from scipy import stats

    return float(stats.binom.sf(math.ceil(share * gold - 1e-9) - 1, gold, 1 / 3))


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
