"""Scores of word orders: Kendall, Spearman and fixed points of scipy, nltk and permuta; RIBES of three tools."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import wordorder
from conformance import inputs
from conformance.comparing import Difference, Section, compare
from conformance.peers import COMPARE_MT, NLTK, PERMUTA, SCIPY
from conformance.ribes import literal_ribes
from conformance.translations import segments
from wordorder.core.orders import Alignment, Permutation


def ours(name: str) -> list[float]:
    """Our score of every order."""
    metric = wordorder.metric(name)
    return [float(metric(Permutation(tuple(order)))) for order in inputs.orders()]


def scipy() -> Section:
    """Kendall's τ and Spearman's ρ, from −1 to 1 there and from 0 to 1 here."""
    stats = SCIPY.load("stats")
    orders = inputs.orders()
    places = [list(range(len(order))) for order in orders]
    tau = [stats.kendalltau(order, place).statistic for order, place in zip(orders, places, strict=True)]
    rho = [stats.spearmanr(order, place).statistic for order, place in zip(orders, places, strict=True)]
    root = [1 - ((1 - t) / 2) ** 0.5 for t in tau]
    return Section(
        "scipy: τ and ρ of word orders",
        "500 permutations of 2 to 30 words",
        [
            compare("`kendall`", "(1 + scipy `kendalltau`)/2", ours("kendall"), [(1 + t) / 2 for t in tau]),
            compare("`kendall-sqrt`", "1 − √((1 − scipy `kendalltau`)/2)", ours("kendall-sqrt"), root, within=1e-7),
            compare("`spearman`", "(1 + scipy `spearmanr`)/2", ours("spearman"), [(1 + r) / 2 for r in rho]),
        ],
        [],
    )


def permuta() -> Section:
    """Inversions and fixed points."""
    perm = PERMUTA.load().Perm
    orders = inputs.orders()
    perms = [perm(order) for order in orders]
    pairs = [len(order) * (len(order) - 1) / 2 for order in orders]
    return Section(
        "permuta: inversions and fixed points",
        "500 permutations of 2 to 30 words",
        [
            compare(
                "`kendall`",
                "1 − permuta `count_inversions`/C(n,2)",
                ours("kendall"),
                [1 - each.count_inversions() / count for each, count in zip(perms, pairs, strict=True)],
            ),
            compare(
                "`hamming`",
                "permuta `count_fixed_points`/n",
                ours("hamming"),
                [each.count_fixed_points() / len(each) for each in perms],
            ),
        ],
        [],
    )


def nltk() -> Section:
    """Kendall's τ and Spearman's ρ of nltk's RIBES module."""
    peer = NLTK.load("translate.ribes_score")
    orders = inputs.orders()
    return Section(
        "nltk: τ and ρ of word orders",
        "500 permutations of 2 to 30 words",
        [
            compare("`kendall`", "nltk `kendall_tau`", ours("kendall"), map(peer.kendall_tau, orders)),
            compare("`spearman`", "nltk `spearman_rho`", ours("spearman"), map(peer.spearman_rho, orders)),
        ],
        _old_kendall(peer),
    )


def _old_kendall(peer: Any) -> list[Difference]:
    """Until 3.9, nltk counted only pairs within runs of consecutive numbers."""
    order = [2, 1, 0, 3]
    found = Difference(
        "nltk's Kendall counts runs only",
        "bug",
        "the order `3 2 1 4`",
        float(wordorder.metric("kendall")("3 2 1 4")),
        float(peer.kendall_tau(order)),
        "Three of six pairs ascend. Older versions of nltk count only pairs within runs of consecutive numbers and"
        " find none.",
    )
    return [found] if found.holds else []


def ribes() -> Section:
    """The rule written out, nltk's and compare-mt's."""
    hypotheses, references = inputs.pairs()
    split = [(h.split(), r.split()) for h, r in zip(hypotheses, references, strict=True)]
    mine = segments("ribes", hypotheses, references, tokenize="none")
    literal = [literal_ribes(h, r) for h, r in split]
    rows = [compare("`ribes` of a segment", "the official rule written out, `conformance/ribes.py`", mine, literal)]
    differences = []
    if NLTK.version:
        peer = NLTK.load("translate.ribes_score")
        why = (
            "[not far enough](#nltks-ribes-does-not-look-far-enough),"
            " [right before left](#nltks-ribes-looks-right-before-left), [one word](#ribes-of-one-word)"
        )
        theirs = [peer.sentence_ribes([r], h) for h, r in split]
        rows.append(compare("`ribes` of a segment", "nltk `sentence_ribes`", mine, theirs, why=why))
        differences += _nltk_ribes(peer)
    if COMPARE_MT.version:
        scorers = COMPARE_MT.load("scorers")
        scorers.global_scorer_scale = 1.0
        scorer = scorers.RibesScorer()
        theirs = [scorer.score_sentence(r, h)[0] for h, r in split]
        why = "[one word](#ribes-of-one-word)"
        rows.append(compare("`ribes` of a segment", "compare-mt `RibesScorer`", mine, theirs, why=why))
        longer = [place for place, (_, reference) in enumerate(split) if len(reference) > 1]
        chosen = [mine[place] for place in longer], [theirs[place] for place in longer]
        what = "`ribes` of a segment, reference of two words or more"
        rows.append(compare(what, "compare-mt `RibesScorer`", *chosen))
        differences += _compare_mt_ribes(scorer)
    title = "RIBES: its rule, nltk, compare-mt"
    return Section(title, "500 invented sentence pairs with a vocabulary of twelve words", rows, differences)


def _ribes(hypothesis: str, reference: str) -> float:
    return float(segments("ribes", [hypothesis], [reference], tokenize="none")[0])


def _nltk_ribes(peer: Any) -> list[Difference]:
    def both(hypothesis: str, reference: str) -> tuple[float, float]:
        return _ribes(hypothesis, reference), float(peer.sentence_ribes([reference.split()], hypothesis.split()))

    return [
        Difference(
            "nltk's RIBES does not look far enough",
            "bug",
            "the hypothesis `ha ha ha` and the reference `ha ha ha`",
            *both("ha ha ha", "ha ha ha"),
            "The last word can be distinguished from the others by the two words before it. nltk never tries the"
            " longest context to the left (its loop over windows ends one step too early), finds only one aligned"
            " word, and gives a perfect translation a score of 0. By the official rule, two of the three words are"
            " aligned and the score is (2/3)^0.25.",
        ),
        Difference(
            "nltk's RIBES looks right before left",
            "bug",
            "the hypothesis `very very old man` and the reference `very very man very old`",
            *both("very very old man", "very very man very old"),
            "A repeated word is aligned by the shortest context that is unique in both hypothesis and reference."
            " Where the left and the right context point to different words, the official script takes the left one"
            " and nltk the right one.",
        ),
        Difference(
            "RIBES of one word",
            "bug",
            "the hypothesis `yes` and the reference `yes`",
            *both("yes", "yes"),
            "A single word forms no pairs. The official script gives a matched one-word reference a τ of 1; nltk and"
            " compare-mt give it 0, so a perfect translation of one word scores 0.",
        ),
    ]


def _compare_mt_ribes(scorer: Any) -> list[Difference]:
    order = [0, 1, 2]
    utils = COMPARE_MT.load("corpus_utils")
    return [
        Difference(
            'compare-mt\'s Kendall "distance"',
            "bug",
            "the order `1 2 3`",
            1 - float(wordorder.metric("kendall")("1 2 3")),
            float(scorer._kendall_tau_distance(order)),
            "The distance of an order from itself is 0. What compare-mt calls Kendall's τ distance counts pairs in the"
            " *right* order: it is our `kendall`, a similarity. RIBES uses the similarity, so compare-mt's RIBES"
            " scores are right, but anyone who relies on the name of the function gets the opposite of a distance."
            " (The value shown for wordorder is 1 − `kendall`.)",
        ),
        Difference(
            "compare-mt and a sentence without links",
            "bug",
            "an alignment file with an empty line",
            f"{len(Alignment.parse('').links)} links",
            _failure(utils),
            "An empty line means that nothing is aligned, and aligners write such lines. compare-mt stops with an"
            " error, whereas wordorder reads the line as a sentence in which no word is linked.",
        ),
    ]


def _failure(utils: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.align"
        path.write_text("\n", encoding="utf-8")
        try:
            return f"{len(utils.load_alignments(str(path))[0])} links"
        except ValueError as error:
            return f"an error (`{type(error).__name__}`)"


def sections() -> list[Any]:
    """What this module compares."""
    return [scipy, permuta, nltk, ribes]
