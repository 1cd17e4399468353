"""Pre-ordering: reorder parsed source sentences by rules, evaluate the new orders, and find the causes of errors.

This follows the stand-alone evaluation of Talbot et al. (2011): rules are applied to parses, and the new orders are
compared with reference orders derived from word alignments, without running a translation system.
"""

from wordorder.core.runtime.stubs import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
