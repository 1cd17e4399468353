"""Other names of options: other spellings, former names, and the names that other tools use.

A command declares each option once, under one name. Another spelling is accepted silently and a former name with a
note; for an option of another tool that has no counterpart, the error says what to do instead. A name is translated
only if the command has the option that is meant and no option with the name itself.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence

SPELLINGS = {
    "--symmetrize": "--symmetrise",
    "--tokenise": "--tokenize",
    "--tokenizer": "--tokenize",
    "--tokeniser": "--tokenize",
    "--lower-case": "--lowercase",
    "--judgments": "--judgements",
    "--judgment-format": "--judgement-format",
    "--hypotheses": "--hyp",
    "--hypothesis": "--hyp",
    "--reference": "--ref",
    "--documents": "--docs",
    "--metric": "--metrics",
    "--input": "--hyp",
    "--orders": "--permutations",
    "--target-text": "--target",
    "--width": "--digits",
    "--bootstrap": "--samples",
    "--paired-bs-n": "--samples",
    "--paired-ar-n": "--samples",
    "--confidence-n": "--samples",
    "-cin": "--samples",
    "-pbs": "--paired-bs",
    "-par": "--paired-ar",
    "-i": "--bitext",
    "-s": "--source",
    "-t": "--target",
    "--model-file": "--align-model",
}
"""Other spellings of options, including American ones, and their names in sacreBLEU and in aligners."""

OLD = {
    "--align-file": ("--hyp-align", "--align"),
    "--model": ("--aligner",),
    "--load": ("--align-model",),
    "--trees": ("--parses",),
    "--trees-format": ("--parse-format",),
    "--nbest": ("--parses",),
    "--nbest-format": ("--parse-format",),
    "--form": ("--judgement-format",),
    "--as": ("--format",),
    "--buckets": ("--write-buckets",),
}
"""Former names of options, each with its new names; the first new name that a command has is meant."""

ANSWERS = {
    "-t": "test sets are given as files: --ref, --hyp and --source",
    "--test-set": "test sets are given as files: --ref, --hyp and --source",
    "-l": "languages need not be named; the files are --ref, --hyp and --source",
    "--language-pair": "languages need not be named; the files are --ref, --hyp and --source",
    "-i": "translations are given as --hyp FILE",
    "-f": "the output format is set by --format",
    "-b": "for numbers alone use --format tsv",
    "--score-only": "for numbers alone use --format tsv",
    "-sl": "scores of segments are written by --segments FILE",
    "--sentence-level": "scores of segments are written by --segments FILE",
    "-ci": "confidence intervals are always shown; --samples sets the number of bootstrap samples",
    "--confidence": "confidence intervals are always shown; --samples sets the number of bootstrap samples",
    "-nr": "give several references as --ref R1 R2",
    "--num-refs": "give several references as --ref R1 R2",
    "-s": "smoothing is a parameter of the metric; see 'wordorder metrics bleu'",
    "--smooth-method": "smoothing is a parameter of the metric; see 'wordorder metrics bleu'",
    "-e": "text is UTF-8",
    "--encoding": "text is UTF-8",
    "-r": "for one direction use --symmetrise forward or backward",
    "-d": "the diagonal model is --aligner diagonal",
    "-v": "the standard models are model1, diagonal, hmm and eflomal: --aligner NAME",
}
"""Advice on what to do instead of options of sacreBLEU, fast_align and eflomal that have no counterpart here."""

_CHOICES = ("closest", "average")
_GLUED_WIDTH = re.compile(r"-w(\d+)")


def translate(arguments: Sequence[str], known: Collection[str]) -> tuple[list[str], list[str]]:
    """Return arguments under the names that a command knows, and notes about former names.

    >>> translate(["--symmetrize", "union", "--model=hmm"], {"--symmetrise", "--aligner"})
    (['--symmetrise', 'union', '--aligner=hmm'], ['--model is now called --aligner'])
    """
    found: list[str] = []
    notes: list[str] = []
    for place, argument in enumerate(arguments):
        if argument == "--":
            found += arguments[place:]
            break
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        name, equals, value = argument.partition("=")
        meant, note = _meant(name, value if equals else following, known)
        if note:
            notes.append(f"{name} is now called {meant}")
        found += [argument] if meant == name else [meant + equals + value] if equals else meant.split()
    return found, notes


def _meant(name: str, value: str, known: Collection[str]) -> tuple[str, bool]:
    """Return the name that is meant, and whether the given name is a former one."""
    if not name.startswith("-") or name in known:
        return name, False
    if "--digits" in known and (width := _GLUED_WIDTH.fullmatch(name)):
        return f"--digits {width[1]}", False
    if name == "-w" and "--weight" in known:
        return ("--digits", False) if value.isdigit() else ("--weight", False)
    if name == "--references" and "--reference-choice" in known:
        return ("--reference-choice", True) if value in _CHOICES else ("--ref", False)
    for new in OLD.get(name, ()):
        if new in known:
            return new, True
    hyphened = name.replace("_", "-")
    spelt = SPELLINGS.get(hyphened, hyphened)
    short = name.startswith("-") and not name.startswith("--") and len(name) == 2
    if spelt in known and not (short and "--bitext" not in known):  # aligners name their two files by -s and -t
        return spelt, False
    return name, False


def unknown(arguments: Sequence[str], known: Collection[str]) -> str | None:
    """Return a message about the first option that a command does not know, or None if it knows them all."""
    for argument in arguments:
        if argument == "--":
            return None
        name = argument.partition("=")[0]
        if not re.match(r"--?[a-zA-Z]", name) or " " in argument or name in known or name[:2] in known:
            continue
        answer = ANSWERS.get(name)
        near = difflib.get_close_matches(name, sorted(known), n=1)
        guess = f"; {answer}" if answer else f"; did you mean {near[0]}?" if near else ""
        return f"unknown option {name}{guess}"
    return None
