"""What 0.3.0 says in other words than 0.2.0: ``record.py`` writes old recordings anew before it compares them."""

from __future__ import annotations

REWORDED = {
    "version:0.2.0": "version:0.3.0",
    '"version": "0.2.0"': '"version": "0.3.0"',
}
"""Text in a recording of 0.2.0, and the text that stands in its place."""


def reword(text: str) -> str:
    """Write the output of 0.2.0 as 0.3.0 words it."""
    for old, new in REWORDED.items():
        text = text.replace(old, new)
    return text
