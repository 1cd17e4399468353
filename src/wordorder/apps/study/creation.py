"""Create a study folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from wordorder.apps.study.folder import ITEMS, SETTINGS, Study
from wordorder.apps.study.items import Item, write_items
from wordorder.apps.study.kinds import kind_of
from wordorder.apps.study.lists import make_lists, sequence
from wordorder.apps.study.settings import StudySettings
from wordorder.apps.study.templates import write_settings
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import atomic_write


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
    minutes = round(expected_minutes(Study(path, settings, tuple(items), kind)))
    write_items(path / ITEMS, items)
    with atomic_write(path / SETTINGS) as target:
        target.write(write_settings(settings, minutes=minutes))
    return Study.read(path)


def refuse_existing(folder: str | os.PathLike[str]) -> None:
    """Raise UsageError if the folder already contains a study."""
    if any((Path(folder) / name).exists() for name in (SETTINGS, ITEMS, "study.db")):
        raise UsageError(f"{folder}: this folder already contains a study; choose another folder")


def expected_minutes(study: Study) -> float:
    """Return the estimated minutes that the longest list takes, plus three minutes for the pages before the items."""
    lists = make_lists(study)
    keys = (sequence(study, "somebody", place) for place in range(len(lists)))
    return 3 + max(sum(study.kind.seconds(study.item(key)) for key in one) for one in keys) / 60
