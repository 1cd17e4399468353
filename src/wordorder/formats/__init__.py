"""File formats, one module per format, each with ``read_blocks``, ``read`` and, for some formats, ``write``.

A reader yields one column (a batch of rows stored in arrays) per block of lines, so memory use does not grow with the
file. Whether indices count from 0 or from 1 is defined by the format or chosen by the caller; it is never guessed.
"""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
