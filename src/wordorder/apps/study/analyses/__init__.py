"""Analyse the answers to a study, with one module for each kind of study."""

from wordorder.apps.study.analyses.analyse import Analysis as Analysis
from wordorder.apps.study.analyses.analyse import analyse as analyse
