"""WMT test sets in XML (2021 on): one file with the source, references and the output of every system."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from xml.etree import ElementTree

from wordorder.runtime.errors import InputError
from wordorder.runtime.files import display_name, open_binary
from wordorder.runtime.plain import count_of


@dataclass(frozen=True)
class TestSet:
    """The texts of one file, all with the same segments: by language, translator and system; document ids."""

    __test__ = False  # not a test for pytest to collect

    sources: dict[str, list[str]]
    references: dict[str, list[str]]
    systems: dict[str, list[str]]
    documents: list[str]


def read(path: str | os.PathLike[str]) -> TestSet:
    """Read everything. A text that lacks some segments is an error: scores need them all."""
    name = display_name(path)
    try:
        with open_binary(path) as source:
            root = ElementTree.parse(source).getroot()
    except ElementTree.ParseError as error:
        raise InputError(f"is not well-formed XML: {error.msg}", path=name, line=error.position[0]) from None
    except (EOFError, OSError, LookupError, ValueError, zlib.error) as error:
        raise InputError(f"cannot be read as XML ({error})", path=name) from None
    found: dict[str, dict[str, list[str]]] = {"src": {}, "ref": {}, "hyp": {}}
    key = {"src": "lang", "ref": "translator", "hyp": "system"}
    documents: list[str] = []
    for doc in root.iter("doc"):
        counts = set()
        ids = []
        for text in doc.iter():
            if text.tag not in found:
                continue
            segments = list(text.iter("seg"))
            ids = [segment.get("id", "") for segment in segments]
            label = text.get(key[text.tag]) or text.get("lang") or text.tag
            lines = found[text.tag].setdefault(label, [])
            if len(lines) > len(documents):
                raise InputError(f"{text.tag} {label!r} occurs twice in document {doc.get('id')!r}", path=name)
            if len(lines) < len(documents):
                raise InputError(f"{text.tag} {label!r} is missing in a document before {doc.get('id')!r}", path=name)
            lines.extend(" ".join("".join(segment.itertext()).split()) for segment in segments)
            counts.add(len(segments))
        if len(counts) > 1:
            raise InputError(f"the texts of document {doc.get('id')!r} differ in their number of segments", path=name)
        documents.extend([doc.get("id", "")] * len(ids))
    for kind, texts in found.items():
        for label, lines in texts.items():
            if len(lines) != len(documents):
                raise InputError(
                    f"{kind} {label!r} has {count_of(len(lines), 'segment')}, expected {len(documents)}", path=name
                )
    if not documents:
        raise InputError("has no <doc> with <seg>; expected a WMT test set in XML", path=name, line=1)
    return TestSet(found["src"], found["ref"], found["hyp"], documents)


def read_single(path: str | os.PathLike[str]) -> list[str]:
    """Read a file that holds one text only (the source, one reference or one system)."""
    content = read(path)
    texts = content.systems or content.references or content.sources
    if len(texts) != 1:
        raise InputError(f"holds {len(texts)} texts ({', '.join(texts)}); one was expected", path=display_name(path))
    return next(iter(texts.values()))
