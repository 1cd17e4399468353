"""Matching of hypothesis and reference words, alignment of source and target words, and parsing of sentences."""
