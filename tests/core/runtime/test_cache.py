"""The cache: what was stored comes back, and nothing that can happen to it is an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordorder.core.runtime import cache as cache_module
from wordorder.core.runtime.cache import Cache, cache_folder

ARRAYS = {
    "ids": np.arange(7, dtype=np.int32),
    "weights": np.array([[0.5, np.nan], [1.0, -0.0]]),
    "empty": np.zeros(0, dtype=np.int64),
}


def assert_same(found: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] | None) -> None:
    assert found is not None
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


def test_what_was_stored_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "made" / "on demand")
    assert cache.load("key") is None
    cache.store("key", ARRAYS)
    cache.store("other", {"ids": np.zeros(1)})
    assert_same(cache.load("key"))
    assert_same(Cache(tmp_path / "made" / "on demand").load("key"))
    assert cache.load("ke") is None
    cache.store("key", {"ids": np.ones(1)})
    changed = cache.load("key")
    assert changed is not None
    assert list(changed) == ["ids"]


def test_another_version_does_not_see_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cache(tmp_path).store("key", ARRAYS)
    monkeypatch.setattr(cache_module, "__version__", "another")
    assert Cache(tmp_path).load("key") is None


@pytest.mark.slow
def test_damage_anywhere_means_absent(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.store("key", ARRAYS)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place])
        assert cache.load("key") is None
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x21]) + whole[place + 1 :])
        assert cache.load("key") is None
    path.write_bytes(whole + b"more")
    assert cache.load("key") is None
    cache.store("key", ARRAYS)
    assert_same(cache.load("key"))


def test_the_file_of_another_key_means_absent(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.store("key", ARRAYS)
    (path,) = tmp_path.iterdir()
    cache.store("other", {"ids": np.zeros(1)})
    (other,) = set(tmp_path.iterdir()) - {path}
    other.write_bytes(path.read_bytes())
    assert cache.load("other") is None
    assert_same(cache.load("key"))


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    cache = Cache(tmp_path / "file" / "cache")
    cache.store("key", ARRAYS)
    assert cache.load("key") is None
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_disk_that_is_full_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    Cache(tmp_path).store("key", ARRAYS)
    assert list(tmp_path.iterdir()) == []


def test_no_folder_remembers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = Cache(None)
    cache.store("key", ARRAYS)
    assert cache.load("key") is None
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_where_the_user_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "chosen"))
    assert cache_folder() == tmp_path / "chosen"
    monkeypatch.delenv("WORDORDER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert cache_folder() == tmp_path / "user" / "wordorder"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "wordorder"
