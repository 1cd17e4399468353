"""Parser files, which store a dependency parser and a fingerprint of everything that affects its parses.

The first line has the file type, the format version and the fingerprint; the second line is JSON with the options,
tags and labels; each further line is a compressed array of weights in base64. Words are stored only as hashes.
"""

import base64
import binascii
import hashlib
import json
import os
import zlib
from dataclasses import asdict
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import InputError, WordorderError, excerpt
from wordorder.core.runtime.files import atomic_write, display_name, largest_unpacked, read_model
from wordorder.core.runtime.plain import load_json
from wordorder.linking.parsing.transition.dependency_parser import DependencyParser
from wordorder.linking.parsing.transition.learning import ParserOptions
from wordorder.linking.parsing.transition.perceptron import LOW, Weights, pack, unpack

MAGIC, VERSION = "wordorder-parser", "1"
_MOST_ARRAYS = 8


def fingerprint(parser: DependencyParser) -> str:
    """Return a digest of everything that affects the parses of a parser."""
    return _digest(_header(parser), _arrays(parser))


def save(parser: DependencyParser, path: str | os.PathLike[str]) -> None:
    """Write a parser to a file; equal parsers yield identical files."""
    header, arrays = _header(parser), _arrays(parser)
    with atomic_write(path) as target:
        target.write(f"{MAGIC} {VERSION} {_digest(header, arrays)}\n{header}\n")
        for array in arrays:
            target.write(base64.b64encode(zlib.compress(array, 6)).decode() + "\n")


def load(path: str | os.PathLike[str]) -> DependencyParser:
    """Read a parser from a file; raise an error if the file is damaged or has another format."""
    name = display_name(path)
    first, _, rest = read_model(path).partition(b"\n")
    parts = first.split()
    if len(parts) != 3 or parts[0] != MAGIC.encode():
        found = excerpt(first[:80].decode("utf-8", "replace"))
        raise InputError(f"not a parser file: expected '{MAGIC} {VERSION} …', found {found}", path=name, line=1)
    if parts[1] != VERSION.encode():
        found = excerpt(parts[1].decode("utf-8", "replace"))
        raise InputError(f"expected a parser file of version {VERSION}, found version {found}", path=name, line=1)
    try:
        header, *lines = rest.decode().splitlines()
        if len(lines) > _MOST_ARRAYS:  # before any is unpacked
            raise ValueError
        arrays = [_unpacked(base64.b64decode(line, validate=True)) for line in lines]
        if _digest(header, arrays).encode() != parts[2]:
            raise ValueError
        return _parser(load_json(header), arrays)
    except (ValueError, KeyError, TypeError, IndexError, zlib.error, binascii.Error, WordorderError):
        message = "the content of the file does not match its fingerprint; copy the file or train the parser again"
        raise InputError(message, path=name) from None


def _unpacked(packed: bytes) -> bytes:
    """Decompress an array; raise an error if it would be implausibly large for an array of weights."""
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(packed, largest_unpacked(len(packed)))
    if not unpacking.eof:
        raise ValueError
    return found


def _digest(header: str, arrays: list[bytes]) -> str:
    digest = hashlib.blake2b(header.encode(), digest_size=8)
    for array in arrays:
        digest.update(array)
    return digest.hexdigest()


def _header(parser: DependencyParser) -> str:
    known = {"tags": parser.tags, "labels": parser.labels, "root_label": parser.root_label}
    has = {"options": asdict(parser.options), "tagger": parser.tagger is not None}
    return json.dumps(has | known, ensure_ascii=True, sort_keys=True)


def _arrays(parser: DependencyParser) -> list[bytes]:
    arrays = []
    for weights in (parser.weights, *([parser.tagger] if parser.tagger is not None else [])):
        features, sizes, entries = unpack(weights)
        columns = (("<i8", features), ("<i4", sizes), ("<i4", entries >> 16), ("<i4", entries & LOW))
        arrays += [column.astype(kind).tobytes() for kind, column in columns]
    return arrays


def _parser(header: dict[str, Any], arrays: list[bytes]) -> DependencyParser:
    tags = tuple((str(coarse), str(fine)) for coarse, fine in header["tags"])
    labels = tuple(map(str, header["labels"]))
    if len(arrays) != (8 if header["tagger"] else 4):
        raise ValueError
    weights = _weights(arrays[:4], 2 + 2 * len(labels))
    tagger = _weights(arrays[4:], len(tags)) if header["tagger"] else None
    options = ParserOptions(**header["options"])
    return DependencyParser(options, tags, labels, str(header["root_label"]), tagger, weights)


def _weights(arrays: list[bytes], classes: int) -> Weights:
    """Rebuild weights from stored arrays; raise an error if the arrays are inconsistent."""
    kinds = ("<i8", "<i4", "<i4", "<i4")
    columns = (np.frombuffer(array, dtype=kind).astype(np.int64) for kind, array in zip(kinds, arrays, strict=True))
    features, sizes, values, numbers = columns
    fits = len(features) == len(sizes) and sizes.sum() == len(values) == len(numbers)
    if not fits or (sizes < 1).any() or (numbers < 0).any() or (numbers >= classes).any():
        raise ValueError
    return pack(features, sizes, (values << 16) | numbers)
