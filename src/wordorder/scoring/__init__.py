"""Scoring: make inputs, and compute their scores by system, metric and segment."""
