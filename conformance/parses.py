"""Attachment scores: spaCy's scorer and the CoNLL 2018 evaluation as Udapi has it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from conformance import inputs
from conformance.comparing import Difference, Section, compare
from conformance.peers import SPACY, UDAPI
from wordorder.core.trees import DependencyTree, DependencyTrees, attachment
from wordorder.formats import conllu

INPUTS = (
    "`parser.conllu` of the demo data, changed as follows, compared with the gold trees of `source.conllu`: `:x` is"
    " added to the labels in lines 1, 8, 15 … of the file, the labels in lines 4, 11, 18 … (except roots) are replaced"
    " by `dep`, and the tags in lines 1, 12, 23 … by `X`."
)


def _parser_output() -> str:
    """The parser's trees of the demo data, with some labels exchanged, some refined, and some wrong tags."""
    lines = (inputs.DEMO / "parser.conllu").read_text(encoding="utf-8").split("\n")
    for place, line in enumerate(lines):
        cells = line.split("\t")
        if len(cells) == 10 and cells[7] != "root" and place % 7 in (0, 3):
            cells[7] = "dep" if place % 7 else f"{cells[7]}:x"
        if len(cells) == 10 and place % 11 == 0:
            cells[3] = "X"
        lines[place] = "\t".join(cells)
    return "\n".join(lines)


def _trees() -> tuple[DependencyTrees, DependencyTrees]:
    """A parser's trees and the gold ones."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parser.conllu"
        path.write_text(_parser_output(), encoding="utf-8")
        return conllu.read(path), conllu.read(inputs.DEMO / "source.conllu")


def spacy() -> Section:
    """UAS and LAS of spaCy, with punctuation and without."""
    parses, gold = _trees()
    found = attachment(parses, gold)
    everything, without = (_score_with_spacy(parses, gold, ignored) for ignored in ((), ("p", "punct")))
    why = "[punctuation](#spacy-leaves-out-punctuation)"
    it, stop = _stop_example()
    return Section(
        "spaCy: attachment scores",
        f"{INPUTS} The file has {int(found.words.sum())} words",
        [
            compare("UAS", "spaCy `score_deps`, no labels ignored", [found.uas], [everything["dep_uas"]]),
            compare("LAS", "spaCy `score_deps`, no labels ignored", [found.las], [everything["dep_las"]]),
            compare("UAS", "spaCy `score_deps`, as its parser calls it", [found.uas], [without["dep_uas"]], why=why),
            compare("LAS", "spaCy `score_deps`, as its parser calls it", [found.las], [without["dep_las"]], why=why),
        ],
        [
            Difference(
                "spaCy leaves out punctuation",
                "definition",
                "the sentence `it ends .`, with the full stop attached to the wrong word",
                attachment(it.column(), stop.column()).uas,
                _score_with_spacy(it.column(), stop.column(), ("p", "punct"))["dep_uas"],
                "We count every word, including punctuation, as in the CoNLL 2018 shared task. When spaCy evaluates"
                " its parser, it leaves out words whose label is `p` or `punct`, so its figures cannot be compared"
                " with ours or with those of CoNLL.",
            )
        ],
    )


def _stop_example() -> tuple[DependencyTree, DependencyTree]:
    words, labels = ("it", "ends", "."), ("nsubj", "root", "punct")
    return DependencyTree(words, (1, -1, 0), labels), DependencyTree(words, (1, -1, 1), labels)


def _score_with_spacy(parses: DependencyTrees, gold: DependencyTrees, ignored: tuple[str, ...]) -> dict[str, float]:
    vocabulary = SPACY.load("vocab").Vocab()
    document, example = SPACY.load("tokens").Doc, SPACY.load("training").Example

    def make(tree: DependencyTree) -> Any:
        heads = [place if head < 0 else head for place, head in enumerate(tree.heads)]
        return document(vocabulary, words=list(tree.words), heads=heads, deps=list(tree.labels))

    pairs = [example(make(parse), make(right)) for parse, right in zip(parses, gold, strict=True)]
    scores: dict[str, float] = SPACY.load("scorer").Scorer.score_deps(
        pairs, "dep", getter=lambda token, name: token.dep_, ignore_labels=ignored
    )
    return scores


def udapi() -> Section:
    """UAS and LAS of the CoNLL 2018 shared task."""
    parses, gold = _trees()
    found = attachment(parses, gold)
    evaluation = UDAPI.load("block.eval.conll18").Conll18(print_results=False)
    document = UDAPI.load("core.document").Document()
    reader = UDAPI.load("block.read.conllu").Conllu
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parser.conllu"
        path.write_text(_parser_output(), encoding="utf-8")
        for zone, name in (("gold", inputs.DEMO / "source.conllu"), ("pred", path)):
            reader(files=str(name), zone=zone, ignore_sent_id=True).process_document(document)
    for bundle in document.bundles:
        evaluation.process_tree(next(tree for tree in bundle.trees if tree.zone == "pred"))
    counts = evaluation.total_count
    words = counts["gold"]
    return Section(
        "Udapi: the CoNLL 2018 evaluation",
        f"{INPUTS} The file has {words} words",
        [
            compare("UAS", "Udapi `eval.Conll18`", [found.uas], [counts["UAS"] / words]),
            compare("universal LAS", "Udapi `eval.Conll18` LAS", [found.universal_las], [counts["LAS"] / words]),
            compare("tag accuracy", "Udapi `eval.Conll18` UPOS", [found.pos], [counts["UPOS"] / words]),
        ],
        [],
    )


def sections() -> list[Any]:
    """What this module compares."""
    return [spacy, udapi]
