"""Resampling and tests over plain arrays."""
