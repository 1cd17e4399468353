"""The explorer: one HTML file to look at systems and segments in a browser, without a network."""

from wordorder.show.explorer.page import Page, write_page
from wordorder.show.explorer.scores import scores_page
from wordorder.show.explorer.segments import Chunks, Segments

__all__ = ["Chunks", "Page", "Segments", "scores_page", "write_page"]
