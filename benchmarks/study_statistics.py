"""Do the statistics of studies keep their promises? Simulated studies where the truth is known.

    python benchmarks/study_statistics.py [STUDIES]

* 28 people rate 40 items in 5 bins (a Latin square); nothing has an effect. How often does each test say otherwise?
* The same with planted effects: how often do the 95% intervals of the differences hold the truth?
* Preferences of 120 segments, 3 judgements each: nobody is better; one is preferred in 55 and 60 of 100 judgements.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from wordorder.apps.study import Study
from wordorder.apps.study.analyses.rate import find_ratings
from wordorder.apps.study.answers import answer_table, read_responses
from wordorder.apps.study.creation import default_settings
from wordorder.apps.study.kinds import kind_of
from wordorder.apps.study.materials.texts import StudyTexts, marking_items
from wordorder.apps.study.simulation import RATINGS, SimulationPlan, simulate
from wordorder.core.statistics.mixed import fit_mixed
from wordorder.core.statistics.tests import sign_flip_p, sign_p
from wordorder.core.statistics.variance import min_f, one_way_anova, repeated_anova

PEOPLE, ITEMS, BINS = 28, 40, 5
EFFECTS = np.array([0.0, -0.3, -0.6, -0.9, -1.2])
CONTRASTS = np.eye(BINS)[1:] - np.eye(BINS)[0]


def draw(
    chance: np.random.Generator, effects: np.ndarray, *, rounded: bool
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Draw the ratings of one study; ``rounded`` ones are whole numbers from 1 to 7."""
    person, item = (axis.ravel() for axis in np.indices((PEOPLE, ITEMS)))
    place = (person + item) % BINS
    groups = {"person": person, "item": item, "stimulus": item * BINS + place, "interaction": person * BINS + place}
    value = 4 + effects[place]
    for name, numbers in groups.items():
        value = value + chance.normal(0, RATINGS[name], int(numbers.max()) + 1)[numbers]
    value = value + chance.normal(0, RATINGS["noise"], len(person))
    return (np.clip(np.rint(value), 1, 7) if rounded else value), groups | {"bin": place}


def table(value: np.ndarray, subject: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return the mean of every subject and bin."""
    cell = subject * BINS + place
    return (np.bincount(cell, weights=value) / np.bincount(cell)).reshape(-1, BINS)


def reject(studies: int, seed: int) -> dict[str, float]:
    """Return how often each test rejects where nothing has an effect."""
    chance = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(studies):
        value, groups = draw(chance, np.zeros(BINS), rounded=True)
        place = groups.pop("bin")
        design = np.eye(BINS)[place]
        naive = {name: groups[name] for name in ("person", "item")}
        by_person, by_item = (repeated_anova(table(value, groups[name], place)) for name in ("person", "item"))
        one_way = one_way_anova([value[place == level] for level in range(BINS)])
        for name, p in (
            ("mixed model (default)", fit_mixed(value, design, groups).test(CONTRASTS).p),
            ("model with people and items alone", fit_mixed(value, design, naive).test(CONTRASTS).p),
            ("F1, by person", by_person.p),
            ("F2, by item", by_item.p),
            ("min F′", min_f(by_person, by_item).p),
            ("one-way (thesis)", one_way.p),
        ):
            found.setdefault(name, []).append(p)
    return {name: float((np.array(values) < 0.05).mean()) for name, values in found.items()}


def reject_rates(studies: int, seed: int, people: int, items: int, systems: int) -> float:
    """Return how often the mixed model rejects where everybody rates all systems, and none is better."""
    chance = np.random.default_rng(seed)
    person, item, system = (axis.ravel() for axis in np.indices((people, items, systems)))
    groups = {"person": person, "item": item, "stimulus": item * systems + system}
    groups["interaction"] = person * systems + system
    contrasts = np.eye(systems)[1:] - np.eye(systems)[0]
    rejected = 0
    for _ in range(studies):
        value = 4 + chance.normal(0, RATINGS["noise"], len(person))
        for name, numbers in groups.items():
            value = value + chance.normal(0, RATINGS[name], int(numbers.max()) + 1)[numbers]
        fit = fit_mixed(np.clip(np.rint(value), 0, 6), np.eye(systems)[system], groups)
        rejected += fit.test(contrasts).p < 0.05
    return rejected / studies


def reject_marks(studies: int, people: int, segments: int, systems: int) -> float:
    """Return how often the test of moves rejects where all systems need as many, and people and sentences differ."""
    texts = {f"S{n}": [f"a b c d e f g {row}" for row in range(segments)] for n in range(systems)}
    items = tuple(marking_items(StudyTexts(texts), seed=1))
    settings = default_settings("mark", seed=1, materials={})
    study = Study(Path(), settings, items, kind_of(settings))
    rejected = 0
    for seed in range(studies):
        answers = answer_table(simulate(study, SimulationPlan(people=people, seed=seed)))
        rejected += find_ratings(study, read_responses(study, answers), "moves").test.p < 0.05
    return rejected / studies


def cover(studies: int, seed: int) -> tuple[float, float]:
    """Return how often intervals of differences hold the truth, and how often the planted effects are found."""
    chance = np.random.default_rng(seed)
    held, found = [], 0
    for _ in range(studies):
        value, groups = draw(chance, EFFECTS, rounded=False)
        fit = fit_mixed(value, np.eye(BINS)[groups.pop("bin")], groups)
        found += fit.test(CONTRASTS).p < 0.05
        for row in CONTRASTS:
            one = fit.contrast(row)
            held.append(one.low <= row @ EFFECTS <= one.high)
    return float(np.mean(held)), found / studies


def prefer(share: float, studies: int, seed: int) -> tuple[float, float]:
    """Return how often the sign-flip test over segments and the sign test over judgements reject."""
    chance = np.random.default_rng(seed)
    flips = signs = 0
    for _ in range(studies):
        logit = np.log(share / (1 - share)) + chance.normal(0, 1.0, 120)
        votes = np.where(chance.random((120, 3)) < (1 / (1 + np.exp(-logit)))[:, None], 1, -1)
        flips += sign_flip_p(votes.sum(axis=1)) < 0.05
        signs += sign_p(int((votes > 0).sum()), int((votes < 0).sum())) < 0.05
    return flips / studies, signs / studies


def main() -> None:
    """Print all rates as tables."""
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"| of {studies} studies where nothing has an effect, rejected at .05 by | share |\n|---|--:|")
    for name, rate in reject(studies, 1).items():
        print(f"| {name} | {rate:.1%} |", flush=True)
    held, found = cover(studies // 2, 2)
    print(f"\n| {studies // 2} studies with effects | share |\n|---|--:|")
    print(f"| 95% intervals of the mixed model that hold the truth | {held:.1%} |")
    print(f"| effects found | {found:.1%} |")
    print("\n| preferred in truth | sign-flip over segments rejects | sign test over judgements |\n|---|--:|--:|")
    for share in (0.5, 0.55, 0.6):
        flips, signs = prefer(share, 1000, 3)
        print(f"| {share:.0%} | {flips:.1%} | {signs:.1%} |", flush=True)


if __name__ == "__main__":
    main()
