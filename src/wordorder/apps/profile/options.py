"""Command-line options for word-aligned corpora: alignment files, texts, and words whose links are removed."""

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
    """Add the options for corpora, and for words whose links are removed before anything is measured."""
    files = "alignment file of a corpus, or folder of aligned treebanks (alignment.json, en.conllu, target.conllu)"
    parser.add_argument("corpora", nargs="*", metavar="[NAME=]ALIGNMENT", help=files)
    about = "alignment files, as an alternative to positional arguments"
    parser.add_argument("--align", nargs="+", metavar="[NAME=]FILE", help=about)
    corpus = parser.add_argument_group(
        "corpora (one file for all corpora, or one for each in the same order; texts without alignments are aligned)"
    )
    for side in ("source", "target"):
        about = f"tokenised {side} text, or a treebank in CoNLL-U format (.conllu)"
        corpus.add_argument(f"--{side}", nargs="+", metavar="FILE", help=about)
    for side in ("source", "target"):
        lengths = f"{side} sentence lengths, one per line"
        corpus.add_argument(f"--{side}-lengths", nargs="+", metavar="FILE", help=lengths)
    characters = (
        "the source split into words (text, .conllu, or bracketed trees in .mrg or .ptb), if links refer to "
        "characters or, with --source, to the tokens of that text"
    )
    corpus.add_argument("--words", "--source-words", nargs="+", dest="source_words", metavar="FILE", help=characters)
    about = "the target split into words, if links refer to its characters (see --words)"
    corpus.add_argument("--target-words", nargs="+", metavar="FILE", help=about)
    add_settings(corpus, InputOptions, "align_format", "base")
    add_aligner(
        parser.add_argument_group("aligner, for --source and --target without alignments"),
        aligner={"help": "model1, diagonal, hmm or eflomal (default hmm)"},
    )
    corpus.add_argument("--sure", action="store_true", help="use only sure links; leave out those marked as possible")

    before = parser.add_argument_group("words to unalign first, such as determiners (comma-separated, or @FILE)")
    for side in ("source", "target"):
        before.add_argument(f"--unalign-{side}", metavar="WORDS", help=f"{side} words to unalign, ignoring case")
        about = f"{side} parts of speech whose links are removed (needs a .conllu file)"
        before.add_argument(f"--unalign-{side}-pos", metavar="TAGS", help=about)


def read_corpora(options: argparse.Namespace) -> list[Corpus]:
    """Return the corpora in the options: alignment files with their texts, or folders of aligned treebanks."""
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
    """Return the corpus of gold alignments, with the texts of the options unless it is a folder of treebanks."""
    from wordorder.apps.profile import Corpus

    names = () if os.path.isdir(options.gold) else _TEXTS
    texts = _single_files(options, names, "--gold compares alignments of the same sentences")
    common = _common(options) | {"align_format": options.gold_format, "base": options.gold_base}
    return Corpus("gold", options.gold, **texts, **common)


def _single_files(options: argparse.Namespace, names: Sequence[str], reason: str) -> dict[str, Any]:
    """Return the only file, or None, for each of these options; raise an error if one has several files."""
    found = {name: getattr(options, name) or [None] for name in names}
    for name, files in found.items():
        refuse(len(set(files)) > 1, f"{mention(name)} must be a single file, because {reason}")
    return {name: files[0] for name, files in found.items()}


def align_corpora(options: argparse.Namespace) -> list[Corpus]:
    """Align each target text with its source text, and return corpora named after the target texts."""
    from wordorder.apps.profile import align_texts
    from wordorder.linking.aligning import Aligning

    refuse(
        not (options.source and options.target),
        "without alignment files, texts are aligned automatically, which needs both --source and --target",
    )
    targets = named_files(options.target, what="corpora")
    sources = _one_for_each(options.source, list(targets), "source")
    common = _common(options)
    del common["align_format"], common["base"]
    aligning = settings_from(options, Aligning)
    how = {"aligning": Aligning(**aligning) if aligning else None, "threads": options.threads, **common}
    return [align_texts(name, sources[name], path, **how) for name, path in targets.items()]


def read_systems(options: argparse.Namespace) -> tuple[Corpus, list[Corpus]]:
    """Return the corpora of source→reference and source→hypothesis alignments, which have the same source text."""
    from wordorder.apps.profile import Corpus

    for name in ("target", "target_lengths", "target_words", "unalign_target", "unalign_target_pos"):
        own = "every system has its own target; leave it out"
        refuse(getattr(options, name), f"{mention(name)} cannot be combined with --hyp-align: {own}")
    names = ("source", "source_lengths", "source_words")
    common = _common(options) | _single_files(options, names, "all systems translate the same source")
    reference, *systems = (
        Corpus(name, path, **common)
        for name, path in [("reference", options.ref_align), *named_files(options.hyp_align).items()]
    )
    return reference, systems


def _one_for_each(files: list[str] | None, corpora: list[str], name: str) -> dict[str, str]:
    """Return the file for each corpus by name: the file at the same position, or the only file for all corpora."""
    if files is None:
        return {}
    refuse(not corpora, f"{mention(name)} cannot be used with aligned treebanks, which include texts; leave it out")
    if len(files) == 1:
        return dict.fromkeys(corpora, files[0])
    counts = f"{count_of(len(files), 'file')} for {count_of(len(corpora), 'corpus', 'corpora')}"
    each = "give one file for all corpora, or one for each in the same order"
    refuse(len(files) != len(corpora), f"{mention(name)} has {counts}; {each}")
    return dict(zip(corpora, files, strict=True))


def _common(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that are the same for all corpora."""
    from wordorder.apps.profile import Unaligned

    return {
        "align_format": options.align_format or "pharaoh",
        "base": options.base,
        "sure": options.sure,
        "unalign_source": Unaligned(comma_list(options.unalign_source), comma_list(options.unalign_source_pos)),
        "unalign_target": Unaligned(comma_list(options.unalign_target), comma_list(options.unalign_target_pos)),
    }
