"""What follows from people's answers, by kind of study."""

from wordorder.apps.study.analyses.analyse import analyse
from wordorder.apps.study.analyses.base import Analysis

__all__ = ["Analysis", "analyse"]
