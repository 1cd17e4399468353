"""Command-line options for inputs, and functions that build inputs from these options."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, files_of, named_files, settings_from, split_name
from wordorder.cli.output import input_paths
from wordorder.core.runtime.errors import UsageError, count_of, refuse
from wordorder.core.runtime.settings import settings_of
from wordorder.linking.settings import AligningSettings, MatchingSettings, ParsingSettings
from wordorder.report.table import find_name
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from wordorder.scoring.inputs import Inputs

THROUGH_SOURCE = (*settings_of(AligningSettings), "hyp_align", "ref_align", "align_format", "base", "policy")
"""The options for orders through the source, besides ``source`` and ``order``."""

_ONE_PER_SET = ", one per set"


def add_words(group: argparse._ArgumentGroup, *, sets: bool = False) -> None:
    """Add the options for tokenising and matching words; with ``sets``, each test set may have its own language."""
    add_settings(group, InputOptions, "tokenize", "lowercase", "join_subwords")
    several: Any = {
        "help": "language of the stemmer: one per set, or one for all sets",
        "many": True,
        "default": ["english"],
    }
    add_settings(group, MatchingSettings, **{"language": several} if sets else {})


def add_order(group: argparse._ArgumentGroup, *, sources: bool = False, several: bool = False) -> None:
    """Add the options ``--source`` and ``--order``.

    With ``sources``, each set of judgements has its own source text; with ``several``, several orders may be given.
    """
    source = {"help": "the source text, for --order source" + (_ONE_PER_SET if sources else " and monotone")}
    order: dict[str, Any] = {"many": several}
    if sources:
        both = "; both: every metric of order is scored in both ways" if several else ""
        about = settings_of(InputOptions)["order"].help.partition("; monotone")[0]
        order |= {"choices": ("matched", "source"), "help": about + both}
    add_settings(group, InputOptions, "source", "order", source=source | {"many": sources}, order=order)


def add_aligner(group: argparse._ArgumentGroup, *, sets: bool = False, **changes: Mapping[str, Any]) -> None:
    """Add the options for the aligner and its training text; with ``sets``, each test set has its own."""
    for name in ("align_model", "train_source", "train_target") if sets else ():
        changes[name] = {"many": True, "help": settings_of(AligningSettings)[name].help + _ONE_PER_SET}
    add_settings(group, AligningSettings, optional=True, **changes)


def add_gold_alignments(group: argparse._ArgumentGroup, about: str) -> None:
    """Add the option ``--gold`` with the help text ``about``, and the options for reading its file."""
    group.add_argument("--gold", metavar="FILE", help=about)
    group.add_argument("--gold-format", default="talp", metavar="NAME", help="format of the gold file (default talp)")
    first = "the first index in the gold file, 0 or 1 (default: depends on the format)"
    group.add_argument("--gold-base", type=int, choices=(0, 1), help=first)


def add_aligning(parser: argparse.ArgumentParser, *, sources: bool = False) -> argparse._ArgumentGroup:
    """Add the options for the aligner and for given links; with ``sources``, each test set has its own aligner."""
    orders = "source" if sources else "source or monotone"
    group = parser.add_argument_group(f"alignment with the source (--order {orders})")
    add_aligner(group, sets=sources)
    add_settings(group, InputOptions, "hyp_align", "ref_align", "align_format", "base", "policy", "expected")
    return group


def add_parser_choice(group: argparse._ArgumentGroup) -> None:
    """Add the options that select a grammar or parser for parsing text."""
    add_settings(group, ParsingSettings, "grammar", "parser", "spacy", optional=True)


def add_parses(parser: argparse.ArgumentParser) -> None:
    """Add the options for parses, which are either made by a parser or read from files."""
    group = parser.add_argument_group("parses (for dpm and edpm): made from the text, or given")
    add_parser_choice(group)
    add_settings(group, ParsingSettings, "parse_format", "log_base", "cache", optional=True)
    add_settings(group, InputOptions, "hyp_parses", "ref_parses")


def add_given(group: argparse._ArgumentGroup, *, sets: bool = False) -> None:
    """Add the option ``--given``, which supplies scores of other metrics."""
    more = "; repeat each name once per set, in the order of the sets" if sets else ""
    add_settings(group, InputOptions, "given", given={"help": settings_of(InputOptions)["given"].help + more})


def name_given(options: argparse.Namespace) -> None:
    """Add a metric for each name in ``--given`` to ``--metrics``, unless a metric there already uses the scores."""
    if options.metrics is None or not options.given:
        return
    used = {part for spec in options.metrics.split(",") for part in spec.split(":")}
    for name in dict.fromkeys(name for name, _, _ in _given_files(options.given)):
        if name not in used and f"scores={name}" not in used:
            options.metrics += f",given:{name}"


def _given_files(items: list[str]) -> list[tuple[str, str | None, str]]:
    """Return the metric name, the system (None if not given) and the file of each ``--given`` item."""
    from wordorder.formats.given_scores import check_name, scores_name

    found = []
    for item in items:
        label, file = split_name(item)
        name, _, system = (label or scores_name(file)).partition("/")
        found.append((check_name(name), system or None, file))
    return found


def given_per_set(options: argparse.Namespace, count: int) -> list[list[str] | None]:
    """Distribute the items of ``--given`` over ``count`` test sets; each name must have one file per set."""
    if not options.given or count == 1:
        return [options.given] * count
    files: dict[str, list[str]] = {}
    for item, (name, system, _) in zip(options.given, _given_files(options.given), strict=True):
        files.setdefault(f"{name}/{system}" if system else name, []).append(item)
    for name, several in files.items():
        if len(several) != count:
            found = f"{count_of(len(several), 'file')} for {count_of(count, 'set')}"
            raise UsageError(f"--given {name}: expected one file per set, in the order of the sets, found {found}")
    return [[several[place] for several in files.values()] for place in range(count)]


def read_given(
    items: list[str], systems: Sequence[str], lines: NDArray[np.int64] | None = None
) -> dict[str, dict[str, list[float]]]:
    """Read the scores in ``--given`` items; return one list of scores for each metric name and system.

    If the segments are only some lines of the files, ``lines`` has the line number (from 0) of each segment."""
    from wordorder.formats import given_scores

    found: dict[str, dict[str, list[float]]] = {}
    named = _given_files(items)
    for name, system, file in named:
        scores = given_scores.read(file)
        if given_scores.NO_SYSTEM in scores:
            unnamed = [each for each in named if each[0] == name]
            in_order = len(unnamed) == len(systems) and all(each[1] is None for each in unnamed)
            if not (in_order or system):
                raise UsageError(
                    f"{file} does not name the system that its scores belong to; give one file for each system, in "
                    f"the order of the systems, or name the system: {name}/SYSTEM={file}"
                )
            place = find_name(system, systems) if system else unnamed.index((name, system, file))
            scores = {systems[place]: scores[given_scores.NO_SYSTEM]}
        elif system is not None and system not in scores:
            raise UsageError(f"{file} has no scores for {system}, only for {', '.join(scores)}")
        for each, values in scores.items():
            if each in found.get(name, ()):
                raise UsageError(f"--given {name}: two files have scores for {each}; omit one, such as {file}")
            if lines is not None and len(values) != len(lines):
                values = [values[line] if 0 <= line < len(values) else float("nan") for line in lines]
            found.setdefault(name, {})[each] = values
    return found


def inputs_from(options: argparse.Namespace, **changed: Any) -> Inputs:
    """Build inputs from the options; ``changed`` options replace those given on the command line."""
    from wordorder.scoring.inputs import make_inputs

    seed = getattr(options, "seed", None)
    return make_inputs(**input_arguments(options, **changed), seed=seed, threads=options.threads)


def input_arguments(
    options: argparse.Namespace, *, texts: tuple[Any, Any] | None = None, lines: Any = None, **changed: Any
) -> dict[str, Any]:
    """Return arguments for :func:`make_inputs` taken from the options; ``changed`` options replace others.

    ``texts`` is a pair (hypotheses by name, references) that has already been read. If these are only some lines of
    the whole texts, ``lines`` has their line numbers, so that the right scores are selected from ``--given`` files.
    """
    options = argparse.Namespace(**vars(options) | changed)
    refuse(list(input_paths(options)).count("-") > 1, "standard input (-) can be read only once")
    hyp, ref = texts or text_files(getattr(options, "hyp", None) or [], getattr(options, "ref", None) or [])
    found = settings_from(options, InputOptions, MatchingSettings, AligningSettings, ParsingSettings)
    if "permutations" in found:
        found["permutations"] = named_files(found["permutations"])
    for name in found.keys() & {"hyp_align", "hyp_parses"}:
        found[name] = files_of(hyp, found[name])
    for name in found.keys() & {"ref_align", "ref_parses"}:
        found[name] = [Path(file) for file in found[name]]
    if isinstance(found.get("language"), list):
        found["language"] = found["language"][0]
    if "given" in found:
        found["given"] = read_given(found["given"], list(hyp or found.get("permutations", ())), lines)
    return {"hyp": hyp or None, "ref": ref or None, **found}


def text_options(options: argparse.Namespace) -> Any:
    """Return the keyword arguments for tokenising text, matching words and weighting segments."""
    from wordorder.linking.matching import Matching

    found = settings_from(options, InputOptions)
    matching = settings_from(options, MatchingSettings)
    if isinstance(matching["language"], list):
        matching["language"] = matching["language"][0]
    names = ("tokenize", "lowercase", "join_subwords", "weight")
    return {name: found[name] for name in names if name in found} | {"matching": Matching(**matching)}


def read_names(path: str) -> list[str]:
    """Read a file with the name of each segment's document or bucket, one per line."""
    from wordorder.formats import text

    names: list[str] = text.read(path).to_pylist()
    return names


def text_files(hypotheses: list[str], references: list[str]) -> tuple[dict[str, Any], list[Any]]:
    """Return the hypotheses by name, and the references; XML test sets supply all their systems or references."""
    from wordorder.core.runtime.files import without_packing
    from wordorder.formats.text import file_behind

    systems: dict[str, Any] = {}
    named = named_files(hypotheses)
    for path in (*named.values(), *references):
        refuse(path != "-" and not os.path.exists(file_behind(path)), f"{path}: no such file")
    for name, path in named.items():
        found: dict[str, Any] = {name: path}
        if without_packing(path).endswith(".xml"):
            from wordorder.formats import wmt_xml

            found = dict(wmt_xml.read(path).systems)
            refuse(not found, f"{path}: no system output (<hyp system=…>) found")
        for system, text in found.items():
            another = "give one of them another name: NAME=FILE"
            refuse(system in systems, f"two systems have the name {system!r}; {another}")
            systems[system] = text
    gold: list[Any] = []
    for path in references:
        texts: list[Any] = [Path(path)]
        if without_packing(path).endswith(".xml"):
            from wordorder.formats import wmt_xml

            texts = list(wmt_xml.read(path).references.values())
            refuse(not texts, f"{path}: no reference (<ref …>) found")
        gold += texts
    return systems, gold
