"""Inputs on the command line: their options, and the way from these to inputs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, files_of, named_files, settings_from, split_name
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.plain import count_of
from wordorder.core.runtime.settings import settings_of
from wordorder.linking.settings import AligningSettings, MatchingSettings, ParsingSettings
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from wordorder.scoring.inputs import Inputs

_LOOKED_AT = 500
_ONE_PER_SET = ", one per set"


def add_words(group: argparse._ArgumentGroup, *, sets: bool = False) -> None:
    """Add how text becomes words, and how words are matched; with ``sets``, in the language of each."""

    add_settings(group, InputOptions, "tokenize", "lowercase", "join_subwords")
    several: Any = {
        "help": "language of the stemmer, one per set or one for all",
        "many": True,
        "default": ["english"],
    }
    add_settings(group, MatchingSettings, **{"language": several} if sets else {})


def add_order(group: argparse._ArgumentGroup, *, sources: bool = False, several: bool = False) -> None:
    """Add the source text (one per set where there are ``sources``), and what is compared (in ``several`` ways)."""
    source = {"help": "the source text, for --order source" + (_ONE_PER_SET if sources else " and monotone")}
    order: dict[str, Any] = {"many": several}
    if sources:
        both = "; both: every metric of order is scored in both ways" if several else ""
        about = settings_of(InputOptions)["order"].help.partition("; monotone")[0]
        order |= {"choices": ("matched", "source"), "help": about + both}
    add_settings(group, InputOptions, "source", "order", source=source | {"many": sources}, order=order)


def add_aligner(group: argparse._ArgumentGroup, *, sets: bool = False, **changes: Mapping[str, Any]) -> None:
    """Add which aligner makes links, and what it learns from, per set of judgements where there are ``sets``."""

    if sets:
        several = {
            name: settings_of(AligningSettings)[name] for name in ("align_model", "train_source", "train_target")
        }
        changes |= {name: {"many": True, "help": known.help + _ONE_PER_SET} for name, known in several.items()}
    add_settings(group, AligningSettings, optional=True, **changes)


def add_aligning(parser: argparse.ArgumentParser, *, sources: bool = False) -> argparse._ArgumentGroup:
    """Add which aligner makes links (what it learns from, per set where there are ``sources``), or given links."""
    through = parser.add_argument_group(
        f"alignment with the source (--order source{'' if sources else ' or monotone'})"
    )
    add_aligner(through, sets=sources)
    add_settings(through, InputOptions, "hyp_align", "ref_align", "align_format", "base", "policy", "expected")
    return through


def add_parser_choice(group: argparse._ArgumentGroup) -> None:
    """Add what text is parsed with."""

    add_settings(group, ParsingSettings, "grammar", "parser", "spacy", optional=True)


def add_parses(parser: argparse.ArgumentParser) -> None:
    """Add where parses come from."""

    group = parser.add_argument_group("parses (for dpm and edpm): made from the text, or given")
    add_parser_choice(group)
    add_settings(group, ParsingSettings, "parse_format", "log_base", "cache", optional=True)
    add_settings(group, InputOptions, "hyp_parses", "ref_parses")


def add_given(group: argparse._ArgumentGroup, *, sets: bool = False) -> None:
    """Add scores from elsewhere."""
    more = "; repeat a name once for each set, in the order of the sets" if sets else ""
    add_settings(group, InputOptions, "given", given={"help": settings_of(InputOptions)["given"].help + more})


def name_given(options: argparse.Namespace) -> None:
    """Add the given scores to the metrics that were asked for, unless a metric uses them already."""
    if options.metrics is None or not options.given:
        return
    used = {part for spec in options.metrics.split(",") for part in spec.split(":")}
    for name in dict.fromkeys(name for name, _, _ in _given_files(options.given)):
        if name not in used and f"scores={name}" not in used:
            options.metrics += f",given:{name}"


def _given_files(items: list[str]) -> list[tuple[str, str | None, str]]:
    """Return name, system (if it is said) and file of given scores."""
    from wordorder.formats.given_scores import check_name, scores_name

    found = []
    for item in items:
        label, file = split_name(item)
        name, _, system = (label or scores_name(file)).partition("/")
        found.append((check_name(name), system or None, file))
    return found


def given_per_set(options: argparse.Namespace, count: int) -> list[list[str] | None]:
    """Share out given scores among several sets: each name has a file for each of them."""
    if not options.given or count == 1:
        return [options.given] * count
    files: dict[str, list[str]] = {}
    for item, (name, system, _) in zip(options.given, _given_files(options.given), strict=True):
        files.setdefault(f"{name}/{system}" if system else name, []).append(item)
    for name, several in files.items():
        if len(several) != count:
            found = f"{count_of(len(several), 'file')} for {count_of(count, 'set')}"
            raise UsageError(f"--given {name} has {found}; expected one per set, in the same order")
    return [[several[place] for several in files.values()] for place in range(count)]


def read_given(
    items: list[str], systems: Sequence[str], lines: NDArray[np.int64] | None = None
) -> dict[str, dict[str, list[float]]]:
    """Read given scores by name and system; ``lines`` are those of them that are judged."""
    from wordorder.formats import given_scores

    found: dict[str, dict[str, list[float]]] = {}
    named = _given_files(items)
    for name, system, file in named:
        scores = given_scores.read(file)
        if given_scores.NO_SYSTEM in scores:
            unnamed = [each for each in named if each[0] == name]
            in_order = len(unnamed) == len(systems) and all(each[1] is None for each in unnamed)
            of = system or (systems[unnamed.index((name, system, file))] if in_order else None)
            if of is None:
                raise UsageError(
                    f"{file} does not say which system its scores are of; give one file per system, in the same "
                    f"order, or name the system: {name}/SYSTEM={file}"
                )
            scores = {of: scores[given_scores.NO_SYSTEM]}
        elif system is not None and system not in scores:
            raise UsageError(f"{file} has no scores of {system}, only of {', '.join(scores)}")
        for each, values in scores.items():
            if each in found.get(name, ()):
                raise UsageError(f"--given {name}: two files have scores of {each}; the second is {file}")
            if lines is not None and len(values) != len(lines):
                values = [values[line] if 0 <= line < len(values) else float("nan") for line in lines]
            found.setdefault(name, {})[each] = values
    return found


def inputs_from(options: argparse.Namespace, **changed: Any) -> Inputs:
    """Make the inputs that the options name; ``changed`` options replace those of the command line."""
    from wordorder.scoring.inputs import make_inputs

    seed = getattr(options, "seed", None)
    return make_inputs(**input_arguments(options, **changed), seed=seed, threads=options.threads)


def input_arguments(
    options: argparse.Namespace, *, texts: tuple[Any, Any] | None = None, lines: Any = None, **changed: Any
) -> dict[str, Any]:
    """Return the arguments for :func:`make_inputs` that the options name; ``changed`` options replace these.

    ``texts``, hypotheses by name and references, are lines that were read already, instead of files; ``lines`` says
    which lines of whole texts they are, where given scores are those of whole texts.
    """

    options = argparse.Namespace(**vars(options) | changed)
    files = [item for value in vars(options).values() for item in (value if isinstance(value, list) else [value])]
    if [str(file).rpartition("=")[2] for file in files].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
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
    """Return how text becomes words, how words are matched and how segments are weighted."""

    found = settings_from(options, InputOptions)
    from wordorder.linking.matching import Matching

    matching = settings_from(options, MatchingSettings)
    if isinstance(matching["language"], list):
        matching["language"] = matching["language"][0]
    names = ("tokenize", "lowercase", "join_subwords", "weight")
    return {name: found[name] for name in names if name in found} | {"matching": Matching(**matching)}


def read_names(path: str) -> list[str]:
    """Read the document or bucket of every segment, one per line."""
    from wordorder.formats import text

    names: list[str] = text.read(path).to_pylist()
    return names


def text_files(hypotheses: list[str], references: list[str]) -> tuple[dict[str, Any], list[Any]]:
    """Resolve file arguments; an XML test set stands for all systems or all references in it."""
    from wordorder.core.runtime.files import without_packing

    systems: dict[str, Any] = {}
    for name, path in named_files(hypotheses).items():
        found: dict[str, Any] = {name: path}
        if without_packing(path).endswith(".xml"):
            from wordorder.formats import wmt_xml

            found = dict(wmt_xml.read(path).systems)
            if not found:
                raise UsageError(f"{path}: holds no system output (<hyp system=…>)")
        for system, text in found.items():
            if system in systems:
                raise UsageError(f"two systems are called {system!r}; give one of them another name: NAME=FILE")
            systems[system] = text
    gold: list[Any] = []
    for path in references:
        if without_packing(path).endswith(".xml"):
            from wordorder.formats import wmt_xml

            texts = list(wmt_xml.read(path).references.values())
            if not texts:
                raise UsageError(f"{path}: holds no reference (<ref …>)")
            gold += texts
        else:
            gold.append(Path(path))
    return systems, gold
