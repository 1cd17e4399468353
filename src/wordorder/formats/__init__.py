"""File formats, one module per format, each with ``read_blocks``, ``read`` and, for some formats, ``write``.

A reader yields one column (a batch of rows stored in arrays) per block of lines, so memory use does not grow with the
file. Whether indices count from 0 or from 1 is defined by the format or chosen by the caller; it is never guessed.
"""

from wordorder.formats.alignments import ALIGNMENT_FORMATS as ALIGNMENT_FORMATS
from wordorder.formats.alignments import AlignmentFile as AlignmentFile
from wordorder.formats.alignments import read_alignments as read_alignments
from wordorder.formats.alignments import write_alignments as write_alignments
