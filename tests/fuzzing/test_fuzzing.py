"""Every reader gives data or a ``WordorderError``: for inputs that once broke one, and for some new ones."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import fuzz
import pytest
from fuzzed_readers import Reader, all_readers, folder_of
from mutations import Files

from wordorder.core.runtime.errors import WordorderError

FOUND = Path(__file__).parent / "found"
"""Inputs that broke a reader, small: ``found/READER/WHAT/``, a space in the name of a reader is ``_`` here."""

_INPUTS = 5


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> fuzz.Workshop:
    return fuzz.Workshop(tmp_path_factory.mktemp("workshop"), all_readers())


@pytest.mark.slow
def test_right_files_are_read(workshop: fuzz.Workshop) -> None:
    workshop.check_seeds()


def found_inputs() -> list[Path]:
    return sorted(path for path in FOUND.glob("*/*") if path.is_dir())


@pytest.mark.slow
@pytest.mark.parametrize("case", found_inputs(), ids=lambda case: f"{case.parent.name}-{case.name}")
def test_what_was_found_stays_mended(case: Path, workshop: fuzz.Workshop) -> None:
    name = case.parent.name.replace("_", " ")
    place = [reader.name for reader in workshop.readers].index(name)
    assert workshop.try_out(place, folder_of(case)) is None


@pytest.mark.slow
def test_new_inputs(workshop: fuzz.Workshop) -> None:
    """Seed 0 is kept for this test: what it draws is the same everywhere but for real files."""
    for place, reader in enumerate(workshop.readers):
        for number in range(_INPUTS):
            found = workshop.try_out(place, workshop.make(place, number, 0))
            assert found is None, f"{reader.name} {number}: {found.what}\n{found.trace}"


def test_what_is_noticed() -> None:
    def crash(path: str) -> object:
        known: dict[str, object] = {}
        return known[path]

    def refuse(path: str) -> object:
        raise WordorderError("line\none")

    def warn(path: str) -> object:
        import warnings

        warnings.warn("odd", RuntimeWarning, stacklevel=1)
        return None

    assert fuzz.attempt(len, "path") is None
    assert fuzz.attempt(refuse, "path") is None  # the line end is an escape
    for read, expected in ((crash, "KeyError: 'path'"), (warn, "RuntimeWarning: odd")):
        found = fuzz.attempt(read, "path")
        assert found is not None
        assert found.what == expected


def test_inputs_follow_from_seed_reader_and_number(workshop: fuzz.Workshop) -> None:
    one, two = (workshop.make(3, 5, 1) for _ in range(2))
    assert one == two
    others: list[Files] = [workshop.make(3, number, 1) for number in range(6, 12)]
    assert any(other != one for other in others)


def test_inputs_are_made_smaller(workshop: fuzz.Workshop) -> None:
    def read(path: str) -> object:
        assert b"!" not in Path(path).read_bytes()
        return None

    other = fuzz.Workshop(workshop.folder, [Reader("x", read, ({"a": b"fine\n"},))])
    found = other.try_out(0, {"a": b"some lines\nwith one ! somewhere\nin them\n"})
    assert found is not None
    assert other.make_smaller(0, {"a": b"some lines\nwith one ! somewhere\nin them\n"}, found) == {"a": b"!"}


@pytest.mark.slow
def test_the_program() -> None:
    """A run of some inputs says how many there were, of which reader, and that nothing was found."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, fuzz.__file__, "--inputs", "30", "--seed", "0", "--only", "weights", "bitext"]
        done = subprocess.run([*command, "--out", out], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "30 inputs of 2 readers" in done.stdout
        assert (Path(out) / "report.json").exists()
