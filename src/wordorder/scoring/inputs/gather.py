"""From whatever is given to the one kind of input it means; what does not go together is refused here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from wordorder.core.runtime.errors import UsageError, choices
from wordorder.formats.sources import AlignmentSource, LengthSource, PermutationSource, TextSource
from wordorder.scoring.inputs.base import Inputs
from wordorder.scoring.inputs.orders import AlignedOrders, GivenOrders, MonotoneAlignments
from wordorder.scoring.inputs.texts import MatchedTexts, Texts

if TYPE_CHECKING:
    from wordorder.linking.aligning import Aligning
    from wordorder.linking.matching import Matching
    from wordorder.linking.parsing import Parsing
    from wordorder.linking.parsing.sources import ParseSource

ORDERS = ("matched", "source", "monotone")
"""What is compared: words that are shared, source words in both texts, or a text with its source."""


class Given(TypedDict, total=False):
    """What can be given beside hypotheses and references; None counts as not given."""

    source: TextSource | None
    order: str | None
    permutations: Mapping[str, PermutationSource] | PermutationSource | None
    hypothesis_alignments: Mapping[str, AlignmentSource] | AlignmentSource | None
    reference_alignments: AlignmentSource | Sequence[AlignmentSource] | None
    source_lengths: LengthSource | None
    hypothesis_parses: Mapping[str, ParseSource] | ParseSource | None
    reference_parses: ParseSource | Sequence[ParseSource] | None
    tokenizer: str | None
    lowercase: bool | None
    join_subwords: bool | None
    matching: Matching | None
    aligning: Aligning | None
    parsing: Parsing | None
    policy: str | None
    align_format: str | None
    base: int | None
    weight: str | None
    expected: int | None
    scores: Mapping[str, Any] | None


_MEANT_FOR = {
    "hypotheses": "permutations are word orders already; they cannot be combined with text or alignments",
    "references": "references are texts that hypotheses are compared with; leave them out, or give texts",
    "hypothesis_alignments": "with text, alignments are used by the orders 'source' and 'monotone'; choose one",
    "reference_alignments": "reference alignments go with alignments of hypotheses, or with text and an order "
    "through the source: 'source' or 'monotone'",
    "source_lengths": "lengths of the source are for alignments without text",
    "aligning": "an aligner is for text and an order through the source: 'source' or 'monotone'",
    "policy": "a policy is for alignments, or for text and an order through the source: 'source' or 'monotone'",
    "align_format": "a format of alignments is for files of alignments",
    "base": "a base of indices is for alignments and permutations",
    "weight": "weights by reference length need references as text",
    "expected": "expected scores are over alignments of text with its source; give the source",
}
"""What to say of something that the kind of input at hand has no use for."""

_HARMLESS = {"source", "threads", "seed", "tokenizer", "lowercase", "join_subwords", "matching"}
"""Settings that may be given though the input does not use them."""


def gather(
    hypotheses: Any = None,
    references: Any = None,
    *,
    threads: int = 1,
    seed: int | None = None,
    **given: Unpack[Given],
) -> Inputs:
    """Return the input that these things mean together.

    ``order`` says what is compared: ``matched`` (default with references) takes the words that hypothesis and
    reference share; ``source`` compares the order of the source words in both, through word alignments; ``monotone``
    (default with a source only) compares each translation with the source itself. ``expected`` is a number of
    alignments to draw from link probabilities, with ``seed``; with it, ``source`` is the default. ``scores`` are
    numbers that others computed, for metrics such as ``given:comet``: by name and system, one per segment.

    >>> gather(["a b"], ["b a"]).signature([])["order"], gather(permutations=["2 1"]).signature([])["order"]
    ('matched', 'permutations')
    """
    refuse_unknown(given, gather)
    options: dict[str, Any] = {"hypotheses": hypotheses, "references": references, "threads": threads, "seed": seed}
    options |= given
    if not options.get("expected"):
        del options["seed"]  # nothing is drawn
    options = {name: value for name, value in options.items() if value is not None}
    if isinstance(references, (list, tuple)) and not references:
        del options["references"]
    parsed: dict[str, Any] = {
        name: options.pop(name) for name in ("hypothesis_parses", "reference_parses", "parsing") if name in options
    }
    if not ("parsing" in parsed and parsed["parsing"].can_parse) and set(parsed) <= {"parsing"}:
        parsed = {}
    if "hypothesis_parses" in parsed and not {"hypotheses", "permutations"} & set(options):
        from wordorder.scoring.inputs.parsed import text_of_parses

        if "references" in options:
            raise UsageError("parses of hypotheses without their text are compared with parses of references alone")
        options |= text_of_parses(**parsed)
    scores = options.pop("scores", None)
    made = cast(Inputs, _make(_kind(options), options))
    if parsed:
        from wordorder.scoring.inputs.parsed import ParsedTexts

        made = ParsedTexts(cast(Texts, made), **parsed, threads=threads)
    if scores:
        from wordorder.scoring.inputs.scored import ScoredInputs

        made = ScoredInputs(made, scores)
    return made


def refuse_unknown(given: Iterable[str], function: Callable[..., Any]) -> None:
    """Refuse arguments that are neither a parameter of a function nor something that can be given."""
    for name in given:
        if name not in Given.__annotations__:
            own = [one for one in signature(function).parameters if one != "given"]
            raise choices(name, [*own, *Given.__annotations__], what="argument")


def _kind(options: dict[str, Any]) -> type[Inputs]:
    """Decide which kind of input is meant."""
    order = options.pop("order", None)
    if order is not None and order not in ORDERS:
        raise choices(order, list(ORDERS), what="order")
    if "permutations" in options:
        if order is not None:
            raise UsageError(f"permutations are word orders already; the order '{order}' is for text or alignments")
        return GivenOrders
    if "hypotheses" in options:
        order = order or _usual_order(options)
        if order == "matched":
            return MatchedTexts
        if "source" not in options:
            raise UsageError(f"the order '{order}' needs the source text (source=…)")
        from wordorder.scoring.inputs.monotone import MonotoneTexts
        from wordorder.scoring.inputs.source import SourceTexts

        return SourceTexts if order == "source" else MonotoneTexts
    if "hypothesis_alignments" not in options:
        raise UsageError(
            "there is nothing to score: give hypotheses with references or their source, permutations, "
            "alignments of hypotheses with those of references, or parses of both"
        )
    if order == "matched":
        raise UsageError("the order 'matched' is read off text; with alignments use 'source' or 'monotone'")
    return MonotoneAlignments if order == "monotone" else AlignedOrders


def _usual_order(options: dict[str, Any]) -> str:
    """Return what is compared where nobody says it; expected scores are always through the source."""
    if "references" not in options:
        return "monotone" if "source" in options else "matched"
    return "source" if options.get("expected") and "source" in options else "matched"


def _make(kind: type[Inputs], options: dict[str, Any]) -> Any:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in options.items():
        if name not in known and name not in _HARMLESS and (name, value) != ("weight", "segments"):
            raise UsageError(_MEANT_FOR[name])
    return kind(**{name: value for name, value in options.items() if name in known})
