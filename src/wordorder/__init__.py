"""wordorder: measure how well a translation orders its words."""

from wordorder.version import __version__

__all__ = ["__version__"]
