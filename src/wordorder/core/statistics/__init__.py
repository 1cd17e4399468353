"""Resampling, tests, correlation, agreement and analysis of variance: plain arrays in, values out."""

from wordorder.core.statistics.settings import Resampling

__all__ = ["Resampling"]
