from __future__ import annotations

import contextlib
import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.formats.given_scores import check_name, read, scores_name


def written(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


FORMS = {
    "comet.seg.score": ["A\t0.5", "A 0.25", "B 1", "B -2e-1"],
    "numbered.tsv": ["system\tseg_id\tscore", "A\t2\t0.25", "A\t1\t0.5", "B\t1\t1", "B\t2\t-0.2"],
    "from_zero.csv": ["system,segment,score", "B,0,1", "A,0,0.5", "B,1,-0.2", "A,1,0.25"],
    "in_order.csv": ["SYS,score", "A,0.5", "B,1", "A,0.25", "B,-0.2"],
    "records.jsonl": [
        '{"system": "A", "score": 0.5}',
        '{"system": "A", "score": "0.25"}',
        '{"system": "B", "score": 1}',
        "",
        '{"system": "B", "score": -0.2}',
    ],
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_the_same_scores(tmp_path: Path, name: str) -> None:
    assert read(written(tmp_path, name, *FORMS[name])) == {"A": [0.5, 0.25], "B": [1.0, -0.2]}


def test_columns_and_keys_are_named(tmp_path: Path) -> None:
    table = written(tmp_path, "all.tsv", "system\tcomet\tmetricx", "A\t0.5\t3")
    assert read(f"{table}:metricx") == {"A": [3.0]}
    nested = written(tmp_path, "all.jsonl", '{"system": "A", "segment": 1, "scores": {"pef": 0.75}}')
    assert read(f"{nested}:scores.pef") == {"A": [0.75]}
    assert read(written(tmp_path, "plain.txt", "1", "0.5")) == {"": [1.0, 0.5]}
    assert (scores_name(f"{nested}:scores.pef"), scores_name("x/bleurt.txt.gz")) == ("pef", "bleurt")
    with pytest.raises(UsageError, match="'a:b' cannot be a name"):
        check_name("a:b")


def test_gaps_are_kept_as_gaps(tmp_path: Path) -> None:
    found = read(written(tmp_path, "gap.tsv", "system\tsegment\tscore", "A\t1\t0.5", "A\t3\tNone"))["A"]
    assert found[0] == 0.5
    assert all(map(math.isnan, found[1:]))
    assert len(found) == 3


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        (
            "x.txt",
            ["1", "A 2"],
            "x.txt:2: 'A 2' has 2 fields; expected either a score on every line, or 'SYSTEM SCORE' on every line",
        ),
        ("x.txt", ["1", "", "2"], "x.txt:2: the line is empty"),
        ("x.txt", ["1", "high"], "x.txt:2: score 'high' is not a number"),
        ("x.tsv", ["system\tsegment\tscore", "A\t1\t1", "A\t1\t2"], "x.tsv:3: segment 1 of A has two scores"),
        ("x.tsv", ["system\tsegment\tscore", "A\t1.5\t1"], "x.tsv:2: segment '1.5' is not a valid segment number"),
        (
            "x.jsonl",
            ['{"system": "A"}'],
            "x.jsonl:1: no key 'score'; give another key as FILE:key; the keys are system",
        ),
        ("x.csv", ["system,quality", "A,1"], "x.csv:1: no column 'score'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, name: str, lines: list[str], message: str) -> None:
    with pytest.raises(InputError) as error:
        read(written(tmp_path, name, *lines))
    assert message in str(error.value)


@settings(max_examples=40)
@given(
    st.sampled_from(["x.txt", "x.tsv", "x.csv", "x.jsonl"]),
    st.lists(
        st.sampled_from(["system\tscore", "A 1", "1", "{}", '{"score": []}', "A\t1", "a,b", "", "\0", '"']), max_size=4
    ),
)
def test_any_file_is_read_or_refused(name: str, lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(WordorderError):
        assert read(written(Path(folder), name, *lines))
