"""Public names in stubs: every one is there, and only those."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import wordorder
from wordorder.core.runtime.stubs import names_in_stub, on_first_use

PACKAGE = Path(wordorder.__file__).parent
STUBS = sorted(PACKAGE.rglob("__init__.pyi"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.parent.name)
def test_the_names_in_a_stub_are_those_of_the_package(stub: Path) -> None:
    name = ".".join((PACKAGE.name, *stub.parent.relative_to(PACKAGE).parts))
    package = import_module(name)
    sources = names_in_stub(name)
    assert len(sources) == stub.read_text("utf-8").count("from wordorder.")
    for each, source in sources.items():
        assert getattr(package, each) is getattr(import_module(source), each)
    assert sorted(sources) == sorted(package.__all__)
    assert sources.keys() <= set(dir(package))


def test_a_name_is_loaded_once_and_others_are_errors() -> None:
    load, names, public = on_first_use("wordorder.core.reorderings")
    package = import_module("wordorder.core.reorderings")
    assert names() == public == sorted(public)
    assert load("extract") is vars(package)["extract"]
    with pytest.raises(AttributeError, match=r"^module 'wordorder.core.reorderings' has no attribute 'extracts'$"):
        load("extracts")
    with pytest.raises(ImportError, match="cannot import name 'extracts'"):
        exec("from wordorder.core.reorderings import extracts")
