"""A small study of two versions of four sentences, for tests."""

from __future__ import annotations

import json
from pathlib import Path

TOML = """\
kind = "scramble"
title = "T"
seed = 5
[[questions]]
name = "fluency"
text = "How fluent?"
scale = [1, 7]
ends = ["bad", "good"]
[people]
share = 1.0
[checks]
practice = 1
"""


def make_study(folder: Path, toml: str = TOML, groups: int = 4, versions: int = 2) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(toml, encoding="utf-8")
    with open(folder / "items.jsonl", "w", encoding="utf-8") as stream:
        rows: list[dict[str, object]] = [{"id": "p", "group": "p", "role": "practice", "text": "practise"}]
        for group in range(groups):
            for version in range(versions):
                key = {"id": f"{group}x{version}", "group": f"g{group}", "condition": f"bin{version}"}
                rows.append(key | {"text": "a b", "order": [1, 2]})
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    return folder
