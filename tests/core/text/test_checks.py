"""What is probably wrong with texts, and what is not."""

from __future__ import annotations

import unicodedata

import pytest

from wordorder.core.runtime.errors import InputWarning
from wordorder.core.text.checks import check_texts, warn_about

CHINESE = ["我们明天去北京。"]
FRENCH = ["été à Nîmes", "the end"]
CUT = ["hel@@ lo world"]


def nfd(lines: list[str]) -> list[str]:
    return [unicodedata.normalize("NFD", line) for line in lines]


@pytest.mark.parametrize(
    ("texts", "tokenizer", "doubt"),
    [
        ({"A": CHINESE}, "13a", "A looks like Chinese without spaces .*'13a' splits .*; use tokenize='zh'$"),
        ({"A": ["a b"], "B": CHINESE}, "intl", "^B looks like Chinese"),
        ({"A": ["これは本ですから。"]}, "none", "Japanese.*use tokenize='ja-mecab' or tokenize='char'$"),
        ({"A": CUT, "B": ["hello"]}, "13a", "^A is split into subwords .@@. but B is not; use join_subwords=True$"),
        ({"A": ["hello"], "B": ["▁hel lo"]}, "none", "^B is split into subwords .▁. but A is not"),
        ({"A": CUT, "B": CUT}, "13a", "takes their marks .*join_subwords=True to score words, or tokenize='none'"),
        ({"A": nfd(FRENCH), "B": FRENCH}, "13a", "^A writes accents .*NFD.* and B does not .NFC.*uconv -x any-nfc"),
        ({"A": FRENCH, "B": nfd(FRENCH)}, "none", "^B writes accents"),
    ],
)
def test_what_is_probably_wrong_is_told_with_its_remedy(
    texts: dict[str, list[str]], tokenizer: str, doubt: str
) -> None:
    found = check_texts(texts, tokenizer, together=[list(texts)])
    with pytest.warns(InputWarning, match=doubt):
        warn_about(found)


@pytest.mark.parametrize(
    ("texts", "tokenizer"),
    [
        ({"A": CHINESE}, "zh"),
        ({"A": CHINESE}, "char"),
        ({"A": ["我们 明天 去 北京 。"]}, "13a"),
        ({"A": CUT, "B": CUT}, "none"),
        ({"A": CUT, "B": ["", " "]}, "none"),
        ({"A": nfd(FRENCH), "B": nfd(FRENCH)}, "13a"),
        ({"A": nfd(FRENCH), "B": ["plain"]}, "13a"),
        ({"A": [], "B": [""]}, "13a"),
    ],
)
def test_text_as_it_should_be_is_left_alone(texts: dict[str, list[str]], tokenizer: str) -> None:
    assert check_texts(texts, tokenizer, together=[list(texts)]) == ""


def test_accents_matter_within_one_language_alone() -> None:
    assert check_texts({"source": nfd(FRENCH), "A": FRENCH}, "13a", together=[["A"]]) == ""
