"""The warning for text that 13a cannot segment."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.text import looks_unsegmented


@pytest.mark.parametrize(
    ("lines", "unsegmented"),
    [
        ([], False),
        ([""], False),
        (["123 …"], False),
        (["他是一个好人。"], True),
        (["ｶﾀｶﾅ カタカナ"], True),
        (["ประเทศไทย"], True),
        (["한국어 문장"], False),
        (["abcdefg人人人"], False),  # exactly 30 %
        (["abcdefg", "人人人人"], True),  # letters of all lines count, also of those in ASCII
        (["Ελληνικά", "русский", "العربية"], False),
    ],
)
def test_share_of_han_kana_thai(lines: list[str], unsegmented: bool) -> None:
    assert looks_unsegmented(lines) is unsegmented


@given(st.lists(st.text(alphabet="abc é人かカไ1."), max_size=4))
def test_agrees_with_counting_by_hand(lines: list[str]) -> None:
    text = "".join(lines)
    letters = len(re.findall(r"[^\W\d_]", text))
    other = len(re.findall("[人かカไ]", text))
    assert looks_unsegmented(lines) is (letters > 0 and other / letters > 0.3)
