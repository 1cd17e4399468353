"""Invented sentences of German and English, whose participles stand in different places."""

from __future__ import annotations

from itertools import product

SUBJECTS = {"der hund": "the dog", "die katze": "the cat", "ein mann": "a man", "eine frau": "a woman"}
OBJECTS = {"den ball": "the ball", "ein haus": "a house", "das buch": "the book", "einen baum": "a tree"}
VERBS = {"gesehen": "seen", "gesucht": "sought", "gefunden": "found"}
PAIRS = [
    (f"{s} hat {o} {v}", f"{SUBJECTS[s]} has {VERBS[v]} {OBJECTS[o]}") for s, o, v in product(SUBJECTS, OBJECTS, VERBS)
]
"""German puts the participle last."""
