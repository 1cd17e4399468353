"""What does a warm start of ``wordorder.score`` cost beside the libraries under it?

    python benchmarks/startup.py [--package src] [--runs 20]

Compares the CPU time of fresh processes that score two sentences with that of fresh processes that import numba and
pyarrow and call one cached kernel: medians of interleaved runs, and their ratio. Kernels are compiled before.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

REPOSITORY = Path(__file__).resolve().parents[1]

SCORE = """\
import wordorder

wordorder.score(["the cat sat down", "it rained all day"], ["down sat the cat", "all day it rained"])
"""

LIBRARIES = """\
import numba
import numpy as np
import pyarrow

from one_kernel import total

total(np.arange(10.0))
"""

KERNEL = """\
import numba


@numba.njit(nogil=True, cache=True, error_model="numpy")
def total(values):
    found = 0.0
    for value in values:
        found += value
    return found
"""


def cpu_seconds(program: str, environment: dict[str, str]) -> float:
    """Run a program in a fresh process and return the CPU time it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, default=REPOSITORY / "src", help="folder that has the package")
    parser.add_argument("--runs", type=int, default=20, help="runs of each (default 20)")
    options = parser.parse_args()
    programs = {"wordorder.score of two sentences": SCORE, "numba, pyarrow, one cached kernel": LIBRARIES}
    times: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "one_kernel.py").write_text(KERNEL)
        environment = os.environ | {"PYTHONPATH": f"{options.package.resolve()}{os.pathsep}{folder}"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have their bytecode
        for program in programs.values():  # compile
            cpu_seconds(program, environment)
        for _ in range(options.runs):
            for name, program in programs.items():
                times[name].append(cpu_seconds(program, environment))
    for name, seconds in times.items():
        print(f"{name:36} {median(seconds):.3f} s of CPU")
    ours, theirs = (median(seconds) for seconds in times.values())
    print(f"{'ratio':36} {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
