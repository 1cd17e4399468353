"""Find order errors in translations: segments whose words are in the wrong order, and the words that must move."""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
