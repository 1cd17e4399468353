"""The answers of participants as an Arrow table with one row per answer or revision.

``person`` and ``item`` (an item id, with a suffix if the item is a repeat) identify an answer. ``role`` is "person"
or "adjudicator", ``kind`` is "answer" or "revision", ``payload`` is the answer as JSON, ``revision`` counts from 0,
and ``last`` marks the current revision. ``visible`` and ``hidden`` are milliseconds on screen and in a hidden tab;
``client_time`` and ``received`` are milliseconds since 1970. People who have withdrawn are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.folder import DATABASE, STORE
from wordorder.core.runtime.errors import InputError, UsageError, count_of
from wordorder.core.runtime.files import atomic_write
from wordorder.core.runtime.own_inputs import note_input
from wordorder.formats.tables import json_records

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.apps.study.folder import Study
    from wordorder.apps.study.store import State, Store

SIMULATED = "simulated.jsonl"


def schema() -> pa.Schema:
    """Return the Arrow schema of the table of answers."""
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("person", "role", "item", "kind", "payload")]
    counts = [(name, pa.int64()) for name in ("visible", "hidden", "client_time", "received")]
    return pa.schema([*texts, ("revision", pa.int64()), ("last", pa.bool_()), *counts])


def answer_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Build the table of answers; a row without role, kind and revision is a participant's only answer to an item."""
    import pyarrow as pa

    first = {"role": "person", "kind": "answer", "revision": 0, "last": True}
    return pa.Table.from_pylist([first | dict(row) for row in rows], schema=schema())


def read_answers(study: Study, *, database: str | None = None) -> pa.Table:
    """Read the answers from the database of a study."""
    with _open(study, database) as store:
        return store.answers()


def read_exclusions(study: Study, *, database: str | None = None) -> dict[str, str]:
    """Return the ids of the people whom the researcher excluded, each with the reason."""
    with _open(study, database) as store:
        people = store.state().people.items()
        return {person: progress.excluded for person, progress in people if progress.excluded is not None}


def read_people(study: Study, *, database: str | None = None) -> list[dict[str, Any]]:
    """Return ``person``, ``role``, ``status`` and ``details`` of all invited people who have not withdrawn."""
    with _open(study, database) as store:
        from wordorder.apps.study.web.admission import Admission
        from wordorder.apps.study.web.overview import summarise

        state = store.state()
        return [
            {name: row[name] for name in ("person", "role", "status")}
            | {"details": state.of(row["person"]).details or {}}
            for row in summarise(study, Admission(study), state, store.people())["people"]
            if row["status"] != "withdrawn"
        ]


def refuse_no_answers(study: Study, answers: pa.Table, *, database: str | None = None) -> None:
    """Raise InputError if nobody has answered yet; the message says how many people are invited."""
    if answers.num_rows == 0:
        with _open(study, database) as store:
            invited = count_of(len(store.people("person")), "person", "people")
        raise InputError(f"no answers yet ({invited} invited)", path=os.fspath(study.folder))


@contextmanager
def explain_missing() -> Iterator[None]:
    """Convert the error for a missing package into a UsageError that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sqlalchemy", "starlette", "uvicorn", "psycopg"):
            raise
        raise UsageError(
            f"studies with participants need the package {error.name}; install it with: "
            "pip install 'wordorder[studies]'"
        ) from None


def _open(study: Study, database: str | None) -> Store:
    if not (
        database or os.environ.get(DATABASE) or (study.folder / STORE).exists()
    ):  # opening it would create the file
        raise InputError(
            "nobody has been invited yet, so there are no answers; give --simulated to use simulated answers",
            path=os.fspath(study.folder),
        )
    with explain_missing():
        from wordorder.apps.study.store import Store
    store = Store(study.folder, database)
    refuse_changed(study, store.state())
    return store


def refuse_changed_local_study(study: Study) -> None:
    """Raise InputError if the study changed after the first answer; only a database in its folder is checked."""
    if (study.folder / STORE).exists():
        with _open(study, None):
            pass


def refuse_changed(study: Study, state: State) -> None:
    """Raise InputError if the items, the questions or the seed were changed after the first answer."""
    if state.answered and state.fingerprint not in (None, study.digest):
        raise InputError(
            "the items, the questions or the seed were changed after the first answer; restore them, or "
            "create a new study in another folder",
            path=str(study.folder),
        )


def read_simulated(study: Study) -> pa.Table:
    """Read the answers of simulated people."""
    path = study.folder / SIMULATED
    if not path.is_file():
        raise UsageError(f"{path}: not found; 'wordorder study simulate' creates it")
    rows = []
    for line, row in json_records(path):
        if not all(isinstance(row.get(name), str) for name in ("person", "item", "payload")):
            raise InputError("person, item and payload of an answer must be strings", path=str(path), line=line)
        rows.append(row)
    try:
        return answer_table(rows)
    except (TypeError, ValueError, OverflowError) as error:  # Arrow errors are subclasses of these
        raise InputError(f"an answer has a value of the wrong type ({error})", path=str(path)) from None


def write_simulated(study: Study, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write simulated answers to the study folder, separate from the answers of real people."""
    with atomic_write(study.folder / SIMULATED) as target:
        target.writelines(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)
    note_input(study.folder / SIMULATED)
