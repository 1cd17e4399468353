"""Create a study folder with study.toml (the settings, which you can edit) and items.jsonl (what people will see).

Kinds: scramble (rate sentences whose words are in various orders), prefer (choose the better of two translations),
judge (decide whether a reordering is correct), align (translate sentences and align the words), rate (rate up to five
translations), mark (move misplaced words to the right positions).

examples:
  wordorder study new scramble DIR --align zh-en.align --source zh.txt --target en.txt
  wordorder study new scramble DIR --treebank pud/en-zh --side source       English in Chinese orders
  wordorder study new prefer DIR --ref ref.txt --hyp A.txt B.txt --gold gold.tsv --length 15 30
  wordorder study new judge DIR --ref-align r.align --hyp-align a.align --ref ref.txt --hyp A.txt --source src.txt
  wordorder study new align DIR --source src.txt                            people translate first
  wordorder study new rate DIR --source src.txt --ref ref.txt --hyp A.txt B.txt C.txt
  wordorder study new mark DIR --ref ref.txt --hyp A.txt
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, arguments_for, files_of, named_files
from wordorder.core.runtime.errors import UsageError, count_of, mention, refuse
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.apps.study.folder import Item
    from wordorder.apps.study.settings import StudySettings
    from wordorder.core.orders import Alignments

COMMON = "kind folder source ref hyp align hyp_align ref_align items title language"

_USED = {
    "scramble": "align treebank side source target bins full surface fillers length items",
    "prefer": "source ref hyp gold length items",
    "judge": "source ref hyp ref_align hyp_align items",
    "align": "source target prefill items",
    "rate": "source ref hyp items",
    "mark": "source ref hyp items",
}
"""The options that each kind of study uses."""

_NEEDED = {"judge": ("ref", "hyp", "ref_align", "hyp_align"), "align": ("source",), "scramble": ()}
"""The options that a kind of study needs; the others need ``hyp``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("kind", choices=list(_USED), metavar="KIND", help=", ".join(_USED))
    parser.add_argument("folder", metavar="DIR", help="study folder, new or empty")
    texts = parser.add_argument_group("texts")
    add = texts.add_argument
    add("--source", metavar="FILE", help="source sentences")
    add("--target", metavar="FILE", help="target sentences (scramble, align)")
    add("--ref", metavar="FILE", help="reference translations (prefer, judge, rate, mark)")
    add("--hyp", nargs="+", metavar="FILE", help="system outputs (FILE or NAME=FILE)")
    add("--align", metavar="FILE", help="word alignment of source and target (scramble)")
    add("--treebank", metavar="FOLDER", help="aligned treebank to use instead of --align (scramble)")
    add("--ref-align", metavar="FILE", help="word alignment of source and reference (judge)")
    add("--hyp-align", metavar="FILE", help="word alignment of source and output, FILE or NAME=FILE (judge)")
    add("--prefill", metavar="FILE", help="word alignment that people will correct (align)")
    add("--gold", metavar="FILE", help="for prefer: table of gold answers with columns segment, choice and reason")
    add_settings(texts, InputOptions, "align_format", "base", align_format={"default": "pharaoh"})
    add = parser.add_argument_group("selection").add_argument
    about = "number of sentences (default: 40 for scramble, 50 for judge, all for other kinds)"
    add("--items", type=int, metavar="N", help=about)
    about = "shortest and longest sentence length in words (default for scramble: 10 40)"
    add("--length", nargs=2, type=int, metavar=("MIN", "MAX"), help=about)
    add("--side", choices=("target", "source"), help="side whose words are scrambled (default target)")
    add("--bins", nargs="+", type=float, metavar="X", help="upper RQuantity bounds of bins (default 0 0.4 0.7 1.3)")
    add("--full", metavar="HOW", help="most disordered version: reorderings (undo all, default) or source-order")
    about = "initial capitals and final punctuation of scrambled sentences: neutral (default) or as-is"
    add("--surface", metavar="HOW", help=about)
    add("--fillers", type=int, metavar="N", help="number of filler sentences, which are not analysed (default 20)")
    add("--practice", type=int, metavar="N", help="number of practice items with feedback (default 3 for scramble)")
    add("--attention", type=int, metavar="N", help="number of attention checks (default 2 for scramble)")
    add("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")
    parser.add_argument("--title", metavar="TEXT", help="title of the study page")
    parser.add_argument("--language", metavar="CODE", help="language of the sentences that people judge (default en)")
    parser.add_argument("--source-language", metavar="CODE", help="language of the source sentences")


def run(options: argparse.Namespace) -> None:
    """Create a study, and print a summary of it and the next step."""
    from wordorder.apps.study.creation import expected_minutes, refuse_existing, write_study

    _check(options)
    refuse_existing(options.folder)
    for name in ("practice", "attention"):
        refuse(not 0 <= (getattr(options, name) or 0) <= 1000, f"--{name} {getattr(options, name)}: expected 0 to 1000")
    settings, items = _MAKERS[options.kind](options)
    made = Counter(item.role for item in items)
    checks = replace(settings.checks, practice=made["practice"], attention=made["attention"])
    gold_pass = (checks.gold_pass or 0.5) if made["gold"] or made["attention"] else 0.0
    study = write_study(options.folder, replace(settings, checks=replace(checks, gold_pass=gold_pass)), items)
    groups = [item.group for item in study.items if item.role == "item"]
    sentences = count_of(len(set(groups)), "sentence")
    shown = f"{sentences} in {len(groups)} versions" if len(groups) > len(set(groups)) else sentences
    print(f"{options.folder}: a study of kind {options.kind}: {shown}, about {expected_minutes(study):.0f} minutes")
    print(f"next: edit {options.folder}/study.toml, then: wordorder study check {options.folder}")


def _check(options: argparse.Namespace) -> None:
    """Raise UsageError for options that this kind of study does not use, and for missing options that it needs."""
    used = _USED[options.kind].split()
    for name in " ".join(_USED.values()).split():
        extra = name not in used and getattr(options, name) is not None
        refuse(extra, f"{mention(name)} does not apply to studies of kind {options.kind}")
    for name in _NEEDED.get(options.kind, ("hyp",)):
        refuse(getattr(options, name) is None, f"a study of kind {options.kind} needs {mention(name)}")


def _begin(options: argparse.Namespace, materials: Mapping[str, Any]) -> tuple[StudySettings, dict[str, Any]]:
    """Return the settings of the study, and the arguments with which items of every kind are made."""
    from wordorder.apps.study.creation import default_settings
    from wordorder.apps.study.materials.texts import Guides

    changes = {"title": options.title, "language": options.language, "source_language": options.source_language}
    settings = default_settings(options.kind, seed=options.seed, materials=materials, **changes)
    asked = {name: getattr(options, name) for name in ("practice", "attention")}
    numbers = {name: getattr(settings.checks, name) if number is None else number for name, number in asked.items()}
    return settings, {"seed": options.seed, "guides": Guides(**numbers, words=settings.page_words)}


def _texts(options: argparse.Namespace) -> Any:
    from wordorder.apps.study.materials.texts import StudyTexts

    return StudyTexts.read(named_files(options.hyp), options.source, options.ref)


def _scramble(options: argparse.Namespace) -> tuple[StudySettings, list[Item]]:
    from wordorder.apps.profile import Corpus
    from wordorder.apps.study.materials.scramble import Design, make_items

    if (options.align is None) == (options.treebank is None):
        raise UsageError("a study of kind scramble needs either --treebank or --align with --source and --target")
    if options.treebank is None and None in (options.source, options.target):
        raise UsageError("--align also needs the aligned texts: give --source and --target")
    pairs = {name: tuple(getattr(options, name)) for name in ("bins", "length") if getattr(options, name)}
    design = Design(**arguments_for(options, Design, **pairs))
    how = {"align_format": options.align_format, "base": options.base}
    corpus = Corpus("corpus", options.treebank or options.align, options.source, options.target, **how)
    settings, how = _begin(options, asdict(design))
    return settings, make_items(corpus, design, questions=settings.questions, **how)


def _prefer(options: argparse.Namespace) -> tuple[StudySettings, list[Item]]:
    from wordorder.apps.study.materials.texts import preference_items

    length = tuple(options.length) if options.length else None
    materials = {"mark": True} | ({"length": options.length} if options.length else {})
    settings, how = _begin(options, materials)
    return settings, preference_items(_texts(options), items=options.items, length=length, gold=options.gold, **how)


def _judge(options: argparse.Namespace) -> tuple[StudySettings, list[Item]]:
    from wordorder.apps.study.materials.texts import judging_items

    texts = _texts(options)
    refuse(len(texts.outputs) != 1, "a study of kind judge needs exactly one system output in --hyp")
    ((system, translation),) = texts.outputs.items()
    (path,) = files_of([system], [options.hyp_align]).values()
    links = [
        _links(options, file, texts.source, lines)
        for file, lines in ((options.ref_align, texts.reference), (path, translation))
    ]
    settings, how = _begin(options, {"system": system})
    items = 50 if options.items is None else options.items
    return settings, judging_items(texts.reference, translation, *links, system=system, items=items, **how)


def _links(options: argparse.Namespace, path: str, source: list[str] | None, target: list[str]) -> Alignments:
    from wordorder.apps.profile import Corpus
    from wordorder.core.orders import Alignments

    corpus = Corpus("links", path, source, target, align_format=options.align_format, base=options.base)
    return Alignments.concatenate([links for links, *_ in corpus.blocks()])


def _align(options: argparse.Namespace) -> tuple[StudySettings, list[Item]]:
    from wordorder.apps.study.kinds.editing import RULES
    from wordorder.apps.study.materials.texts import StudyTexts, alignment_items

    texts = StudyTexts.read({}, options.source, options.target)
    assert texts.source is not None
    refuse(options.prefill and options.target is None, "--prefill fills in links to target words and needs --target")
    links = _links(options, options.prefill, texts.source, texts.reference or []) if options.prefill else None
    settings, how = _begin(options, {"rules": dict.fromkeys(RULES, "warn")})
    how["items"] = options.items
    return settings, alignment_items(texts.source, target=texts.reference, links=links, **how)


def _rate(options: argparse.Namespace) -> tuple[StudySettings, list[Item]]:
    from wordorder.apps.study.materials.texts import rating_items

    settings, how = _begin(options, {})
    return settings, rating_items(_texts(options), items=options.items, questions=settings.questions, **how)


def _mark(options: argparse.Namespace) -> tuple[StudySettings, list[Item]]:
    from wordorder.apps.study.materials.texts import marking_items

    settings, how = _begin(options, {})
    return settings, marking_items(_texts(options), items=options.items, **how)


_MAKERS = {"scramble": _scramble, "prefer": _prefer, "judge": _judge, "align": _align, "rate": _rate, "mark": _mark}
