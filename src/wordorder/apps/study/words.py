"""The words of the page, from ``languages/CODE.toml``; ``[words]`` in ``study.toml`` replaces some of them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"})


@cache
def read_words(language: str) -> Mapping[str, str]:
    """Return the words of the page in a language such as "de" or "zh-CN"; in English if there are no others.

    ``reviewed`` is "yes" if a native speaker has reviewed them.
    """
    code = language.lower().partition("-")[0]
    path = files("wordorder.apps.study") / "languages" / f"{code}.toml"
    if not code.isalpha() or not path.is_file():
        return read_words("en")
    return tomllib.loads(path.read_text("utf-8"))


def direction(language: str) -> str:
    """Return the writing direction of a language.

    >>> direction("ar-EG")
    'rtl'
    """
    return "rtl" if language.lower().partition("-")[0] in RIGHT_TO_LEFT else "ltr"
