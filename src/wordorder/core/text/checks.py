"""Checks for probable mistakes: a wrong tokeniser, subwords in only some texts, or different Unicode forms.

Every warning suggests a remedy.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from warnings import warn

from wordorder.core.runtime.errors import InputWarning, mention
from wordorder.core.text.tokenizers import subword_mark
from wordorder.core.text.tokens import lines_of

UNSEGMENTED_SHARE = 0.3
"""If Han, Kana or Thai letters exceed this share of a text, the text is checked for missing spaces between words."""

_AT_SPACES = ("13a", "none", "intl")
"""Tokenisers that need spaces between words."""

NOT_ALIKE = "are the texts in the same language, parallel line by line, and tokenised alike?"
"""The question that warnings ask if texts have hardly any words in common."""

_LINES_CHECKED = 500
_SCRIPTS = {
    "CJK UNIFIED": "Chinese",
    "CJK COMPATIBILITY IDEOGRAPH": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HALFWIDTH KATAKANA": "Japanese",
    "THAI": "Thai",
}
_REMEDIES = {
    "Chinese": mention("tokenize", "zh"),
    "Japanese": f"{mention('tokenize', 'ja-mecab')} or {mention('tokenize', 'char')}",
    "Thai": mention("tokenize", "char"),
}
_LONGEST_WORD = {"Chinese": 3.5, "Japanese": 3.5, "Thai": 7.0}
"""Largest plausible mean word length in letters; if pieces between spaces are longer, they are not words."""


def check_texts(texts: Mapping[str, Any], tokenizer: str, *, together: Sequence[Sequence[str]] = ()) -> str:
    """Return a warning about the most serious problem in the first lines of the texts, or an empty string.

    Each item of ``together`` names texts in the same language, whose words will be compared with each other.

    >>> print(InputWarning(check_texts({"A": ["你好世界"], "B": ["你好 世界"]}, "13a")))
    A looks like Chinese without spaces between words, but tokenize='13a' splits at spaces; use tokenize='zh'
    """
    seen = {name: lines_of(text)[:_LINES_CHECKED].to_pylist() for name, text in texts.items()}
    special = {name: lines for name, lines in seen.items() if not all(map(str.isascii, lines))}
    warning = _check_segmentation(special, tokenizer) if special else ""
    warning = warning or _check_subwords(seen, tokenizer)
    for names in together:
        alike = {name: special[name] for name in names if name in special}
        warning = warning or (_check_accents(alike) if len(alike) > 1 else "")
    return warning


def warn_about(message: str) -> None:
    """Issue ``message`` as a warning, unless it is empty."""
    if message:
        warn(message, InputWarning, stacklevel=3)


def unsegmented_language(lines: Sequence[str]) -> str | None:
    """Return the language of a Chinese, Japanese or Thai text without spaces between words, else None.

    >>> unsegmented_language(["これは本です。"]), unsegmented_language(["これ は 本 です 。"])
    ('Japanese', None)
    """
    counts = Counter("".join(lines))
    letters = {character: count for character, count in counts.items() if character.isalpha()}
    found: Counter[str] = Counter()
    signs = set()
    for letter, count in letters.items():
        name = unicodedata.name(letter, "")
        language = next((language for script, language in _SCRIPTS.items() if name.startswith(script)), None)
        if language is not None:
            found[language] += count
            signs.add(letter)
    if not found.total() > UNSEGMENTED_SHARE * sum(letters.values()):
        return None
    # Japanese text has many Han letters; Chinese text has no Kana.
    language = "Japanese" if 10 * found["Japanese"] > found.total() else max(found, key=lambda name: found[name])
    pieces = sum(not signs.isdisjoint(piece) for line in lines for piece in line.split())
    return language if found.total() > pieces * _LONGEST_WORD[language] else None


def _check_segmentation(texts: Mapping[str, Sequence[str]], tokenizer: str) -> str:
    if tokenizer not in _AT_SPACES:
        return ""
    for name, lines in texts.items():
        language = unsegmented_language(lines)
        if language is not None:
            looks = f"{name} looks like {language} without spaces between words"
            return f"{looks}, but {mention('tokenize', tokenizer)} splits at spaces; use {_REMEDIES[language]}"
    return ""


def _check_subwords(texts: Mapping[str, Sequence[str]], tokenizer: str) -> str:
    marks = {name: subword_mark(lines) for name, lines in texts.items() if any(map(str.split, lines))}
    cut = [name for name, mark in marks.items() if mark]
    whole = [name for name, mark in marks.items() if not mark]
    if cut and whole:
        remedy = mention("join_subwords", True)
        return f"{cut[0]} is split into subwords ({marks[cut[0]]}) but {whole[0]} is not; use {remedy}"
    if cut and tokenizer != "none":
        return (
            f"{cut[0]} is split into subwords, but {mention('tokenize', tokenizer)} takes their marks "
            f"({marks[cut[0]]}) for words; use {mention('join_subwords', True)} to score words, "
            f"or {mention('tokenize', 'none')} to score subwords"
        )
    return ""


def _check_accents(texts: Mapping[str, Sequence[str]]) -> str:
    found: dict[str, str] = {}
    for name, lines in texts.items():
        forms = Counter(
            "NFC" if unicodedata.is_normalized("NFC", line) else "NFD"
            for line in lines
            if not line.isascii() and unicodedata.is_normalized("NFC", line) != unicodedata.is_normalized("NFD", line)
        )
        if forms:  # the form of most lines in which the two differ
            found.setdefault(forms.most_common(1)[0][0], name)
    if len(found) < 2:
        return ""
    return (
        f"{found['NFD']} writes accents as separate characters (Unicode NFD) and {found['NFC']} does not (NFC), so "
        "equal words differ; convert both to one form, for instance with: uconv -x any-nfc"
    )
