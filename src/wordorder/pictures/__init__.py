"""Pictures of one sentence as SVG: alignments, crossing lines, permutation trees and forests, reordered parses."""

from wordorder.pictures.comparison import draw_comparison
from wordorder.pictures.dependencies import draw_dependencies
from wordorder.pictures.forests import draw_forest
from wordorder.pictures.grid import draw_alignment
from wordorder.pictures.links import draw_links
from wordorder.pictures.svg import Picture
from wordorder.pictures.trees import draw_tree

__all__ = [
    "Picture",
    "draw_alignment",
    "draw_comparison",
    "draw_dependencies",
    "draw_forest",
    "draw_links",
    "draw_tree",
]
