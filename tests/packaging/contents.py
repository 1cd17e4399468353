"""Look into the wheel and the source archive: what users need is there, and nothing else.

python tests/packaging/contents.py dist
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

IN_WHEEL = (
    "wordorder/py.typed",
    "wordorder/data/demo/good.txt",
    "wordorder/show/explorer/browser/main.js",
    "wordorder/apps/preorder/builtin/r5.rules",
    "wordorder/apps/profile/data/europarl-2011.tsv",
    "wordorder/report/browser/elements.js",
    "wordorder/apps/study/browser/page.html",
)
IN_ARCHIVE = ("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "docs/index.md", "tests/conftest.py")
STRAY = ("__pycache__", ".nbc", ".nbi", ".pyc", ".hypothesis", ".venv", ".DS_Store")


def check(folder: Path) -> list[str]:
    """Return what is wrong with the files in a folder."""
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    packed = zipfile.ZipFile(wheel).namelist()
    with tarfile.open(archive) as opened:
        whole = [name.partition("/")[2] for name in opened.getnames()]
    wrong = [f"{wheel.name}: {name} is missing" for name in IN_WHEEL if name not in packed]
    wrong += [f"{archive.name}: {name} is missing" for name in IN_ARCHIVE if name not in whole]
    wrong += [f"{wheel.name}: {name} is not ours" for name in packed if not name.startswith("wordorder")]
    return wrong + [f"{name} should not be packed" for name in (*packed, *whole) if any(s in name for s in STRAY)]


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    print("\n".join(found) or "the wheel and the source archive have what they need")
    sys.exit(bool(found))
