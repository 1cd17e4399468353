from wordorder.apps.metaeval.coefficients import Setup as Setup
from wordorder.apps.metaeval.evaluation import MetaEvaluation as MetaEvaluation
from wordorder.apps.metaeval.evaluation import metaevaluate as metaevaluate
from wordorder.apps.metaeval.judged_set import JudgedSet as JudgedSet
