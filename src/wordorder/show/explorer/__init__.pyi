from wordorder.show.explorer.page import Page as Page
from wordorder.show.explorer.page import write_page as write_page
from wordorder.show.explorer.scores import scores_page as scores_page
