"""One module per file format, each with ``read_blocks``, ``read`` and, where it makes sense, ``write``.

A reader yields one column per block of lines, so memory does not grow with the file. Whether indices count from 0 or
from 1 is a matter of the format or of the caller, never guessed.
"""

from wordorder.formats.alignments import (
    ALIGNMENT_FORMATS,
    AlignmentFile,
    AlignmentFormat,
    read_alignments,
    write_alignments,
)

__all__ = ["ALIGNMENT_FORMATS", "AlignmentFile", "AlignmentFormat", "read_alignments", "write_alignments"]
