from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, WordorderError
from wordorder.formats import wmt_rankings
from wordorder.formats.judgements import Comparisons, match_systems, system_key

FIVE = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    + ",".join(f"system{n}Number,system{n}Id" for n in range(1, 6))
    + ","
    + ",".join(f"system{n}rank" for n in range(1, 6))
)
PAIR = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"


def read(tmp_path: Path, *lines: str, pair: str | None = None) -> Comparisons:
    path = tmp_path / "rankings.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return wmt_rankings.read(path, pair=pair)


def said(found: Comparisons) -> list[tuple[int, str, str, int]]:
    return [
        (int(segment), found.systems[a], found.systems[b], int(preference))
        for segment, a, b, preference in zip(found.segment, found.first, found.second, found.preference, strict=True)
    ]


def test_five_systems_a_line(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        FIVE,
        "German,English,7,x,7,ann,1,A,2,B,3,C,4,D,-1,-1,1,2,2,-1,-1",
        "Czech,English,7,x,7,ann,1,A,2,B,3,C,4,D,-1,-1,1,2,2,-1,-1",
        pair="de-en",
    )
    assert said(found) == [(6, "A", "B", 1), (6, "A", "C", 1), (6, "B", "C", 0)]
    assert found.ties == 1
    assert found.left_out == {"blank ranks": 1}
    assert len(set(found.screen)) == 1


def test_duplicates_are_kept_and_counted(tmp_path: Path) -> None:
    line = "German,English,1,x,1,ann,1,A,2,B,3,C,4,D,5,E,1,2,3,4,5"
    found = read(tmp_path, FIVE, line, line)
    assert len(found) == 20
    assert found.left_out == {"duplicate rows (kept)": 1}
    assert len(set(found.screen)) == 2


def test_two_systems_a_line_group_into_screens(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        PAIR,
        "deu,eng,3,3,j1,newstest2015.A.1.de-en.txt,2,newstest2015.B.2.de-en.txt,1,9",
        "deu,eng,3,3,j1,newstest2015.A.1.de-en.txt,2,newstest2015.C.3.de-en.txt,2,9",
        "deu,eng,3,3,j2,newstest2015.A.1.de-en.txt,2,newstest2015.C.3.de-en.txt,3,10",
    )
    assert found.preference.tolist() == [-1, 0, 1]
    assert found.screen.tolist() == [0, 0, 1]
    known = found.among(["C", "A"], unplaced="drop")
    assert said(known) == [(2, "A", "C", 0), (2, "A", "C", 1)]
    assert known.left_out == {"judgements of 1 system without text (newstest2015.B.2.de-en.txt)": 1}
    with pytest.raises(
        InputError, match=r"no text for 1 system with judgements: 'newstest2015.B.2.de-en.txt' \(1 judgement\)"
    ):
        found.among(["C", "A"])


def test_systems_without_text_are_one_sum(tmp_path: Path) -> None:
    lines = [f"deu,eng,{n},{n},j,A,1,S{n},2,{n}" for n in range(1, 8)]
    known = read(tmp_path, PAIR, *lines, "deu,eng,8,8,j,A,1,B,2,8", "deu,eng,9,9,j,S1,1,S2,2,9").among(
        ["A", "B"], unplaced="drop"
    )
    assert len(known) == 1
    assert known.left_out == {"judgements of 7 systems without text (S1, S2, S3, S4, S5 and 2 more)": 8}


def test_joined_systems_share_a_judgement(tmp_path: Path) -> None:
    found = read(tmp_path, PAIR, "deu,eng,1,1,j,A+B,1,C,2,1")
    assert said(found) == [(0, "A", "C", 1), (0, "B", "C", 1)]
    assert found.weight.tolist() == [0.5, 0.5]


def test_every_name_of_a_language_is_known(tmp_path: Path) -> None:
    for source in ("Czech", "cze", "ces", "cs"):
        assert len(read(tmp_path, PAIR, f"{source},eng,1,1,j,A,1,B,2,1", pair="cs-en")) == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([PAIR, "deu,eng,0,1,j,A,1,B,2,1"], "csv:2: srcIndex 0 is out of range"),
        ([PAIR, "deu,eng,1,1,j,A,best,B,2,1"], "csv:2: rank 'best' is not a whole number"),
        ([PAIR, "deu,eng,1,1"], "csv:2: found 4 fields; expected 10"),
        ([PAIR, "deu,eng,1,1,j,A,1,B,2,1", "fra,eng,1,1,j,A,1,B,2,1"], r"several language pairs: de-en \(1\), fr-en"),
        ([PAIR], "no comparisons"),
        (["a,b"], "no column 'srclang'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, *lines)


def test_a_missing_pair_lists_the_others(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no comparisons for en-de \(found: de-en \(1\)\)"):
        read(tmp_path, PAIR, "deu,eng,1,1,j,A,1,B,2,1", pair="en-de")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("newstest2012.en-de.onlineA", "onlineA"),
        ("newstest2013.fr-en.DCU__primary.2828", "DCU__primary"),
        ("newstest2016.jhu-pbmt.4530.de-en", "jhu-pbmt"),
        ("uedin-wmt12", "uedin-wmt12"),
        ("online-A", "online-A"),
    ],
)
def test_keys_of_systems(name: str, key: str) -> None:
    assert system_key(name) == key


def test_two_systems_with_one_key_need_their_full_names() -> None:
    assert match_systems(["A", "A.1", "A.2"], ["A.1", "A.2"]).tolist() == [-1, 0, 1]
    assert match_systems(["A", "A.txt"], ["A.txt", "A"]).tolist() == [1, 0]
    assert match_systems(["A.1", "A.2"], ["A"]).tolist() == [-1, -1]


def test_names_that_differ_in_their_ending_alone_lose_nothing_in_silence(tmp_path: Path) -> None:
    found = read(tmp_path, PAIR, "deu,eng,1,1,j,x.A.txt,1,x.B,2,1")
    assert said(found.among(["x.A", "x.B.txt"])) == [(0, "x.A", "x.B.txt", 1)]
    found = read(tmp_path, PAIR, "deu,eng,1,1,j,newstest2015.A.txt,1,newstest2015.B,2,1")
    with pytest.raises(InputError, match=r"'newstest2015.A.txt' \(1 judgement, which could be 'A' or 'A.txt'\)"):
        found.among(["A", "A.txt", "B"])


fields = st.one_of(
    st.sampled_from(["deu", "eng", "1", "2", "-1", "A", "B", "A+B", "+", '"', "x,", ""]), st.text(max_size=5)
)


@given(st.lists(st.lists(fields, min_size=8, max_size=11), max_size=4), st.booleans())
def test_any_file_is_read_or_refused(rows: list[list[str]], header: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rankings.csv")
        lines = [",".join(row) for row in rows]
        path.write_bytes("\n".join([PAIR, *lines] if header else lines).encode("utf-8", "surrogatepass"))
        with contextlib.suppress(WordorderError):
            assert len(wmt_rankings.read(path)) > 0


@pytest.mark.realdata
def test_the_rankings_of_2012(shared: Path) -> None:
    found = wmt_rankings.read(shared / "data/wmt12/wmt12.rankings.anon.csv", pair="de-en")
    assert (len(found), found.ties, len(found.systems)) == (14138, 2204, 16)
