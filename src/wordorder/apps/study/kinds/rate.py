"""``rate``: up to five translations of a sentence under source and reference, blind, each rated (2011 paper, §4).

An item has ``outputs``, ``{system: text}``, and perhaps ``source`` and ``reference``. An attention check has
``expected``, which is asked of every row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.kinds.base import Answer, AnswerError, Kind, View, check_fields, need_text, reading_seconds
from wordorder.apps.study.kinds.scramble import check_expected
from wordorder.core.runtime.errors import InputError

if TYPE_CHECKING:
    from wordorder.apps.study.items import Item


class RateKind(Kind):
    """Answers are ``{question: [a number for every text, as shown]}``; :meth:`systems` says which text was whose."""

    name = "rate"

    def check(self, item: Item) -> None:
        """Look for outputs, all of them text."""
        need_text(item, optional=("source", "reference"))
        outputs = item.content.get("outputs")
        if not isinstance(outputs, dict) or not outputs or not all(isinstance(one, str) for one in outputs.values()):
            raise InputError("outputs must be an object {system: text}")
        if item.role == "attention":
            check_expected(self, item)

    def systems(self, item: Item, person: str) -> list[str]:
        """Return the systems in the order in which the person sees them."""
        return self.shuffle(sorted(item.content["outputs"]), item, person)

    def view(self, item: Item, person: str) -> View:
        """Show source, reference and the texts, shuffled."""
        content = item.content
        texts = [content["outputs"][system] for system in self.systems(item, person)]
        return {"source": content.get("source"), "reference": content.get("reference"), "texts": texts}

    def validate(self, item: Item, answer: Any) -> Answer:
        """Take one number of its scale for every question and text."""
        kept = check_fields(answer, *(question.name for question in self.settings.questions))
        count = len(item.content["outputs"])
        for question in self.settings.questions:
            values = kept.get(question.name)
            if not isinstance(values, list) or len(values) > count:
                raise AnswerError(f"rate all {count} translations", f"{question.name}-0")
            for place in range(count):
                value = values[place] if place < len(values) else None
                if isinstance(value, bool) or value not in question.values:
                    low, high = question.values[0], question.values[-1]
                    raise AnswerError(f"choose a number from {low} to {high}", f"{question.name}-{place}")
        return kept

    def judge(self, item: Item, answer: Mapping[str, Any], person: str) -> bool | None:
        """Compare the answers to an attention check with what it asks for."""
        if item.role != "attention":
            return None
        return all(set(answer[name]) == {value} for name, value in item.content["expected"].items())

    def decode(self, item: Item, answer: Mapping[str, Any], person: str) -> dict[str, str]:
        """Name the systems in the order in which the person saw and rated them."""
        return {"systems": json.dumps(self.systems(item, person), ensure_ascii=False)}

    def seconds(self, item: Item) -> float:
        """Count reading, and four seconds a rating."""
        content = item.content
        texts = content.get("source"), content.get("reference"), *content["outputs"].values()
        return reading_seconds(*texts) + 4 * len(content["outputs"]) * len(self.settings.questions)
