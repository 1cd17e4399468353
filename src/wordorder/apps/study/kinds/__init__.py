"""The kinds of studies, a module each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.apps.study.kinds.align import Align
from wordorder.apps.study.kinds.base import AnswerError, Kind
from wordorder.apps.study.kinds.judge import Judge
from wordorder.apps.study.kinds.mark import Mark
from wordorder.apps.study.kinds.prefer import Prefer
from wordorder.apps.study.kinds.rate import Rate
from wordorder.apps.study.kinds.scramble import Scramble

if TYPE_CHECKING:
    from wordorder.apps.study.settings import Settings

__all__ = ["AnswerError", "Kind", "kind_of"]

_KINDS: dict[str, type[Kind]] = {one.name: one for one in (Scramble, Prefer, Judge, Align, Rate, Mark)}


def kind_of(settings: Settings) -> Kind:
    """Return the kind of a study."""
    return _KINDS[settings.kind](settings)
