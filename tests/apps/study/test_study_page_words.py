"""The words of the page: every one that is used exists, and the documentation lists them all."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BROWSER = ROOT / "src" / "wordorder" / "apps" / "study" / "browser"
WORDS = dict(re.findall(r'^  (\w+): "(.*)",$', (BROWSER / "words.js").read_text(encoding="utf-8"), re.MULTILINE))


def test_every_word_that_is_used_exists() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in BROWSER.rglob("*.js"))
    used = set(re.findall(r'\bword\("(\w+)"', code))
    assert len(used) > 50
    assert used - set(WORDS) == set()


def test_the_documentation_lists_every_word_as_it_is() -> None:
    page = (ROOT / "docs" / "study-reference.md").read_text(encoding="utf-8")
    assert [name for name, text in WORDS.items() if f'\n{name} = "{text}"\n' not in page] == []
