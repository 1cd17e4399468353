"""Analyse the answers to a study, with one module for each kind of study."""

from wordorder.apps.study.analyses.analyse import analyse as analyse
from wordorder.apps.study.analyses.base import Analysis as Analysis
