"""Findings for a person: a neutral table and its renderings."""
