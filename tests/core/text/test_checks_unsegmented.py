"""Text that is written without spaces between words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.text.checks import unsegmented_language


@pytest.mark.parametrize(
    ("lines", "language"),
    [
        ([], None),
        ([""], None),
        (["123 …"], None),
        (["他是一个好人。"], "Chinese"),
        (["他 是 一个 好人 。"], None),
        (["你 们 明 天 去"], None),
        (["ｶﾀｶﾅ カタカナ"], "Japanese"),
        (["私は昨日図書館で本を読みました。"], "Japanese"),
        (["私 は 昨日 図書館 で 本 を 読み まし た 。"], None),
        (["ประเทศไทย"], "Thai"),
        (["ประเทศ ไทย สวย มาก"], None),
        (["한국어 문장"], None),
        (["abcdefg人人人"], None),  # exactly 30%
        (["abcdefg", "人人人人"], "Chinese"),  # letters of all lines count, also of those in ASCII
        (["Ελληνικά", "русский", "العربية"], None),
    ],
)
def test_share_of_han_kana_thai(lines: list[str], language: str | None) -> None:
    assert unsegmented_language(lines) == language


@given(st.lists(st.text(alphabet="abc é人かカ1."), max_size=4))
def test_agrees_with_counting_by_hand(lines: list[str]) -> None:
    letters = len(re.findall(r"[^\W\d_]", "".join(lines)))
    other = len(re.findall("[人かカ]", "".join(lines)))
    pieces = len([piece for line in lines for piece in line.split() if re.search("[人かカ]", piece)])
    whole = letters > 0 and other / letters > 0.3 and other / pieces > 3.5
    assert (unsegmented_language(lines) is not None) is whole
