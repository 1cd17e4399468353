"""Show the progress of a study: how much and how fast each person has answered, and who failed the checks.

examples:
  wordorder study status DIR
  wordorder study status DIR --json
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.commands.arguments import add_study, open_study
from wordorder.cli.output import add_output, print_result

if TYPE_CHECKING:
    from wordorder.report import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print the progress of every person."""
    with open_study(options) as (study, store):
        from wordorder.apps.study.answers import refuse_changed
        from wordorder.apps.study.web.admission import Admission, summarise

        state = store.state()
        refuse_changed(study, state)
        found = summarise(study, Admission(study), state, store.people())
    print_result(options, lambda: _table(options.folder, found), lambda: found)


def _table(folder: str, found: dict[str, Any]) -> Table:
    from wordorder.core.runtime.errors import count_of
    from wordorder.report.table import Column, Table

    left = [Column(name, "left") for name in ("person", "status")]
    columns: list[Column | str] = [*left, "list", "answered", "of", Column("seconds", number=".1f"), "gold", "checks"]
    rows: list[list[str | int | float | None]] = [
        [
            row["person"],
            row["status"] + (" (fails checks)" if row["failed"] else ""),
            row["list"],
            row["answered"] if row["total"] else None,
            row["total"] or None,
            row["seconds"],
            *("{}/{}".format(*row[name]) if row[name][1] else None for name in ("gold", "attention")),
        ]
        for row in found["people"]
    ]
    wanted = f"{found['complete']} of {count_of(found['items'], 'item')} have the {found['per_item']} answers wanted"
    notes = [f"{count_of(found['answers'], 'answer')}; {wanted}"]
    notes.append(
        "seconds: median time of an answer; the study is "
        + ("closed" if found["closed"] else "full" if found["full"] else "open")
    )
    if gold := found["gold"]:
        notes.append(
            f"{gold['needed']} of {count_of(gold['items'], 'gold item')} must be right; guessing passes with "
            f"probability {gold['chance']:.3f}"
        )
    notes += [f"objection of {one['person']} to {one['item']}: {one['text'] or '–'}" for one in found["objections"]]
    return Table.of(f"{folder}: {found['title']}", columns, rows, notes=notes)
