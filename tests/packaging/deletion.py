"""Delete every application in turn, with those that stand on it, and see that all that remains works.

    python tests/packaging/deletion.py [application ...]

Source and tests are copied to a temporary folder, once: folders of applications are taken out of the copy and put
back, so that kernels are compiled for the first application alone. Nothing but folders is deleted. What remains must
import, offer its commands, score the demo data, and pass the quick tests of everything that is no application.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))

from test_structure import APPS, LAYERS  # noqa: E402

COPIED = ("src", "tests", "conformance", "papers")  # the last two have numbers from print that tests use
QUICK = "not slow and not realdata and not hypothesis"

REMAINS = """
import sys
from importlib import import_module
from pathlib import Path

import wordorder
from wordorder.cli.main import COMMANDS, build_parser

package, deleted = Path(wordorder.__file__).parent, {f"wordorder.apps.{name}" for name in sys.argv[1:]}
for path in sorted(package.rglob("*.py")):
    name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
    if not name.endswith("__main__"):
        import_module(name.removesuffix(".__init__"))

for name in wordorder.__all__:
    try:
        getattr(wordorder, name)
    except ModuleNotFoundError as error:
        assert any(str(error.name).startswith(folder) for folder in deleted), (name, error)

def load(parser):
    parser.load()
    below = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
    for choices in below:
        for one in choices.values():
            load(one)
    return [name for choices in below for name in choices]

parser = build_parser()
gone = [name for name, (module, _) in COMMANDS.items() if ".".join(module.split(".")[:3]) in deleted]
assert gone, "no command belongs to these applications"
assert load(parser) == [name for name in COMMANDS if name not in gone]
assert not any(f"wordorder {name} " in parser.format_help() for name in gone)
"""


def closure(app: str) -> set[str]:
    """Return an application and those that stand on it, directly or not."""
    found = {app}
    while more := {other for other, below in APPS.items() if found.intersection(below.split())} - found:
        found |= more
    return found


@contextlib.contextmanager
def without(apps: set[str], place: Path) -> Iterator[None]:
    """Take the folders of applications out of the copy for a while."""
    folders = [place / folder / app for folder in ("src/wordorder/apps", "tests/apps") for app in sorted(apps)]
    aside = place / "aside"
    for number, folder in enumerate(folders):
        folder.rename(aside / str(number))
    try:
        yield
    finally:
        for number, folder in enumerate(folders):
            (aside / str(number)).rename(folder)


def run(place: Path, *arguments: str) -> None:
    """Run Python in the copy; a step that fails ends it with everything that it printed."""
    environment = {**os.environ, "PYTHONPATH": str(place / "src"), "WORDORDER_CACHE": str(place / "cache")}
    command = [sys.executable, *arguments]
    found = subprocess.run(
        command, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if found.returncode != 0:
        raise SystemExit(f"{found.stdout}\nfailed: python {' '.join(arguments)}")


def check(place: Path, deleted: set[str]) -> None:
    """See that what remains works."""
    run(place, "-c", REMAINS, *deleted)
    for command in (
        ("--help",),
        ("demo",),
        ("demo", "--files", "demo"),
        ("score", "--ref", "demo/reference.txt", "--hyp", "demo/good.txt", "demo/scrambled.txt", "--samples", "100"),
        ("inspect", "2 4 5 6 1 3"),
        ("inspect", "the cat sat", "--reference", "sat the cat"),
        ("completion", "bash"),
    ):
        run(place, "-m", "wordorder", *command)
    shutil.rmtree(place / "demo")
    folders = [f"{kind}/{layer}" for kind in ("tests", "src/wordorder") for layer in LAYERS if layer != "apps"]
    quiet = ("-q", "-p", "no:cacheprovider", "-n", os.environ.get("JOBS", "2"), "--dist", "loadfile")
    run(place, "-m", "pytest", *quiet, "-m", QUICK, *folders)


def main(apps: list[str]) -> None:
    """Delete the applications one after another, each from a whole package."""
    with tempfile.TemporaryDirectory(prefix="wordorder-") as name:
        place = Path(name)
        for folder in COPIED:
            shutil.copytree(REPOSITORY / folder, place / folder)
        shutil.copy(REPOSITORY / "pyproject.toml", place)
        (place / "aside").mkdir()
        for app in apps:
            deleted = closure(app)
            started = time.monotonic()
            with without(deleted, place):
                check(place, deleted)
            others = sorted(deleted - {app})
            taken = f"{time.monotonic() - started:.0f} s"
            print(f"without {' and '.join((app, *others))}: all that remains works ({taken})", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(APPS))
