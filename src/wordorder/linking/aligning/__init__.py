"""Word alignment of source and target: aligners, symmetrisation and alignment error rate."""

from wordorder.linking.aligning.aligner import Aligner as Aligner
from wordorder.linking.aligning.aligner import TrainedAligner as TrainedAligner
from wordorder.linking.aligning.error_rate import error_rate as error_rate
from wordorder.linking.aligning.storage import load as load
from wordorder.linking.aligning.symmetrisation import METHODS as METHODS
from wordorder.linking.aligning.symmetrisation import symmetrise as symmetrise
from wordorder.linking.aligning.training import MODELS as MODELS
from wordorder.linking.aligning.training import Aligning as Aligning
from wordorder.linking.aligning.training import train as train
from wordorder.linking.aligning.translation_tables import Smoothing as Smoothing
