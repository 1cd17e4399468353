"""Word alignment of source and target: aligners, symmetrisation and alignment error rate."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
