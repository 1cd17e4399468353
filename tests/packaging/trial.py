"""Install the package by its name into empty environments of the Python that runs this, and use it as a newcomer would.

    python3.12 tests/packaging/trial.py dist

The folder stands for the index that the package is published on. pip is always tried, uvx and pipx where they are on
the path. Printed are the time that each step takes, and the size and the number of the files that pip installs.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from importlib.metadata import distributions
from pathlib import Path

EXAMPLE = """
import wordorder
systems = {"A": ["the cat sat"], "B": ["sat the cat"]}
scores = wordorder.score(systems, ["the cat sat"], metrics="kendall-sqrt,pef,bleu1")
print(scores)
assert scores["A", "pef"] == 1.0 and scores["B", "kendall-sqrt"] < 0.5
assert round(float(wordorder.metric("kendall")("2 4 5 6 1 3")), 6) == 0.533333
"""


def run(place: str, *command: str | Path) -> str:
    """Run a command in a folder, with caches of its own; return the seconds it took. One that fails ends the trial."""
    names = ("HOME", "XDG_CACHE_HOME", "WORDORDER_CACHE", "UV_CACHE_DIR", "PIPX_HOME")
    started = time.monotonic()
    subprocess.run(command, check=True, cwd=place, env={**os.environ, **dict.fromkeys(names, f"{place}/home")})
    return f"{time.monotonic() - started:.0f} s"


def weigh(packages: Path) -> list[tuple[float, int, str]]:
    """Return the megabytes and the number of files of every installed package, the heaviest first."""
    found = []
    for package in distributions(path=[str(packages)]):
        sizes = [path.stat().st_size for file in package.files or () if (path := packages / file).is_file()]
        found.append((sum(sizes) / 1e6, len(sizes), f"{package.name} {package.version}"))
    return sorted(found, reverse=True)


def main(folder: Path) -> None:
    """Try the package with every installer."""
    (wheel,) = folder.resolve().glob("*.whl")
    version = wheel.name.split("-")[1]
    took = {}
    with tempfile.TemporaryDirectory() as place:
        venv.create(f"{place}/empty", with_pip=True)
        python = Path(place) / "empty" / "bin" / "python"
        install = ("install", "--quiet", "--only-binary", ":all:", "--find-links", folder.resolve())
        took["pip install"] = run(place, python, "-m", "pip", *install, f"wordorder=={version}")
        weights = weigh(next((Path(place) / "empty" / "lib").glob("python*/site-packages")))
        run(place, python, "-m", "wordorder", "--version", "--verbose")
        took["wordorder demo"] = run(place, python, "-m", "wordorder", "demo")
        took["a call in Python"] = run(place, python, "-c", EXAMPLE)
        typed = "import wordorder, pathlib; assert (pathlib.Path(wordorder.__file__).parent / 'py.typed').exists()"
        run(place, python, "-c", typed)
        spec, of_this_python = f"wordorder=={version}", ("--python", sys.executable)
        if uvx := shutil.which("uvx"):
            start = (uvx, *of_this_python, "--find-links", folder.resolve(), "--from", spec)
            took["uvx wordorder demo"] = run(place, *start, "wordorder", "demo")
        if pipx := shutil.which("pipx"):
            begin = (pipx, "run", *of_this_python, f"--pip-args=--find-links={folder.resolve()}", "--spec", spec)
            took["pipx run wordorder demo"] = run(place, *begin, "wordorder", "demo")
    for megabytes, files, package in weights:
        print(f"{megabytes:7.1f} MB {files:6,} files  {package}")
    print(f"{sum(size for size, _, _ in weights):7.1f} MB {sum(files for _, files, _ in weights):6,} files  in all")
    print(f"wordorder {version} works with Python {platform.python_version()}:")
    print("; ".join(f"{step} {seconds}" for step, seconds in took.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
