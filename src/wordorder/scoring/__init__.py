"""From inputs to scores: systems × metrics × segments."""

from wordorder.scoring.evaluate import evaluate
from wordorder.scoring.matchers import Matching
from wordorder.scoring.parsers import Parsing
from wordorder.scoring.score import expected_scores, score
from wordorder.scoring.scores import Resampling, Scores
from wordorder.scoring.through_source import Aligning

__all__ = ["Aligning", "Matching", "Parsing", "Resampling", "Scores", "evaluate", "expected_scores", "score"]
