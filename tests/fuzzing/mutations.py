"""Ways to spoil a file: its bytes, its lines, its fields, the values of its JSON, what is in its archive."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import pyarrow as pa

Files = dict[str, bytes]
"""The files of one input by name; a folder has several."""

LARGEST = 1 << 18
"""Bytes of a spoilt file: enough for a thousand copies of a line."""

NUMBERS = (
    *("", "0", "-0", "-1", "1", "2", "65535", "65537", "2147483647", "2147483648", "4294967296", "9" * 25, "nan"),
    *("inf", "-inf", "1e308", "1e999", "1e-320", "0.1", ".", "-", "--", "1_0", "٣", "²", "0x10", "None", "null"),
)
TOKENS = (
    *NUMBERS,
    *("true", "[]", "{}", '""', "[" * 40, "(" * 200, ")", "()", "'", '"', "\\", "\\u0000", "\\ud800", "|||", "||"),
    *("|", "p", "?", ":", "=", ",", ";", "#", "*", "X", "_", "@", "&amp;", "&x;", "<seg>", "</seg>", "{{", "}}"),
    *("<!DOCTYPE a [<!ENTITY b 'c'>]>", "H-0", "D-0", "P-0", "A-0", "1-1", "0-0", "5-5-P", "0-70000", "70000-0"),
    *("1.1", "1-2", "a" * 3000, "a " * 1500, " ", "\t", "\r", "\v", "\f", "\x00", "\x1b[31m", "\x85", "\u00a0"),
    *("\u2028", "\u3000", "\ufeff", "é", "語", "🙂", "\U000e0001"),
)
BYTES = (
    b"\xff",
    b"\xfe\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\x00",
    b"\n\n",
)
SEPARATORS = (b"\t", b",", b"|||", b" ", b"-", b":", b"=", b";", b"|", b'"', b"(", b")")
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, 1e300, float("nan"), float("inf"), 10**30, 2**31, "", "a", "1", "nan"),
    *([], {}, [[]], [None], {"": None}, {"a": {"b": []}}, "\ud800", "\x00", "a\nb", [0, 0], [-1, 5], "a b", 10**400),
)

PACKINGS: Mapping[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    ".gz": (gzip.decompress, lambda content: gzip.compress(content, 1, mtime=0)),
    ".bz2": (bz2.decompress, lambda content: bz2.compress(content, 1)),
    ".xz": (lzma.decompress, lambda content: lzma.compress(content, preset=0)),
    ".zst": (
        lambda content: pa.CompressedInputStream(pa.BufferReader(content), "zstd").read(),
        lambda content: pa.compress(content, codec="zstd", asbytes=True),
    ),
}


def spoil(files: Files, others: Sequence[Files], draw: Random) -> Files:
    """Return an input with one of its files spoilt; now and then a file is missing."""
    name = draw.choice(sorted(files))
    if len(files) > 1 and draw.random() < 0.03:
        return {other: content for other, content in files.items() if other != name}
    donor = draw.choice(others)
    other = donor.get(name) or draw.choice(sorted(donor.values()))
    return {**files, name: spoil_file(name, files[name], other, draw)}


def spoil_file(name: str, content: bytes, other: bytes, draw: Random) -> bytes:
    """Spoil a file; a packed one is more often packed again than damaged as it is."""
    packing = next((PACKINGS[ending] for ending in PACKINGS if name.endswith(ending)), None)
    if packing is not None and draw.random() < 0.6:
        unpack, pack = packing
        return pack(_spoil(unpack(content), unpack(other) if len(other) > 40 else b"", draw))
    return _spoil(content, other, draw)


def _spoil(content: bytes, other: bytes, draw: Random) -> bytes:
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        content = draw.choice(MUTATIONS)(content, other, draw)[:LARGEST]
    return content


def _token(content: bytes, draw: Random) -> bytes:
    """Return something to put in: an odd value, odd bytes, or a word of the file itself."""
    kind = draw.random()
    if kind < 0.65:
        return draw.choice(TOKENS).encode()
    if kind < 0.8 or not content:
        return draw.choice(BYTES)
    start = draw.randrange(len(content))
    return content[start : start + draw.randint(1, 30)]


def flip_bit(content: bytes, other: bytes, draw: Random) -> bytes:
    if not content:
        return b"\x00"
    found = bytearray(content)
    found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)
    return bytes(found)


def set_byte(content: bytes, other: bytes, draw: Random) -> bytes:
    if not content:
        return bytes([draw.randrange(256)])
    found = bytearray(content)
    found[draw.randrange(len(found))] = draw.randrange(256)
    return bytes(found)


def insert(content: bytes, other: bytes, draw: Random) -> bytes:
    place = draw.randint(0, len(content))
    return content[:place] + _token(other, draw) + content[place:]


def remove(content: bytes, other: bytes, draw: Random) -> bytes:
    place = draw.randint(0, len(content))
    return content[:place] + content[place + draw.choice((1, 1, 2, 8, 64, 1000)) :]


def cut(content: bytes, other: bytes, draw: Random) -> bytes:
    place = draw.randint(0, len(content))
    return content[:place] if draw.random() < 0.8 else content[place:]


def copy(content: bytes, other: bytes, draw: Random) -> bytes:
    start, place = draw.randint(0, len(content)), draw.randint(0, len(content))
    return content[:place] + content[start : start + draw.choice((1, 4, 16, 200))] + content[place:]


def splice(content: bytes, other: bytes, draw: Random) -> bytes:
    return content[: draw.randint(0, len(content))] + other[draw.randint(0, len(other)) :]


def spoil_lines(content: bytes, other: bytes, draw: Random) -> bytes:
    lines = content.split(b"\n")
    strange = other.split(b"\n")
    one, two = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.randrange(9)
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines.insert(two, lines[one])
    elif kind == 2:
        lines[one], lines[two] = lines[two], lines[one]
    elif kind == 3:
        lines[one] = b""
    elif kind == 4:
        lines[one : one + 1] = [lines[one]] * draw.choice((2, 10, 1000))
    elif kind == 5:
        lines[one : one + 2] = [b" ".join(lines[one : one + 2])]
    elif kind == 6:
        lines.insert(one, draw.choice(strange))
    elif kind == 7:
        lines[one] += draw.choice((b"\r", b" ", b"\t", b"\x0b"))
    else:
        draw.shuffle(lines)
    return b"\n".join(lines)


def spoil_field(content: bytes, other: bytes, draw: Random) -> bytes:
    """Change a field of a line, whatever separates fields there."""
    lines = content.split(b"\n")
    place = draw.randrange(len(lines))
    present = [mark for mark in SEPARATORS if mark in lines[place]]
    if not present:
        return insert(content, other, draw)
    mark = draw.choice(present)
    fields = lines[place].split(mark)
    one, two = draw.randrange(len(fields)), draw.randrange(len(fields))
    kind = draw.randrange(6)
    if kind <= 2:
        fields[one] = _token(other, draw)
    elif kind == 3:
        del fields[one]
    elif kind == 4:
        fields.insert(one, fields[two])
    else:
        fields[one], fields[two] = fields[two], fields[one]
    lines[place] = mark.join(fields)
    return b"\n".join(lines)


def spoil_number(content: bytes, other: bytes, draw: Random) -> bytes:
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?", content))
    if not found:
        return insert(content, other, draw)
    number = draw.choice(found)
    return content[: number.start()] + draw.choice(NUMBERS).encode() + content[number.end() :]


def spoil_json(content: bytes, other: bytes, draw: Random) -> bytes:
    """Change a value somewhere in a JSON document, or in that of a line."""
    whole = content.lstrip()[:1] == b"[" and draw.random() < 0.9
    lines = [content] if whole else content.split(b"\n")
    place = draw.randrange(len(lines))
    try:
        document = json.loads(lines[place])
    except (ValueError, RecursionError):
        return spoil_field(content, other, draw)
    lines[place] = json.dumps(_replaced(document, draw)).encode()
    return b"\n".join(lines)


def _replaced(node: Any, draw: Random) -> Any:
    if isinstance(node, dict) and node and draw.random() < 0.85:
        key = draw.choice(list(node))
        kind = draw.random()
        if kind < 0.1:
            return {name: value for name, value in node.items() if name != key}
        if kind < 0.15:
            return {**node, draw.choice(TOKENS): node[key]}
        return {**node, key: _replaced(node[key], draw)}
    if isinstance(node, list) and node and draw.random() < 0.8:
        place = draw.randrange(len(node))
        return [*node[:place], _replaced(node[place], draw), *node[place + 1 :]]
    return draw.choice(VALUES)


MUTATIONS = (
    *(flip_bit, set_byte, insert, insert, remove, cut, copy, splice),
    *(spoil_lines, spoil_lines, spoil_field, spoil_field, spoil_field, spoil_number, spoil_json, spoil_json),
)
