"""Resampling, tests, correlation, agreement and analysis of variance: plain arrays in, values out."""

from wordorder.core.statistics.resampling import Resampling

__all__ = ["Resampling"]
