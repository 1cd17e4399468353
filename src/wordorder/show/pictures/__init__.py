"""Draw a sentence as an SVG picture: an alignment grid, crossing lines, a permutation tree or a forest."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
