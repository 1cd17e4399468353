"""A file that a running command reads is neither replaced nor deleted by it, whatever it is called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wordorder.core.runtime.drafts import open_draft
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import atomic_write, line_blocks, read_whole
from wordorder.core.runtime.own_inputs import inputs_kept, note_input, refuse_input
from wordorder.formats.tables import open_batches


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "text"
    path.write_text("a b\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "soft").symlink_to(path)
    os.link(path, tmp_path / "hard")
    return path


@pytest.mark.parametrize("name", ["text", "./text", "folder/../text", "none/../text", "soft", "hard"])
def test_what_was_read_is_not_replaced(text: Path, name: str) -> None:
    with inputs_kept():
        assert read_whole("text") == b"a b\n"
        with pytest.raises(UsageError, match="an input of this command; choose another file"), atomic_write(name):
            pytest.fail("refused before anything is written")
    assert (text.read_text(), (text.parent / "soft").is_symlink()) == ("a b\n", True)


@pytest.mark.parametrize("name", ["text", "./text", "folder/../text", "soft", "hard"])
def test_what_is_being_written_is_not_read(text: Path, name: str) -> None:
    with inputs_kept([name]), pytest.raises(UsageError, match="an input of this command"):
        next(line_blocks("text"))


def test_what_is_read_while_the_result_is_written_is_noticed_at_the_end(text: Path) -> None:
    def copy() -> None:
        with atomic_write("text") as target:
            target.write("result\n")
            next(line_blocks("text"))

    with inputs_kept(), pytest.raises(UsageError, match="is an input of this command"):
        copy()
    assert text.read_text() == "a b\n"
    assert sorted(os.listdir(text.parent)) == ["folder", "hard", "soft", "text"]


def test_the_message_names_both_spellings(text: Path) -> None:
    with inputs_kept():
        note_input("text")
        with pytest.raises(UsageError, match=r"^hard is the same file as text, an input of this command; choose "):
            refuse_input("hard")
        with pytest.raises(UsageError, match=r"^\./text is an input of this command; choose "):
            refuse_input("./text")


def test_a_refusal_that_somebody_ignores_still_protects_the_file(text: Path) -> None:
    with inputs_kept(["text"]):
        with pytest.raises(UsageError):
            read_whole("text")
        with pytest.raises(UsageError), open_draft("text"):
            pytest.fail("refused before anything is written")


def test_tables_are_inputs(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = str(tmp_path / "table.parquet")
    pq.write_table(pa.table({"a": [1]}), path)
    with inputs_kept():
        with open_batches(path, ["a"]):
            pass
        with pytest.raises(UsageError, match="is an input"):
            refuse_input(path)


def test_standard_input_and_output_are_files_too(text: Path) -> None:
    def tell(name: str, *result: str) -> str:
        command = [sys.executable, "-m", "wordorder", "score", "--ref", name, "--hyp", "text", *result]
        with open("text", "rb") as read, open("other", "ab") as written:
            return subprocess.run(command, stdin=read, stdout=written, stderr=subprocess.PIPE, text=True).stderr

    (text.parent / "other").write_text("a b\n")
    hint = "of this command; choose another file for the result\n"
    assert tell("-", "-o", "text") == f"wordorder: text is the same file as standard input, an input {hint}"
    assert tell("other") == f"wordorder: standard output is the same file as other, an input {hint}"
    assert (text.read_text(), (text.parent / "other").read_text()) == ("a b\n", "a b\n")


def test_python_may_read_a_file_and_write_it_later(text: Path) -> None:
    read_whole("text")
    with inputs_kept():
        note_input("text")
    with atomic_write("text") as target:
        target.write("c d\n")
    assert text.read_text() == "c d\n"


def test_a_file_that_was_read_and_is_gone_protects_nothing(text: Path) -> None:
    """The inode of a deleted temporary file can be given to any new file."""
    with inputs_kept():
        note_input("hard")
        os.unlink("hard")
        refuse_input("text")


def test_a_finished_result_may_be_read(text: Path) -> None:
    with inputs_kept(["text"]):
        with atomic_write("text") as target:
            target.write("c d\n")
        assert read_whole("text") == b"c d\n"
