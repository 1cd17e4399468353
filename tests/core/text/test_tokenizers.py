"""``13a`` and ``none`` over columns against sacreBLEU's own, token for token; the others through sacreBLEU."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import tokenise, tokenizer_names

NASTY = [
    "",
    " ",
    "\n",
    "plain words only",
    "  blanks \t around\t\tand  within  ",
    "It's 3.5, no: 3,500.00; or 1,2,3.",
    ".5 5. .. ... 5..5 5.,5 a.b a,b .,. ,",
    "1-2 -1 a-1 1- 1-- 10-year-old x-ray -",
    "&quot;quoted&quot; &amp;lt; &lt;b&gt; &amp;quot; &amp;amp;amp; & &; &quot",
    "a<skipped>b <skip<skipped>ped> <skipped>",
    "hyphen-\nated line\nbreak -\n- \n-",
    "ends with a dash-\n",
    "(brackets) [square] {curly} <angle> ~tilde^caret_under`tick",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "\u00a0no-break\u2003em\u3000ideographic\u202fnarrow\u2028line\u2029paragraph\x85next\u1680ogham",
    "\x1cfile\x1dgroup\x1erecord\x1funit\x0bvertical\x0cfeed\rreturn",
    "\x00nul\x00 \x01\x02\x7f\x80\x9f \u200bzero\u200dwidth\ufeff",
    "Ünïcödé, ﬁ. ²³½. ٣.٥ ３．５, 三.四 ،",
    "e\u0301. 👩\u200d👩\u200d👧, 🇩🇪.",
    "İSTANBUL ΟΔΟΣ ΣΑΣ. ẞ ǅ",
    "10.000,00€ $5 5% #1 a@b.c http://x.y/z?q=1&r=2",
    "日本語。テスト、１２３ ไทย",
]

text = st.text(alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("ab .,-0 9\n&;<>ΣİA'/")))


def expected(line: str, name: str, *, lowercase: bool = False) -> list[str]:
    """What sacreBLEU's BLEU does to a segment before it counts n-grams."""
    words: list[str] = BLEU(tokenize=name).tokenizer((line.lower() if lowercase else line).rstrip()).split()
    return words


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["13a", "none", "intl", "zh", "char"])
def test_nasty_strings_give_sacrebleus_tokens(name: str, lowercase: bool) -> None:
    (tokens,) = tokenise([NASTY], tokenizer=name, lowercase=lowercase)
    assert list(tokens) == [expected(line, name, lowercase=lowercase) for line in NASTY]


@given(lines=st.lists(text, max_size=5), name=st.sampled_from(["13a", "none"]), lowercase=st.booleans())
def test_any_text_gives_sacrebleus_tokens(lines: list[str], name: str, lowercase: bool) -> None:
    (tokens,) = tokenise([lines], tokenizer=name, lowercase=lowercase)
    assert list(tokens) == [expected(line, name, lowercase=lowercase) for line in lines]


@given(line=st.text(alphabet="a.,-5 &;ltgqu<skiped>\n\"'", max_size=30))
def test_dense_punctuation_gives_sacrebleus_tokens(line: str) -> None:
    (tokens,) = tokenise([[line]])
    assert tokens.words(0) == expected(line, "13a")


@pytest.mark.realdata
def test_real_lines_give_sacrebleus_tokens(shared: Path) -> None:
    tokenizer = BLEU(tokenize="13a").tokenizer
    for language in ("en", "de", "cs"):
        lines = (shared / "data" / "wmt12" / f"newstest2012-ref.{language}").read_text().split("\n")
        (tokens,) = tokenise([lines])
        assert list(tokens) == [tokenizer(line.rstrip()).split() for line in lines]


def test_columns_share_one_vocabulary() -> None:
    one, two, three = tokenise([["a cat.", "a dog."], ["dog cat"], []], tokenizer="13a")
    assert one.vocabulary is two.vocabulary is three.vocabulary
    assert one.vocabulary.to_pylist() == ["a", "cat", ".", "dog"]
    assert (one.ids.tolist(), two.ids.tolist(), len(three)) == ([0, 1, 2, 0, 3, 2], [3, 1], 0)


@pytest.mark.parametrize("name", ["13a", "none", "char"])
def test_arrow_columns_in_pieces_are_accepted(name: str) -> None:
    pieces = pa.chunked_array([["one, two"], [], ["three"]])
    (tokens,) = tokenise([pieces], tokenizer=name)
    assert list(tokens) == [expected("one, two", name), expected("three", name)]
    assert list(tokenise([pa.array(["x y"]).dictionary_encode()])[0]) == [["x", "y"]]


def test_equal_lines_are_tokenised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def spy(line: str) -> str:
        seen.append(line)
        return line

    monkeypatch.setattr("wordorder.core.text.tokenizers._load", lambda name: spy)
    one, two = tokenise([["x", "y", "x"], ["y", "z", "x"]], tokenizer="zh")
    assert seen == ["x", "y", "z"]
    assert (list(one), list(two)) == ([["x"], ["y"], ["x"]], [["y"], ["z"], ["x"]])


def test_an_unknown_tokenizer_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown tokenizer '13b'; did you mean '13a'\? \(valid: 13a, .*zh\)"):
        tokenise([["x"]], tokenizer="13b")
    assert tokenizer_names()[0] == "13a"
    assert set(tokenizer_names()) == set(BLEU.TOKENIZERS)


@pytest.mark.parametrize(
    ("name", "package"), [("ja-mecab", "sacrebleu[ja]"), ("ko-mecab", "sacrebleu[ko]"), ("flores200", "sentencepiece")]
)
def test_a_missing_package_is_named(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, **options: object) -> None:
        raise (ImportError if package == "sentencepiece" else RuntimeError)("\n\nPlease install …")

    monkeypatch.setattr(BLEU, "__init__", fail)
    with pytest.raises(UsageError) as caught:
        tokenise([["x"]], tokenizer=name)
    assert f"pip install '{package}'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_that_cannot_be_fetched_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, **options: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr(BLEU, "__init__", fail)
    with pytest.raises(UsageError, match="tokenizer 'spm' cannot be loaded: no route to host"):
        tokenise([["x"]], tokenizer="spm")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["fine", 7], "line 2 must be a string, not int"),
        (["fine", None], "2: this entry is missing"),
        (["\ud800"], "line 1 cannot be encoded as UTF-8"),
        (pa.array(["fine", None]), "2: this entry is missing"),
        (pa.array([[1]]), "line 1 must be a string, not ListScalar"),
        ("one string", "not one string"),
    ],
)
def test_what_is_no_column_of_lines_is_refused(column: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tokenise([column])
