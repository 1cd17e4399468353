"""Compare word order with that of the source, in translations, simultaneous translations and documents."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
