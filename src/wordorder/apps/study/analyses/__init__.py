"""The analysis of the answers of a study; each kind of study has a module."""

from wordorder.apps.study.analyses.analyse import analyse as analyse
from wordorder.apps.study.analyses.base import Analysis as Analysis
