"""Install the wheel into an empty environment of the Python that runs this, and use it as a newcomer would.

python3.12 tests/packaging/trial.py dist
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

EXAMPLE = """
import wordorder
systems = {"A": ["the cat sat"], "B": ["sat the cat"]}
scores = wordorder.score(systems, ["the cat sat"], metrics="kendall-sqrt,pef,bleu1")
print(scores)
assert scores["A", "pef"] == 1.0 and scores["B", "kendall-sqrt"] < 0.5
assert round(float(wordorder.metric("kendall")("2 4 5 6 1 3")), 6) == 0.533333
"""


def main(folder: Path) -> None:
    """Try the wheel; a step that fails ends it."""
    (wheel,) = folder.resolve().glob("*.whl")
    with tempfile.TemporaryDirectory() as place:
        venv.create(place, with_pip=True)
        python = Path(place) / "bin" / "python"

        def run(*arguments: str) -> None:
            subprocess.run([python, *arguments], check=True, cwd=place)

        run("-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel))
        run("-m", "wordorder", "--version", "--verbose")
        run("-m", "wordorder", "demo")
        run("-c", EXAMPLE)
        run("-c", "import wordorder, pathlib; assert (pathlib.Path(wordorder.__file__).parent / 'py.typed').exists()")
    print(f"the wheel works with Python {platform.python_version()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
