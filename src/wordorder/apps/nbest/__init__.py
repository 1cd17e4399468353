"""Improve translations with word order metrics: n-best lists, tuning, reranking, minimum Bayes risk."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
