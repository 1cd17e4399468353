"""Short names: the shared part once, the middle of long ones left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from wordorder.report.table import shorten, shorten_all, split_shared

NAMES = st.lists(st.text("ab.-_/ä日\u0301 1", min_size=1, max_size=12), min_size=1, max_size=6, unique=True)


@given(NAMES)
def test_the_shared_part_and_the_rest_give_the_name_again(names: list[str]) -> None:
    pattern, rest = split_shared(names)
    assert [pattern.replace("*", short) if pattern else short for short in rest] == names
    assert all(rest)
    if pattern:
        start, end = pattern.split("*")
        assert all(len(part) >= 4 or not part for part in (start, end))
        assert not (start and start[-1].isalnum())
        assert not (end and end[0].isalnum())


@given(NAMES, st.integers(6, 14))
def test_short_names_fit_and_differ(names: list[str], width: int) -> None:
    found = shorten_all(names, width)
    assert all(cell_len(short) <= width for short in found)
    assert len(set(found)) == len(names)
    assert all(short == name for name, short in zip(names, found, strict=True) if cell_len(name) <= width)


def test_names_are_cut_in_the_middle() -> None:
    assert shorten("LIMSI-Ncode-Constrained-Primary", 18) == "LIMSI-Nco…-Primary"
    assert split_shared(["only.one"]) == ("", ["only.one"])
    assert split_shared(["a.test.en", "a.test."]) == ("", ["a.test.en", "a.test."])
    assert split_shared(["wmt/sys-A.de", "wmt/sys-B.de"]) == ("wmt/sys-*", ["A.de", "B.de"])
