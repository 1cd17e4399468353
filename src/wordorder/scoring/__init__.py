"""From inputs to scores: systems × metrics × segments."""

from wordorder.scoring.score import score
from wordorder.scoring.scores import Score, Scores

__all__ = ["Score", "Scores", "score"]
