"""Write the pages of results, all of them or those that are named: ``make papers``.

python -m papers                               five papers, and what goes beyond them
python -m papers forests_2014 complexity_2016
TUNING=1 python -m papers                      also what tunes a decoder and trains many parsers
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module

from papers.writing import DATA

PAPERS = ("edpm_2009", "framework_2011", "thesis_2011", "forests_2014", "complexity_2016")
BEYOND = ("systems", "errors", "patterns", "sources", "common_words", "literal", "prediction")
LONG = ("tuning", "parsers")
SUMMARY = ("claims",)
"""The page that is made of the others, and is therefore the last."""

PAGES = (*PAPERS, *BEYOND, *LONG, *SUMMARY)


def main() -> int:
    """Write pages, and say how long each took."""
    parser = argparse.ArgumentParser(
        prog="python -m papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"some of {', '.join(PAGES)}")
    chosen = parser.parse_args().pages or (PAGES if os.environ.get("TUNING") else (*PAPERS, *BEYOND, *SUMMARY))
    for name in chosen:
        if name not in PAGES:
            parser.error(f"there is no page {name!r}; choose from {', '.join(PAGES)}")
    if not DATA.is_dir():
        print(
            f"the folder of real data is not here ({DATA}): put it beside the clone, as ../shared/data, or name it"
            " with WORDORDER_DATA; the pages under docs/results/ stay as they are",
            file=sys.stderr,
        )
        return 1
    for name in chosen:
        start = time.perf_counter()
        page = import_module(f"papers.{name}").make()
        path = page.write()
        print(f"{path}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
