"""Measure how well metrics agree with human judgements: coefficients, significance tests and probes."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
