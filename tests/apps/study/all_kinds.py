"""Small studies of all six kinds, in English, Arabic and Japanese, for the tests of server and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KINDS = ("scramble", "rate", "prefer", "judge", "align", "mark")
LANGUAGES = ("en", "ar", "ja")

SENTENCES = {
    "en": ["the old man reads a newspaper in the garden", "she has never seen the sea before this summer"],
    "ar": ["يقرأ الرجل العجوز جريدة في الحديقة", "لم تر البحر قبل هذا الصيف أبدا"],
    "ja": ["老人 は 庭 で 新聞 を 読んで います", "彼女 は この 夏 まで 海 を 見た こと が ありません"],
}
SOURCE = ["der alte Mann liest im Garten eine Zeitung", "sie hat das Meer vor diesem Sommer nie gesehen"]

HEAD = """\
kind = "{kind}"
title = "How do you read word order?"
id = "test-{kind}"
seed = 7
language = "{language}"
source_language = "de"
{questions}
[people]
back = {back}
[checks]
practice = 1
gold_pass = 0.7
[pages]
consent = "You will read and judge sentences, for five minutes.\\nYour answers are stored without your name."
instructions = "Read each sentence once and answer at once. There is no right or wrong answer."
details = "Native language*\\nAge"
thanks = "Thank you! You may close this window."
{more}
"""
QUESTIONS = """\
[[questions]]
name = "fluency"
text = "How fluent is the sentence?"
scale = [1, 7]
ends = ["word salad", "perfect"]
[[questions]]
name = "comprehension"
text = "How comprehensible is the sentence?"
scale = [1, 7]
ends = ["not at all", "completely"]
"""
ONE_QUESTION = """\
[[questions]]
name = "quality"
text = "How good is the translation?"
scale = [0, 6]
ends = ["nonsense", "perfect"]
"""


def write_study(
    folder: Path, kind: str, language: str = "en", *, back: bool = True, more: str = "", items: int = 2
) -> Path:
    """Write the folder of a study with a practice item and some others."""
    folder.mkdir(parents=True, exist_ok=True)
    questions = {"scramble": QUESTIONS, "rate": ONE_QUESTION}.get(kind, "")
    head = HEAD.format(kind=kind, language=language, questions=questions, back=str(back).lower(), more=more)
    (folder / "study.toml").write_text(head, encoding="utf-8")
    rows = [{"id": "practice0", "group": "practice", "role": "practice", **content_of(kind, language, 0)}]
    rows += [
        {"id": f"i{n}", "group": f"g{n}", "condition": "SECRETCONDITION", **content_of(kind, language, n + 1)}
        for n in range(items)
    ]
    if kind == "prefer":
        gold = {"gold": "SECRETSYSTEM1", "reason": "The verb stands where it belongs."}
        rows.append({"id": "goldi", "group": "gold", "role": "gold", **content_of(kind, language, 1), **gold})
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (folder / "items.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def content_of(kind: str, language: str, number: int) -> dict[str, Any]:
    """The content of an item; what people must not see is called SECRET."""
    words = SENTENCES[language][number % 2].split()
    moved = [*words[2:5], *words[:2], *words[5:]]
    other = [*words[1:], words[0]]
    source = SOURCE[number % 2]
    text = {"source": source, "reference": " ".join(words)}
    if kind == "scramble":
        return {"text": " ".join(moved), "order": list(range(1, len(words) + 1)), "reference": "SECRETREFERENCE"}
    if kind == "rate":
        three = (words, moved, other)
        return text | {"outputs": {f"SECRETSYSTEM{n}": " ".join(one) for n, one in enumerate(three, 1)}}
    if kind == "prefer":
        return text | {"outputs": {"SECRETSYSTEM1": " ".join(words), "SECRETSYSTEM2": " ".join(moved)}}
    if kind == "judge":
        blocks = {"reference_blocks": [[0, 1], [2, 3, 4]], "translation_blocks": [[3, 4], [0, 1, 2]]}
        return {"reference": words, "translation": moved} | blocks
    if kind == "align":
        return {"source": source.split(), "target": words if number % 2 else None}
    return text | {"words": moved, "system": "SECRETSYSTEM"}


def answer_of(kind: str, view: dict[str, Any]) -> dict[str, Any]:
    """An answer that is whole, made from what a browser is told."""
    if kind == "scramble":
        return {"fluency": 3, "comprehension": 5}
    if kind == "rate":
        return {"quality": [4] * len(view["texts"])}
    if kind == "prefer":
        return {"choice": "A"}
    if kind == "judge":
        return {"choice": "C"}
    if kind == "mark":
        return {"moves": [{"words": [3, 4], "before": 0, "severity": "minor"}]}
    target = view["target"] or [f"word{place}" for place in range(len(view["source"]))]
    return {"target": target, "links": [[0, 0], [1, 1]], "possible": []}
