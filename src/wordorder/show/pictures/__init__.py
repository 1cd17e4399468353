"""Pictures of one sentence as SVG: alignments, crossing lines, permutation trees and forests."""

from wordorder.show.pictures.comparison import draw_comparison
from wordorder.show.pictures.forests import draw_forest
from wordorder.show.pictures.grid import draw_alignment
from wordorder.show.pictures.links import draw_links
from wordorder.show.pictures.svg import Picture
from wordorder.show.pictures.trees import draw_tree

__all__ = ["Picture", "draw_alignment", "draw_comparison", "draw_forest", "draw_links", "draw_tree"]
