from wordorder.core.reorderings.extraction import extract as extract
from wordorder.core.reorderings.extraction import rquantity as rquantity
from wordorder.core.reorderings.reorderings import Reordering as Reordering
from wordorder.core.reorderings.reorderings import Reorderings as Reorderings
