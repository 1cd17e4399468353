"""Metrics against people as a page: the findings, and every judged segment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wordorder.apps.metaeval import JudgedSet, MetaEvaluation
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.plain import count_of
from wordorder.formats.judgements import Ratings
from wordorder.show.explorer.gathering import gather_segments
from wordorder.show.explorer.page import Page
from wordorder.show.explorer.segments import Segments

PEOPLE = "people"
"""What people said of a translation, beside what metrics say."""


def metaevaluation_page(found: MetaEvaluation, *, title: str | None = None, command: str = "") -> Page:
    """Show how metrics agree with people, and every judged segment with what people said of it."""
    tables = (found.table(), replace(found.ranking_table(), title="Systems as ranked by human judges and by metrics"))
    title = title or f"{count_of(len(found.metrics), 'metric')} against human judgements"
    return Page(title, tables, tuple(map(_judged_segments, found.sets)), command)


def _judged_segments(judged: JudgedSet) -> Segments:
    segments = gather_segments(judged.scores, name=judged.name)
    groups = {} if judged.documents is None else {"document": judged.documents}
    return replace(
        segments,
        metrics=(PEOPLE, *segments.metrics),
        scores=np.concatenate([_said(judged)[None], segments.scores]),
        directions=(1, *segments.directions),
        groups=groups,
    )


def _said(judged: JudgedSet) -> Floats:
    """Return mean ratings, or the share of comparisons won where a tie is half a win, ``[systems, segments]``."""
    if isinstance(judged.judgements, Ratings):
        return judged.ratings
    rows, segments = judged.human_rows()
    wins, losses, ties = (rows[:, :, column] for column in range(3))
    said = np.full((len(judged.scores.systems), len(judged.scores)), np.nan)
    with np.errstate(invalid="ignore"):
        said[:, segments] = ((wins + ties / 2) / (wins + losses + ties)).T
    return said
