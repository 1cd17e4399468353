"""eflomal behind the same interface; the tests bring an eflomal of their own."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from wordorder.core.runtime.errors import UsageError, WordorderError
from wordorder.core.text import encode
from wordorder.linking.aligning import train


class FakeAligner:
    """Aligns word by word; backward leaves the last word out."""

    seen: list[list[str]]

    def align(
        self, source: list[str], target: list[str], *, links_filename_fwd: str, links_filename_rev: str, quiet: bool
    ) -> None:
        assert quiet
        FakeAligner.seen = [source, target]
        for path, less in ((links_filename_fwd, 0), (links_filename_rev, 1)):
            lines = []
            for one, two in zip(source, target, strict=True):
                if "broken" in one:
                    raise ValueError("it broke")
                words = min(len(one.split()), len(two.split())) - less
                lines.append(" ".join(f"{word}-{word}" for word in range(words)) + "\n")
            Path(path).write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("eflomal")
    module.Aligner = FakeAligner  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "eflomal", module)


@pytest.mark.usefixtures("fake")
def test_text_is_aligned_together_with_the_training_text() -> None:
    training = encode(["a b", ""], ["c d", "e"])
    aligner = train(*training, model="eflomal")
    assert aligner.model == "eflomal"
    found = aligner.align(*encode(["x y z", "", "w"], ["p q r", "s", "t"]), symmetrise="intersection")
    assert [str(row) for row in found] == ["0-0 1-1", "", ""]
    assert found.source_lengths.tolist() == [3, 0, 1]
    assert FakeAligner.seen == [["x y z\n", "w\n", "a b\n"], ["p q r\n", "t\n", "c d\n"]]
    union = aligner.align(*training, symmetrise="union")
    assert [str(row) for row in union] == ["0-0 1-1", ""]
    assert FakeAligner.seen == [["a b\n"], ["c d\n"]]  # the training text itself is not repeated


@pytest.mark.usefixtures("fake")
def test_text_that_was_learned_from_is_aligned_once() -> None:
    training = encode(["a b", "c d", "c d", "e f"], ["b a", "d c", "d c", "f e"])
    train(*training, model="eflomal").align(*encode(["c d", "e f"], ["d c", "f e"]), symmetrise="union")
    assert FakeAligner.seen[0] == ["c d\n", "e f\n", "a b\n", "c d\n"]


@pytest.mark.usefixtures("fake")
def test_what_eflomal_does_not_have(tmp_path: Path) -> None:
    text = encode(["a"], ["b"])
    aligner = train(*text, model="eflomal")
    with pytest.raises(UsageError, match="cannot be saved"):
        aligner.save(tmp_path / "model")
    with pytest.raises(UsageError, match="does not provide posteriors"):
        aligner.posteriors(*text)
    with pytest.raises(UsageError, match="soft-union needs posteriors"):
        aligner.align(*text, symmetrise="soft-union")
    with pytest.raises(WordorderError, match="eflomal failed: it broke"):
        aligner.align(*encode(["broken"], ["b"]))
    assert len(aligner.align(*encode([], []))) == 0


def test_without_eflomal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(UsageError, match=r"eflomal is not installed; install it with: pip install"):
        train(*encode(["a"], ["b"]), model="eflomal")
