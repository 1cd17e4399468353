"""The analysis of a study: who is left out, what follows from the others' answers, what is still missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from wordorder.apps.study.analyses.base import Analysis
from wordorder.apps.study.responses import Response, read_responses, screen
from wordorder.core.runtime.plain import count_of

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.apps.study.folder import Study


def analyse(
    study: Study, answers: pa.Table, *, excluded: Mapping[str, str] | None = None, seed: int | None = None
) -> Analysis:
    """Analyse answers, without the people who are screened out; where there are such, also with them."""
    responses = [one for one in read_responses(study, answers) if one.role == "person"]
    screening = screen(study, responses, excluded)
    module = import_module(f"wordorder.apps.study.analyses.{study.settings.kind}")
    make: Callable[..., Analysis] = module.analyse
    kept = [one for one in responses if one.person not in screening.reasons]
    found = make(study, kept, seed=study.settings.seed if seed is None else seed)
    if screening.reasons:
        whole = make(study, responses, seed=study.settings.seed if seed is None else seed, brief=True)
        found = found.compare(whole)
    found, empty = found.split_empty()
    notes = [*_shortage(study, kept), *([f"too few answers for: {', '.join(empty)}"] if empty else [])]
    return found.prepend("people", screening.table().noting(*notes))


def _shortage(study: Study, kept: Sequence[Response]) -> Iterator[str]:
    """Say how many items still lack answers."""
    counts = Counter(one.item.id for one in kept if one.is_analysed)
    items = [item.id for item in study.items if item.role == "item"]
    wanted = study.settings.people.per_item
    complete = sum(counts[item] >= wanted for item in items)
    if complete < len(items):
        people = count_of(len({one.person for one in kept}), "participant")
        have = "has" if complete == 1 else "have"
        answers = "answer" if wanted == 1 else f"{wanted} answers"
        yield f"only {people}; {complete} of {count_of(len(items), 'item')} {have} the {answers} wanted"
