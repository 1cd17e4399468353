"""Metrics as small values, one contract for all of them."""
