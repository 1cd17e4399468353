"""Build the kind of inputs that the arguments describe; arguments that cannot be combined are rejected."""

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
    "hyp": "permutations already are word orders, so they cannot be combined with text or alignments",
    "ref": f"{mention('ref')} is for text: give the hypotheses as text, too, or omit {mention('ref')}",
    "hyp_align": f"with text, {mention('hyp_align')} requires {_THROUGH_SOURCE}",
    "ref_align": f"{mention('ref_align')} requires {mention('hyp_align')}, or text and {_THROUGH_SOURCE}",
    "source_lengths": f"{mention('source_lengths')} can be used only with alignments without text",
    "aligning": f"an aligner can be used only with text and {_THROUGH_SOURCE}",
    "policy": f"{mention('policy')} can be used only with alignments, or with text and {_THROUGH_SOURCE}",
    "align_format": f"{mention('align_format')} can be used only with alignment files",
    "base": f"{mention('base')} can be used only with alignments or permutations",
    "weight": f"{mention('weight', 'ref-length')} requires text with references",
    "expected": f"{mention('expected')} requires text aligned with its source; give {mention('source')}",
}
"""The error messages for options that the chosen kind of inputs does not use."""

_HARMLESS = {"source", "threads", "seed", "tokenize", "lowercase", "join_subwords", "matching"}
"""Options that are accepted even if the chosen kind of inputs does not use them."""

VALUES = {
    "matching": ("wordorder.linking.matching", "Matching"),
    "aligning": ("wordorder.linking.aligning", "Aligning"),
    "parsing": ("wordorder.linking.parsing", "Parsing"),
}
"""Options whose values are objects with settings; each setting can also be passed as an option of its own."""


@accepts_options(InputOptions)
def make_inputs(
    hyp: Any = None, ref: Any = None, *, threads: int = 1, seed: int | None = None, **options: Unpack[InputOptions]
) -> Inputs:
    """Build the inputs from the given arguments.

    ``order`` selects the word orders to compare. ``matched`` (the default if there are references) compares the order
    of the words that hypothesis and reference share. ``source`` uses word alignments to compare the order of the
    source words in the hypothesis with their order in the reference. ``monotone`` (the default if there is only a
    source) compares each translation with the source itself. ``expected`` is the number of alignments to sample from
    link probabilities, with the random seed ``seed``; if it is given, the default of ``order`` is ``source``.
    ``given`` holds segment scores of other metrics, by metric name and system, for metrics such as ``given:comet``.
    The settings of :class:`Matching`, :class:`Aligning` and :class:`Parsing` can also be passed directly, as in
    ``match="exact+stem"``.

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
            raise UsageError(f"without {mention('hyp')}, references must be parses: use {mention('ref_parses')} only")
        passed |= text_of_parses(**parsed)
    given = passed.pop("given", None)
    kind = _kind(passed)
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in passed.items():
        if name not in known and name not in _HARMLESS and (name, value) != ("weight", "segments"):
            raise UsageError(_MEANT_FOR[name])
    made = kind(**{name: value for name, value in passed.items() if name in known})
    if parsed:
        from wordorder.scoring.inputs.parsed import ParsedTexts

        made = ParsedTexts(cast(TextInputs, made), **parsed, threads=threads)
    if given:
        from wordorder.scoring.inputs.scored import ScoredInputs

        made = ScoredInputs(made, given)
    return made


def join_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options; settings passed directly (as ``match``) are combined into objects (as ``matching``)."""
    found = {name: value for name, value in options.items() if value is not None}
    loose = found.keys() - {*settings_of(InputOptions), *VALUES}
    for name, (module, kind) in VALUES.items():
        if not loose:
            break
        value = getattr(import_module(module), kind)
        own = {setting: found.pop(setting) for setting in sorted(loose & settings_of(value).keys())}
        loose -= own.keys()
        if own and name in found:
            raise UsageError(f"give either {mention(name)} or {mention(min(own))}, one of its settings, but not both")
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
                f"{mention('order', order)} applies to texts and alignments only; leave it out to score permutations"
            )
        return GivenOrders
    if "hyp" in options:
        if order is None and "ref" not in options:
            order = "monotone" if "source" in options else "matched"
        elif order is None:
            order = "source" if options.get("expected") and "source" in options else "matched"
        if order == "matched":
            return MatchedTexts
        refuse("source" not in options, f"{mention('order', order)} needs the source text; give {mention('source')}")
        from wordorder.scoring.inputs.monotone import MonotoneTexts
        from wordorder.scoring.inputs.source import SourceTexts

        return SourceTexts if order == "source" else MonotoneTexts
    if "hyp_align" not in options:
        raise UsageError(
            f"nothing to score: give {mention('hyp')} and {mention('ref')} (or {mention('source')}), or "
            f"{mention('permutations')}, or {mention('hyp_align')} and {mention('ref_align')}, or "
            f"{mention('hyp_parses')} and {mention('ref_parses')}"
        )
    if order == "matched":
        raise UsageError(f"{mention('order', 'matched')} requires text; with alignments alone, use {_THROUGH_SOURCE}")
    return MonotoneAlignments if order == "monotone" else AlignedOrders
