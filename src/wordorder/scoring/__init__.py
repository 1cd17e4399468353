"""From inputs to scores: systems × metrics × segments."""

from wordorder.scoring.evaluate import evaluate
from wordorder.scoring.matchers import Matching
from wordorder.scoring.score import score
from wordorder.scoring.scores import Resampling, Scores

__all__ = ["Matching", "Resampling", "Scores", "evaluate", "score"]
