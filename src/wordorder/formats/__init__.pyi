from wordorder.formats.alignments import ALIGNMENT_FORMATS as ALIGNMENT_FORMATS
from wordorder.formats.alignments import AlignmentFile as AlignmentFile
from wordorder.formats.alignments import read_alignments as read_alignments
from wordorder.formats.alignments import write_alignments as write_alignments
