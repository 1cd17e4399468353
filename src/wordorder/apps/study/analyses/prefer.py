"""Analyse preferences: which system people prefer, by how much, and whether the difference is significant.

Only the first ``per_item`` judgements of each item count. Gold items are used to screen participants and do not
count. The tests follow Birch (2011), §8.2.1.6.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from wordorder.apps.metaeval.agreement import Preference, preferences, ranking_agreement
from wordorder.apps.study.analyses.analyse import LEVEL, Parts, share_cell, write_p
from wordorder.apps.study.answers import Response, group_responses
from wordorder.apps.study.folder import Study
from wordorder.apps.study.kinds.choosing import NEITHER, PreferKind
from wordorder.core.runtime.errors import count_of
from wordorder.core.statistics.tests import sign_p
from wordorder.formats.judgements import Comparisons
from wordorder.report.table import Cell, Column, Table, Value


def build(study: Study, responses: Sequence[Response], seed: int) -> Parts:
    """Count and test the preferences; measure agreement, side bias and the accuracy on gold items."""
    counted = first_judgements(study, responses)
    votes = comparisons(study, counted)
    later = sum(one.is_analysed for one in responses) - len(counted)
    note = f"counted: the first {count_of(study.settings.people.per_item, 'judgement')} of every item (per_item)"
    note += f", {len(counted)} in all" + f"; {later} later ones are left out" * bool(later)
    gold = [one for one in responses if one.item.role == "gold"]
    tables: dict[str, Callable[[], Table]] = {
        "preferences": lambda: preference_table(votes).noting(note),
        "agreement": partial(agreement_table, votes),
        "sides": partial(sides_table, counted),
    }
    return Parts(tables | ({"gold": partial(gold_table, study, gold)} if gold else {}))


def first_judgements(study: Study, responses: Sequence[Response]) -> list[Response]:
    """Return the first ``per_item`` judgements of each item."""
    seen: Counter[str] = Counter()
    found = []
    for one in responses:
        if one.is_analysed and seen[one.item.id] < study.settings.people.per_item:
            seen[one.item.id] += 1
            found.append(one)
    return found


def comparisons(study: Study, responses: Sequence[Response]) -> Comparisons:
    """Convert answers to comparisons of two systems."""
    assert isinstance(study.kind, PreferKind)
    rows = []
    for number, one in enumerate(responses):
        first, second = sorted(one.item.content["outputs"])
        chosen = study.kind.chosen(one.item, one.answer, one.person)
        vote = {first: 1, second: -1, NEITHER: 0}[chosen]
        rows.append((study.segments[one.item.group], first, second, vote, one.person, str(number), 1.0))
    return Comparisons.of(rows)


def preference_table(judged: Comparisons) -> Table:
    """Tabulate the votes for each pair of systems, with three significance tests.

    Notes below the table state the results of the sign-flip test over segments in words.
    """
    rows: list[list[Cell | Value]] = []
    for one in preferences(judged):
        decided = one.wins + one.losses
        share = share_cell(one.wins, decided)
        tests = one.p_segments, one.p, one.p_one_sided
        votes = one.wins, one.losses, one.undecided
        rows.append([one.better, one.worse, *votes, share, one.segments, *tests])
    columns = [Column("better", "left"), Column("worse", "left")]
    columns += map(Column, ("for", "against", "neither", "share", "segments"))
    columns += [Column(head, number=".3g") for head in ("p", "p sign", "p one-sided")]
    notes = [
        *map(_sentence, preferences(judged)),
        "p: exact sign-flip test over segments; all judgements of a segment are flipped together",
        "p sign, one-sided: exact sign test over decided judgements, as if they were independent (thesis)",
        "share: of decided judgements, with its 95% interval (Wilson)",
    ]
    return Table.of("", columns, rows, notes=notes)


def _sentence(one: Preference) -> str:
    decided = one.wins + one.losses
    counts = f"{one.wins} of {count_of(decided, 'decided judgement')}, {write_p(one.p_segments)}"
    if one.p_segments < LEVEL:
        return f"In words: participants prefer {one.better} to {one.worse}: {counts}."
    if (least := 2.0 ** (1 - one.segments)) >= LEVEL:
        judged = count_of(one.segments, "segment")
        return f"In words: too few judgements to tell: with {judged} p is at least {least:.2g}, whatever the answers."
    return f"In words: no preference between {one.better} and {one.worse} was found: {counts}."


def agreement_table(judged: Comparisons) -> Table:
    """Tabulate κ twice: with chance agreement estimated from the answers, and with chance agreement fixed at 1/3."""
    rows: list[list[Value]] = [
        [one.kind, one.observed, one.expected, one.kappa, one.uniform_kappa, one.pairs]
        for one in ranking_agreement(judged)
        if one.pairs
    ]
    columns = [Column("agreement", "left"), *map(Column, ("P(A)", "P(E)", "κ", "κ ⅓", "pairs"))]
    return Table.of("", columns, rows, notes=["κ ⅓: with all three answers equally likely by chance (thesis)"])


def sides_table(responses: Sequence[Response]) -> Table:
    """Tabulate how often people chose the first and the second of the two texts shown."""
    counts = Counter(one.answer["choice"] for one in responses)
    first, second = counts["A"], counts["B"]
    share = share_cell(first, first + second)
    row: list[Cell | Value] = [first, second, counts["N"], share, sign_p(first, second)]
    columns = [*map(Column, ("A", "B", "don't know", "share of A")), Column("p", number=".3g")]
    return Table.of("", columns, [row], notes=["sides are assigned at random; p: exact sign test"])


def gold_table(study: Study, gold: Sequence[Response]) -> Table:
    """Show how many gold items each person answered correctly."""
    rows: list[list[Value]] = []
    for person, own in group_responses(gold, lambda one: one.person).items():
        right = sum(bool(study.kind.judge(one.item, one.answer, person)) for one in own)
        rows.append([person, right, len(own), right / len(own)])
    columns = [Column("person", "left"), Column("right"), Column("gold"), Column("share", number=".0%")]
    return Table.of("", columns, rows)
