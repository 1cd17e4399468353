"""Metrics as small values, one contract for all of them."""

from wordorder.metrics.base import Metric, Need, OrderMetric, RatioMetric, parameter
from wordorder.metrics.batch import Batch, Orders, Text
from wordorder.metrics.registry import METRICS, choose_metrics
from wordorder.metrics.registry import parse as metric

__all__ = [
    "METRICS",
    "Batch",
    "Metric",
    "Need",
    "OrderMetric",
    "Orders",
    "RatioMetric",
    "Text",
    "choose_metrics",
    "metric",
    "parameter",
]
