"""The explorer: a single HTML file that shows systems and segments in a browser and works offline."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
