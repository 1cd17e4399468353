from wordorder.apps.monotone.literalness import Literalness as Literalness
from wordorder.apps.monotone.literalness import monotone as monotone
from wordorder.apps.monotone.paragraphs import Paragraphs as Paragraphs
from wordorder.apps.monotone.paragraphs import compare_paragraphs as compare_paragraphs
from wordorder.apps.monotone.waiting import Waiting as Waiting
from wordorder.apps.monotone.waiting import measure_logs as measure_logs
from wordorder.apps.monotone.waiting import simulate_waiting as simulate_waiting
