"""Label Studio: tasks that its own library accepts, and answers that are read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wordorder
from running import run
from wordorder.apps.find.label_studio import compare_answers, label_studio_tasks
from wordorder.core.runtime.errors import InputError
from wordorder.report import table_records

INTERFACE = """
<View>
  <Text name="reference" value="$reference"/>
  <Text name="text" value="$text"/>
  <Labels name="order" toName="text"><Label value="order"/></Labels>
</View>
"""
HYP = ["after dinner we often talk 🙂", "we talk", "tea <b> we drink"]
REF = ["we often talk after dinner 🙂", "we talk", "we drink tea <b>"]


def tasks() -> list[dict[str, Any]]:
    return label_studio_tasks(wordorder.find({"A": HYP}, REF))


def annotated(made: list[dict[str, Any]], *answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what Label Studio exports: the tasks as they were, with one annotation each."""
    return [{**task, "annotations": [{"result": answer}]} for task, answer in zip(made, answers, strict=True)]


def test_what_must_move_is_marked() -> None:
    made = {task["data"]["segment"]: task for task in tasks()}
    assert sorted(made) == [1, 3]
    (prediction,) = made[1]["predictions"]
    (region,) = prediction["result"]
    assert region["value"] == {"start": 0, "end": 12, "text": "after dinner", "labels": ["order"]}
    assert (region["from_name"], region["to_name"], region["type"]) == ("order", "text", "labels")
    assert made[1]["data"]["reference"] == REF[0]
    assert made[3]["data"]["text"] == "tea < b > we drink"
    for task in made.values():
        text = task["data"]["text"]
        assert all(text[mark["start"] : mark["end"]] == mark["text"] for mark in task["data"]["marks"])


def test_label_studio_accepts_the_tasks() -> None:
    reason = "the library of Label Studio is not installed (pip install label-studio-sdk)"
    sdk = pytest.importorskip("label_studio_sdk.label_interface", reason=reason)
    interface = sdk.LabelInterface(INTERFACE)
    interface.validate()
    for task in tasks():
        assert interface.validate_task({"data": task["data"]})
        assert not interface.validate_task({"data": {"reference": ""}})
        for prediction in task["predictions"]:
            assert interface.validate_prediction(prediction, return_errors=True) == []
            wrong = {**prediction, "result": [{**each, "to_name": "other"} for each in prediction["result"]]}
            assert interface.validate_prediction(wrong, return_errors=True)


def test_answers_are_compared_with_the_marks(tmp_path: Path) -> None:
    made = tasks()
    kept = made[0]["predictions"][0]["result"]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(annotated(made, kept, [])))
    (row,) = table_records(compare_answers(str(path)))
    marked = [sum(mark["end"] - mark["start"] for mark in task["data"]["marks"]) for task in made]
    assert (row["system"], row["annotations"], row["with an error"], row["recall"]) == ("A", 2, 0.5, 1.0)
    assert row["precision"] == pytest.approx(marked[0] / sum(marked))
    exported = annotated(made, kept, [])
    exported[0]["annotations"][0]["was_cancelled"] = True
    path.write_text(json.dumps(exported))
    (row,) = table_records(compare_answers(str(path)))
    assert (row["annotations"], row["with an error"], row["precision"], row["recall"]) == (1, 0.0, 0.0, None)


def test_spans_beyond_the_text_end_with_it(tmp_path: Path) -> None:
    task = {"data": {"text": "a b", "marks": [{"start": 2, "end": 10**15}], "system": "A"}}
    answer = {"type": "labels", "value": {"start": -3, "end": 3}}
    path = tmp_path / "export.json"
    path.write_text(json.dumps(annotated([task], [answer])))
    (row,) = table_records(compare_answers(str(path)))
    assert [row["precision"], row["recall"]] == pytest.approx([1.0, 1 / 3])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "not a JSON list; expected an export of tasks that --label-studio wrote"),
        ("[", "not valid JSON"),
        ('[{"data": {"text": "a"}}]', "task 1 lacks a text, marks, a system or annotations"),
        ("[3]", "task 1 lacks a text, marks, a system or annotations"),
        ('[{"data": {"marks": [{"start": 0}], "system": "A"}, "annotations": []}]', "task 1 lacks a text"),
        (
            '[{"data": {"text": "a", "marks": [{"start": "0", "end": 1}], "system": "A"}, "annotations": []}]',
            "task 1 lacks a text",
        ),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        compare_answers(str(path))


def test_the_command_writes_and_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("A").write_text("\n".join(HYP))
    Path("ref").write_text("\n".join(REF))
    assert run(capsys, "find", "--hyp", "A", "--ref", "ref", "--label-studio", "tasks.json").code == 0
    made = json.loads(Path("tasks.json").read_text())
    assert made == tasks()
    Path("export.json").write_text(json.dumps(annotated(made, *([] for _ in made))))
    (row,) = run(capsys, "find", "--answers", "export.json", "--format", "tsv").tsv()
    assert (row["system"], row["annotations"], row["with an error"]) == ("A", "2", "0.0")
    assert run(capsys, "find", "--answers", "export.json", "--hyp", "A").code == 2
    assert run(capsys, "find", "--hyp", "A", "--ref", "ref", "--label-studio", "ref").code == 2
    assert Path("ref").read_text() == "\n".join(REF)
