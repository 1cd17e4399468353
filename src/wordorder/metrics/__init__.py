"""Metrics: small immutable objects that all implement the interface :class:`Metric`."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
