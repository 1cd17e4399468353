"""Reorderings of sentence pairs: extraction, quantity and consistent blocks (Birch 2011, chapter 3)."""

from wordorder.core.reorderings.extraction import extract
from wordorder.core.reorderings.quantity import rquantity
from wordorder.core.reorderings.reorderings import Reordering, Reorderings

__all__ = ["Reordering", "Reorderings", "extract", "rquantity"]
