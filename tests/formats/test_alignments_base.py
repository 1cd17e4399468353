"""A file that counts from 1, read as if it counted from 0: a warning, or an error that says so."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from format_files import saved
from wordorder.core.runtime.errors import InputWarning, LengthError
from wordorder.formats import read_alignments

Rows = list[list[tuple[int, int]]]


def warned(content: str, **how: object) -> list[str]:
    with saved(content) as path, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(read_alignments(f"{how.pop('form')}:{path}" if "form" in how else path, **how))  # type: ignore[arg-type]
    assert all(issubclass(one.category, InputWarning) for one in caught)
    return [str(one.message) for one in caught]


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=3), min_size=1, max_size=4),
    st.integers(1, 3),
)
@example([[(1, 2)], [(1, 1)]], 1)
@example([[(1, 2)], [(1, 0)]], 1)
def test_a_warning_where_no_link_has_index_0(rows: Rows, lines: int) -> None:
    content = "".join(" ".join(f"{one}-{two}" for one, two in row) + "\n" for row in rows)
    indices = {index for row in rows for link in row for index in link}
    assert len(warned(content, lines=lines)) == (bool(indices) and 0 not in indices)


def test_the_warning_names_the_file_and_both_ways_out() -> None:
    (found,) = warned("1-1 2-3\n1-1\n")
    assert found.endswith(
        ": index 0 never occurs, but the file is read as counting from 0; use base=1 if it counts from 1 "
        "(base=0 if it does not)"
    )


@pytest.mark.parametrize(
    ("content", "how"),
    [
        ("1-1 2-2\n", {"base": 0}),
        ("1-1 2-2\n", {"base": 1}),
        ("1-1 2-2\n", {"source_lengths": [3]}),
        ("1-1 2-2\n", {"target_lengths": [3]}),
        ("1-1 2-2\n", {"form": "talp"}),
        ("3-3 ||| 1-1 2-2\n", {"form": "lader"}),
        ("a |1-1| b |2-2|\n", {"form": "moses"}),
        ("1,0_2\n", {"form": "target-list"}),
    ],
)
def test_no_warning_where_something_says_how_to_count(content: str, how: dict[str, object]) -> None:
    assert warned(content, **how) == []


def test_a_target_list_has_indices_of_the_source_only() -> None:
    assert len(warned("1,2_3\n1\n", form="target-list")) == 1


@pytest.mark.parametrize(("content", "hint"), [("1-1\n2-2\n", True), ("0-0\n2-2\n", False)])
def test_an_overrun_is_an_error_that_doubts_the_base_if_no_index_is_0(content: str, *, hint: bool) -> None:
    with saved(content) as path, pytest.raises(LengthError, match="link 2-2 is out of range") as caught:
        list(read_alignments(path, source_lengths=[2, 2]))
    assert ("use base=1 if the file counts from 1" in str(caught.value)) == hint


def test_the_command_line_warns_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wordorder.cli.main import main

    file = tmp_path / "one.align"
    file.write_text("1-2 2-1\n", encoding="utf-8")
    command = ["score", "--hyp-align", str(file), "--ref-align", f"talp:{file}", "--policy", "drop"]
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main(command) == 0
        shown = capsys.readouterr().err
        assert main([*command, "--base", "1"]) == 0
    assert shown.startswith(f"wordorder: warning: {file}: index 0 never occurs")
    assert shown.count("\n") == 1
    assert capsys.readouterr().err == ""
