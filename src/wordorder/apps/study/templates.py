"""``study.toml`` as ``study new`` writes it: every setting with a word on what it does, to be edited by people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wordorder.apps.study.settings import Checks, People, Question, StudySettings, write_list, write_string

_CONSENT = """\
You are invited to take part in a study of how people read sentences. It takes about {minutes} minutes.
Taking part is voluntary. You may stop at any time, and ask us to delete your answers.
Your answers are stored under a number, not under your name. They are used for research only.

Who runs this study, and whom to ask: (write your name and address here)"""

_THANKS = "Your answers are stored. You may close this page."
_DETAILS = "Age\nNative language\nHow well do you read the language of the sentences?"


@dataclass(frozen=True)
class Template:
    """What a study of one kind begins with."""

    title: str
    instructions: str
    examples: str = ""
    questions: tuple[Question, ...] = ()
    people: People = field(default_factory=People)
    checks: Checks = field(default_factory=Checks)


TEMPLATES = {
    "scramble": Template(
        "How readable is this sentence?",
        "You will read sentences one by one. Some are fine; in others the words are in the wrong order, slightly "
        "or badly.\n"
        "Fluency: is the sentence grammatical and well formed? A jumble of words gets a low number.\n"
        "Comprehension: can you tell what it means? A sentence may be ungrammatical and still be clear.\n"
        "Use the whole range of numbers. There are no right or wrong answers; do not think for too long.",
        "The committee will meet again on Monday. - fluent 6 or 7, comprehensible 6 or 7\n"
        "Monday the again on meet committee will. - fluent 1 or 2, comprehensible 5 or 6\n"
        "Again of the on whose meet had Monday it. - fluent 1 or 2, comprehensible 1 or 2",
        (
            Question("fluency", "How fluent is the sentence?", (1, 7), ("word salad", "perfect")),
            Question("comprehension", "How comprehensible is the sentence?", (1, 7), ("not at all", "perfectly")),
        ),
        People(per_item=5),
        Checks(practice=3, attention=2, repeats=2, gold_pass=0.7),
    ),
    "prefer": Template(
        "Which translation is better?",
        "You will see two translations of the same sentence, and a correct translation above them.\n"
        'Choose the one that is better. Choose "don’t know" only where you can see no difference in quality.',
        questions=(Question("choice", "Which translation is better?"),),
        checks=Checks(gold_pass=0.6),
    ),
    "judge": Template(
        "Is the order right?",
        "You will see a correct sentence and a translation. Two groups of words are underlined in both.\n"
        "Are the two groups in the right order in the translation? Judge their order, not the choice of words.\n"
        'Choose "not applicable" where the words are so different that their order does not matter.',
        questions=(Question("choice", "Are the two groups of words in the right order in the translation?"),),
    ),
    "align": Template(
        "Which words belong together?",
        "Link every word to the words that translate it.\n"
        "Link every source word except articles and punctuation, and every word of the translation.\n"
        "A small word that has no partner goes with the word it belongs to.\n"
        "Avoid linking one word to words that are apart. If you translate, prefer a translation that follows the "
        "source closely, even if it sounds a little unnatural, and translate every pronoun.",
        people=People(per_item=1, share=0.5, twice=0.2),
    ),
    "rate": Template(
        "How good are these translations?",
        "You will see a sentence, a correct translation, and the translations of several systems in random order.\n"
        "Rate each of them: 0 is nonsense, 6 is perfect.",
        questions=(Question("quality", "How good is the translation?", (0, 6), ("nonsense", "perfect")),),
    ),
    "mark": Template(
        "Put the words where they belong",
        "You will see a translation. If words are in the wrong place, select them and choose the gap where they "
        "belong.\n"
        "Change the order only, not the words, and move as little as you can. Say whether each mistake is minor or "
        "major: major if it changes or hides the meaning. If the order is right, go on.",
    ),
}


def default_settings(kind: str, *, seed: int, materials: Mapping[str, Any], **changes: Any) -> StudySettings:
    """Return the settings that a study of a kind begins with; what is None in ``changes`` stays as it is."""
    template = TEMPLATES[kind]
    pages = {"consent": _CONSENT, "instructions": template.instructions}
    pages |= {"examples": template.examples} if template.examples else {}
    pages |= {"details": _DETAILS, "thanks": _THANKS}
    made = StudySettings(
        kind=kind,
        title=template.title,
        seed=seed,
        questions=template.questions,
        materials=materials,
        people=template.people,
        checks=template.checks,
        pages=pages,
    )
    return replace(made, **{name: value for name, value in changes.items() if value is not None})


def write_settings(settings: StudySettings, *, minutes: int) -> str:
    """Write ``study.toml`` with comments."""
    lines = [
        "# A study of word order. Edit it freely until the first answer; then questions, seed and checks are fixed.",
        "# 'wordorder study check' says what people will see and whether anything is wrong.",
        f"kind = {write_string(settings.kind)}",
        f"title = {write_string(settings.title)}",
        f"seed = {settings.seed}{' ' * 8}# for everything that is drawn at random",
        f"language = {write_string(settings.language)}    # of the sentences people judge: en, ar, ja ...",
    ]
    if settings.source_language:
        lines.append(f"source_language = {write_string(settings.source_language)}")
    lines += ["", "[materials]    # how items.jsonl was made"]
    lines += [f"{key} = {_write(value)}" for key, value in settings.materials.items()]
    for question in settings.questions:
        lines += [
            "",
            "[[questions]]",
            f"name = {write_string(question.name)}",
            f"text = {write_string(question.text)}",
        ]
        if question.scale:
            lines.append(f"scale = {write_list(question.scale)}")
        if question.ends:
            lines.append(f"ends = {write_list(question.ends)}    # the words at the ends of the scale")
    people, checks = settings.people, settings.checks
    lines += [
        "",
        "[people]",
        f"per_item = {people.per_item}         # how many people should answer each item",
        f"share = {people.share}          # the largest share of the items that one person may see",
        f"back = {str(people.back).lower()}          # may people change earlier answers?",
        f"twice = {people.twice}          # share of the items that a second person does too (align)",
        "",
        "[checks]    # decided before anybody takes part; the analysis shows results with and without those who fail",
        f"practice = {checks.practice}         # items at the beginning that are not analysed",
        f"attention = {checks.attention}        # items that ask for a certain answer",
        f"repeats = {checks.repeats}          # items that are shown again, at least 15 items later",
        f"gold_pass = {checks.gold_pass}      # people must get this share of gold and attention items right",
        f"seconds = {checks.seconds}        # answers faster than this count as guesses ...",
        f"guesses = {checks.guesses}        # ... and whoever has more than this share of them is left out",
        "",
        "[pages]    # plain text; every line of details is a field that people fill in",
    ]
    pages = {name: text.replace("{minutes}", str(minutes)) for name, text in settings.pages.items()}
    lines += [f"{name} = {write_string(text)}" for name, text in pages.items()]
    lines += ["", "[words]    # words of the page in another language; docs/study.md lists them"]
    lines += [f"{write_string(name)} = {write_string(text)}" for name, text in settings.words.items()]
    return "\n".join(lines) + "\n"


def _write(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{write_string(key)} = {_write(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return write_list(value)
    if isinstance(value, bool):
        return str(value).lower()
    return write_string(value) if isinstance(value, str) else str(value)
