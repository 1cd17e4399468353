"""Source–target word alignment: aligners, symmetrisation, alignment error rate."""

from wordorder.aligning.aligner import Aligner, TrainedAligner
from wordorder.aligning.evaluation import ErrorRate, error_rate
from wordorder.aligning.lexicon import Smoothing
from wordorder.aligning.storage import load
from wordorder.aligning.symmetrisation import DEFAULT_METHOD, METHODS, symmetrise
from wordorder.aligning.training import DEFAULT_MODEL, MODELS, train

__all__ = [
    "DEFAULT_METHOD",
    "DEFAULT_MODEL",
    "METHODS",
    "MODELS",
    "Aligner",
    "ErrorRate",
    "Smoothing",
    "TrainedAligner",
    "error_rate",
    "load",
    "symmetrise",
    "train",
]
