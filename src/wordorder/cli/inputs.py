"""What is judged, as the command line names it: files, and how they become word orders."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import (
    add_aligner,
    add_link_format,
    add_tokenizer,
    chosen_aligning,
    files_of,
    named_files,
    split_name,
)
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.plain import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from wordorder.linking.parsing import Parsing
    from wordorder.scoring.inputs import Inputs

_LOOKED_AT = 500


def add_words(group: argparse._ArgumentGroup, *, sets: bool = False) -> None:
    """Add how text becomes words, and how words are matched; with ``sets``, in the language of each."""
    add_tokenizer(group)
    group.add_argument("--lowercase", "-lc", action="store_true", help="lower-case all text")
    group.add_argument(
        "--join-subwords", action="store_true", help="join subwords (hel@@ lo, ▁hel lo, hel ##lo) first"
    )
    group.add_argument(
        "--match",
        default="exact",
        metavar="STAGES",
        help="exact, stem, synonym, paraphrase joined by +, or first (default exact)",
    )
    several = ", one per set or one for all" if sets else ""
    group.add_argument(
        "--language",
        nargs="+" if sets else None,
        default=["english"] if sets else "english",
        metavar="NAME",
        help=f"language of the stemmer (default english){several}",
    )
    group.add_argument("--wordnet", metavar="FOLDER", help="WordNet database (default: where Debian puts it)")
    group.add_argument("--paraphrases", metavar="FILE", help="paraphrase table in METEOR's format")


def add_order(group: argparse._ArgumentGroup, *, sources: bool = False, several: bool = False) -> None:
    """Add the source text (one per set where there are ``sources``), and what is compared (in ``several`` ways)."""
    group.add_argument(
        "--source",
        nargs="+" if sources else None,
        metavar="FILE",
        help="the source text, for --order source" + (", one per set" if sources else " and monotone"),
    )
    group.add_argument(
        "--order",
        nargs="+" if several else None,
        choices=("matched", "source") if sources else ("matched", "source", "monotone"),
        help="matched: the words that hypothesis and reference share (default with --ref); source: the order of the "
        "source words in both, through word alignments"
        + (
            ""
            if sources
            else "; monotone: each translation, and each reference, against the source itself (default with --source "
            "and no --ref)"
        )
        + ("; both: every metric of order is scored in both ways" if several else ""),
    )


def add_aligning(parser: argparse.ArgumentParser, *, sources: bool = False) -> argparse._ArgumentGroup:
    """Add which aligner makes links (what it learns from, per set where there are ``sources``), or given links."""
    orders = "source" if sources else "source or monotone"
    through = parser.add_argument_group(f"alignment with the source (--order {orders})")
    add_aligner(through, also="; learns from the texts themselves, in lower case", sets=sources)
    add_links(through)
    add_link_format(through, default=None)
    through.add_argument(
        "--policy",
        metavar="NAME",
        help="from alignment to order: birch, talbot, attach-left, attach-right, drop (default birch)",
    )
    through.add_argument(
        "--expected",
        type=int,
        metavar="N",
        help="expected scores over N alignments sampled from link probabilities, not scores of the best alignment"
        + ("" if sources else "; with --ref, implies --order source"),
    )
    return through


def add_links(group: argparse._ArgumentGroup) -> None:
    """Add links that are given."""
    group.add_argument(
        "--hyp-align",
        nargs="+",
        metavar="FILE",
        help="source→hypothesis alignments, one per system: in the order of --hyp, or NAME=FILE; with text, they "
        "count its words as --tokenize splits it",
    )
    group.add_argument(
        "--ref-align", nargs="+", metavar="FILE", help="source→reference alignments, in the order of --ref"
    )


def add_parser_choice(group: argparse._ArgumentGroup) -> None:
    """Add what text is parsed with."""
    group.add_argument("--grammar", metavar="FILE", help="parse the text with a grammar ('wordorder parse train')")
    group.add_argument("--parser", metavar="FILE", help="parse it with a dependency parser ('wordorder parse train')")
    group.add_argument("--spacy", metavar="MODEL", help="parse it with this spaCy pipeline")


def add_parses(parser: argparse.ArgumentParser) -> None:
    """Add where parses come from."""
    group = parser.add_argument_group("parses (for dpm and edpm): made from the text, or given")
    add_parser_choice(group)
    group.add_argument("--no-cache", action="store_true", help="do not cache parses on disk")
    group.add_argument(
        "--hyp-parses",
        nargs="+",
        metavar="FILE",
        help="parses of the hypotheses, one file per system: in the order of --hyp, or NAME=FILE; without --hyp "
        "their words are the text",
    )
    group.add_argument("--ref-parses", nargs="+", metavar="FILE", help="parses of the references, in their order")
    group.add_argument(
        "--parse-format", metavar="NAME", help="nbest, brackets or conllu (default: recognised from the file)"
    )
    group.add_argument(
        "--log-base", metavar="BASE", help="base of the logarithms in n-best lists: 2 (default), e or a number"
    )


def add_weight(group: argparse._ArgumentGroup) -> None:
    """Add how segments weigh in a mean."""
    group.add_argument(
        "--weight",
        choices=("segments", "ref-length"),
        default="segments",
        help="means over segments: plain, or weighted by reference length (default segments)",
    )


def add_given(group: argparse._ArgumentGroup, *, sets: bool = False) -> None:
    """Add scores that others computed."""
    each = "; repeat a name once for each set, in the order of the sets" if sets else ""
    group.add_argument(
        "--given",
        dest="given_scores",
        nargs="+",
        metavar="NAME=FILE",
        help="segment scores of another metric, for the metric given:NAME: seg.score of mt-metrics-eval, a "
        f"table or JSON Lines (FILE:column), or a file per system with a number per line (NAME/SYSTEM=FILE){each}",
    )


def name_given(options: argparse.Namespace) -> None:
    """Add the given scores to the metrics that were asked for, unless a metric uses them already."""
    if options.metrics is None or not options.given_scores:
        return
    used = {part for spec in options.metrics.split(",") for part in spec.split(":")}
    for name in dict.fromkeys(name for name, _, _ in _given_files(options.given_scores)):
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
    if not options.given_scores or count == 1:
        return [options.given_scores] * count
    files: dict[str, list[str]] = {}
    for item, (name, system, _) in zip(options.given_scores, _given_files(options.given_scores), strict=True):
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


_NOT_ASKED = dict.fromkeys(
    (
        "texts",
        "given",
        "lines",
        "permutations",
        "source_lengths",
        "hyp_parses",
        "ref_parses",
        "parse_format",
        "log_base",
        "expected",
        "seed",
    ),
    None,
)
"""Options that not every command has."""


def gather_inputs(options: argparse.Namespace, **changed: Any) -> Inputs:
    """Return what the options name as one value; ``changed`` take the place of options.

    ``texts``, hypotheses by name and references, are lines that were read already, instead of files; ``lines`` says
    which lines of whole texts they are, where given scores are those of whole texts.
    """
    from wordorder.scoring.inputs import gather

    asked = argparse.Namespace(**{**_NOT_ASKED, **vars(options), **changed})
    named = {name: value for name, value in vars(asked).items() if name not in ("texts", "lines")}
    given = [value if isinstance(value, list) else [value] for value in named.values()]
    if [str(name).rpartition("=")[2] for several in given for name in several].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    systems, references = asked.texts or text_files(asked.hyp or [], asked.ref or [])
    parsed = asked.grammar or asked.parser or asked.spacy or asked.hyp_parses or asked.ref_parses
    return gather(
        systems or None,
        references,
        source=asked.source,
        order=asked.order,
        permutations=named_files(asked.permutations) if asked.permutations else None,
        hypothesis_alignments=files_of(systems, asked.hyp_align) if asked.hyp_align else None,
        reference_alignments=[Path(file) for file in asked.ref_align] if asked.ref_align else None,
        source_lengths=asked.source_lengths,
        hypothesis_parses=files_of(systems, asked.hyp_parses) if asked.hyp_parses else None,
        reference_parses=[Path(file) for file in asked.ref_parses] if asked.ref_parses else None,
        aligning=chosen_aligning(asked),
        parsing=_parsing(asked) if parsed else None,
        policy=asked.policy,
        align_format=asked.align_format,
        base=asked.base,
        expected=asked.expected,
        seed=asked.seed,
        threads=asked.threads,
        scores=read_given(asked.given_scores, list(systems or asked.permutations or ()), asked.lines)
        if asked.given_scores
        else None,
        **text_options(asked),
    )


def text_options(options: argparse.Namespace) -> Any:
    """Return how text becomes words, how words are matched and how segments weigh."""
    from wordorder.linking.matching import Matching

    language = options.language[0] if isinstance(options.language, list) else options.language
    return {
        "tokenizer": options.tokenize,
        "lowercase": options.lowercase,
        "join_subwords": options.join_subwords,
        "matching": Matching(tuple(options.match.split("+")), language, options.wordnet, options.paraphrases),
        "weight": options.weight,
    }


def _parsing(options: argparse.Namespace) -> Parsing:
    from wordorder.linking.parsing import Parsing

    settings: dict[str, Any] = {"format": options.parse_format, "cached": not options.no_cache}
    base = options.log_base
    if base is not None:
        try:
            settings["base"] = math.e if base == "e" else float(base)
        except ValueError:
            raise UsageError(f"--log-base {base}: expected 2, 10, e or another number") from None
    return Parsing(options.grammar, options.spacy, parser=options.parser, **settings)


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
