"""Source–target word alignment: aligners, symmetrisation, alignment error rate."""

from wordorder.linking.aligning.aligner import Aligner, TrainedAligner
from wordorder.linking.aligning.aligning import Aligning
from wordorder.linking.aligning.error_rate import error_rate
from wordorder.linking.aligning.storage import load
from wordorder.linking.aligning.symmetrisation import METHODS, symmetrise
from wordorder.linking.aligning.training import MODELS, train
from wordorder.linking.aligning.translation_tables import Smoothing

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
