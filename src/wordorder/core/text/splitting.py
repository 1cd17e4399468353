"""Split lines into words and paragraphs into sentences.

A kernel splits lines at whitespace and assigns IDs to their words in one pass over the bytes. Paragraphs are split by
rules for common scripts, and at marks such as ``<p>``.
"""

import re

import numpy as np

from wordorder.core.runtime.columns import Bytes, Ints, Offsets, Strings, bytes_of, offsets_from_lengths
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.core.runtime.libraries import pa

_WORD, _SPACE, _LONGER = 0, 1, 2  # kinds of bytes; multi-byte whitespace begins with a _LONGER byte
_ASCII_SPACES, _OTHER_SPACES, _LONGER_SPACES = b" \t\n\v\f\r", b"\x1c\x1d\x1e\x1f", b"\xc2\xe1\xe2\xe3"

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a (Fowler, Noll & Vo)
# Fields of an entry of the hash table; an entry whose _WORDS is 0 is empty.
_CODE, _WORDS, _BEGIN, _SIZE, _WIDTH = range(5)


def split_words(lines: Strings, *, ascii_only: bool) -> tuple[Ints, Offsets, Strings]:
    """Split lines at Unicode or ASCII whitespace, and assign IDs to words in order of first appearance.

    Return the ID of each word, the offsets of the lines, and the distinct words.
    """
    data, ends = bytes_of(lines)
    kinds = np.zeros(256, np.uint8)
    kinds[[*_ASCII_SPACES, *([] if ascii_only else _OTHER_SPACES)]] = _SPACE
    kinds[[] if ascii_only else [*_LONGER_SPACES]] = _LONGER
    ids, offsets, table = _split(data, ends, kinds)
    entries = table.reshape(-1, _WIDTH)
    entries = entries[entries[:, _WORDS] > 0]
    entries = entries[np.argsort(entries[:, _WORDS])]
    begins = offsets_from_lengths(entries[:, _SIZE])
    words = data[np.arange(begins[-1]) + np.repeat(entries[:, _BEGIN] - begins[:-1], entries[:, _SIZE])]
    buffers = pa.py_buffer(begins), pa.py_buffer(words)
    return ids, offsets, pa.LargeStringArray.from_buffers(len(entries), *buffers)


@kernel
def _split(data: Bytes, lines: Offsets, kinds: Bytes) -> tuple[Ints, Offsets, Offsets]:
    """Return the ID of each word, the offsets of the lines, and a hash table of the distinct words.

    Line i is ``data[lines[i]:lines[i + 1]]``.
    """
    ids = np.empty((lines[-1] - lines[0]) // 2 + len(lines), dtype=np.int32)
    offsets = np.zeros(len(lines), dtype=np.int64)
    table, mask = np.zeros(2048 * _WIDTH, dtype=np.int64), np.int64(2047)
    used, known = 0, 0
    for line in range(len(lines) - 1):
        at, stop = lines[line], lines[line + 1]
        while at < stop:
            begin, code, wide = at, _BASIS, 0
            while at < stop:
                kind = kinds[data[at]]
                if kind != _WORD:
                    wide = 1 if kind == _SPACE else _measure_space(data, at, stop)
                    if wide:
                        break
                code = (code ^ np.uint64(data[at])) * _PRIME
                at += 1
            size = at - begin
            at += wide
            if size == 0:
                continue
            slot = np.int64(code ^ (code >> np.uint64(32))) & mask
            while True:
                entry = slot * _WIDTH
                if table[entry + _WORDS] == 0:
                    known += 1
                    table[entry + _CODE], table[entry + _WORDS] = np.int64(code), known
                    table[entry + _BEGIN], table[entry + _SIZE] = begin, size
                    ids[used] = known - 1
                    break
                if table[entry + _CODE] == np.int64(code) and table[entry + _SIZE] == size:
                    k, first = 0, table[entry + _BEGIN]
                    while k < size and data[first + k] == data[begin + k]:
                        k += 1
                    if k == size:
                        ids[used] = table[entry + _WORDS] - 1
                        break
                slot = (slot + 1) & mask
            used += 1
            if 2 * known > mask:
                table = _enlarge(table)
                mask = 2 * mask + 1
        offsets[line + 1] = used
    return ids[:used].copy(), offsets, table


@inner_kernel
def _measure_space(data: Bytes, at: int, stop: int) -> int:
    """Return the length in bytes of the multi-byte whitespace character at a position, or 0 if there is none."""
    byte = data[at]
    second = data[at + 1] if at + 1 < stop else np.uint8(0)
    third = data[at + 2] if at + 2 < stop else np.uint8(0)
    if byte == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    found = byte == 0xE1 and second == 0x9A and third == 0x80  # U+1680
    found |= byte == 0xE2 and second == 0x80 and (0x80 <= third <= 0x8A or 0xA8 <= third <= 0xA9 or third == 0xAF)
    found |= byte == 0xE2 and second == 0x81 and third == 0x9F  # U+205F
    found |= byte == 0xE3 and second == 0x80 and third == 0x80  # U+3000
    return 3 if found else 0


@inner_kernel
def _enlarge(table: Offsets) -> Offsets:
    """Return a hash table of twice the size with the same words."""
    larger, mask = np.zeros(2 * len(table), dtype=np.int64), np.int64(2 * len(table) // _WIDTH - 1)
    for old in range(0, len(table), _WIDTH):
        if table[old + _WORDS]:
            code = np.uint64(table[old + _CODE])
            slot = np.int64(code ^ (code >> np.uint64(32))) & mask
            while larger[slot * _WIDTH + _WORDS]:
                slot = (slot + 1) & mask
            for k in range(_WIDTH):
                larger[slot * _WIDTH + k] = table[old + k]
    return larger


MARK = re.compile(r"\s*</?(?:p|br|s|seg)\s*/?>\s*", re.IGNORECASE)
"""Marks at which paragraphs and documents are always split."""

_CLOSING = "\"'»”’“)\\]}"
_END = re.compile(
    rf"[。！？｡]+[」』”’）】》]*\s*"  # no space follows in Chinese and Japanese
    rf"|(?:[.!?…؟۔։।॥።]+[{_CLOSING}]*)\s+(?=[\"'«»“”„‘(\[¿¡—–-]*\s*(?P<next>\w))"
)
_ABBREVIATIONS = re.compile(
    "mr|mrs|ms|dr|prof|st|jr|sr|rev|gen|col|lt|sgt|capt|nos?|vol|figs?|eq|sec|ch|pp?|vs|ca|cf|al|inc|ltd|co|corp|etc|"
    "nr|bzw|evtl|ggf|inkl|usw|abs|art|hr|fr|frl|tel|str|mio|mrd|bd|jh|sog|vgl|mm|mme|mlle|av|dra|sra|sres|uds?|núm|pág|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec",
    re.IGNORECASE,
)
_MARKS_OR_WORD = re.compile(r"[\w.]+$")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph or document, without spaces around them.

    A sentence ends at ``.``, ``!`` or ``?`` (or what other scripts use) before white space, unless a lower-case
    letter follows; a full stop after an initial, an abbreviation or a number of one or two digits does not end it.
    The full stops of Chinese and Japanese need no space. Marks such as ``<p>`` always end a sentence.

    >>> split_sentences("Dr. J. Smith left. Was it 3. May? Yes… <p> The end")
    ['Dr. J. Smith left.', 'Was it 3. May?', 'Yes…', 'The end']
    >>> split_sentences("他来了。她走了！")
    ['他来了。', '她走了！']
    """
    return [sentence for part in MARK.split(text) for sentence in _split_line(part) if sentence]


def _split_line(text: str) -> list[str]:
    found, start = [], 0
    for end in _END.finditer(text):
        following = end["next"]
        if following and (following.islower() or not _ends(text[start : end.start()], end[0])):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    return [*found, text[start:].strip()]


def _ends(before: str, stop: str) -> bool:
    """Return whether the mark ``stop`` ends a sentence after the text ``before``; only a single full stop may not."""
    word = _MARKS_OR_WORD.search(before)
    if stop[0] != "." or stop[1:2] == "." or word is None:
        return True
    last = word[0]
    initial = len(last) == 1 and last.isupper()
    return not (initial or "." in last or _ABBREVIATIONS.fullmatch(last) or (last.isdigit() and len(last) < 3))
