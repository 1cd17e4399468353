"""A leaderboard of translation systems, as one web page: ``make leaderboard``."""
