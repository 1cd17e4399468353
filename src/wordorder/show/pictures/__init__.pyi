from wordorder.show.pictures.comparison import draw_comparison as draw_comparison
from wordorder.show.pictures.forests import draw_forest as draw_forest
from wordorder.show.pictures.grid import draw_alignment as draw_alignment
from wordorder.show.pictures.links import draw_links as draw_links
from wordorder.show.pictures.svg import Picture as Picture
from wordorder.show.pictures.trees import draw_tree as draw_tree
