"""What the admin page shows beside the progress of people: items, times, comments and agreement; and all the data."""

import shutil
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from wordorder.apps.study.answers import Response, group_responses, screen_people
from wordorder.apps.study.folder import ITEMS, REPEAT_MARK, SETTINGS, STORE, Study
from wordorder.apps.study.store import Person, State, Store
from wordorder.apps.study.web.admission import Admission, summarise, takes_part
from wordorder.core.runtime.drafts import draft_folder
from wordorder.core.runtime.errors import InputError

SECONDS = (1, 2, 5, 10, 20, 30, 60, 120, 300)
"""The bounds of the histogram of response times."""

HOUR = 60 * 60 * 1000


def gather_responses(study: Study, state: State) -> Iterator[Response]:
    """Yield the current answers of all participants."""
    for person, progress in state.people.items():
        if takes_part(person, progress):
            for key, answer in progress.answers.items():
                seconds = answer.content.get("visible")
                times = None if seconds is None else seconds / 1000, answer.received
                yield Response(person, study.item(key), answer.value, key.endswith(REPEAT_MARK), *times)


def overview(study: Study, admission: Admission, state: State, people: Sequence[Person]) -> dict[str, Any]:
    """Summarise a study for the admin page: people and lists, items, times, comments, and who fails the checks."""
    responses = list(gather_responses(study, state))
    found = summarise(study, admission, state, people)
    fails = screen_people(study, responses)
    for row in found["people"]:
        row["fails"] = fails.get(row["person"], "")
    times = Counter(bisect_right(SECONDS, one.seconds) for one in responses if one.seconds is not None)
    hours = Counter(one.received // HOUR for one in responses)
    comments = [(one.received, one.person, one.item.id, one.answer.get("comment")) for one in responses]
    return found | {
        "progress": list(_item_rows(study, responses)),
        "bounds": SECONDS,
        "times": [times[place] for place in range(len(SECONDS) + 1)],
        "hours": [[hour * HOUR, count] for hour, count in sorted(hours.items())],
        "comments": [one[1:] for one in sorted(comments, reverse=True) if one[-1]],
    }


def _item_rows(study: Study, responses: Sequence[Response]) -> Iterator[dict[str, Any]]:
    answers = group_responses(responses, lambda one: one.item.id)
    for item in study.items:
        own = answers.get(item.id, [])
        seconds = [one.seconds for one in own if one.seconds is not None]
        yield {
            "item": item.id,
            "group": item.group,
            "condition": item.condition,
            "role": item.role,
            "answers": sum(not one.is_repeat for one in own),
            "seconds": median(seconds) if seconds else None,
        }


def measure_agreement(study: Study, responses: Sequence[Response]) -> dict[str, Any]:
    """Return the table of agreement between the people who pass the checks so far."""
    fails = screen_people(study, responses)
    kept = [one for one in responses if one.person not in fails]
    if not any(one.is_analysed for one in kept):
        return {"heads": [], "rows": [], "notes": ["no answers yet"]}
    tables = import_module(f"wordorder.apps.study.analyses.{study.settings.kind}").build(study, kept, 1).tables
    table = (tables.get("agreement") or tables["reliability"])()
    values = [[cell.value for cell in row] for row in table.rows]
    rows = [[None if value != value else value for value in row] for row in values]
    return {"heads": [column.name for column in table.columns], "rows": rows, "notes": table.notes}


def pack_everything(study: Study, store: Store) -> bytes:
    """Return a ZIP archive with the study, a copy of its database, and the exported answers."""
    from wordorder.apps.study.export import export_stored

    with draft_folder() as draft:
        content = Path(draft, study.folder.resolve().name)
        content.mkdir()
        for name in (SETTINGS, ITEMS):
            shutil.copy(study.folder / name, content)
        store.copy_to(content / STORE)
        with suppress(InputError):  # nobody has answered what this kind of study exports
            export_stored(study, store, content / "export")
        return Path(shutil.make_archive(f"{draft}/archive", "zip", draft, content.name)).read_bytes()
