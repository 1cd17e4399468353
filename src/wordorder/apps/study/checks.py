"""Check a study before it starts: report what people will see and how long it takes, and warn of likely mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wordorder.apps.study.creation import expected_minutes
from wordorder.apps.study.folder import Study
from wordorder.apps.study.items import REPEAT_MARK
from wordorder.apps.study.lists import make_lists, sequence
from wordorder.core.runtime.errors import count_of
from wordorder.report.table import Column, Table, Value


def overview_table(study: Study) -> Table:
    """Tabulate what each person sees, how long it takes, and how many people are needed."""
    settings, lists = study.settings, make_lists(study)
    sizes = [len(one) for one in lists]
    roles = Counter(item.role for item in study.items)
    repeats = sum(key.endswith(REPEAT_MARK) for key in sequence(study, "somebody", 0))
    span = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    needed = settings.people.per_item * len(lists)
    rows: list[list[Value]] = [
        ["kind", settings.kind],
        ["sentences", len({item.group for item in study.items if item.role == "item"})],
        ["versions in all", roles["item"]],
        ["lists", len(lists)],
        ["items per person", span],
    ]
    rows += [[f"{role} items", count] for role, count in roles.items() if role != "item"]
    rows += [["shown again", repeats]] if repeats else []
    rows += [["minutes", round(expected_minutes(study))], ["people needed", needed]]
    return Table.of("", [Column("the study", "left"), Column("", "left")], rows)


def lists_table(study: Study) -> Table:
    """Tabulate the number of items in each condition on each list."""
    rows: list[list[Value]] = []
    for number, keys in enumerate(make_lists(study), start=1):
        counts = Counter(study.by_id[key].condition for key in keys)
        rows.append([number, len(keys), *(counts[name] for name in study.conditions)])
    return Table.of("", ["list", "items", *(name or "all" for name in study.conditions)], rows)


def find_problems(study: Study) -> Iterator[str]:
    """Yield a warning for each setting that is allowed but probably a mistake."""
    settings = study.settings
    checks, roles = settings.checks, Counter(item.role for item in study.items)
    for role, asked in (("practice", checks.practice), ("attention", checks.attention)):
        if roles[role] != asked:
            yield f"[checks] {role} = {asked}, but items.jsonl has {count_of(roles[role], f'{role} item')}"
    gold = roles["gold"]
    if settings.kind == "prefer" and not gold and checks.gold_pass:
        yield f"[checks] gold_pass = {checks.gold_pass}, but there are no gold items, so it screens nobody"
    if gold and checks.gold_pass:
        chance = passing_chance(gold, checks.gold_pass)
        if chance > 0.05:
            yield f"with {count_of(gold, 'gold item')}, somebody who guesses passes {chance:.0%} of the time"
    shown = sequence(study, "somebody", 0)
    repeats = sum(key.endswith(REPEAT_MARK) for key in shown)
    if repeats < checks.repeats:
        yield f"[checks] repeats = {checks.repeats}, but there are too few items for that many repeats, 15 apart"
    yield from find_consent_problems(study)
    for page in ("consent", "instructions"):
        if not settings.pages.get(page, "").strip():
            yield f"[pages] {page} is empty"
    if settings.kind == "align" and len(make_lists(study)) == 1 and settings.people.per_item == 1:
        yield "every item is done once, so agreement cannot be measured; lower [people] share, or raise per_item"


def find_consent_problems(study: Study) -> Iterator[str]:
    """Yield a warning if the consent page does not name the researcher yet."""
    if "write your name" in study.settings.pages.get("consent", ""):
        yield "the consent page does not yet say who runs the study: name them under [pages] in study.toml"


def passing_chance(gold: int, share: float) -> float:
    """Return the probability of getting this share of gold items right by guessing among three answers.

    >>> round(passing_chance(20, 0.6), 4)
    0.013
    """
    import math

    from scipy import stats

    return float(stats.binom.sf(math.ceil(share * gold - 1e-9) - 1, gold, 1 / 3))
