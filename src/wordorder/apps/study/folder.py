"""A study: a folder with ``study.toml`` (settings), ``items.jsonl`` (stimuli) and the participants' answers.

The file ``items.jsonl`` has one JSON object per line. An item has an id that reveals nothing (browsers see it), the
group of versions it belongs to (people see one version of each group), a condition (bin or system, never shown), a
role, and the content that the kind of study needs.

Latin squares determine which items each person sees, and in which order. All random choices are derived from the
seed, so a server that is restarted continues as before.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.kinds import Kind, kind_of
from wordorder.apps.study.settings import StudySettings, read_settings
from wordorder.core.runtime.errors import InputError, excerpt, refuse, reject
from wordorder.core.runtime.files import atomic_write, display_name
from wordorder.formats.tables import json_records

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.apps.study.analyses import Analysis


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
    def of(cls, group: str, content: Mapping[str, Any], *, seed: int, condition: str = "", role: str = "item") -> Item:
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


def read_items(path: str | os.PathLike[str], kind: Kind) -> Iterator[Item]:
    """Read ``items.jsonl``; raise InputError if an item is not of this kind, or if an id is used twice."""
    name = display_name(path)
    seen: dict[str, int] = {}
    refuse(not os.path.isfile(path), f"{name}: not found; create a study with 'wordorder study new'")
    for line, content in json_records(path):
        try:
            item = _read_item(content)
            reject(item.id in seen, f"id {item.id!r} is already used on line {seen.get(item.id)}")
            kind.check(item)
        except InputError as error:
            raise InputError(error.message, path=name, line=line) from None
        seen[item.id] = line
        yield item


def _read_item(content: dict[str, Any]) -> Item:
    head = {key: content.pop(key, "") for key in ("id", "group", "condition", "role")}
    for key, value in head.items():
        if not isinstance(value, str) or (key in ("id", "group") and not value):
            raise InputError(f"{key} is {excerpt(repr(value))}, expected text")
    if REPEAT_MARK[0] in head["id"]:
        raise InputError(f"id {head['id']!r} contains {REPEAT_MARK[0]}, which marks repeats; use an id without it")
    head["role"] = head["role"] or "item"
    reject(head["role"] not in ROLES, f"role is {excerpt(head['role'])}, expected one of {', '.join(ROLES)}")
    return Item(**head, content=content)


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
        refuse(not path.is_dir(), f"{folder}: there is no such folder; create a study with 'wordorder study new'")
        settings = read_settings(path / SETTINGS)
        kind = kind_of(settings)
        items = tuple(read_items(path / ITEMS, kind))
        if not any(item.role == "item" for item in items):
            raise InputError("expected one or more items with the role 'item', found none", path=str(path / ITEMS))
        return cls(path, settings, items, kind)

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
        shown = (item for item in self.items if item.role in ("item", "gold"))
        return tuple(dict.fromkeys(name for item in shown for name in item.content.get("outputs", ())))

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

    @property
    def record(self) -> dict[str, Any]:
        """What the log keeps of a served study: its digest, the text of consent, and the rules of screening."""
        consent = self.settings.pages.get("consent", "")
        return {"fingerprint": self.digest, "consent": consent, "rules": self.settings.rules}

    def answers(self, *, simulated: bool = False, database: str | None = None) -> pa.Table:
        """Return the answers of participants or of simulated people; see ``answers.py`` for the columns."""
        from wordorder.apps.study.answers import open_answers, read_simulated

        if simulated:
            return read_simulated(self)
        with open_answers(self, database) as store:
            return store.answers()

    def analyse(self, *, simulated: bool = False, database: str | None = None) -> Analysis:
        """Analyse the answers; the modules in ``analyses/`` describe the tables for each kind of study."""
        from wordorder.apps.study.analyses import analyse
        from wordorder.apps.study.answers import excluded_people, find_changes, open_answers, refuse_no_answers

        if simulated:
            note = "simulated answers, made by 'study simulate': nobody has taken part"
            return analyse(self, self.answers(simulated=True), notes=[note])
        with open_answers(self, database) as store:
            refuse_no_answers(self, store)
            excluded, notes = excluded_people(store.state()), find_changes(self, store.events())
            return analyse(self, store.answers(), excluded=excluded, notes=notes)


APART = 15
"""The smallest distance, in items, between the first and the second showing of a repeated item."""

NEIGHBOURS = 2
"""The largest number of consecutive items with the same condition."""

_TRIES = 50


def make_lists(study: Study) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the analysed items on each list.

    Groups are divided into blocks, so that nobody sees more than ``people.share`` of them. If each group has k
    versions, a Latin square turns each block into k lists: list l shows version (i + l) mod k of the i-th group, so
    each list has every group once and all versions equally often. Items for a second person (``people.twice``) are
    also on the lists of the next block.
    """
    versions = group_versions(study)
    groups = list(versions.values())
    count = len(groups[0])
    people = study.settings.people
    blocks = min(math.ceil((1 + people.twice) / people.share - 1e-9), len(groups)) if people.share < 1 else 1
    divided = [groups[block::blocks] for block in range(blocks)]
    if people.twice and blocks > 1:
        shared = [block[: round(people.twice * len(block))] for block in divided]
        divided = [own + shared[place - 1] for place, own in enumerate(divided)]
    return tuple(
        tuple(group[(place + turn) % count].id for place, group in enumerate(block))
        for block in divided
        for turn in range(count)
    )


def group_versions(study: Study) -> dict[str, list[Item]]:
    """Return the versions of each group; all groups must have the same number of versions."""
    versions: dict[str, list[Item]] = {}
    for item in study.items:
        if item.role == "item":
            versions.setdefault(item.group, []).append(item)
    sizes = Counter(map(len, versions.values()))
    usual = sizes.most_common(1)[0][0]
    for group, found in versions.items():
        counts = f"expected {usual} versions in group {group!r}, as in other groups, found {len(found)}"
        reject(len(found) != usual, counts, path=str(study.folder / ITEMS))
    return versions


def versions_by_condition(study: Study) -> dict[str, list[Item]]:
    """Return, for each condition, the item of every group that has this condition."""
    groups = group_versions(study).values()
    found = {name: [item for group in groups for item in group if item.condition == name] for name in study.conditions}
    for name, items in found.items():
        reject(len(items) != len(groups), f"expected one {name!r} in each group", path=str(study.folder / ITEMS))
    return found


def choose_list(occupied: Sequence[int], *, seed: int = 0, arrival: int = 0) -> int:
    """Return the number of the list for a new person: the list with the fewest active or finished people.

    ``occupied`` has the number of such people for each list. Ties are broken at random.

    >>> choose_list([3, 1, 2])
    1
    """
    fewest = min(occupied)
    equal = [place for place, count in enumerate(occupied) if count == fewest]
    return equal[int(random.Random(f"{seed} {arrival}").random() * len(equal))]


def sequence(study: Study, person: str, place: int) -> tuple[str, ...]:
    """Return the keys of the items that a person sees, in order; ``place`` is the number of the person's list.

    Practice items come first, in the order of the file. If possible, at most two consecutive items have the same
    condition. A repeat, whose key ends with ``REPEAT_MARK``, comes at least ``APART`` items after the first showing.
    """
    lists = make_lists(study)
    reject(not 0 <= place < len(lists), f"list {place} does not exist; expected a number from 0 to {len(lists) - 1}")
    chance = random.Random(f"{study.settings.seed} {person}")
    practice = [item.id for item in study.items if item.role == "practice"]
    others = [item for item in study.items if item.role in ("filler", "gold", "attention")]
    own = [study.by_id[key] for key in lists[place]]
    order = _spread([*own, *others], chance)
    return (*practice, *_repeat(order, study.settings.checks.repeats, chance))


def _spread(items: list[Item], chance: random.Random) -> list[Item]:
    """Shuffle items so that, if possible, no three consecutive items have the same condition."""
    best: list[Item] = []
    fewest = len(items) + 1
    tries = _TRIES if len({item.condition for item in items}) > 1 else 1
    for _ in range(tries):
        order, breaches = _draw(items, chance)
        if breaches < fewest:
            best, fewest = order, breaches
        if not breaches:
            break
    return best


def _draw(items: list[Item], chance: random.Random) -> tuple[list[Item], int]:
    """Return items in random order, avoiding long runs of one condition, and how many runs were unavoidable."""
    left = sorted(items, key=lambda item: (chance.random(), item.id))
    order: list[Item] = []
    breaches = 0
    while left:
        last = {item.condition for item in order[-NEIGHBOURS:]}
        barred = last.pop() if len(last) == 1 and len(order) >= NEIGHBOURS else None
        place = next((place for place, item in enumerate(left) if item.condition != barred), None)
        breaches += place is None
        order.append(left.pop(place or 0))
    return order, breaches


def _repeat(order: list[Item], repeats: int, chance: random.Random) -> list[str]:
    """Return the keys of the items, with some items repeated; items too close to the end are not repeated."""
    keys = [item.id for item in order]
    early = [place for place in range(len(order) - APART) if order[place].role == "item"]
    chosen = sorted(sorted(early, key=lambda place: (chance.random(), place))[:repeats])
    for place in reversed(chosen):
        first = keys.index(order[place].id) + APART + 1
        spot = first + int(chance.random() * (len(keys) - first + 1))
        keys.insert(min(spot, len(keys)), order[place].id + REPEAT_MARK)
    return keys
