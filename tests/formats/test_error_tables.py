from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.formats import error_tables, mqm
from wordorder.formats.annotations import Annotations, check_category, penalty

SAMPLES = (
    "mqm-google.tsv", "mqm-google-2023-side-by-side.tsv", "mqm-en-ru-unbabel.tsv", "mqm-chat-texts-inside.csv",
)  # fmt: skip


def written(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path: Path, **how: Any) -> list[Annotations]:
    return error_tables.read({path.stem: path}, **how)


GOOGLE = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


def test_texts_and_errors_of_mqm(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "mqm.tsv",
        GOOGLE,
        'A\td1\t1\t7\tr1\tein <v>Haus</v>\ta "house\tFluency/Grammar\tMajor',
        'A\td1\t1\t7\tr1\tein Haus\ta <v>"house</v>\tStyle/Word order\tMinor',
        "B\td1\t1\t7\tr2\tein Haus\ta house\tNo-error\tNo-error",
        "B\td2\t1\t9\tr2\tx\ty\tFound\tHOTW-test",
    )
    (found,) = read(path)
    assert found.hypotheses == {"A": ['a "house', None], "B": ["a house", "y"]}
    assert found.sources == ["ein Haus", "x"]
    assert found.lines.tolist() == [6, 8]
    assert found.documents == ("d1", "d2")
    seen, marked, wrong = found.marks("word ORDER")
    assert seen.tolist() == [[True, False], [True, True]]
    assert marked.tolist() == wrong.tolist() == [[True, False], [False, False]]
    assert found.ratings().value.tolist() == [-6.0, 0.0, 0.0]
    assert mqm.read(path).segment.tolist() == [6, 6, 8]


def test_tables_of_2023_have_systems_side_by_side(tmp_path: Path) -> None:
    head = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\t"
    rows = [
        "A_with_B\td:en-de\t1\t3\tr1\ts\tt <v>x</v>\tAccuracy/Omission\tMajor\t{}",
        "A_with_refA\td:en-de\t1\t3\tr1\ts\tt x\tAccuracy/Omission\tMajor\t{}",
        "C\td:en-de\t1\t3\tr1\ts\tu\tNo-error\tNo-error\t{}",
    ]
    (found,) = read(written(tmp_path, "mqm.tsv", head, *rows))
    assert found.systems == ("A", "C")
    assert found.judges == ("r1 beside B", "r1 beside refA", "r1")
    assert found.ratings().means(1).tolist() == [[-5.0], [0.0]]  # two annotations, not one with two errors


def test_segments_without_a_number_are_known_by_their_document(tmp_path: Path) -> None:
    rows = [
        "A\td1\t1\t-1\tr\ts1\tt1\tNo-error\tNo-error",
        "A\td1\t2\t-1\tr\ts2\tt2\tOmission\tCritical",
        "A\td2\t1\t-1\tr\ts3\tt3\tNo-error\tNo-error",
    ]
    path = written(tmp_path, "mqm.tsv", GOOGLE, *rows)
    (found,) = read(path)
    assert found.hypotheses == {"A": ["t1", "t2", "t3"]}
    assert not found.numbered
    assert found.ratings().value.tolist() == [0.0, -10.0, 0.0]
    with pytest.raises(InputError, match="the line in the test set is unknown for 3 segments"):
        mqm.read(path)
    with pytest.raises(InputError, match="tsv:2: seg_id -2 is out of range"):
        read(written(tmp_path, "bad.tsv", GOOGLE, rows[0].replace("-1", "-2")))


CHAT = "doc_id,segment_id,lp,source,mt,reference,severity,mqm,typology_error"


def test_chat_has_all_texts_inside(tmp_path: Path) -> None:
    a = written(
        tmp_path,
        "a.csv",
        CHAT,
        "c1,0,de_en,Hallo,Hi,Hello,minor/critical,70.5,Word Order/Omission",
        'c1,1,en_de,"two\nlines",zwei,"zwei, drei",,100,',
    )
    b = written(tmp_path, "b.csv", CHAT, "c1,0,de_en,Hallo,Hey,Hello,,100,")
    german, english = error_tables.read({"A": a, "B": b})
    assert (german.pair, german.systems, german.hypotheses) == ("de-en", ("A", "B"), {"A": ["Hi"], "B": ["Hey"]})
    assert german.marks("word order")[1].tolist() == [[True], [False]]
    assert german.ratings().value.tolist() == [70.5, 100.0]
    assert english.sources == ["two lines"]
    assert english.references == ["zwei, drei"]
    assert error_tables.read({"A": a}, pair="en-de")[0].pair == "en-de"
    with pytest.raises(InputError, match="no translations for language pair en-cs; found de-en, en-de"):
        error_tables.read({"A": a}, pair="en-cs")


def test_esa_scores_with_spans(tmp_path: Path) -> None:
    record = {"system": "A", "annotator": "x", "langs": "en-cs", "line_id": 4, "src": "s", "tgt": "t", "esa_score": 81}
    spans = [{"start_i": 0, "end_i": 1, "severity": "minor"}, {"start_i": "missing", "severity": "major"}]
    lines = [json.dumps({**record, "esa_spans": spans}), json.dumps({**record, "line_id": 5, "esa_spans": []})]
    (found,) = read(written(tmp_path, "esa.jsonl", *lines))
    assert (found.pair, found.lines.tolist(), found.ratings().value.tolist()) == ("en-cs", [4, 5], [81.0, 81.0])
    assert found.categories() == {"minor": 1, "omission": 1}
    assert found.marks("any")[1].tolist() == [[True, False]]
    with pytest.raises(InputError, match=r"jsonl:1: no key 'esa_spans'; expected system"):
        read(written(tmp_path, "bad.jsonl", json.dumps(record)))


def test_pairs_of_demetr(tmp_path: Path) -> None:
    record = {"id": 3, "src_sent": "s", "eng_sent": "r", "mt_sent": "a b", "pert_sent": "b a", "severity": "minor"}
    one = tmp_path / "one.json"
    one.write_text(json.dumps([{**record, "pert_name": "minor_id14_word_swap"}]))
    two = tmp_path / "two.json"
    two.write_text(json.dumps([{**record, "pert_name": "critical_id20_shuffled"}]))
    (found,) = error_tables.read({"one": one, "two": two})
    assert found.systems == ("original", "word_swap", "shuffled")
    assert found.marks("word_swap")[1].tolist() == [[False], [True], [False]]
    assert found.references == ["r"]
    one.write_text('[{"id": 1}]')
    with pytest.raises(InputError, match=r"one.json, pair 1: expected an object with id, src_sent"):
        read(one)


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    google = written(tmp_path, "a.tsv", GOOGLE, "A\td\t1\t1\tr\ts\tt\tNo-error\tNo-error")
    chat = written(tmp_path, "b.csv", CHAT, "c1,0,de_en,Hallo,Hey,Hello,,100,")
    with pytest.raises(UsageError, match=r"different formats \(mqm, chat\)"):
        error_tables.read({"a": google, "b": chat})
    with pytest.raises(UsageError, match="found 2 tables in mqm format; expected one"):
        error_tables.read({"a": google, "b": google})
    with pytest.raises(InputError, match="no column 'category' or 'typology_error'"):
        read(written(tmp_path, "c.tsv", "system\tx", "A\t1"))
    (found,) = read(written(tmp_path, "d.tsv", GOOGLE, "A\td\t1\t1\tr\ts\tt\tFluency/Grammar\tMinor"))
    with pytest.raises(UsageError, match="'gramar'; did you mean 'Fluency/Grammar'"):
        check_category([found], "gramar")


@pytest.mark.parametrize(
    ("category", "severity", "weight"),
    [
        ("Accuracy/Omission", "Major", 5.0),
        ("Accuracy/Omission", "critical", 10.0),
        ("Non-translation!", "Major", 25.0),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation", "Major", 5.0),
        ("Source error", "Neutral", 0.0),
    ],
)
def test_weights_of_errors(category: str, severity: str, weight: float) -> None:
    assert penalty(category, severity) == weight


HEADS = [GOOGLE, CHAT, "", '{"system":', "[{"]
cells = st.one_of(
    st.sampled_from(["A", "1", "0", "-1", "None", "nan", "Major", '"', "\0", "[]", "{}"]), st.text(max_size=4)
)


@settings(max_examples=40)
@pytest.mark.parametrize("ending", ["tsv", "csv", "json", "jsonl"])
@given(head=st.sampled_from(HEADS), rows=st.lists(st.lists(cells, min_size=1, max_size=9), max_size=3))
def test_any_file_is_read_or_refused(ending: str, head: str, rows: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(WordorderError):
        mark = "," if ending == "csv" else "\t"
        path = Path(folder) / f"x.{ending}"
        path.write_text("\n".join([head, *(mark.join(row) for row in rows)]), encoding="utf-8", errors="replace")
        assert read(path)


@pytest.mark.realdata
@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_of_a_span_table_is_read(shared: Path, name: str) -> None:
    for found in read(shared / "formats" / "samples" / name):
        assert len(found)
        assert found.sources
        assert all("<v>" not in str(text) for texts in found.hypotheses.values() for text in texts)


@pytest.mark.realdata
def test_texts_of_a_chat_test_set_are_columns_of_its_table(shared: Path) -> None:
    from wordorder.formats import text

    path = shared / "formats" / "samples" / "chat-testset-with-reference.csv"
    sources, references = (text.read(f"{path}:{column}") for column in ("source_segment", "pe_segment"))
    assert len(sources) == len(references) > 3
