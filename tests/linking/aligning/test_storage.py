"""Models in files: what is saved comes back, and nothing else gets in."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import encode
from wordorder.linking.aligning import MODELS, Smoothing, load, train

TEXT = encode(["das haus", "das buch", "ein buch 議会"], ["the house", "the book", "a book parliament"])


@pytest.mark.parametrize("model", [model for model in MODELS if model != "eflomal"])
@pytest.mark.parametrize("suffix", [".npz", ".gz"])
def test_round_trip(model: str, suffix: str, tmp_path: Path) -> None:
    aligner = train(*TEXT, model=model, null=0.3, smoothing=Smoothing(floor=1e-3, stems=2.0))
    path = tmp_path / f"model{suffix}"
    aligner.save(path)
    other = load(path)
    assert other.model == model
    new = encode(["das neue buch", "ein haus"], ["the new book", "a house"])
    for text in (TEXT, new):
        one, two = aligner.align(*text), other.align(*text)
        assert one.source.tobytes() == two.source.tobytes()
        assert one.probability is not None
        assert two.probability is not None
        assert one.probability.tobytes() == two.probability.tobytes()


def test_the_same_model_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        train(*TEXT).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def saved() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        train(*TEXT, iterations=1).save(path)
        return path.read_bytes()


SAVED = saved()


def read_or_refuse(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    try:
        aligner = load(path)
    except InputError as error:
        message = str(error)
    else:
        aligner.align(*TEXT)
        return
    assert message.startswith(f"{path}: not an alignment model made by wordorder, or the file is damaged (")
    assert "\n" not in message


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(SAVED) - 1), st.integers(1, 255))
def test_a_changed_byte(tmp_path: Path, place: int, change: int) -> None:
    content = bytearray(SAVED)
    content[place] ^= change
    read_or_refuse(bytes(content), tmp_path / "model")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(), st.integers(0, len(SAVED) - 1).map(lambda size: SAVED[:size])))
def test_anything_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not an alignment model made by wordorder, or the file is damaged"):
        load(path)


def arrays() -> dict[str, Any]:
    with np.load(io.BytesIO(SAVED)) as stored:
        return {name: stored[name] for name in stored.files}


NUMBERS = st.sampled_from([-1, 2**31, np.nan, np.inf, 10**6])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_wrong_arrays_in_a_sound_archive(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever a kernel would index with is checked: a wrong number is refused, or it is harmless."""
    changed = arrays()
    name = data.draw(st.sampled_from(sorted(changed)))
    array = changed[name].copy()
    if data.draw(st.booleans()) and array.size:
        with np.errstate(all="ignore"):
            number = np.array(data.draw(NUMBERS)).astype(array.dtype)
        array[data.draw(st.integers(0, array.size - 1))] = number
    else:
        array = data.draw(st.sampled_from([array[:-1], array.astype(np.float16), array[None], np.zeros(0)]))
    changed[name] = array
    archive = io.BytesIO()
    np.savez(archive, **changed)
    read_or_refuse(archive.getvalue(), tmp_path / "model")


def test_another_version_of_the_format(tmp_path: Path) -> None:
    changed = arrays()
    text = changed["description"].tobytes().replace(b'"version": 1', b'"version": 2')
    changed["description"] = np.frombuffer(text, dtype=np.uint8)
    with open(tmp_path / "model", "wb") as file:
        np.savez(file, **changed)
    with pytest.raises(InputError, match="expected version 1 of the format, found 2"):
        load(tmp_path / "model")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        load(tmp_path / "nothing")
