"""What follows from people's answers, by kind of study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from wordorder.studies.analyses.base import Analysis
from wordorder.studies.responses import read_responses, screen

if TYPE_CHECKING:
    import pyarrow as pa

    from wordorder.studies.folder import Study

__all__ = ["Analysis", "analyse"]


def analyse(
    study: Study, answers: pa.Table, *, excluded: Mapping[str, str] | None = None, seed: int | None = None
) -> Analysis:
    """Analyse answers, without the people who are screened out; where there are such, also with them."""
    responses = [one for one in read_responses(study, answers) if one.role == "person"]
    screening = screen(study, responses, excluded)
    module = import_module(f"wordorder.studies.analyses.{study.settings.kind}")
    make: Callable[..., Analysis] = module.analyse
    kept = [one for one in responses if one.person not in screening.reasons]
    found = make(study, kept, seed=study.settings.seed if seed is None else seed)
    if screening.reasons:
        whole = make(study, responses, seed=study.settings.seed if seed is None else seed, brief=True)
        found = found.beside(whole)
    return found.after("people", screening.table())
