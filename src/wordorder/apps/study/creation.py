"""Create a study folder, with initial settings and comments for the researcher.

The questions, checks and instructions of each kind of study are in ``defaults/KIND.toml``.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wordorder.apps.study.folder import ITEMS, SETTINGS, Item, Study, make_lists, sequence, write_items
from wordorder.apps.study.kinds import kind_of
from wordorder.apps.study.settings import StudySettings, read_settings, write_value
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import atomic_write

_CONSENT = """\
You are invited to take part in a study of how people read sentences. It takes about {minutes} minutes.
Taking part is voluntary. You may stop at any time, and ask us to delete your answers.
Your answers are stored under a number, not under your name. They are used for research only.

Who runs this study, and whom to ask: (write your name and address here)"""

_THANKS = "Your answers are stored. You may close this page."
_DETAILS = "Age [18-99]\nNative language\nHow well do you read the language of the sentences?"


def default_settings(kind: str, *, seed: int, materials: Mapping[str, Any], **changes: Any) -> StudySettings:
    """Return the initial settings for a kind of study, with ``changes`` applied; changes to None are ignored."""
    settings = read_settings(Path(__file__).with_name("defaults") / f"{kind}.toml")
    pages = {"consent": _CONSENT, **settings.pages, "details": _DETAILS, "thanks": _THANKS}
    changes = {name: value for name, value in changes.items() if value is not None}
    return replace(settings, **{"seed": seed, "materials": materials, "pages": pages, **changes})


def write_settings(settings: StudySettings) -> str:
    """Return the text of ``study.toml``, with a comment for each setting."""
    lines = [
        "# A study of word order. Edit it freely until the first answer; then questions, seed and checks are fixed.",
        "# 'wordorder study check' says what people will see and whether anything is wrong.",
        f"kind = {write_value(settings.kind)}",
        f"title = {write_value(settings.title)}",
        f"id = {write_value(settings.id)}    # which study a database belongs to; give a copy another one",
        f"seed = {settings.seed}{' ' * 8}# for everything that is drawn at random",
        f"language = {write_value(settings.language)}    # of the sentences people judge: en, ar, ja ...",
    ]
    if settings.source_language:
        lines.append(f"source_language = {write_value(settings.source_language)}")
    lines += ["", "[materials]    # how items.jsonl was made"]
    lines += [f"{key} = {write_value(value)}" for key, value in settings.materials.items()]
    for question in settings.questions:
        lines += ["", "[[questions]]    # the ends are the words at the ends of the scale"]
        lines += [f"{key} = {write_value(value)}" for key, value in vars(question).items() if value is not None]
    people, checks = settings.people, settings.checks
    lines += [
        "",
        "[people]",
        f"per_item = {people.per_item}         # how many people should answer each item",
        f"share = {people.share}          # the largest share of the items that one person may see",
        f"back = {str(people.back).lower()}          # may people change earlier answers?",
        f"twice = {people.twice}          # share of the items that a second person does too (align)",
        f"wanted = {people.wanted}           # nobody can join once so many people have finished (0: no limit)",
        f"minutes = {people.minutes}          # the expected duration (0: estimated from the texts)",
        f"limit = {people.limit}            # the most minutes that a person may take (0: no limit)",
        "",
        "[checks]    # decided before anybody takes part; the analysis shows results with and without those who fail",
        f"practice = {checks.practice}         # items at the beginning that are not analysed",
        f"attention = {checks.attention}        # items that ask for a certain answer",
        f"repeats = {checks.repeats}          # items that are shown again, at least 15 items later",
        f"gold_pass = {checks.gold_pass}      # people must get this share of gold and attention items right",
        f"seconds = {checks.seconds}        # answers faster than this count as guesses ...",
        f"guesses = {checks.guesses}        # ... and whoever has more than this share of them is left out",
        "",
        "[recruiting]    # for services such as Prolific; docs/study-reference.md has examples",
        'parameter = ""      # of the address, with the id of a person, such as PROLIFIC_PID',
        'completed = ""      # link back for people who have finished',
        'failed = ""         # link back for people who failed the checks (empty: the same)',
        'screened_out = ""   # link back for people who cannot take part',
        "code = false        # show everybody who has finished a code of their own?",
        "",
        "[pages]    # plain text; every line of details is a field: Age* [18-99], or Dialect [north | south]",
    ]
    lines += [f"{name} = {write_value(text)}" for name, text in settings.pages.items()]
    lines += ["", "[words]    # words of the page in another language; docs/study-reference.md lists them"]
    lines += [f"{write_value(name)} = {write_value(text)}" for name, text in settings.words.items()]
    return "\n".join(lines) + "\n"


def write_study(folder: str | os.PathLike[str], settings: StudySettings, items: Sequence[Item]) -> Study:
    """Write a new study and return it; raise UsageError if the folder already contains a study."""
    path = Path(folder)
    refuse_existing(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be created ({error.strerror})") from None
    kind = kind_of(settings)
    for item in items:
        kind.check(item)
    drawn = hashlib.sha256(repr([os.path.abspath(path), items]).encode()).hexdigest()[:8]
    settings = replace(settings, id=settings.id or f"{path.resolve().name}-{drawn}")
    write_items(path / ITEMS, items)
    with atomic_write(path / SETTINGS) as target:
        target.write(write_settings(settings))
    return Study.read(path)


def refuse_existing(folder: str | os.PathLike[str]) -> None:
    """Raise UsageError if the folder already contains a study."""
    if any((Path(folder) / name).exists() for name in (SETTINGS, ITEMS, "study.db")):
        raise UsageError(f"{folder}: this folder already contains a study; choose another folder")


def expected_minutes(study: Study) -> float:
    """Return the minutes that ``study.toml`` states, or else those that the longest list takes, plus three."""
    if study.settings.people.minutes:
        return study.settings.people.minutes
    lists = make_lists(study)
    keys = (sequence(study, "somebody", place) for place in range(len(lists)))
    return 3 + max(sum(study.kind.seconds(study.item(key)) for key in one) for one in keys) / 60
