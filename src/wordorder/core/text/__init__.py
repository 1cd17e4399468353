"""The tokenisers, and tokenised text, stored as columns of integer word IDs with a shared vocabulary."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
