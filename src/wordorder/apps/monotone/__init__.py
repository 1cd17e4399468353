"""Order against the source: how literal translations are, how much a simultaneous one guesses, and documents."""

from wordorder.apps.monotone.literalness import Literalness as Literalness
from wordorder.apps.monotone.literalness import monotone as monotone
