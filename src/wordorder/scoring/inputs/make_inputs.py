"""Choose the kind of inputs that some arguments describe, and refuse arguments that cannot be combined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any, Unpack, cast

from wordorder.core.runtime.errors import UsageError, choices, mention, refuse
from wordorder.core.runtime.settings import accepts_options, settings_of
from wordorder.scoring.inputs.base import Inputs
from wordorder.scoring.inputs.orders import AlignedOrders, GivenOrders, MonotoneAlignments
from wordorder.scoring.inputs.texts import MatchedTexts, TextInputs
from wordorder.scoring.options import ORDERS, InputOptions

_THROUGH_SOURCE = f"{mention('order', 'source')} or {mention('order', 'monotone')}"

_MEANT_FOR = {
    "hyp": "permutations are word orders already; they cannot be combined with text or alignments",
    "ref": f"{mention('ref')} names texts that hypotheses are compared with; leave it out, or give texts",
    "hyp_align": f"with text, {mention('hyp_align')} needs {_THROUGH_SOURCE}; choose one",
    "ref_align": f"{mention('ref_align')} goes with {mention('hyp_align')}, or with text and {_THROUGH_SOURCE}",
    "source_lengths": f"{mention('source_lengths')} is for alignments without text",
    "aligning": f"an aligner is for text and an order through the source: {_THROUGH_SOURCE}",
    "policy": f"{mention('policy')} is for alignments, or for text and {_THROUGH_SOURCE}",
    "align_format": f"{mention('align_format')} is for files of alignments",
    "base": f"{mention('base')} is for alignments and permutations",
    "weight": f"{mention('weight', 'ref-length')} needs references as text",
    "expected": f"{mention('expected')} is over alignments of text with its source; give {mention('source')}",
}
"""The error message for an option that the chosen kind of inputs does not use."""

_HARMLESS = {"source", "threads", "seed", "tokenize", "lowercase", "join_subwords", "matching"}
"""Options that are accepted even if the chosen kind of inputs does not use them."""

VALUES = {
    "matching": ("wordorder.linking.matching", "Matching"),
    "aligning": ("wordorder.linking.aligning", "Aligning"),
    "parsing": ("wordorder.linking.parsing", "Parsing"),
}
"""Options that are values with settings of their own, and their classes; the settings can also be passed directly."""


@accepts_options(InputOptions)
def make_inputs(
    hyp: Any = None, ref: Any = None, *, threads: int = 1, seed: int | None = None, **options: Unpack[InputOptions]
) -> Inputs:
    """Build the inputs from the given arguments.

    ``order`` chooses what is compared: ``matched`` (default with references) takes the words that hypothesis and
    reference share; ``source`` compares the order of the source words in both, through word alignments; ``monotone``
    (default with a source only) compares each translation with the source itself. ``expected`` is the number of
    alignments to sample from link probabilities, with ``seed``; it makes ``source`` the default. ``given`` are scores
    of other metrics by name and system, one per segment, for metrics such as ``given:comet``. The settings of
    :class:`Matching`, :class:`Aligning` and :class:`Parsing` can be passed directly: ``match="exact+stem"``.

    >>> make_inputs(["a b"], ["b a"]).signature([])["order"], make_inputs(permutations=["2 1"]).signature([])["order"]
    ('matched', 'permutations')
    """
    passed = join_values(options)
    passed |= {"hyp": hyp, "ref": ref, "threads": threads, "seed": seed}
    if not passed.get("expected"):
        del passed["seed"]  # nothing is sampled
    passed = {name: value for name, value in passed.items() if value is not None}
    if isinstance(ref, (list, tuple)) and not ref:
        del passed["ref"]
    parsed: dict[str, Any] = {
        name: passed.pop(name) for name in ("hyp_parses", "ref_parses", "parsing") if name in passed
    }
    if not ("parsing" in parsed and parsed["parsing"].can_parse) and set(parsed) <= {"parsing"}:
        parsed = {}
    if "hyp_parses" in parsed and not {"hyp", "permutations"} & set(passed):
        from wordorder.scoring.inputs.parsed import text_of_parses

        if "ref" in passed:
            raise UsageError(f"{mention('hyp_parses')} without {mention('hyp')} needs {mention('ref_parses')} alone")
        passed |= text_of_parses(**parsed)
    given = passed.pop("given", None)
    made = cast(Inputs, _make(_kind(passed), passed))
    if parsed:
        from wordorder.scoring.inputs.parsed import ParsedTexts

        made = ParsedTexts(cast(TextInputs, made), **parsed, threads=threads)
    if given:
        from wordorder.scoring.inputs.scored import ScoredInputs

        made = ScoredInputs(made, given)
    return made


def join_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """Replace settings that were passed directly by values such as ``matching``."""
    found = {name: value for name, value in options.items() if value is not None}
    loose = found.keys() - {*settings_of(InputOptions), *VALUES}
    for name, (module, kind) in VALUES.items():
        if not loose:
            break
        value = getattr(import_module(module), kind)
        own = {setting: found.pop(setting) for setting in sorted(loose & settings_of(value).keys())}
        loose -= own.keys()
        if own and name in found:
            raise UsageError(f"{mention(name)} already has a setting {mention(min(own))}; give one of them")
        if own:
            found[name] = value(**own)
    return found


def _kind(options: dict[str, Any]) -> type[Inputs]:
    """Return the kind of inputs that the options describe."""
    order = options.pop("order", None)
    if order is not None and order not in ORDERS:
        raise choices(order, list(ORDERS), what="order")
    if "permutations" in options:
        if order is not None:
            raise UsageError(
                f"permutations are word orders already; {mention('order', order)} is for text or alignments"
            )
        return GivenOrders
    if "hyp" in options:
        order = order or _default_order(options)
        if order == "matched":
            return MatchedTexts
        refuse("source" not in options, f"{mention('order', order)} needs the source text: {mention('source')}")
        from wordorder.scoring.inputs.monotone import MonotoneTexts
        from wordorder.scoring.inputs.source import SourceTexts

        return SourceTexts if order == "source" else MonotoneTexts
    if "hyp_align" not in options:
        raise UsageError(
            f"nothing to score: pass {mention('hyp')} and {mention('ref')} (or {mention('source')}), or "
            f"{mention('permutations')}, or {mention('hyp_align')} and {mention('ref_align')}, or "
            f"{mention('hyp_parses')} and {mention('ref_parses')}"
        )
    if order == "matched":
        raise UsageError(
            f"{mention('order', 'matched')} compares words of texts; with alignments use {_THROUGH_SOURCE}"
        )
    return MonotoneAlignments if order == "monotone" else AlignedOrders


def _default_order(options: dict[str, Any]) -> str:
    """Return the default of ``order``; expected scores are always computed through the source."""
    if "ref" not in options:
        return "monotone" if "source" in options else "matched"
    return "source" if options.get("expected") and "source" in options else "matched"


def _make(kind: type[Inputs], options: dict[str, Any]) -> Any:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in options.items():
        if name not in known and name not in _HARMLESS and (name, value) != ("weight", "segments"):
            raise UsageError(_MEANT_FOR[name])
    return kind(**{name: value for name, value in options.items() if name in known})
