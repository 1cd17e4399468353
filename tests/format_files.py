"""Helpers of the format tests: bytes as a file, columns as plain lists, and columns made up by hypothesis."""

from __future__ import annotations

import codecs
import contextlib
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sized

import numpy as np
from hypothesis import strategies as st

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import WordorderError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
Links = list[tuple[int, int]]


@contextlib.contextmanager
def saved(content: bytes | str, name: str = "input.txt") -> Iterator[str]:
    """Give the path of a file with this content."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        yield path


def check_survival(read: Callable[[str], Sized], content: bytes) -> None:
    """Read a file of any content: it must give some rows or an error of one line."""
    message, rows = "", 0
    with saved(content) as path:
        try:
            rows = len(read(path))
        except WordorderError as error:
            message = str(error)
    assert rows or message
    assert "\n" not in message


def lines_of(content: bytes) -> list[bytes]:
    """Cut a file into lines the way wordorder does: at newlines only, without a byte-order mark."""
    content = content.removeprefix(BYTE_ORDER_MARK)
    return content.removesuffix(b"\n").split(b"\n") if content else []


def links(column: Alignments) -> list[Links]:
    """Give the links of each row, in their order."""
    return [list(row.links) for row in column]


def everything(column: Alignments) -> tuple[object, ...]:
    """Give all that a column holds, for comparing two of them."""
    return (
        column.source.tolist(),
        column.target.tolist(),
        column.offsets.tolist(),
        column.source_lengths.tolist(),
        column.target_lengths.tolist(),
        None if column.possible is None else column.possible.tolist(),
        None if column.probability is None else column.probability.tolist(),
    )


@st.composite
def alignments(
    draw: st.DrawFn, *, lengths: bool = False, possible: bool = False, probability: bool = False
) -> Alignments:
    """Make up a column; each row has each link once, at most one link per pair of words."""
    word = st.integers(0, 40)
    rows = draw(st.lists(st.lists(st.tuples(word, word), unique=True, max_size=12), min_size=1, max_size=8))
    flat = list(itertools.chain.from_iterable(rows))
    size = st.integers(0, 3)
    marks = draw(st.lists(st.booleans(), min_size=len(flat), max_size=len(flat))) if possible else []
    share = st.floats(0, 1)
    shares = draw(st.lists(share, min_size=len(flat), max_size=len(flat))) if probability and flat else None
    return Alignments(
        np.array([one for one, _ in flat], dtype=np.int32),
        np.array([two for _, two in flat], dtype=np.int32),
        offsets_from_lengths([len(row) for row in rows]),
        np.array(
            [draw(size) + max((one + 1 for one, _ in row), default=0) for row in rows] if lengths else [], np.int32
        ),
        np.array(
            [draw(size) + max((two + 1 for _, two in row), default=0) for row in rows] if lengths else [], np.int32
        ),
        np.array(marks, dtype=np.bool_) if any(marks) else None,
        None if shares is None else np.array(shares),
    )


def soup(alphabet: str) -> st.SearchStrategy[bytes]:
    """Make up files: nearly right ones from the letters of a format, and any bytes at all but those of UTF-16."""
    return st.one_of(
        st.text(alphabet + "\n", max_size=60).map(str.encode),
        st.binary(max_size=40),
        st.tuples(st.text(alphabet + "\n", max_size=30).map(str.encode), st.binary(max_size=4)).map(b"".join),
    ).filter(lambda content: not content.startswith(UTF_16))
