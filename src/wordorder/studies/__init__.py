"""Human studies of word order: stimuli, what people see and answer, and what follows from it.

Birch (2011), *Reordering Metrics for Statistical Machine Translation*, §3.3.5, §6.3, §8.2, Appendix B; Talbot et al.
(2011), *A Lightweight Evaluation Framework for Machine Translation Reordering*, §3.1 and §4.
"""

from wordorder.studies.folder import Study
from wordorder.studies.items import Item
from wordorder.studies.lists import choose_list, make_lists, sequence
from wordorder.studies.settings import Question, Settings

__all__ = ["Item", "Question", "Settings", "Study", "choose_list", "make_lists", "sequence"]
