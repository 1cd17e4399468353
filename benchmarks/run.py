"""Every benchmark, one after another: python benchmarks/run.py [name ...]."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = ("orders", "scoring", "ter", "profiles", "preordering", "translation")

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        print(f"\n## {name}\n", flush=True)
        sys.argv = [name]  # a benchmark reads arguments of its own
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
