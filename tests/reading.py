"""Reading a page back: what its bytes say, read as literally as can be."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}


class Written:
    """A page as it was written: its description, and its columns."""

    def __init__(self, path: Path) -> None:
        self.html = path.read_text(encoding="utf-8")
        found = re.search(r'<script type="application/json" id="page">(.*?)</script>', self.html, re.DOTALL)
        packed = re.search(r'<script type="text/plain" id="data">(.*?)</script>', self.html, re.DOTALL)
        assert found is not None
        assert packed is not None
        self.page: dict[str, Any] = json.loads(found[1])
        self.data = zlib.decompress(base64.b64decode(packed[1]))

    def column(self, described: list[Any]) -> Any:
        """One column."""
        kind, start, count = described
        return np.frombuffer(self.data, TYPES[kind], count, start)

    def lines(self, described: list[Any]) -> list[str]:
        """A text, line by line."""
        text: str = self.column(described).tobytes().decode()
        assert not text or text.endswith("\n")
        return text.split("\n")[:-1]

    def chunks(self, described: dict[str, Any]) -> list[list[tuple[int, int, int, int]]]:
        """The chunks of every segment: first word and size in the hypothesis, then in the reference."""
        size = self.column(described["size"])
        others = self.column(described["secondSize"]) if "secondSize" in described else size
        columns = (self.column(described["first"]), size, self.column(described["second"]), others)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        found, start = [], 0
        for count in self.column(described["counts"]).tolist():
            found.append(rows[start : start + count])
            start += count
        assert start == len(rows)
        return found
