"""The kinds of studies, a module each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.studies.kinds.align import Align
from wordorder.studies.kinds.base import AnswerError, Kind
from wordorder.studies.kinds.judge import Judge
from wordorder.studies.kinds.mark import Mark
from wordorder.studies.kinds.prefer import Prefer
from wordorder.studies.kinds.rate import Rate
from wordorder.studies.kinds.scramble import Scramble

if TYPE_CHECKING:
    from wordorder.studies.settings import Settings

__all__ = ["AnswerError", "Kind", "kind_of"]

_KINDS: dict[str, type[Kind]] = {one.name: one for one in (Scramble, Prefer, Judge, Align, Rate, Mark)}


def kind_of(settings: Settings) -> Kind:
    """Return the kind of a study."""
    return _KINDS[settings.kind](settings)
