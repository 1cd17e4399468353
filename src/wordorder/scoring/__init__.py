"""Scoring: turn texts, alignments or permutations into inputs, and score them by system, metric and segment."""
