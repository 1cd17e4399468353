"""Simulate people, who get lists and items like real people; their answers follow a model with known effects.

The following effects can be set, in points of the rating scale or as probabilities:

* ``scramble``, ``rate``: the effect of a condition (``bin3=-0.5``), and the standard deviations ``person``, ``item``,
  ``stimulus``, ``interaction`` (person × condition) and ``noise``.
* ``prefer``: how often a system is preferred (``A=0.55``; for one system, or for both if the shares add up to 1); how
  often people answer ``neither``; ``item``, the standard deviation of segments (logit); and ``skill``, how often
  people know the answer to a gold item.
* ``judge``: how often a reordering is called correct, by condition; and ``neither``, how often it is called "not
  applicable".
* ``align``: ``errors``, the share of wrong links.
* ``mark``: the mean number of moves for each system, and the standard deviations of its logarithm: ``person``,
  ``item``, ``stimulus`` and ``interaction``.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.apps.study.folder import Item, Study, choose_list, make_lists, sequence
from wordorder.apps.study.kinds.choosing import CHOICES, NEITHER, VERDICTS
from wordorder.apps.study.kinds.editing import SEVERITIES
from wordorder.apps.study.settings import Question
from wordorder.core.runtime.errors import UsageError, choices, refuse

RATINGS = {"person": 0.7, "item": 0.4, "stimulus": 0.5, "interaction": 0.4, "noise": 1.0}
OTHERS = {
    "scramble": RATINGS,
    "rate": RATINGS,
    "prefer": {"neither": 0.05, "item": 0.5, "skill": 0.9},
    "judge": {"neither": 0.1, "item": 0.5},
    "align": {"errors": 0.05},
    "mark": {"person": 0.4, "item": 0.4, "stimulus": 0.3, "interaction": 0.2},
}
_SHARES = ("neither", "skill", "errors")  # the other settings are standard deviations
_FAST, _SLOW = 300, 0.4  # milliseconds of a random click; standard deviation of the log of thinking times


@dataclass(frozen=True)
class SimulationPlan:
    """The number of simulated people, and how they answer.

    ``follow`` is an order metric whose scores determine the ratings. ``clickers`` is the number of people who answer
    at random and immediately; ``dropouts`` is the share of people who stop before the end.
    """

    people: int = 28
    seed: int = 1
    effects: Mapping[str, float] = field(default_factory=dict)
    follow: str | None = None
    clickers: int = 0
    dropouts: float = 0.0


def simulate(study: Study, plan: SimulationPlan) -> list[dict[str, Any]]:
    """Return the simulated answers as rows for ``answers.answer_table``."""
    refuse(plan.people < 1, f"people must be 1 or more, not {plan.people}")
    if not 0 <= plan.clickers <= plan.people:
        raise UsageError(f"clickers must be 0 to {plan.people} (the number of people), not {plan.clickers}")
    refuse(not 0 <= plan.dropouts < 1, f"dropouts must be a share from 0 to less than 1, not {plan.dropouts:g}")
    model = SimulatedPeople(study, plan)
    lists = make_lists(study)
    occupied = [0] * len(lists)
    rows: list[dict[str, Any]] = []
    clock = 0
    for number in range(plan.people):
        person = f"s{number + 1}"
        place = choose_list(occupied, seed=plan.seed, arrival=number)
        keys = sequence(study, person, place)
        stays = model.chance.random() >= plan.dropouts
        occupied[place] += stays
        clicks = number >= plan.people - plan.clickers
        for key in keys if stays else keys[: int(model.chance.integers(1, len(keys) + 1))]:
            item = study.item(key)
            answer = model.click(item) if clicks else model.answer(item, person)
            slow = math.exp(model.chance.normal(0, _SLOW))
            visible = _FAST if clicks else int(1000 * study.kind.seconds(item) * slow)
            clock += visible
            payload = json.dumps(study.kind.validate(item, answer))
            times = {"visible": visible, "hidden": 0, "client_time": clock, "received": clock}
            rows.append({"person": person, "item": key, "payload": payload, **times})
    return rows


def _refuse_impossible(study: Study, effects: Mapping[str, float]) -> None:
    """Raise UsageError for impossible effects: invalid shares, negative numbers, shares that do not add up to 1."""
    kind = study.settings.kind
    for name, value in effects.items():
        known = name in OTHERS[kind]
        share = name in _SHARES if known else kind in ("prefer", "judge")
        low = 0.0 if known or share or kind == "mark" else -math.inf
        if not (math.isfinite(value) and low <= value and not (share and value > 1)):
            expected = "a share from 0 to 1" if share else "a number" if low else "a number, 0 or more"
            raise UsageError(f"{name} must be {expected}, not {value:g}")
    for item in study.items if kind == "prefer" else ():
        first, second = sorted(item.content["outputs"])
        if {first, second} <= effects.keys() and not math.isclose(effects[first] + effects[second], 1):
            raise UsageError(
                f"{first}={effects[first]:g} and {second}={effects[second]:g} do not add up to 1; give only one "
                "of these shares, or two that add up to 1"
            )


class SimulatedPeople:
    """Simulates answers to items; the random effect of each person, item and stimulus is drawn only once."""

    def __init__(self, study: Study, plan: SimulationPlan) -> None:
        self.study, self.kind = study, study.kind
        self.chance = np.random.default_rng(plan.seed)
        self.drawn: dict[tuple[str, ...], float] = {}
        self.conditions = sorted({*study.conditions, *study.systems})
        known = OTHERS[study.settings.kind]
        for name in plan.effects:
            if name not in (*known, *self.conditions):
                raise choices(name, [*self.conditions, *known], what="effect")
        _refuse_impossible(study, plan.effects)
        self.set = {**known, **plan.effects}
        self.scores = {} if plan.follow is None else self._scores(plan.follow)

    def answer(self, item: Item, person: str) -> dict[str, Any]:
        """Return the simulated answer of a person who reads the item."""
        if item.role == "attention":
            return self._follow_instruction(item)
        answered: dict[str, Any] = getattr(self, f"_{self.study.settings.kind}")(item, person)
        return answered

    def click(self, item: Item) -> dict[str, Any]:
        """Return the simulated answer of a person who answers at random, without reading the item."""
        kind, questions = self.study.settings.kind, self.study.settings.questions
        if kind in ("scramble", "rate"):
            count = len(item.content["outputs"]) if kind == "rate" else None
            return {question.name: self.chance.choice(question.values, count).tolist() for question in questions}
        if kind in ("prefer", "judge"):
            return {"choice": str(self.chance.choice(CHOICES if kind == "prefer" else list(VERDICTS)))}
        if kind == "mark":
            return {"moves": []}
        target = item.content.get("target") or ["x"]
        return {"target": target, "links": [[0, int(self.chance.integers(len(target)))]], "possible": []}

    def _follow_instruction(self, item: Item) -> dict[str, Any]:
        kind, expected = self.study.settings.kind, item.content["expected"]
        if kind in ("prefer", "judge"):
            return {"choice": expected}
        if kind == "mark":
            return {"moves": [{"words": [expected[0]], "before": 0, "severity": SEVERITIES[0]}]}
        if kind == "align":
            return {"target": item.content["target"], "links": expected, "possible": []}
        count = len(item.content.get("outputs", ()))
        return {name: [value] * count if count else value for name, value in expected.items()}

    def _scores(self, metric: str) -> dict[str, float]:
        """Return the standardised score of each version on the metric that the simulated ratings follow."""
        items = [item for item in self.study.items if "scores" in item.content]
        if not items or metric not in items[0].content["scores"]:
            raise choices(metric, sorted(items[0].content["scores"]) if items else [], what="order metric")
        scores = {item.id: float(item.content["scores"][metric] or 0.0) for item in items}
        middle, spread = float(np.mean([*scores.values()])), float(np.std([*scores.values()])) or 1.0
        return {name: (score - middle) / spread for name, score in scores.items()}

    def _draw(self, name: str, *key: str) -> float:
        """Return the random effect of a person, item or stimulus, which is drawn when it is first needed."""
        full = (name, *key)
        if full not in self.drawn:
            self.drawn[full] = float(self.chance.normal(0, self.set[name]))
        return self.drawn[full]

    def _rating(self, person: str, item: Item, condition: str, question: Question) -> int:
        values, name = question.values, question.name
        value = (values[0] + values[-1]) / 2 + self.set.get(condition, 0.0)
        value += self.scores.get(item.id, 0.0) * (values[-1] - values[0]) / 5
        value += self._draw("person", person, name) + self._draw("item", item.group, name)
        value += self._draw("stimulus", f"{item.id} {condition}", name)
        value += self._draw("interaction", person, condition, name)
        value += self.chance.normal(0, self.set["noise"])
        return int(min(max(round(value), values[0]), values[-1]))

    def _scramble(self, item: Item, person: str) -> dict[str, Any]:
        questions = self.study.settings.questions
        return {one.name: self._rating(person, item, item.condition, one) for one in questions}

    def _rate(self, item: Item, person: str) -> dict[str, Any]:
        systems = self.kind.systems(item, person)
        return {
            one.name: [self._rating(person, item, system, one) for system in systems]
            for one in self.study.settings.questions
        }

    def _prefer(self, item: Item, person: str) -> dict[str, Any]:
        shown = self.kind.systems(item, person)
        if item.role == "gold" and self.chance.random() < self.set["skill"]:
            gold = item.content["gold"]
            return {"choice": "N" if gold == NEITHER else CHOICES[shown.index(gold)]}
        if self.chance.random() < self.set["neither"]:
            return {"choice": "N"}
        first, second = sorted(item.content["outputs"])
        likely = self.set.get(first, 1 - self.set.get(second, 0.5))
        wins = self.chance.random() < self._vary(likely, item)
        return {"choice": CHOICES[shown.index(first if wins else second)]}

    def _judge(self, item: Item, person: str) -> dict[str, Any]:
        if self.chance.random() < self.set["neither"]:
            return {"choice": "N"}
        right = self.chance.random() < self._vary(self.set.get(item.condition, 0.5), item)
        return {"choice": "C" if right else "I"}

    def _vary(self, likely: float, item: Item) -> float:
        """Add the random effect of the item to a probability (on the logit scale), and return the result."""
        if not 0 < likely < 1:
            return likely
        return 1 / (1 + math.exp(-math.log(likely / (1 - likely)) - self._draw("item", item.group)))

    def _align(self, item: Item, person: str) -> dict[str, Any]:
        source = item.content["source"]
        target = item.content.get("target") or list(source)
        last = len(target) - 1
        links = item.content.get("links") or [[place, min(place, last)] for place in range(len(source))]
        kept = []
        for s, t in links:
            wrong = self.chance.random() < self.set["errors"]
            kept.append([s, min(max(t + int(self.chance.choice([-1, 1])), 0), last) if wrong else t])
        return {"target": target, "links": kept, "possible": []}

    def _mark(self, item: Item, person: str) -> dict[str, Any]:
        count = len(item.content["words"])
        moves = []
        keys = {
            "person": (person,),
            "item": (item.group,),
            "stimulus": (item.id,),
            "interaction": (person, item.condition),
        }
        factor = math.exp(sum(self._draw(name, *key) - self.set[name] ** 2 / 2 for name, key in keys.items()))
        for _ in range(int(self.chance.poisson(self.set.get(item.condition, 1.0) * factor))):
            word = int(self.chance.integers(count))
            before = int(self.chance.integers(count + 1))
            if before != word:
                moves.append({"words": [word], "before": before, "severity": str(self.chance.choice(SEVERITIES))})
        return {"moves": moves}
