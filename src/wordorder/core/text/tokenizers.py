"""sacreBLEU's tokenisers, applied to whole columns of lines.

``13a`` (the default) and ``none`` are implemented as Arrow operations on a column; all others call sacreBLEU once for
each distinct line. The tokens are those that sacreBLEU's BLEU counts: each line is lower-cased if requested, trailing
whitespace is removed, the tokeniser is applied, and the result is split at whitespace.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Strings, bytes_of, strings, sum_rows, to_column
from wordorder.core.runtime.errors import InputError, UsageError, choices
from wordorder.core.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE
from wordorder.core.runtime.libraries import pa, pc
from wordorder.core.runtime.threads import spans
from wordorder.core.text.tokens import Numbering, Tokens, encode, lines_of

DEFAULT_TOKENIZER = "13a"

# The order is that of mteval-v13a, also for the entities: "&amp;lt;" becomes "<".
_LITERALS = {"<skipped>": "", "-\n": "", "\n": " ", "&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_PATTERNS = (
    (r"[{-~\[-`!-&(-+:-@/]", r" \0 "),  # split off punctuation (the space in sacreBLEU's class has no effect)
    (r"([^0-9])([.,])", r"\1 \2 "),  # split off full stop and comma, unless a digit precedes
    (r"([.,])([^0-9])", r" \1 \2"),  # split off full stop and comma, unless a digit follows
    (r"([0-9])-", r"\1 - "),  # split off a dash after a digit
)
_TOUCHED = np.isin(np.arange(256), [*b'!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'])
"""Marks the bytes that the rules of 13a act on; a word without any of them is never changed."""

_INSTALL = {"ja-mecab": "sacrebleu[ja]", "ko-mecab": "sacrebleu[ko]"}  # all other tokenisers need sentencepiece


def tokenizer_names() -> list[str]:
    """Return the names of sacreBLEU's tokenisers, with the default first."""
    from sacrebleu.metrics.bleu import BLEU

    return sorted(BLEU.TOKENIZERS, key=lambda name: (name != DEFAULT_TOKENIZER, name))


def tokenise(
    columns: Sequence[Sequence[str] | Any], *, tokenizer: str = DEFAULT_TOKENIZER, lowercase: bool = False
) -> tuple[Tokens, ...]:
    """Tokenise columns of lines, using one shared vocabulary; ``lowercase`` has the effect of sacreBLEU's ``-lc``.

    >>> hypotheses, references = tokenise([["It costs 3.5 euros."], ["A 5-year plan, OK?"]])
    >>> hypotheses.words(0), references.words(0)
    (['It', 'costs', '3.5', 'euros', '.'], ['A', '5', '-', 'year', 'plan', ',', 'OK', '?'])
    """
    lines = [lines_of(column) for column in columns]
    cut = _load(tokenizer) if tokenizer not in ("13a", "none") else None
    apply = partial(_cut, cut=cut, tokenizer=tokenizer, lowercase=lowercase)
    if all(len(column) <= LINES_PER_BLOCK for column in lines):
        return apply(lines)
    numbering = Numbering()
    for place, column in enumerate(lines):  # words take much more memory than their numbers
        for start, stop in spans(len(column), LINES_PER_BLOCK) or [(0, 0)]:
            numbering.add(place, *apply([column[start:stop]]))
    return numbering.finish()


def refuse_long_sentences(
    lines: Strings, path: str | None, numbers: Sequence[int] | NDArray[np.integer], *, tokenizer: str
) -> None:
    """Raise an error if a line has more than ``LONGEST_SENTENCE`` words; ``numbers`` has the numbers of the lines.

    A line is tokenised only if it has more bytes than that, and first only its beginning.
    """
    for row in np.flatnonzero(np.diff(bytes_of(lines)[1]) > LONGEST_SENTENCE).tolist():
        line = lines[row : row + 1]
        for part in (pc.utf8_slice_codeunits(line, 0, 10 * LONGEST_SENTENCE), line):
            if tokenise([part], tokenizer=tokenizer)[0].lengths[0] > LONGEST_SENTENCE:
                message = f"the sentence exceeds the maximum length of {LONGEST_SENTENCE} words"
                raise InputError(message, path=path, line=int(numbers[row]))


def without_long_sentences(blocks: Iterable[Strings], path: str | None, *, tokenizer: str) -> Iterator[Strings]:
    """Yield the blocks of a text; raise an error if a sentence has more than ``LONGEST_SENTENCE`` words."""
    first_line = 1
    for block in blocks:
        refuse_long_sentences(block, path, range(first_line, first_line + len(block)), tokenizer=tokenizer)
        yield block
        first_line += len(block)


def _cut(
    lines: list[Strings], *, cut: Callable[[str], str] | None, tokenizer: str, lowercase: bool
) -> tuple[Tokens, ...]:
    if lowercase:
        lines = [lower_lines(column) for column in lines]
    if cut is not None:
        lines = apply_once_per_line(cut, [pc.utf8_rtrim_whitespace(column) for column in lines])
    elif tokenizer == "13a" and any(_holds(column, "\n") for column in lines):
        lines = [_apply_13a(pc.utf8_rtrim_whitespace(column)) for column in lines]
    elif tokenizer == "13a":
        return _apply_13a_to_words(encode(*lines))
    return encode(*lines)


def lower_lines(lines: Strings) -> Strings:
    """Lower-case lines as Python does, unlike Arrow, which ignores final sigma and uses another Unicode version."""
    other = pc.invert(pc.string_is_ascii(lines))
    lowered = strings(text.lower() for text in lines.filter(other).to_pylist())
    return pc.replace_with_mask(pc.ascii_lower(lines), other, lowered)


def _apply_13a(lines: Strings) -> Strings:
    for found, replacement in _LITERALS.items():
        if _holds(lines, found):
            lines = pc.replace_substring(lines, found, replacement)
    space, nothing = strings([" ", ""])
    lines = pc.binary_join_element_wise(space, lines, space, nothing)
    for pattern, replacement in _PATTERNS:
        lines = pc.replace_substring_regex(lines, pattern, replacement)
    return lines


def _holds(lines: Strings, text: str) -> bool:
    """Return False only if the text certainly occurs in none of the lines."""
    data, offsets = bytes_of(lines)
    return text.encode() in data[offsets[0] : offsets[-1]].tobytes()


def _apply_13a_to_words(columns: tuple[Tokens, ...]) -> tuple[Tokens, ...]:
    """Apply 13a to each distinct word only once.

    This is possible because, except for the rules about newlines, no rule of 13a looks beyond a single word.
    """
    words = columns[0].vocabulary
    data, offsets = bytes_of(words)
    changed = sum_rows(_TOUCHED[data], offsets) > 0
    (pieces,) = encode(pc.replace_with_mask(words, to_column(changed), _apply_13a(words.filter(to_column(changed)))))
    found = []
    for column in columns:
        taken = pieces.take(column.ids)  # a row for each word
        found.append(Tokens(taken.ids, taken.offsets[column.offsets], pieces.vocabulary))
    return tuple(found)


def apply_once_per_line(tokenizer: Callable[[str], str], columns: list[Strings]) -> list[Strings]:
    """Tokenise columns of lines, calling the tokeniser only once for each distinct line."""
    together = pa.chunked_array(columns, type=pa.large_string()).combine_chunks().dictionary_encode()
    tokenised = strings(map(tokenizer, together.dictionary.to_pylist())).take(together.indices)
    starts = [sum(len(column) for column in columns[:place]) for place in range(len(columns))]
    return [tokenised.slice(start, len(column)) for start, column in zip(starts, columns, strict=True)]


def _load(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    if name not in BLEU.TOKENIZERS:
        raise choices(name, tokenizer_names(), what="tokenizer")
    try:
        return cast(Callable[[str], str], BLEU(tokenize=name).tokenizer)
    except (ImportError, RuntimeError):
        package = _INSTALL.get(name, "sentencepiece")
        raise UsageError(f"tokenizer {name!r} needs a missing package; run: pip install '{package}'") from None
    except (OSError, AssertionError, SystemExit) as error:  # no download, or a wrong dictionary
        raise UsageError(f"tokenizer {name!r} cannot be loaded: {error}") from None


# Subwords: subword-nmt writes ``hel@@ lo``, SentencePiece ``▁hel lo``, and WordPiece ``hel ##lo``.

NOT_LAST, FIRST, NOT_FIRST = "@@", "▁", "##"

_SHARE = 0.02
_SHARE_OF_FIRST = 0.2


def subword_mark(lines: Sequence[str]) -> str | None:
    """Return the subword mark that a text uses, or None if the text consists of whole words.

    >>> subword_mark(["hel@@ lo world"]), subword_mark(["▁hel lo ▁world"]), subword_mark(["me@home ## me"])
    ('@@', '▁', None)
    """
    text = "\n".join(lines)
    if not any(mark in text for mark in (NOT_LAST, FIRST, NOT_FIRST)):
        return None
    words = text.split()
    counts = {
        NOT_LAST: (sum(word.endswith(NOT_LAST) and len(word) > 2 for word in words), _SHARE),
        FIRST: (sum(word.startswith(FIRST) for word in words), _SHARE_OF_FIRST),
        NOT_FIRST: (sum(word.startswith(NOT_FIRST) and len(word) > 2 for word in words), _SHARE),
    }
    return next((mark for mark, (count, share) in counts.items() if count > share * len(words)), None)


def join_subwords(lines: Strings) -> Strings:
    """Join the subwords in each line into words, whichever mark they use; other lines are unchanged.

    >>> from wordorder.core.runtime.columns import strings
    >>> join_subwords(strings(["hel@@ lo wor@@ ld", "▁hel lo ▁wor ld", "hel ##lo wor ##ld"])).to_pylist()
    ['hello world', 'hello world', 'hello world']
    """
    pieces = pc.match_substring(lines, FIRST)
    joined = pc.replace_substring(pc.replace_substring_regex(lines, r"\s+", ""), FIRST, " ")
    lines = pc.if_else(pieces, pc.utf8_trim_whitespace(joined), lines)
    lines = pc.replace_substring_regex(lines, r"@@(\s+|$)", "")
    return pc.replace_substring_regex(lines, r"\s+##(\S)", r"\1")
