"""Alternative names of options: other spellings, former names, and names used by other tools.

A command declares each option once, under one name. Other spellings are accepted silently; for a former name, a note
gives the current one. For options of other tools that have no counterpart here, the error message says what to do
instead. A name is translated only if the command has the intended option and no option with the original name.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from wordorder.core.runtime.errors import nearest, spell_option
from wordorder.core.runtime.settings import OLD_NAMES


def _one_each(names: Mapping[str, str]) -> dict[str, str]:
    """Return a dictionary with an entry for each of the names that a key lists."""
    return {name: meant for several, meant in names.items() for name in several.split()}


SPELLINGS = _one_each(
    {
        "--symmetrize": "--symmetrise",
        "--tokenise --tokenizer --tokeniser": "--tokenize",
        "--lower-case": "--lowercase",
        "--judgments": "--judgements",
        "--judgment-format": "--judgement-format",
        "--hypotheses --hypothesis --input": "--hyp",
        "--reference": "--ref",
        "--documents": "--docs",
        "--metric": "--metrics",
        "--orders": "--permutations",
        "--target-text -t": "--target",
        "--width": "--digits",
        "--bootstrap --paired-bs-n --paired-ar-n --confidence-n -cin": "--samples",
        "-pbs": "--paired-bs",
        "-par": "--paired-ar",
        "-i": "--bitext",
        "-s": "--source",
        "--model-file": "--align-model",
    }
)
"""Other spellings of options, including American ones, and the names used by sacreBLEU and by aligners."""

_RENAMED = ("align_file", "model", "load", "trees", "trees_format", "nbest", "nbest_format", "form", "as", "buckets")
OLD = {spell_option(name, None): [spell_option(new, None) for new in OLD_NAMES[name]] for name in _RENAMED}
"""Former names of options with their new names; the first new name that a command knows replaces the old one."""

ANSWERS = _one_each(
    {
        "-t --test-set": "give test sets as files: --ref, --hyp and --source",
        "-l --language-pair": "languages need not be given; name the files with --ref, --hyp and --source",
        "-f": "set the output format with --format",
        "-b --score-only": "to print only numbers, use --format tsv",
        "-sl --sentence-level": "write segment scores with --segments FILE",
        "-ci --confidence": "confidence intervals are always shown; --samples sets the number of bootstrap samples",
        "-nr --num-refs": "give several references as --ref R1 R2",
        "-s --smooth-method": "smoothing is a parameter of the metric; see 'wordorder metrics bleu'",
        "-e --encoding": "text is always read as UTF-8",
        "-r": "to align in one direction, use --symmetrise forward or backward",
        "-d": "select the diagonal model with --aligner diagonal",
        "-v": "select a model with --aligner: model1, diagonal, hmm or eflomal",
    }
)
"""Advice for options of sacreBLEU, fast_align and eflomal that have no counterpart here."""

_CHOICES = ("closest", "average")
_GLUED_WIDTH = re.compile(r"-w(\d+)")


def translate(arguments: Sequence[str], known: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the arguments with alternative option names replaced, and notes about former names.

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
    """Return the intended option name, and whether the given name is a former name."""
    if not name.startswith("-") or name in known:
        return name, False
    if "--digits" in known and (width := _GLUED_WIDTH.fullmatch(name)):
        return f"--digits {width[1]}", False
    if name == "-w" and "--weight" in known:
        return ("--digits", False) if value.isdigit() else ("--weight", False)
    if name == "--references" and "--reference-choice" in known:
        return ("--reference-choice", True) if value in _CHOICES else ("--ref", False)
    if name == "-i" and "--hyp" in known:  # in aligners, it is the parallel text
        return "--hyp", False
    for new in OLD.get(name, ()):
        if new in known:
            return new, True
    hyphened = name.replace("_", "-")
    spelt = SPELLINGS.get(hyphened, hyphened)
    short = name.startswith("-") and not name.startswith("--") and len(name) == 2
    if spelt in known and not (short and "--bitext" not in known):  # in aligners, -s and -t are the two input files
        return spelt, False
    return name, False


def unknown(arguments: Sequence[str], known: Collection[str]) -> str | None:
    """Return an error message for the first unknown option, or None if all options are known."""
    for argument in arguments:
        if argument == "--":
            return None
        name = argument.partition("=")[0]
        if not re.match(r"--?[a-zA-Z]", name) or " " in argument or name in known or name[:2] in known:
            continue
        answer = ANSWERS.get(name)
        bare = {option.lstrip("-"): option for option in sorted(known)}
        near = [bare[one] for one in nearest(name.lstrip("-"), bare, cutoff=0.8)]
        guess = f"; {answer}" if answer else f"; did you mean {near[0]}?" if near else ""
        return f"unknown option {name}{guess}"
    return None
