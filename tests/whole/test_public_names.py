"""Public names: those that are listed, and those that were public before and still work, with a warning."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import wordorder

OLD: dict[str, str] = vars(wordorder)["_OLD"]


@pytest.mark.parametrize("name", wordorder.__all__)
def test_a_public_name_is_there(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(wordorder, name) is not None
    assert name in dir(wordorder)


@pytest.mark.parametrize(("name", "module"), OLD.items())
def test_a_name_that_was_public_works_with_a_warning(name: str, module: str) -> None:
    assert name not in wordorder.__all__
    with pytest.warns(DeprecationWarning, match=f"^wordorder.{name} is now {module}.{name}$") as told:
        found = getattr(wordorder, name)
    assert found is getattr(import_module(module), name)
    assert [one.filename for one in told] == [__file__]


def test_the_names_that_left_are_those_of_0_2() -> None:
    inputs = {"AlignedOrders", "GivenOrders", "MatchedTexts", "MonotoneAlignments", "MonotoneTexts", "ParsedTexts"}
    assert set(OLD) == {*inputs, "SourceTexts", "Picture", "Profiles", "Score", "ter_edits"}


def test_a_name_that_never_was_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'wordorder' has no attribute 'scoer'"):
        getattr(wordorder, "scoer")  # noqa: B009


def test_an_old_call_gives_the_same_numbers() -> None:
    now = wordorder.score({"A": ["b a c"]}, ["a b c"], tokenize="none", docs=["d"], samples=0)
    with pytest.warns(DeprecationWarning, match="is now called"):
        before = wordorder.score(
            hypotheses={"A": ["b a c"]}, references=["a b c"], tokenizer="none", documents=["d"], samples=0
        )  # type: ignore[call-arg]
    assert before.to_dict() == now.to_dict()
    with pytest.warns(DeprecationWarning, match="unit is now called resample"):
        assert wordorder.Resampling(unit="documents") == wordorder.Resampling(resample="documents")  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="stages is now called match"):
        assert wordorder.Matching(stages=("exact", "stem")) == wordorder.Matching("exact+stem")  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="cached is now called cache"):
        assert wordorder.Parsing(cached=False) == wordorder.Parsing(cache=False)  # type: ignore[call-arg]


STUBS = sorted(Path(wordorder.__path__[0]).rglob("__init__.pyi"))
HIDDEN = [
    (".".join(["wordorder", *stub.parent.relative_to(wordorder.__path__[0]).parts]), name)
    for stub in STUBS
    for name in re.findall(r" import (\w+)", stub.read_text(encoding="utf-8"))
    if (stub.parent / f"{name}.py").is_file()
]
"""Public names of packages that are also names of their modules."""


@pytest.mark.slow
@pytest.mark.parametrize(("package", "name"), HIDDEN)
def test_a_public_name_is_not_hidden_by_the_module_of_the_same_name(package: str, name: str) -> None:
    """The module is imported first, as some code may do, in a process of its own."""
    code = f"import {package}.{name}; from {package} import {name}; assert callable({name}), {name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
