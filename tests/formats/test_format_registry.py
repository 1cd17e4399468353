from __future__ import annotations

import subprocess
import sys

import pytest
from format_files import everything, links, saved

from wordorder.formats import ALIGNMENT_FORMATS, pharaoh, read_alignments
from wordorder.orders import Alignments
from wordorder.runtime.errors import InputError, UsageError

GIZA = (
    "# Sentence pair (1) source length 2 target length 2 alignment score : 1\nx y\nNULL ({ }) a ({ 2 }) b ({ 1 })\n"
)
SAME = {
    "pharaoh": "0-1 1-0\n",
    "talp": "1-2 2-1\n",
    "naacl": "1 1 2\n1 2 1\n",
    "giza": GIZA,
    "lader": "2-2 ||| 0-1 1-0\n",
    "target-list": "1,0\n",
    "moses": "x |1-1| y |0-0|\n",
    "nbest": "0 ||| x y ||| ||| 0 ||| 0-1 1-0\n",
}


def read(path: str, **options: object) -> Alignments:
    return Alignments.concatenate(list(read_alignments(path, **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize("format", ALIGNMENT_FORMATS)
def test_every_format_says_the_same_with_its_own_base(format: str) -> None:
    with saved(SAME[format]) as path:
        column = read(path, format=format, source_lengths=[2], target_lengths=[2])
        swapped = read(path, format=format, transpose=True)
    assert [set(row) for row in links(column)] == [{(0, 1), (1, 0)}]
    assert column.source_lengths.tolist() == [2]
    assert column.target_lengths.tolist() == [2]
    assert [set(row) for row in links(swapped)] == [{(1, 0), (0, 1)}]


def test_pharaoh_is_the_default() -> None:
    with saved("0-1 1-1\n") as path:
        assert everything(read(path)) == everything(pharaoh.read(path))


def test_a_base_may_be_chosen() -> None:
    with saved("1-2\n") as path:
        assert links(read(path, base=1)) == [[(0, 1)]]
        assert links(read(path, format="talp", base=0)) == [[(1, 2)]]


def test_lengths_belong_to_the_sides_as_they_are_given_back() -> None:
    with saved("0-4\n") as path:
        column = read(path, source_lengths=[5], transpose=True)
        assert links(column) == [[(4, 0)]]
        assert column.source_lengths.tolist() == [5]
        with pytest.raises(InputError, match="out of range"):
            read(path, target_lengths=[0], transpose=True)


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="unknown alignment format 'pharao'; did you mean 'pharaoh'"):
        read_alignments("x", format="pharao")


@pytest.mark.parametrize("format", [name for name, found in ALIGNMENT_FORMATS.items() if not found.any_base])
def test_some_formats_have_one_base_only(format: str) -> None:
    base = ALIGNMENT_FORMATS[format].base
    with saved(SAME[format]) as path:
        assert len(read(path, format=format, base=base)) == 1
        with pytest.raises(UsageError, match=f"{format} files always count from {base}; --base {1 - base}"):
            read(path, format=format, base=1 - base)


@pytest.mark.parametrize("format", ALIGNMENT_FORMATS)
def test_a_missing_file_is_a_usage_error(format: str) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read("nowhere/at/all", format=format)


def test_importing_the_room_is_cheap() -> None:
    code = "import sys, wordorder.formats; print(sorted({'numba', 'pyarrow'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
