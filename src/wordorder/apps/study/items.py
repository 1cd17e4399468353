"""Items, the stimuli of a study: ``items.jsonl`` has one JSON object per line.

An item has an id that reveals nothing (browsers see it), the group of versions it belongs to (people see one version
of each group), a condition (bin or system, never shown), a role, and the content that the kind of study needs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wordorder.core.runtime.errors import InputError, UsageError, excerpt
from wordorder.core.runtime.files import atomic_write, display_name
from wordorder.formats.tables import json_records

ROLES = ("item", "practice", "filler", "attention", "gold")
REPEAT_MARK = "#2"
"""The suffix of an item's key when the item is shown for the second time."""


@dataclass(frozen=True)
class Item:
    """One stimulus; ``content`` depends on the kind of the study."""

    id: str
    group: str
    condition: str = ""
    role: str = "item"
    content: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, group: str, content: Mapping[str, Any], *, seed: int, condition: str = "", role: str = "item"
    ) -> Item:
        """Make an item with an id that reveals neither its group nor its condition.

        >>> Item.of("1", {"text": "a b"}, seed=1, condition="bin2").id
        'edf93cd889'
        """
        key = json.dumps([seed, group, condition, role])
        return cls(hashlib.sha256(key.encode()).hexdigest()[:10], group, condition, role, content)

    def to_dict(self) -> dict[str, Any]:
        """Return the item as one flat dictionary."""
        head = {"id": self.id, "group": self.group, "condition": self.condition, "role": self.role}
        return head | dict(self.content)


def write_items(path: str | os.PathLike[str], items: Iterable[Item]) -> None:
    """Write the items of a study to ``items.jsonl``."""
    with atomic_write(path) as target:
        target.writelines(json.dumps(item.to_dict(), ensure_ascii=False) + "\n" for item in items)


def read_items(path: str | os.PathLike[str]) -> Iterator[tuple[int, Item]]:
    """Read ``items.jsonl``, and yield each line number with its item; raise InputError if an id is used twice."""
    name = display_name(path)
    seen: dict[str, int] = {}
    if not os.path.isfile(path):
        raise UsageError(f"{name}: not found; create a study with 'wordorder study new'")
    for line, content in json_records(path):
        head = {key: content.pop(key, "") for key in ("id", "group", "condition", "role")}
        for key, value in head.items():
            if not isinstance(value, str) or (key in ("id", "group") and not value):
                raise InputError(f"{key} is {excerpt(repr(value))}, expected text", path=name, line=line)
        if REPEAT_MARK[0] in head["id"]:
            message = f"id {head['id']!r} contains {REPEAT_MARK[0]}, which marks repeats; use an id without it"
            raise InputError(message, path=name, line=line)
        head["role"] = head["role"] or "item"
        if head["role"] not in ROLES:
            message = f"role is {excerpt(head['role'])}, expected one of {', '.join(ROLES)}"
            raise InputError(message, path=name, line=line)
        if head["id"] in seen:
            raise InputError(f"id {head['id']!r} is already used on line {seen[head['id']]}", path=name, line=line)
        seen[head["id"]] = line
        yield line, Item(**head, content=content)
