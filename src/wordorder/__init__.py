"""wordorder: measure how well a translation orders its words, independently of which words it chose.

    import wordorder

    wordorder.metric("pef:beta=0.5")("2 4 5 6 1 3")
    scores = wordorder.score(permutations={"A": "a.orders", "B": "b.orders"}, metrics="kendall-sqrt,pef")
    print(scores)

The public names are listed once, with their types, in ``__init__.pyi``. Each is loaded on first use, so that
``import wordorder`` is quick.
"""

from importlib import import_module
from typing import Any

from wordorder.core.runtime.stubs import names_in_stub

_NAMES = names_in_stub(__name__)
"""Every public name and the module that it is in."""

_OLD = {
    "AlignedOrders": "wordorder.scoring.inputs",
    "GivenOrders": "wordorder.scoring.inputs",
    "MatchedTexts": "wordorder.scoring.inputs",
    "MonotoneAlignments": "wordorder.scoring.inputs",
    "MonotoneTexts": "wordorder.scoring.inputs",
    "ParsedTexts": "wordorder.scoring.inputs",
    "Picture": "wordorder.show.pictures",
    "Profiles": "wordorder.apps.profile",
    "Score": "wordorder.scoring.scores",
    "SourceTexts": "wordorder.scoring.inputs",
    "ter_edits": "wordorder.metrics.ter",
}
"""Names that were public before, and where they are now; they work until 2.0."""

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None and name in _OLD:
        import warnings

        module = _OLD[name]
        warnings.warn(f"wordorder.{name} is now {module}.{name}", DeprecationWarning, stacklevel=2)
    if module is None:
        raise AttributeError(f"module 'wordorder' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return __all__
