"""Reorderings in sentence pairs: how to extract and measure them, and consistent blocks (Birch 2011, chapter 3)."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
