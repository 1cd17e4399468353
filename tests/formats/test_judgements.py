from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError, spell_option
from wordorder.formats import mqm, mtme, qrev, ratings
from wordorder.formats.judgements import Ratings, check_segments


def written(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def listed(found: Ratings) -> list[tuple[str, int, float]]:
    return [
        (found.systems[system], int(segment), float(value))
        for system, segment, value in zip(found.system, found.segment, found.value, strict=True)
    ]


def test_direct_assessment_separated_by_blanks(tmp_path: Path) -> None:
    path = written(
        tmp_path, "da.csv", "SYS SID RAW.SCR Z.SCR N ", "A.4 483 86 0.11 2 ", "A.4 1 98 1.5 1 ", "B.1 1 3 None 1"
    )
    found = ratings.read(path)
    assert listed(found) == [("A.4", 482, 0.11), ("A.4", 0, 1.5)]
    assert found.left_out == {"missing ratings": 1}
    assert found.among(["A"], unplaced="drop").systems == ("A",)
    raw = ratings.read(path, columns={"score": "RAW.SCR"})
    assert listed(raw)[0] == ("A.4", 482, 86.0)


def test_means_of_mqm_have_tabs_and_blanks(tmp_path: Path) -> None:
    path = written(tmp_path, "avg.tsv", "system mqm_avg_score seg_id", "A\t-5.0 1", "A None 2", "B -1.5 2")
    assert listed(ratings.read(path)) == [("A", 0, -5.0), ("B", 1, -1.5)]


def test_a_table_about_one_system(tmp_path: Path) -> None:
    path = written(tmp_path, "da.tsv", "index\tz_mean\trater", "0\t0.5\tx", "1\t-1\ty")
    found = ratings.read(path, base=0, system="A", lower_is_better=True)
    assert listed(found) == [("A", 0, -0.5), ("A", 1, 1.0)]
    assert found.judges == ("x", "y")
    with pytest.raises(InputError, match="no column 'system'"):
        ratings.read(path, base=0)


def test_quotation_marks_in_a_tab_separated_table(tmp_path: Path) -> None:
    head = "index\toriginal\ttranslation\tz_mean"
    plain = ['1\t"open\t"also open\t0.5', '2\t"part" of a cell\tb\t1', '3\ta\tends"\t-1', '4\t"a"\tb\t2']
    found = ratings.read(written(tmp_path, "plain.tsv", head, *plain), system="A")
    assert listed(found) == [("A", 0, 0.5), ("A", 1, 1.0), ("A", 2, -1.0), ("A", 3, 2.0)]
    over = ['1\t"a\tb\t1', '2\ta"\tb\t2']  # with quoting, these would be one record
    assert listed(ratings.read(written(tmp_path, "over.tsv", head, *over), system="A"))[1] == ("A", 1, 2.0)
    quoted = ['"1"\t"a\tand b"\t"say ""b"""\t1', '2\t"two', 'lines"\tb\t2', '"3"\ta\tb\t"3"']
    found = ratings.read(written(tmp_path, "quoted.tsv", head, *quoted), system="A")
    assert listed(found) == [("A", 0, 1.0), ("A", 1, 2.0), ("A", 2, 3.0)]


def test_tables_that_count_from_0_say_so(tmp_path: Path) -> None:
    rated = written(tmp_path, "rated.tsv", "system\tsegment\tscore", "A\t0\t1")
    chosen = written(tmp_path, "chosen.tsv", "segment\tsystem1\tsystem2\tchoice", "0\tA\tB\tA")
    marked = written(tmp_path, "mqm.tsv", "system\tdoc_id\tseg_id\trater\tcategory\tseverity", "A\t1\t0\tr\tx\tMajor")
    readers: dict[Path, Any] = {rated: ratings.read, chosen: ratings.read_preferences, marked: mqm.read}
    for path, read in readers.items():
        with pytest.raises(InputError) as caught:
            read(path)
        wanted = "expected 1 or more; use --segment-base 0 if the first segment is 0"
        assert caught.value.spelled(spell_option).endswith(f"0 is out of range; {wanted}"), path
        assert len(read(path, base=0)) == 1
    below = written(tmp_path, "below.tsv", "system\tsegment\tscore", "A\t-3\t1")
    with pytest.raises(InputError, match=r"segment -3 is out of range; expected 1 or more$"):
        ratings.read(below)


def test_numbers_a_line_are_error_rates(tmp_path: Path) -> None:
    found = ratings.read_hter({"A": written(tmp_path, "x.hter", "0.5", "", "0.25")})
    assert listed(found) == [("A", 0, -0.5), ("A", 2, -0.25)]
    with pytest.raises(InputError, match="hter:1: 'many' is not a number"):
        ratings.read_hter({"A": written(tmp_path, "y.hter", "many")})
    with pytest.raises(InputError, match=r"x.hter: found 3 lines; expected 4, one for each segment"):
        check_segments(found, 4)
    with pytest.raises(
        InputError, match=r"^da.tsv: found a judgement of segment 3, but the texts have only 1 segment$"
    ):
        check_segments(replace(found, lines=None), 1, path="da.tsv")
    with pytest.raises(InputError, match=r"z.hter: found 1 line, but .*x.hter has 3"):
        ratings.read_hter({"A": tmp_path / "x.hter", "B": written(tmp_path, "z.hter", "0.5")})
    (tmp_path / "e.hter").touch()
    with pytest.raises(InputError, match=r"e.hter:1: the file is empty; expected one error rate per line"):
        ratings.read_hter({"A": tmp_path / "e.hter"})


def test_preferences(tmp_path: Path) -> None:
    lines = ["segment,system1,system2,choice", "1,A,B,A", "1,A,B,2", "2,B,A,tie", "2,B,A,a", "3,B,A,A"]
    found = ratings.read_preferences(written(tmp_path, "ab.csv", *lines))
    assert found.preference.tolist() == [1, -1, 0, 1, -1]
    unsure = ["don't know", "Don\u2019t know", "dont_know", "?", "undecided", "No  difference"]
    found = ratings.read_preferences(written(tmp_path, "dk.csv", lines[0], *(f"1,A,B,{word}" for word in unsure)))
    assert (found.preference == 0).all()
    assert found.ties == len(unsure)
    with pytest.raises(InputError, match="csv:2: 'C' does not choose between A and B"):
        ratings.read_preferences(written(tmp_path, "ab.csv", lines[0], "1,A,B,C"))


def test_errors_of_mqm_add_up(tmp_path: Path) -> None:
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [
        ("A", "1", "r1", 'x "y', "Accuracy/Mistranslation", "Major"),
        ("A", "1", "r1", "x", "Fluency/Punctuation", "Minor"),
        ("A", "1", "r2", "x", "No-error", "No-error"),
        ("B", "2", "r1", "x", "Non-translation!", "Major"),
    ]
    lines = [
        f"{system}\td\t1\t{seg}\t{rater}\ts\t{target}\t{cat}\t{sev}" for system, seg, rater, target, cat, sev in rows
    ]
    found = mqm.read(written(tmp_path, "mqm.tsv", head, *lines))
    assert listed(found) == [("A", 0, -5.1), ("A", 0, 0.0), ("B", 1, -25.0)]
    np.testing.assert_allclose(found.means(2), [[-2.55, np.nan], [np.nan, -25.0]])


def test_one_rating_of_two_systems_is_one_of_each(tmp_path: Path) -> None:
    path = written(tmp_path, "r.tsv", "system\tsegment\tscore", "A+B\t1\t3", "C\t1\t2", "A+B\t2\t1")
    found = ratings.read(path).among(["A.txt", "B", "C"])
    assert listed(found) == [("A.txt", 0, 3.0), ("B", 0, 3.0), ("C", 0, 2.0), ("A.txt", 1, 1.0), ("B", 1, 1.0)]


def mtme_folder(root: Path) -> Path:
    written(root, "references/en-de.refA.txt", "a", "b")
    written(root, "references/en-de.synthetic_ref.txt", "b", "b")
    written(root, "system-outputs/en-de/synthetic_ref.txt", "b", "b")
    written(root, "system-outputs/en-de/S.txt", "a", "c")
    written(root, "system-outputs/en-de/refA.txt", "a", "b")
    written(root, "documents/en-de.docs", "news doc1", "news doc2")
    written(root, "human-scores/en-de.mqm.seg.score", "S -1", "S None", "refA 0", "refA 0")
    return root


def test_folders_of_mt_metrics_eval(tmp_path: Path) -> None:
    found = mtme.read(mtme_folder(tmp_path), pair="en-de")
    assert (list(found.systems), list(found.references)) == (["S"], ["refA"])
    assert found.documents == ("doc1", "doc2")
    assert listed(found.ratings) == [("S", 0, -1.0)]
    assert found.ratings.left_out == {"missing ratings": 1, "ratings of references": 2}
    written(tmp_path, "human-scores/en-de.wmt-z.seg.score", "S -1", "S 2")
    with pytest.raises(UsageError, match="en-de has several kinds of human scores: mqm, wmt-z"):
        mtme.read(tmp_path, pair="en-de")
    assert listed(mtme.read(tmp_path, pair="en-de", human="wmt-z").ratings) == [("S", 0, -1.0), ("S", 1, 2.0)]
    written(tmp_path, "human-scores/en-de.wmt-z.seg.score", "S -1")
    with pytest.raises(InputError, match="S has 1 line; expected 2"):
        mtme.read(tmp_path, pair="en-de", human="wmt-z")
    with pytest.raises(UsageError, match="no folder system-outputs/cs-de"):
        mtme.read(tmp_path, pair="cs-de")


def test_the_standard_reference_of_a_test_set(tmp_path: Path) -> None:
    root = mtme_folder(tmp_path / "wmt23")
    for name in ("refB", "refC"):
        written(root, f"references/en-de.{name}.txt", "a", "b")
    assert list(mtme.read(root, pair="en-de").references) == ["refA"]
    assert list(mtme.read(root, pair="en-de", references=["refC", "refA"]).references) == ["refC", "refA"]
    assert list(mtme.read(root, pair="en-de", references=["all"]).references) == ["refA", "refB", "refC"]
    assert list(mtme.read(root, pair="en-de", references=["all"]).systems) == ["S"]
    assert mtme.read(root, pair="en-de").source is None
    source = written(root, "sources/en-de.txt", "s", "t")
    assert mtme.read(root, pair="en-de").source == str(source)
    with pytest.raises(UsageError, match=r"unknown reference 'refD'.*refA, refB, refC, synthetic_ref, all"):
        mtme.read(root, pair="en-de", references=["refD"])
    known = ["refA", "refB", "refC", "synthetic_ref"]
    for test_set, pair, expected in (
        ("wmt23", "he-en", "refB"),
        ("wmt23", "en-de", "refA"),
        ("wmt21.news", "en-de", "refC"),
        ("mine", "he-en", "refA"),
    ):
        assert mtme.choose_references(known, test_set=test_set, pair=pair) == [expected]
    assert mtme.choose_references(["refb", "refp", "ref"], test_set="wmt20", pair="en-de") == ["ref"]
    assert mtme.choose_references(["b", "a_synthetic", "refB"], test_set="wmt30", pair="en-de") == ["a_synthetic"]
    for name in ("refA", "refB", "refC"):
        (root / f"references/en-de.{name}.txt").unlink()
    with pytest.raises(UsageError, match="the only reference for en-de is synthetic_ref"):
        mtme.read(root, pair="en-de")
    assert list(mtme.read(root, pair="en-de", references=["synthetic_ref"]).references) == ["synthetic_ref"]


def qrev_folder(root: Path) -> Path:
    written(root, "src+hyp+ref/en.src.id", "r1", "r1", "r2")
    written(root, "src+hyp+ref/en-hr.sys.hyp.txt", "a b", "c d", "e")
    written(root, "src+hyp+ref/hr.ref.txt", "A B", "C D", "E")
    written(root, "round/one.hr.sys.id", "r2_1\tev1 ev2", "r1_2\tev1 ev2", "r9_1\tev1")
    written(
        root,
        "round/R1_en-hr_sys_adequacy-issue-types_e1.txt",
        "e|None|None ",
        "c|CASE+ORDER|Minor d|None|None",
        "x|ORDER|Major",
    )
    written(
        root,
        "round/R1_en-hr_sys_adequacy-issue-types_e2.txt",
        "e|None|None ",
        "c|None|None d||x|REORDER|None",
        "x|ORDER|Major",
    )
    return root


def test_tagged_words(tmp_path: Path) -> None:
    (found,) = qrev.read_annotations(qrev_folder(tmp_path))
    assert (found.pair, found.systems) == ("en-hr", ("sys",))
    assert found.left_out == {"annotated lines with an unknown id": 1}
    assert found.hypotheses == {"sys": ["e", "c d"]}
    assert found.references == ["E", "C D"]
    assert found.documents == ("r2", "r1")
    assert found.lines.tolist() == [2, 1]
    assert found.judges == ("adequacy e1", "adequacy e2")
    read, marked, wrong = found.marks("ORDER")
    assert read.all()
    assert marked.tolist() == wrong.tolist() == [[False, True]]
    assert found.marks("case")[1].tolist() == [[False, True]]
    assert not found.marks("REORD")[1].any()
    with pytest.raises(UsageError, match="no annotated files"):
        qrev.read_annotations(tmp_path, pair="en-sr")
    with pytest.raises(InputError, match=r"expected word\|issue\|severity, found 'word'"):
        qrev.read_tags(written(tmp_path, "bad.txt", "word"))


READERS: dict[str, Callable[[Path], Any]] = {
    "ratings": ratings.read,
    "numbers": lambda path: ratings.read_hter({"A": path}),
    "preferences": ratings.read_preferences,
    "mqm": mqm.read,
    "scores": lambda path: mtme.read_scores(path, segments=1),
    "tags": qrev.read_tags,
}
HEADS = ["system,segment,score", "segment system1 system2 choice", "system\tseg_id\trater\tcategory\tseverity", ""]
cells = st.one_of(
    st.sampled_from(["A", "1", "0", "-1", "None", "nan", "1e999", "Major", "a|b|c", '"', "\0"]), st.text(max_size=4)
)


@settings(max_examples=60)
@pytest.mark.parametrize("reader", READERS)
@given(
    head=st.sampled_from(HEADS),
    rows=st.lists(st.lists(cells, min_size=1, max_size=5), max_size=3),
    mark=st.sampled_from([",", "\t", " "]),
)
def test_any_file_is_read_or_refused(reader: str, head: str, rows: list[list[str]], mark: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "judgements.txt")
        path.write_bytes("\n".join([head, *(mark.join(row) for row in rows)]).encode("utf-8", "surrogatepass"))
        with contextlib.suppress(WordorderError):
            READERS[reader](path)


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "reader"),
    [("wmt21-ad-seg-scores.csv", "ratings"), ("mqm-avg_seg_scores.tsv", "ratings"), ("mqm-google.tsv", "mqm")],
)
def test_real_samples(shared: Path, name: str, reader: str) -> None:
    assert len(READERS[reader](shared / "formats/samples" / name)) > 0
