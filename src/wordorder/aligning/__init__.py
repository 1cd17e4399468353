"""Source–target word alignment: aligners, symmetrisation, alignment error rate."""

from wordorder.aligning.aligner import Aligner, TrainedAligner
from wordorder.aligning.aligning import Aligning
from wordorder.aligning.error_rate import error_rate
from wordorder.aligning.storage import load
from wordorder.aligning.symmetrisation import METHODS, symmetrise
from wordorder.aligning.training import MODELS, train
from wordorder.aligning.translation_tables import Smoothing

__all__ = [
    "METHODS",
    "MODELS",
    "Aligner",
    "Aligning",
    "Smoothing",
    "TrainedAligner",
    "error_rate",
    "load",
    "symmetrise",
    "train",
]
