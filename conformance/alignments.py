"""Word alignment: error rates and symmetrisation of nltk; fast_align (in Thot) and eflomal on gold alignments."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

from conformance import inputs
from conformance.comparing import Comparison, Difference, Section, compare
from conformance.peers import EFLOMAL, NLTK, THOT
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.text import encode
from wordorder.formats import gold
from wordorder.linking.aligning import error_rate, symmetrise, train

Link = tuple[int, int]


def _links(count: int = 300) -> list[tuple[set[Link], set[Link]]]:
    """Links of two directions in sentences of six words."""
    chance = random.Random(25)

    def some() -> set[Link]:
        return {(chance.randrange(6), chance.randrange(6)) for _ in range(chance.randint(1, 8))}

    return [(one, one & some() | some()) for one in (some() for _ in range(count))]


def _column(rows: list[set[Link]], possible: list[set[Link]] | None = None) -> Alignments:
    if possible is None:
        return Alignments.of(Alignment(tuple(sorted(row)), 6, 6) for row in rows)
    both = zip(rows, possible, strict=True)
    return Alignments.of(Alignment(tuple(sorted(s | p)), 6, 6, possible=frozenset(p - s)) for s, p in both)


def nltk() -> Section:
    """Error rates, and grow-diag-final-and."""
    metrics, gdfa = NLTK.load("translate.metrics"), NLTK.load("translate.gdfa")
    linked = NLTK.load("translate").Alignment
    rows = _links()
    sure, possible, found = (
        [one for one, _ in rows],
        [one | set(list(two)[:2]) for one, two in rows],
        [two for _, two in rows],
    )
    ours = error_rate(_column(found), _column(sure, possible))
    rates = 1 - (ours.found_sure + ours.found_possible) / (ours.found + ours.sure)
    theirs = [
        metrics.alignment_error_rate(linked(s), linked(f), linked(p))
        for s, f, p in zip(sure, found, possible, strict=True)
    ]
    grown = symmetrise(_column(sure), _column(found), "grow-diag-final-and")
    peers = [sorted(_nltk_grown(gdfa, one, two)) for one, two in rows]
    same = [float(sorted(row.links) == peer) for row, peer in zip(grown, peers, strict=True)]
    return Section(
        "nltk: alignment error rate, symmetrisation",
        "300 invented sentence pairs with sure and possible links in both directions",
        [
            compare("alignment error rate", "nltk `alignment_error_rate`", rates, theirs),
            compare(
                "`grow-diag-final-and`: sentences with the same links",
                "nltk `grow_diag_final_and`",
                same,
                [1.0] * len(same),
                why="[the union](#nltks-grow-diag-final-and-is-the-union)",
            ),
            *_thot_rows(rows, grown),
        ],
        [_gdfa_difference(gdfa), *_neighbours()],
    )


def _thot_rows(rows: list[tuple[set[Link], set[Link]]], grown: Alignments) -> list[Comparison]:
    if not THOT.version:
        return []
    same = [float(_thot_grown(*both) == set(ours.links)) for both, ours in zip(rows, grown, strict=True)]
    what = "`grow-diag-final-and`: sentences with the same links"
    why = "[order of neighbours](#neighbours-in-another-order)"
    return [compare(what, "Thot `grow_diag_final_and`", same, [1.0] * len(same), why=why)]


def _thot_grown(forward: set[Link], backward: set[Link]) -> set[Link]:
    matrix = THOT.load("common").WordAlignmentMatrix
    one, two = matrix(6, 6), matrix(6, 6)
    for links, made in ((forward, one), (backward, two)):
        for link in links:
            made.set(*link)
    one.grow_diag_final_and(two)
    return {(i, j) for i, j in np.argwhere(one.to_numpy()).tolist()}


def _nltk_grown(gdfa: Any, forward: set[Link], backward: set[Link]) -> set[Link]:
    written = (" ".join(f"{i}-{j}" for i, j in sorted(links)) for links in (forward, backward))
    return set(gdfa.grow_diag_final_and(6, 6, *written))


def _neighbours() -> list[Difference]:
    if not THOT.version:
        return []
    forward, backward = {(1, 0)}, {(0, 1), (1, 0), (1, 1)}
    return [
        Difference(
            "Neighbours in another order",
            "definition",
            "the forward links `1-0` and the backward links `0-1 1-0 1-1`",
            _write(_grown(forward, backward)),
            _write(_thot_grown(forward, backward)),
            "Which links are added depends on which neighbour is tried first. The published algorithm (Koehn et al."
            " 2005) lists the neighbours in the same row and column before the diagonal ones, and so does wordorder:"
            " it adds `1-1` while word 1 of the target is still free, and then `0-1`. Thot tries the diagonal"
            " neighbours first, so both words of `1-1` are already taken when it reaches this link.",
        )
    ]


def _grown(forward: set[Link], backward: set[Link]) -> set[Link]:
    return set(symmetrise(_column([forward]), _column([backward]), "grow-diag-final-and")[0].links)


def _write(links: set[Link]) -> str:
    return f"`{' '.join(f'{i}-{j}' for i, j in sorted(links))}`"


def _gdfa_difference(gdfa: Any) -> Difference:
    forward, backward = {(0, 0), (0, 5)}, {(0, 0), (5, 0)}
    return Difference(
        "nltk's grow-diag-final-and is the union",
        "bug",
        "the forward links `0-0 0-5` and the backward links `0-0 5-0`",
        _write(_grown(forward, backward)),
        _write(_nltk_grown(gdfa, forward, backward)),
        "In its last step, the algorithm adds a link only if neither of the link's words is aligned yet (Koehn et"
        " al. 2005). Here word 0 is already aligned on both sides. nltk looks the words up in the wrong table (one"
        " whose keys are `e` and `f`), never finds them, and adds every link of either direction.",
    )


def aligners() -> Section:
    """Error rates of our models, of fast_align as Thot has it, and of eflomal, trained on the same text."""
    source, target, links, what = _gold()
    text = encode([line.lower() for line in source], [line.lower() for line in target])
    rows, default = [], "error rate of `align --aligner hmm`, the default"
    diagonal = error_rate(train(*text, model="diagonal").align(*text), links).aer
    hmm = error_rate(train(*text).align(*text), links).aer
    if THOT.version:
        words = ([line.lower().split() for line in side] for side in (source, target))
        found = _run_thot(THOT.load("alignment"), *words)
        theirs = error_rate(found, links).aer
        why = "two implementations of one model (Dyer et al. 2013); ours smooths rare words"
        peer = "fast_align in Thot"
        ours = "error rate of `align --aligner diagonal`"
        rows.append(compare(ours, peer, [diagonal], [theirs], why=why))
        rows.append(compare(default, peer, [hmm], [theirs], why="another model"))
    if EFLOMAL.version:
        theirs = error_rate(train(*text, model="eflomal").align(*text), links).aer
        peer = "eflomal (it samples, so its value varies a little from run to run)"
        rows.append(compare(default, peer, [hmm], [theirs], why="another model"))
    return Section("fast_align and eflomal: error rates", f"{what}; lower error rates are better", rows, [])


def _gold() -> tuple[list[str], list[str], Alignments, str]:
    """English–French with gold alignments where the folder of real data is; else the demo data."""
    folder = inputs.DATA / "gold-align"
    if folder.is_dir():
        pairs = [line.split(" ||| ") for line in (folder / "enfr.src-tgt").read_text("utf-8").split("\n")[:-1]]
        links = gold.read(folder / "enfr.gold").alignments
        what = f"{len(pairs)} manually aligned English–French sentence pairs, on which the aligners are also trained"
        return [one for one, _ in pairs], [two for _, two in pairs], links, what
    print(f"{folder} is not here; aligners are compared on the demo data", file=sys.stderr)
    source, target = inputs.read("source.txt"), inputs.read("reference.txt")
    return source, target, gold.read(inputs.DEMO / "gold.talp").alignments, "the demo data"


def _run_thot(library: Any, source: list[list[str]], target: list[list[str]]) -> Alignments:
    models = []
    for one, two in ((source, target), (target, source)):
        model = library.FastAlignModel()
        model.variational_bayes = True
        for left, right in zip(one, two, strict=True):
            model.add_sentence_pair(left, right)
        model.start_training()
        for _ in range(5):
            model.train()
        model.end_training()
        models.append(model)
    aligner = library.SymmetrizedAligner(*models)
    aligner.heuristic = library.SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
    rows = []
    for left, right in zip(source, target, strict=True):
        matrix = np.asarray(aligner.get_best_alignment(left, right)[1].to_numpy())
        rows.append(Alignment(tuple((int(i), int(j)) for i, j in np.argwhere(matrix)), len(left), len(right)))
    return Alignments.of(rows)


def sections() -> list[Any]:
    """What this module compares."""
    return [nltk, aligners]
