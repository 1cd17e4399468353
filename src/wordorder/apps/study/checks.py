"""Check a study before it starts: report what people will see and how long it takes, and warn of likely mistakes.

A power analysis by simulation shows how often a study would detect an effect of a given size. Ratings are drawn from
a linear model with the standard deviations in ``simulation.RATINGS`` (by default), rounded and clipped to the scale,
and tested by the same mixed model as in the analysis. Preferences are drawn for each segment and tested by the
sign-flip test.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

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
        ["sentences", len(study.segments)],
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


RATING_STUDIES, PREFERENCE_STUDIES = 25, 200
EFFECTS = (0.25, 0.5, 1.0)
PREFERENCES = (0.55, 0.6, 0.65)


def rating_power(
    conditions: int,
    items: int,
    people: int,
    *,
    effect: float,
    scale: range,
    spread: Mapping[str, float] | None = None,
    latin: bool = True,
    studies: int = RATING_STUDIES,
    seed: int = 1,
) -> float:
    """Simulate studies in which one condition is rated lower by ``effect``; return the share of significant F tests.

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
        found += fit_mixed(value, np.eye(conditions)[place], groups).test(contrasts).p < 0.05
    return found / studies


def preference_power(
    items: int,
    judgements: int,
    *,
    share: float,
    neither: float = OTHERS["prefer"]["neither"],
    item: float = OTHERS["prefer"]["item"],
    studies: int = PREFERENCE_STUDIES,
    seed: int = 1,
) -> float:
    """Simulate studies in which one system gets a ``share`` of the preferences.

    Return the share of them in which the sign-flip test is significant.
    """
    chance = np.random.default_rng(seed)
    found = 0
    for _ in range(studies):
        logit = np.log(share / (1 - share)) + chance.normal(0, item, items)
        wins = chance.random((items, judgements)) < (1 / (1 + np.exp(-logit)))[:, None]
        votes = np.where(wins, 1, -1) * (chance.random(wins.shape) >= neither)
        found += sign_flip_p(votes.sum(axis=1)) < 0.05
    return found / studies


def power_table(study: Study, people: int | None = None) -> Table | None:
    """Tabulate the power of a study; return None if its kind has no test or if it is too small to be tested."""
    kind, each, groups = study.settings.kind, study.settings.people.per_item, len(study.segments)
    people = people or each * len(make_lists(study))
    rows: list[list[Value]] = []
    if kind == "prefer":
        for share in PREFERENCES:
            found = preference_power(groups, each, share=share)
            rows.append([f"preferred {share:.0%} of the time", found, PREFERENCE_STUDIES])
        note = f"{each} judgements of each of {groups} items; sign-flip test over items, p < .05"
    elif kind in ("scramble", "rate"):
        latin = kind == "scramble"
        conditions = len(study.conditions if latin else study.systems)
        if conditions < 2 or people < 3 or groups < 3:
            return None
        scale, level = study.settings.questions[0].values, "bin" if latin else "system"
        for effect in progress(EFFECTS, label="simulating studies", total=len(EFFECTS)):
            found = rating_power(conditions, groups, people, effect=effect, scale=scale, latin=latin)
            rows.append([f"one {level} {effect} lower", found, RATING_STUDIES])
        spread = ", ".join(f"{name} {size}" for name, size in RATINGS.items())
        note = f"{people} people; test of the mixed model, p < .05; standard deviations assumed: {spread}"
    else:
        return None
    columns = [Column("effect", "left"), Column("found", number=".0%"), Column("simulated studies")]
    return Table.of("", columns, rows, notes=[note])
