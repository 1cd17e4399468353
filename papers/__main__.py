"""Write the pages of all papers, or of those that are named: ``make papers``.

python -m papers
python -m papers forests_2014 complexity_2016
TUNING=1 python -m papers thesis_2011          also what needs a decoder: half an hour of CPU time
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from papers.writing import DATA

PAPERS = ("edpm_2009", "framework_2011", "thesis_2011", "forests_2014", "complexity_2016")


def main() -> int:
    """Write pages, and say how long each took."""
    parser = argparse.ArgumentParser(
        prog="python -m papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"some of {', '.join(PAPERS)}")
    chosen = parser.parse_args().papers or PAPERS
    for name in chosen:
        if name not in PAPERS:
            parser.error(f"there is no paper {name!r}; choose from {', '.join(PAPERS)}")
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
