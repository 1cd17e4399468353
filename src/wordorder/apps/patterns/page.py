"""The explorer with a view of patterns, each of which opens its segments."""

from dataclasses import replace

from wordorder.apps.patterns.results import Patterns
from wordorder.core.statistics import Resampling
from wordorder.scoring.score import score
from wordorder.show.explorer import Page, scores_page


def patterns_page(
    found: Patterns, *, title: str | None = None, command: str = "", resampling: Resampling | None = None
) -> Page:
    """Return the page of scores of the same texts, with patterns as a view of their own.

    Every pattern has its examples, and leads to a list of its segments.
    """
    scores = score(found.texts, resampling=resampling)
    page = scores_page(scores, title=title or "Patterns of order errors", command=command)
    groups = [
        {
            "heading": heading,
            "patterns": [
                one.to_dict() | {"sentence": shown.sentence, "examples": list(map(vars, one.examples))}
                for one, shown in patterns
            ],
        }
        for heading, patterns in found.groups()
    ]
    return replace(page, patterns={"groups": groups, "notes": found.all_notes})
