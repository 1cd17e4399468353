"""Matching hypothesis words with reference words, aligning source words with target words, and parsing."""
