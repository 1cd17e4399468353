from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from format_files import everything, links, saved
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats import ALIGNMENT_FORMATS, AlignmentFile, pharaoh, read_alignments, write_alignments

GIZA = "# Sentence pair (1) source length 2 target length 2 alignment score : 1\nx y\nNULL ({ }) a ({ 2 }) b ({ 1 })\n"
SAME = {
    "pharaoh": "0-1 1-0\n",
    "talp": "1-2 2-1\n",
    "naacl": "1 1 2\n1 2 1\n",
    "giza": GIZA,
    "lader": "2-2 ||| 0-1 1-0\n",
    "target-list": "1,0\n",
    "moses": "x |1-1| y |0-0|\n",
    "nbest": "0 ||| x y ||| ||| 0 ||| 0-1 1-0\n",
    "xl-wa": "a b\tx y\t0-1 1-0\n",
    "jsonl": '{"source": "a b", "target": "x y", "links": [[0, 1], [1, 0]]}\n',
}
FOLDERS = ("pud",)  # test_gold_alignments


def read(path: str | Path | AlignmentFile, **options: object) -> Alignments:
    return Alignments.concatenate(list(read_alignments(path, **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize("format", SAME)
def test_every_format_says_the_same_with_its_own_base(format: str) -> None:
    with saved(SAME[format]) as path:
        column = read(path, format=format, source_lengths=[2], target_lengths=[2])
    assert [set(row) for row in links(column)] == [{(0, 1), (1, 0)}]
    assert column.source_lengths.tolist() == [2]
    assert column.target_lengths.tolist() == [2]


def test_no_format_is_forgotten() -> None:
    assert {*SAME, *FOLDERS} == set(ALIGNMENT_FORMATS)


def test_pharaoh_is_the_default() -> None:
    with saved("0-1 1-1\n") as path:
        assert everything(read(path)) == everything(pharaoh.read(path))


def test_a_base_may_be_chosen() -> None:
    with saved("1-2\n") as path:
        assert links(read(path, base=1)) == [[(0, 1)]]
        assert links(read(path, format="talp", base=0)) == [[(1, 2)]]


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="unknown alignment format 'pharao'; did you mean 'pharaoh'"):
        read_alignments("x", format="pharao")


@pytest.mark.parametrize("format", [name for name in SAME if not ALIGNMENT_FORMATS[name].any_base])
def test_some_formats_have_one_base_only(format: str) -> None:
    base = ALIGNMENT_FORMATS[format].base
    with saved(SAME[format]) as path:
        assert len(read(path, format=format, base=base)) == 1
        with pytest.raises(UsageError, match=f"{format} files count from {base}, so base {1 - base}"):
            read(path, format=format, base=1 - base)


@pytest.mark.parametrize("format", SAME)
def test_the_format_belongs_to_the_file(format: str) -> None:
    with saved(SAME[format]) as path:
        expected = everything(read(path, format=format))
        assert everything(read(f"{format}:{path}")) == expected
        assert everything(read(f"{format}:{path}", format="moses" if format == "talp" else "talp")) == expected
        assert everything(read(AlignmentFile(path, format))) == expected


def test_gold_talp_beside_moses_output() -> None:
    with saved("1-2 2p1\n") as gold, saved("x |1-1| y |0-0|\n") as output:
        assert links(read(f"talp:{gold}", format="moses")) == [[(0, 1), (1, 0)]]
        assert sorted(links(read(output, format="moses"))[0]) == [(0, 1), (1, 0)]


def test_the_prefix_has_its_usual_base_unless_one_is_given() -> None:
    assert AlignmentFile.parse("talp:x", format="pharaoh").signature == {"align_format": "talp", "base": 1}
    assert AlignmentFile.parse("talp:x", base=0).signature == {"align_format": "talp", "base": 0}
    assert AlignmentFile.parse("x", format="naacl").signature == {"align_format": "naacl", "base": 1}
    with pytest.raises(UsageError, match="giza files count from 1, so base 0 is not allowed"):
        AlignmentFile.parse("giza:x", base=0)
    with pytest.raises(UsageError, match="the index base must be 0 or 1, not 2"):
        AlignmentFile.parse("x", base=2)


def test_a_file_of_that_very_name_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("talp:links").write_text("0-1\n")
    assert links(read("talp:links")) == [[(0, 1)]]
    Path("links").write_text("1-2\n")
    Path("talp:links").unlink()
    assert links(read("talp:links")) == links(read(Path("talp:links"))) == [[(0, 1)]]


@pytest.mark.parametrize("name", ["other:links", "talp:", "Talp:links", "C:talp:links"])
def test_what_is_not_a_format_is_part_of_the_name(name: str) -> None:
    assert AlignmentFile.parse(name) == AlignmentFile(name, "pharaoh")


def test_errors_name_the_plain_file_and_the_line() -> None:
    with saved("1-1\n0-1\n") as path, pytest.raises(InputError) as caught:
        read(f"talp:{path}")
    assert str(caught.value).startswith(f"{path}:2: index 0 in a 1-based file; use base=0 if it counts from 0")
    with saved("1-1\n") as path, pytest.raises(InputError) as caught:
        read(f"talp:{path}", source_lengths=[1, 1])
    assert str(caught.value).startswith(f"{path}: the file ends after 1 sentence")


@pytest.mark.parametrize("format", ["pharaoh", "talp", "naacl", "lader", "target-list"])
def test_a_file_is_written_in_its_format(format: str, tmp_path: Path) -> None:
    column = Alignments.of([Alignment(((0, 1), (1, 0)), 2, 2)])
    write_alignments(f"{format}:{tmp_path}/links", column)
    assert links(read(f"{format}:{tmp_path}/links"))[0] in ([(0, 1), (1, 0)], [(1, 0), (0, 1)])
    with pytest.raises(UsageError, match="giza files can be read but not written"):
        write_alignments(f"giza:{tmp_path}/links", column)


@pytest.mark.parametrize("format", SAME)
def test_a_missing_file_is_a_usage_error(format: str) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read("nowhere/at/all", format=format)


def test_importing_the_room_is_cheap() -> None:
    code = "import sys, wordorder.formats; print(sorted({'numba', 'pyarrow'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
