"""Human studies of word order: make items, collect answers from people, and analyse them.

Birch (2011), *Reordering Metrics for Statistical Machine Translation*, §3.3.5, §6.3, §8.2, Appendix B; Talbot et al.
(2011), *A Lightweight Evaluation Framework for Machine Translation Reordering*, §3.1 and §4.
"""

from wordorder.apps.study.folder import Item, Study, choose_list, make_lists, sequence
from wordorder.apps.study.settings import Question, StudySettings

__all__ = ["Item", "Question", "Study", "StudySettings", "choose_list", "make_lists", "sequence"]
