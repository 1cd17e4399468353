"""Options of the command line for word-aligned corpora: alignment files, texts, and words to unalign."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, listed, named_files, settings_from
from wordorder.cli.inputs import add_aligner
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.plain import count_of
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
    corpus.add_argument(
        "--source",
        nargs="+",
        metavar="FILE",
        help="tokenised source text, or .conllu",
    )
    corpus.add_argument("--target", nargs="+", metavar="FILE", help="tokenised target text, or .conllu")
    corpus.add_argument("--source-lengths", nargs="+", metavar="FILE", help="source sentence lengths, one per line")
    corpus.add_argument("--target-lengths", nargs="+", metavar="FILE", help="target sentence lengths, one per line")
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
    """Return the corpora: each alignment file with the texts at the same place, or a folder with its own text."""
    from wordorder.apps.profile import Corpus

    files = named_files([item.rstrip("/") or item for item in options.corpora], what="corpora")
    plain = [name for name, path in files.items() if not os.path.isdir(path)]
    texts = {name: _one_for_each(getattr(options, name), plain, name) for name in _TEXTS}
    common = _common(options)
    found = []
    for name, path in files.items():
        beside: dict[str, Any] = {text: chosen.get(name) for text, chosen in texts.items()}
        found.append(Corpus(name, path, **beside, **common))
    return found


def read_gold(options: argparse.Namespace) -> Corpus:
    """Return the gold alignments of the sentences of the corpora; a folder of aligned treebanks has its own text."""
    from wordorder.apps.profile import Corpus

    beside: dict[str, Any] = {}
    for name in () if os.path.isdir(options.gold) else _TEXTS:
        files = getattr(options, name) or [None]
        if len(set(files)) > 1:
            raise UsageError(f"{_option(name)}: give one file; --gold compares alignments of the same sentences")
        beside[name] = files[0]
    common = _common(options) | {"align_format": options.gold_format, "base": options.gold_base}
    return Corpus("gold", options.gold, **beside, **common)


def align_corpora(options: argparse.Namespace) -> list[Corpus]:
    """Align each target with its source and return them as corpora, which are named after the targets."""
    from wordorder.apps.profile import align_texts

    if not (options.source and options.target):
        raise UsageError("to align text, give both --source and --target")
    targets = named_files(options.target, what="corpora")
    sources = _one_for_each(options.source, list(targets), "source")
    common = _common(options)
    del common["align_format"], common["base"]
    from wordorder.linking.aligning import Aligning

    aligning = settings_from(options, Aligning)
    how = {"aligning": Aligning(**aligning) if aligning else None, "threads": options.threads, **common}
    return [align_texts(name, sources[name], path, **how) for name, path in targets.items()]


def read_systems(options: argparse.Namespace) -> tuple[Corpus, list[Corpus]]:
    """Return the alignments of the reference and of the systems, all with the same source."""
    from wordorder.apps.profile import Corpus

    for name in ("target", "target_lengths", "target_words", "unalign_target", "unalign_target_pos"):
        if getattr(options, name):
            raise UsageError(f"{_option(name)} cannot be combined with --hyp-align: every system has its own target")
    common = _common(options)
    for name in ("source", "source_lengths", "source_words"):
        files = getattr(options, name) or [None]
        if len(files) > 1:
            raise UsageError(f"{_option(name)}: give one file; all systems translate the same source")
        common[name] = files[0]
    systems = named_files(options.hyp_align)
    return Corpus("reference", options.ref_align, **common), [
        Corpus(name, path, **common) for name, path in systems.items()
    ]


def _one_for_each(files: list[str] | None, corpora: list[str], name: str) -> dict[str, str]:
    """Assign a file to each corpus: the only file, or the one at the same place."""
    if files is None:
        return {}
    if not corpora:
        raise UsageError(f"{_option(name)}: folders of aligned treebanks have their own text; leave it out")
    if len(files) == 1:
        return dict.fromkeys(corpora, files[0])
    if len(files) != len(corpora):
        raise UsageError(
            f"{_option(name)} has {count_of(len(files), 'file')} for {count_of(len(corpora), 'corpus', 'corpora')}; "
            "give one for all, or one for each in the same order"
        )
    return dict(zip(corpora, files, strict=True))


def _common(options: argparse.Namespace) -> dict[str, Any]:
    from wordorder.apps.profile import Unaligned

    return {
        "align_format": options.align_format or "pharaoh",
        "base": options.base,
        "sure": options.sure,
        "unalign_source": Unaligned(listed(options.unalign_source), listed(options.unalign_source_pos)),
        "unalign_target": Unaligned(listed(options.unalign_target), listed(options.unalign_target_pos)),
    }


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
