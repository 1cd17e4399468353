"""A web page with the tables of a meta-evaluation and all segments with human judgements."""

from dataclasses import replace

import numpy as np

from wordorder.apps.metaeval import JudgedSet, MetaEvaluation
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import count_of
from wordorder.formats.judgements import Ratings
from wordorder.show.explorer.gathering import gather_segments
from wordorder.show.explorer.page import Page
from wordorder.show.explorer.segments import Segments

PEOPLE = "people"
"""The name of the column with human judgements, next to the columns of metrics."""


def metaevaluation_page(found: MetaEvaluation, *, command: str) -> Page:
    """Return a page with tables of how well metrics agree with people, and with the scores of every segment."""
    tables = (found.table(), replace(found.ranking_table(), title="Systems as ranked by human judges and by metrics"))
    title = f"{count_of(len(found.metrics), 'metric')} against human judgements"
    return Page(title, tables, tuple(map(_segments, found.sets)), command)


def _segments(judged: JudgedSet) -> Segments:
    segments = gather_segments(judged.scores, name=judged.name)
    groups = {} if judged.documents is None else {"document": judged.documents}
    return replace(
        segments,
        metrics=(PEOPLE, *segments.metrics),
        scores=np.concatenate([_human_scores(judged)[None], segments.scores]),
        directions=(1, *segments.directions),
        groups=groups,
    )


def _human_scores(judged: JudgedSet) -> Floats:
    """Return the human score of each translation, ``[systems, segments]``.

    This is its mean rating or, for comparisons, the share that it won; a tie counts as half a win.
    """
    if isinstance(judged.judgements, Ratings):
        return judged.ratings
    rows, segments = judged.human_rows()
    wins, losses, ties = (rows[:, :, column] for column in range(3))
    shares = np.full((len(judged.scores.systems), len(judged.scores)), np.nan)
    with np.errstate(invalid="ignore"):
        shares[:, segments] = ((wins + ties / 2) / (wins + losses + ties)).T
    return shares
