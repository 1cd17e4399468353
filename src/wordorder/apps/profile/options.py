"""Word-aligned corpora on the command line: files of alignments, their texts, and words to unalign."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, comma_list, named_files, settings_from
from wordorder.cli.inputs import add_aligner
from wordorder.core.runtime.errors import count_of, mention, refuse
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.apps.profile import Corpus

_TEXTS = ("source", "target", "source_lengths", "target_lengths", "source_words", "target_words")


def add_corpora(parser: argparse.ArgumentParser) -> None:
    """Add the options for corpora and for the words that are unaligned first."""
    files = "alignment file of a corpus, or a folder with alignment.json, en.conllu and target.conllu"
    parser.add_argument("corpora", nargs="*", metavar="[NAME=]ALIGNMENT", help=files)
    parser.add_argument("--align", nargs="+", metavar="[NAME=]FILE", help="the same: alignment files")
    corpus = parser.add_argument_group(
        "corpora (one file for all, or one for each in the same order; texts without links are aligned)"
    )
    for side in ("source", "target"):
        corpus.add_argument(f"--{side}", nargs="+", metavar="FILE", help=f"tokenised {side} text, or .conllu")
    for side in ("source", "target"):
        lengths = f"{side} sentence lengths, one per line"
        corpus.add_argument(f"--{side}-lengths", nargs="+", metavar="FILE", help=lengths)
    characters = (
        "the source split into words (text, .conllu, or bracketed trees in .mrg or .ptb), if links count its "
        "characters or, with --source, the tokens of that text"
    )
    corpus.add_argument("--words", "--source-words", nargs="+", dest="source_words", metavar="FILE", help=characters)
    corpus.add_argument("--target-words", nargs="+", metavar="FILE", help="the same for the target")
    add_settings(corpus, InputOptions, "align_format", "base")
    add_aligner(
        parser.add_argument_group("aligner, for --source and --target without alignments"),
        aligner={"help": "model1, diagonal, hmm or eflomal (default hmm)"},
    )
    corpus.add_argument("--sure", action="store_true", help="leave out links marked as possible")

    before = parser.add_argument_group("words to unalign first, such as determiners (comma-separated, or @FILE)")
    for side in ("source", "target"):
        before.add_argument(f"--unalign-{side}", metavar="WORDS", help=f"{side} words, ignoring case")
        before.add_argument(f"--unalign-{side}-pos", metavar="TAGS", help=f"{side} parts of speech; needs .conllu")


def read_corpora(options: argparse.Namespace) -> list[Corpus]:
    """Return the corpora: each alignment file with its texts, and each folder with its own."""
    from wordorder.apps.profile import Corpus

    files = named_files([item.rstrip("/") or item for item in options.corpora], what="corpora")
    plain = [name for name, path in files.items() if not os.path.isdir(path)]
    texts = {name: _one_for_each(getattr(options, name), plain, name) for name in _TEXTS}
    common = _common(options)
    found = []
    for name, path in files.items():
        own: dict[str, Any] = {text: chosen.get(name) for text, chosen in texts.items()}
        found.append(Corpus(name, path, **own, **common))
    return found


def read_gold(options: argparse.Namespace) -> Corpus:
    """Return the corpus of the gold alignments; a folder of aligned treebanks has its own texts."""
    from wordorder.apps.profile import Corpus

    names = () if os.path.isdir(options.gold) else _TEXTS
    texts = _single_files(options, names, "--gold compares alignments of the same sentences")
    common = _common(options) | {"align_format": options.gold_format, "base": options.gold_base}
    return Corpus("gold", options.gold, **texts, **common)


def _single_files(options: argparse.Namespace, names: Sequence[str], reason: str) -> dict[str, Any]:
    """Return the single file of each of these options, or None; several different files are refused."""
    found = {name: getattr(options, name) or [None] for name in names}
    for name, files in found.items():
        refuse(len(set(files)) > 1, f"{mention(name)}: give one file; {reason}")
    return {name: files[0] for name, files in found.items()}


def align_corpora(options: argparse.Namespace) -> list[Corpus]:
    """Align each target text with its source text; the corpora are named after the target texts."""
    from wordorder.apps.profile import align_texts
    from wordorder.linking.aligning import Aligning

    refuse(not (options.source and options.target), "to align text, give both --source and --target")
    targets = named_files(options.target, what="corpora")
    sources = _one_for_each(options.source, list(targets), "source")
    common = _common(options)
    del common["align_format"], common["base"]
    aligning = settings_from(options, Aligning)
    how = {"aligning": Aligning(**aligning) if aligning else None, "threads": options.threads, **common}
    return [align_texts(name, sources[name], path, **how) for name, path in targets.items()]


def read_systems(options: argparse.Namespace) -> tuple[Corpus, list[Corpus]]:
    """Return the alignments of the reference and of the systems, which share their source."""
    from wordorder.apps.profile import Corpus

    for name in ("target", "target_lengths", "target_words", "unalign_target", "unalign_target_pos"):
        own = "every system has its own target"
        refuse(getattr(options, name), f"{mention(name)} cannot be combined with --hyp-align: {own}")
    names = ("source", "source_lengths", "source_words")
    common = _common(options) | _single_files(options, names, "all systems translate the same source")
    reference, *systems = (
        Corpus(name, path, **common)
        for name, path in [("reference", options.ref_align), *named_files(options.hyp_align).items()]
    )
    return reference, systems


def _one_for_each(files: list[str] | None, corpora: list[str], name: str) -> dict[str, str]:
    """Return the file of each corpus: the only one, or the one at the same place."""
    if files is None:
        return {}
    refuse(not corpora, f"{mention(name)}: folders of aligned treebanks have their own text; leave it out")
    if len(files) == 1:
        return dict.fromkeys(corpora, files[0])
    counts = f"{count_of(len(files), 'file')} for {count_of(len(corpora), 'corpus', 'corpora')}"
    each = "give one for all, or one for each in the same order"
    refuse(len(files) != len(corpora), f"{mention(name)} has {counts}; {each}")
    return dict(zip(corpora, files, strict=True))


def _common(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that all corpora share."""
    from wordorder.apps.profile import Unaligned

    return {
        "align_format": options.align_format or "pharaoh",
        "base": options.base,
        "sure": options.sure,
        "unalign_source": Unaligned(comma_list(options.unalign_source), comma_list(options.unalign_source_pos)),
        "unalign_target": Unaligned(comma_list(options.unalign_target), comma_list(options.unalign_target_pos)),
    }
