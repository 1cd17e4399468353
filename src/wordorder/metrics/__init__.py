"""Metrics as small values, one contract for all of them."""

from wordorder.metrics.base import Metric, Need, OrderMetric, Orders
from wordorder.metrics.registry import GROUPS, METRICS, parse_metrics
from wordorder.metrics.spec import parse as metric

__all__ = ["GROUPS", "METRICS", "Metric", "Need", "OrderMetric", "Orders", "metric", "parse_metrics"]
