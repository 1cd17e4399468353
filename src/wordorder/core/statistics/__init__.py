"""Statistics on plain arrays: resampling, tests, correlation, agreement and analysis of variance."""

from wordorder.core.statistics.settings import Resampling as Resampling
