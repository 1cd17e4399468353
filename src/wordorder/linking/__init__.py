"""Linking words: matching hypothesis and reference, aligning source and target, and parsing sentences."""
