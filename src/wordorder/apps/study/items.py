"""Items: the stimuli of a study, one JSON object a line in ``items.jsonl``, with all that is needed to remake them.

An item has an id that says nothing (people's browsers see it), the group it is a version of (a person sees one
version of a group), a condition (bin or system, never shown), a role, and the content its kind asks for.
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
from wordorder.core.runtime.plain import load_json

ROLES = ("item", "practice", "filler", "attention", "gold")
REPEAT_MARK = "#2"
"""What the key of an item ends with where it is shown a second time."""


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
        """Make an item with an id from which nothing can be guessed.

        >>> Item.of("1", {"text": "a b"}, seed=1, condition="bin2").id
        'edf93cd889'
        """
        key = json.dumps([seed, group, condition, role])
        return cls(hashlib.sha256(key.encode()).hexdigest()[:10], group, condition, role, content)

    def to_dict(self) -> dict[str, Any]:
        """Return the item as one flat object."""
        head = {"id": self.id, "group": self.group, "condition": self.condition, "role": self.role}
        return head | dict(self.content)


def write_items(path: str | os.PathLike[str], items: Iterable[Item]) -> None:
    """Write ``items.jsonl``."""
    with atomic_write(path) as target:
        target.writelines(json.dumps(item.to_dict(), ensure_ascii=False) + "\n" for item in items)


def read_items(path: str | os.PathLike[str]) -> Iterator[tuple[int, Item]]:
    """Read ``items.jsonl``; yield every item with its line. Ids must differ."""
    name = display_name(path)
    seen: dict[str, int] = {}
    if not os.path.isfile(path):
        raise UsageError(f"{name}: not found; make a study with 'wordorder study new'")
    with open(path, encoding="utf-8-sig", newline="\n") as stream:
        try:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    item = _parse(line, name, number)
                    if item.id in seen:
                        raise InputError(f"id {item.id!r} is taken by line {seen[item.id]}", path=name, line=number)
                    seen[item.id] = number
                    yield number, item
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8 ({error.reason})", path=name) from None


def _parse(line: str, path: str, number: int) -> Item:
    try:
        found = load_json(line)
    except ValueError as error:
        raise InputError(f"not JSON: {getattr(error, 'msg', error)}", path=path, line=number) from None
    if not isinstance(found, dict):
        raise InputError("expected a JSON object, {…}", path=path, line=number)
    head = {key: found.pop(key, "") for key in ("id", "group", "condition", "role")}
    for key, value in head.items():
        if not isinstance(value, str) or (key in ("id", "group") and not value):
            raise InputError(f"{key} is {excerpt(repr(value))}, expected text", path=path, line=number)
    if REPEAT_MARK[0] in head["id"]:
        raise InputError(f"id {head['id']!r} has a {REPEAT_MARK[0]}, which marks repeats", path=path, line=number)
    head["role"] = head["role"] or "item"
    if head["role"] not in ROLES:
        raise InputError(
            f"role is {excerpt(head['role'])}, expected one of {', '.join(ROLES)}", path=path, line=number
        )
    return Item(**head, content=found)
