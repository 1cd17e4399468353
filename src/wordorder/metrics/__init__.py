"""Metrics: small immutable objects that all implement the interface :class:`Metric`."""

from wordorder.metrics.base import Metric as Metric
from wordorder.metrics.base import Need as Need
from wordorder.metrics.base import OrderMetric as OrderMetric
from wordorder.metrics.base import RatioMetric as RatioMetric
from wordorder.metrics.base import parameter as parameter
from wordorder.metrics.batch import Batch as Batch
from wordorder.metrics.batch import Orders as Orders
from wordorder.metrics.batch import Text as Text
from wordorder.metrics.registry import METRICS as METRICS
from wordorder.metrics.registry import choose_metrics as choose_metrics
from wordorder.metrics.registry import parse

metric = parse
