"""File formats, one module per format, each with ``read_blocks``, ``read`` and, for some formats, ``write``.

A reader yields one column per block of lines, so memory use does not grow with the file. Whether indices count from 0
or from 1 is defined by the format or chosen by the caller; it is never guessed.
"""

from wordorder.formats.alignments import (
    ALIGNMENT_FORMATS,
    AlignmentFile,
    AlignmentFormat,
    read_alignments,
    write_alignments,
)

__all__ = ["ALIGNMENT_FORMATS", "AlignmentFile", "AlignmentFormat", "read_alignments", "write_alignments"]
