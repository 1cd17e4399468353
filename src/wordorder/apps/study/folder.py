"""A study: a folder with ``study.toml`` (settings), ``items.jsonl`` (stimuli) and the participants' answers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wordorder.apps.study.items import REPEAT_MARK, Item, read_items
from wordorder.apps.study.kinds import Kind, kind_of
from wordorder.apps.study.settings import StudySettings, read_settings
from wordorder.core.runtime.errors import InputError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.apps.study.analyses import Analysis

SETTINGS, ITEMS, STORE = "study.toml", "items.jsonl", "study.db"

DATABASE = "WORDORDER_STUDY_DATABASE"
"""The environment variable for the database URL, so that its password need not be in a file."""


@dataclass(frozen=True, eq=False)
class Study:
    """A study that was read from its folder."""

    folder: Path
    settings: StudySettings
    items: tuple[Item, ...]
    kind: Kind

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Study:
        """Read a study from its folder; errors name the file and the line."""
        path = Path(folder)
        if not path.is_dir():
            raise UsageError(f"{folder}: there is no such folder; create a study with 'wordorder study new'")
        settings = read_settings(path / SETTINGS)
        kind = kind_of(settings)
        items = []
        for line, item in read_items(path / ITEMS):
            try:
                kind.check(item)
            except InputError as error:
                raise InputError(error.message, path=str(path / ITEMS), line=line) from None
            items.append(item)
        if not any(item.role == "item" for item in items):
            raise InputError("expected one or more items with the role 'item', found none", path=str(path / ITEMS))
        return cls(path, settings, tuple(items), kind)

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """The items by their ids."""
        return {item.id: item for item in self.items}

    @cached_property
    def segments(self) -> Mapping[str, int]:
        """The segment number of each group of analysed items, counted from 0 in the order of the file."""
        groups = dict.fromkeys(item.group for item in self.items if item.role == "item")
        return {group: number for number, group in enumerate(groups)}

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The conditions of the analysed items, in the order of the file."""
        return tuple(dict.fromkeys(item.condition for item in self.items if item.role == "item"))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems whose outputs are shown side by side, in the order of the file."""
        return tuple(dict.fromkeys(name for item in self.items for name in item.content.get("outputs", ())))

    def item(self, key: str) -> Item:
        """Return the item with this key: its id, followed by ``REPEAT_MARK`` for a repeat."""
        found = self.by_id.get(key.removesuffix(REPEAT_MARK))
        if found is None:
            raise InputError(f"there is no item {key!r} in this study")
        return found

    @cached_property
    def digest(self) -> str:
        """A digest of the items, the questions and all other settings that must not change after the first answer."""
        shown = [self.settings.fingerprint_fields(), [item.to_dict() for item in self.items]]
        return hashlib.sha256(json.dumps(shown, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def answers(self, *, simulated: bool = False, database: str | None = None) -> pa.Table:
        """Return the answers of participants or of simulated people; see ``answers.py`` for the columns."""
        from wordorder.apps.study.answers import read_answers, read_simulated

        return read_simulated(self) if simulated else read_answers(self, database=database)

    def analyse(self, *, simulated: bool = False, database: str | None = None) -> Analysis:
        """Analyse the answers; the modules in ``analyses/`` describe the tables for each kind of study."""
        from wordorder.apps.study.analyses import analyse
        from wordorder.apps.study.answers import read_exclusions, refuse_no_answers

        answers = self.answers(simulated=simulated, database=database)
        if simulated:
            return analyse(self, answers)
        refuse_no_answers(self, answers, database=database)
        return analyse(self, answers, excluded=read_exclusions(self, database=database))
