"""The kinds of studies, each in a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.apps.study.kinds.base import AnswerError, Kind
from wordorder.apps.study.kinds.choosing import JudgeKind, PreferKind
from wordorder.apps.study.kinds.editing import AlignKind, MarkKind
from wordorder.apps.study.kinds.rating import RateKind, ScrambleKind

if TYPE_CHECKING:
    from wordorder.apps.study.settings import StudySettings

__all__ = ["AnswerError", "Kind", "kind_of"]

_KINDS: dict[str, type[Kind]] = {
    one.name: one for one in (ScrambleKind, PreferKind, JudgeKind, AlignKind, RateKind, MarkKind)
}


def kind_of(settings: StudySettings) -> Kind:
    """Create the object for the kind of study that the settings specify."""
    return _KINDS[settings.kind](settings)
