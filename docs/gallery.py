"""Draw every figure of the gallery, or those that are named, and write its page: ``make gallery``.

Sentences are those of the demo data, or invented here. Charts of real data are drawn where the folder of real data
is, beside the project or named by ``WORDORDER_DATA``; elsewhere the files that are there stay as they are.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import wordorder
from wordorder.apps.metaeval import JudgedSet, Setup, metaevaluate
from wordorder.apps.metaeval.detection import MarkedSet, detect
from wordorder.apps.metaeval.probe import probe
from wordorder.apps.preorder import Learner, Reference, evaluate_orders, order_systems
from wordorder.apps.profile import Corpus, Profiles, europarl, find_factors, profile
from wordorder.apps.tune.tuning import Range, Tuning, TuningSet, tune
from wordorder.core.orders.projection import place
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling
from wordorder.formats import conllu, pud, qrev, text, wmt_rankings
from wordorder.report.charts import plot_curves, save_chart
from wordorder.scoring.inputs import MatchedTexts
from wordorder.show.pictures import Picture

HERE = Path(__file__).resolve().parent
DEMO = HERE.parent / "src" / "wordorder" / "data" / "demo"
DATA = Path(os.environ.get("WORDORDER_DATA", HERE.parents[1] / "shared" / "data"))
SAMPLES = Resampling(samples=300)

ARABIC = "ذهب الولد إلى المدرسة أمس مع أخيه"
JAPANESE = "私 は 昨日 図書館 で 本 を 読み まし た 。"
LONG = (
    "although the committee had promised last week that the new timetable would be ready before the end of the month"
    " , nobody at the station could tell us yesterday from which platform the first train to the coast was to leave ."
)
LONG_REORDERED = (
    "although the committee last week promised had that the new timetable before the end of the month ready would be"
    " , could yesterday nobody at the station us tell from which platform the first train to the coast leave was to ."
)


@dataclass(frozen=True)
class Figure:
    """A figure: the name of its file, what it shows, and what draws it; ``real`` needs the folder of real data."""

    name: str
    caption: str
    draw: Callable[[], Any]
    real: bool = False

    @property
    def path(self) -> Path:
        """Where the figure is."""
        return HERE / "gallery" / f"{self.name}.svg"

    def make(self) -> None:
        """Draw the figure, unless it needs data that are not here."""
        if self.real and not DATA.is_dir():
            if not self.path.exists():
                raise UsageError(f"{self.path.name}: has never been drawn, and the folder of real data is not here")
            return
        drawn = self.draw()
        if isinstance(drawn, Picture):
            drawn.save(self.path)
        else:
            save_chart(drawn, self.path)


def demo_line(name: str, number: int) -> str:
    """Return a line of the demo data, from 1."""
    return (DEMO / name).read_text(encoding="utf-8").splitlines()[number - 1]


# --- pictures of one sentence -------------------------------------------------------------------------------------


def draw_grid(number: int) -> Any:
    """Draw a German sentence and its English reference."""
    return wordorder.draw_alignment(
        *(demo_line(name, number) for name in ("reference.align", "source.txt", "reference.txt"))
    )


def draw_three_rows() -> Any:
    """Draw a source between two translations."""
    number = 3
    links = [wordorder.Alignment.parse(demo_line(name, number)) for name in ("monotone.align", "reference.align")]
    rows = [demo_line(name, number) for name in ("monotone.txt", "source.txt", "reference.txt")]
    return wordorder.draw_links(rows, [links[0].transpose(), links[1]], labels=["monotone", "source", "reference"])


def draw_rules() -> Any:
    """Draw an English tree before and after the rules for head-final languages."""
    return wordorder.draw_dependencies(conllu.read(DEMO / "en-de" / "en.conllu")[2], "r5")


PICTURES = {
    "Alignments": [
        Figure(
            "grid",
            "Reorderings, whose blocks are marked A and B, and the smallest consistent blocks",
            lambda: draw_grid(3),
        ),
        Figure("areas", "A discontinuous area, inside which no reordering is extracted", lambda: draw_grid(1)),
        Figure(
            "grid-arabic",
            "A source sentence that is read from right to left",
            lambda: wordorder.draw_alignment(
                "0-3 1-1 1-2 2-4 3-5 4-0 5-6 6-7 6-8", ARABIC, "yesterday the boy went to school with his brother"
            ),
        ),
        Figure("links", "Crossing lines between three sentences", draw_three_rows),
        Figure(
            "links-japanese",
            "Crossing lines between Japanese and English",
            lambda: wordorder.draw_links(
                [JAPANESE, "I read a book in the library yesterday ."],
                ["0-0 2-7 3-5 3-6 4-4 5-2 5-3 7-1 8-1 9-1 10-8"],
                labels=["日本語", "English"],
            ),
        ),
    ],
    "Hypothesis and reference": [
        Figure(
            "order",
            "Matched words, whose lines cross if they are in the wrong order",
            lambda: wordorder.draw_links(
                ["dog we now the .", "the dog we now ."], ["0-1 1-2 2-3 3-0 4-4"], labels=["hypothesis", "reference"]
            ),
        ),
        Figure(
            "comparison",
            "Matched words, chunks, and what would have to move",
            lambda: wordorder.draw_comparison(demo_line("scrambled.txt", 2), demo_line("reference.txt", 2)),
        ),
        Figure(
            "comparison-long",
            "A long sentence, drawn down the page",
            lambda: wordorder.draw_comparison(LONG_REORDERED, LONG),
        ),
    ],
    "Permutation trees and forests": [
        Figure("tree", "A permutation tree with its operators", lambda: wordorder.draw_tree("2 4 5 6 1 3 8 7")),
        Figure("forest", "The permutation forest of the same order", lambda: wordorder.draw_forest("2 4 5 6 1 3 8 7")),
        Figure(
            "forest-chain",
            "An inverted order, whose five PETs share their nodes",
            lambda: wordorder.draw_forest("4 3 2 1"),
        ),
    ],
    "Dependency trees": [Figure("dependencies", "A dependency tree before and after the rules `r5`", draw_rules)],
}


# --- charts -------------------------------------------------------------------------------------------------------


def wmt12(pair: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the systems and the reference of a language pair of WMT12."""
    files = sorted((DATA / "wmt12" / "system-outputs" / pair).iterdir())
    target = pair.partition("-")[2]
    return {file.name.split(f"{pair}.")[1]: file for file in files}, [DATA / "wmt12" / f"newstest2012-ref.{target}"]


def wmt12_scores(metrics: str, *, systems: int | None = None) -> wordorder.Scores:
    """Score German–English systems."""
    hypotheses, references = wmt12("de-en")
    chosen = dict(list(hypotheses.items())[:systems])
    return wordorder.score(chosen, references, metrics=metrics, samples=SAMPLES.samples)


def plot_two_systems() -> Any:
    """Draw two systems on the first 600 segments."""
    hypotheses, references = wmt12("de-en")
    chosen = {name: hypotheses[name] for name in ("onlineB", "jhu-hiero")}
    scores = wordorder.score(chosen, references, metrics="kendall-sqrt", samples=0)
    return scores.subset(np.arange(600)).plot("segments")


def pud_profiles() -> Profiles:
    """Profile three languages against English."""
    folders = {"Japanese": "en-jp", "Chinese": "en-zh", "French": "en-fr"}
    return profile(*(Corpus(name, pud.read(DATA / "pud-aligned" / pair).alignments) for name, pair in folders.items()))


def agreement(kind: str, **coefficients: tuple[str, ...]) -> Any:
    """Compare metrics with the people of WMT12."""
    sets = []
    for pair in ("de-en", "cs-en"):
        hypotheses, references = wmt12(pair)
        scores = wordorder.score(
            hypotheses, references, metrics="full:order=kendall,full:order=pef,lr-kb4,kendall-sqrt,bleu", samples=0
        )
        sets.append(JudgedSet.of(pair, scores, rankings(pair)))
    return metaevaluate(sets, setup=Setup(SAMPLES), **coefficients).plot(kind)


def rankings(pair: str) -> Any:
    """Read the rankings of a pair."""
    return wmt_rankings.read(DATA / "wmt12" / "wmt12.rankings.anon.csv", pair=pair)


@cache
def tuned(spec: str, *ranges: str, pairs: tuple[str, ...] = ("de-en", "cs-en", "en-de")) -> Tuning:
    """Try the parameters of a metric on the rankings of WMT12."""
    chosen = wordorder.metric(spec)
    sets = []
    for pair in pairs:
        inputs = MatchedTexts(*wmt12(pair))
        sets.append(TuningSet.of(pair, inputs, rankings(pair), metric=chosen))
    return tune(spec, [Range.parse(each) for each in ranges], sets, search="grid", steps=11)


def plot_learning() -> Any:
    """Learn rules for Japanese from more and more sentences; judge them on the last 199."""
    folder = DATA / "pud-aligned" / "en-jp"
    trees, links = conllu.read(folder / "en.conllu"), pud.read(folder).alignments
    records = []
    judged = Reference.of(place(links[800:], policy="talbot"), trees[800:])
    for count in (25, 50, 100, 200, 400, 800):
        seen = Reference.of(place(links[:count], policy="talbot"), trees[:count])
        rules = Learner().learn(trees[:count], seen)
        systems = order_systems({"gold": trees[800:]}, {"learned": rules}, judged)
        scores = evaluate_orders(systems, judged, metrics="fuzzy,kendall", resampling=SAMPLES)
        for metric in scores.names:
            found = scores[scores.systems[0], metric]
            figures = {"score": found.value, "low": found.low, "high": found.high}
            records.append({"sentences": count, "metric": metric, **figures})
    return plot_curves(records, x="sentences", y="score", series="metric", logarithmic=True)


def plot_mert() -> Any:
    """Draw the BLEU score that two recorded runs of MERT report after every iteration."""
    records = []
    for run in ("mert-moses-new", "mert-moses-new-nocase"):
        written = (DATA / "nbest" / "moses-it-en-loop" / run / "truth" / "results.dat").read_text(encoding="utf-8")
        for iteration, bleu in re.findall(r"best_(\d+):\s+([\d.]+)", written):
            records.append({"run": run, "iteration": int(iteration), "BLEU": float(bleu)})
    return plot_curves(records, x="iteration", y="BLEU", series="run")


def plot_probes() -> Any:
    """Disturb the English references of WMT12."""
    references = text.read(DATA / "wmt12" / "newstest2012-ref.en").to_pylist()
    metrics = "kendall-sqrt,kendall,hamming,fuzzy,ulam,pef,bleu"
    return probe(references, metrics=metrics, kinds=("move", "adjacent"), resampling=SAMPLES).plot()


def plot_roc() -> Any:
    """Find segments of QRev that annotators tagged with an order error."""
    parts = qrev.read_annotations(DATA / "wordorder" / "qrev")
    sets = []
    for part in parts:
        assert part.references is not None
        inputs = MatchedTexts(part.translations(), [part.references])
        scores = wordorder.score(inputs, metrics="kendall-sqrt,pef,bleu,chrf", samples=0)
        sets.append(MarkedSet(part.pair, scores, part))
    return detect(sets, "ORDER", resampling=Resampling(samples=0)).plot()


SOME = "kendall-sqrt,pef,bleu"
CHARTS = {
    "Systems": [
        Figure(
            "systems",
            "Systems of WMT12, German to English, as drawn by `scores.plot()` or `score … --plot`",
            lambda: wmt12_scores(f"lr-kb4,{SOME}").plot(),
            real=True,
        ),
        Figure(
            "histograms",
            'Segment scores of three systems, as drawn by `scores.plot("histogram")`',
            lambda: wmt12_scores("kendall-sqrt,pef", systems=3).plot("histogram"),
            real=True,
        ),
        Figure(
            "segments",
            'Two systems, segment by segment, as drawn by `scores.plot("segments")`',
            plot_two_systems,
            real=True,
        ),
    ],
    "Reordering": [
        Figure(
            "widths",
            "Widths of reorderings between English and three languages (PUD), as drawn by `profiles.plot()`",
            lambda: pud_profiles().plot(),
            real=True,
        ),
        Figure(
            "lengths",
            'RQuantity by sentence length with a band of one standard deviation, as drawn by `profiles.plot("length")`',
            lambda: pud_profiles().plot("length"),
            real=True,
        ),
        Figure(
            "matrix",
            'RQuantity of the 110 Europarl pairs (Birch 2011, Appendix C), as drawn by `europarl().plot("rquantity")`',
            lambda: europarl().plot("rquantity"),
        ),
        Figure(
            "factors",
            "What makes a language pair hard to translate (Birch 2011, chapter 4), as drawn by"
            " `profile --factors --plot`",
            lambda: find_factors(europarl()).plot(),
        ),
    ],
    "Metrics and human judges": [
        Figure(
            "coefficients",
            "Agreement of metrics with the judges of WMT12 (τ, consistency and r), with intervals, as drawn by"
            " `metaeval … --plot`",
            lambda: agreement("coefficients", segment=("tau", "consistency"), system=("r",)),
            real=True,
        ),
        Figure(
            "coefficients-scaled",
            "τ on WMT12, from 0 for the worst metric of a language pair to 1 for the best (Figures 9 and 10 of"
            " Stanojević & Sima'an 2014), as drawn by `metaeval … --plot-as scaled`",
            lambda: agreement("scaled", segment=("tau",), system=()),
            real=True,
        ),
        Figure(
            "people",
            "Human scores of systems against the scores of each metric, with a fitted line, as drawn by"
            " `metaeval … --ranking --plot`",
            lambda: agreement("systems", segment=(), system=("rho",)),
            real=True,
        ),
        Figure(
            "tuning",
            "Tuning α and β of `full:order=pef` on WMT12, as drawn by `tune … --search grid --plot`",
            lambda: tuned("full:order=pef", "alpha=0:1", "order.beta=0:1").plot(),
            real=True,
        ),
        Figure(
            "tuning-scaled",
            "The same tuning curves, each scaled from 0 to 1 (`--plot-as scaled`)",
            lambda: tuned("full:order=pef", "alpha=0:1", "order.beta=0:1").plot(scaled=True),
            real=True,
        ),
        Figure(
            "tuning-theta",
            "Tuning θ of LRscore on WMT12 German–English, where α = θ^d_k and d_k is .739",
            lambda: tuned("lr-kb4:dk=0.739", "theta=0:1", pairs=("de-en",)).plot(),
            real=True,
        ),
        Figure(
            "probes",
            "Scores of disturbed references of WMT12, as drawn by `metaeval --probe --plot`",
            plot_probes,
            real=True,
        ),
        Figure(
            "roc",
            "How well low scores find the order errors of QRev, as drawn by `metaeval --qrev --plot`",
            plot_roc,
            real=True,
        ),
    ],
    "Learning": [
        Figure(
            "learning",
            "Scores of rules for Japanese on held-out sentences of PUD, by the number of sentences learned from, as"
            " drawn by `plot_curves`",
            plot_learning,
            real=True,
        ),
        Figure(
            "mert",
            "Two recorded runs of MERT by Moses on five Italian sentences, as drawn by `plot_curves`",
            plot_mert,
            real=True,
        ),
    ],
}

HEAD = """\
# Gallery

This page shows every kind of [picture and chart](pictures.md), as drawn by `make gallery`. The sentences are
invented: they are those of the demo data and a few more. The charts show real data, described under
[results](results.md), or the tables of Birch's thesis that come with the package.
"""


def page() -> Iterator[str]:
    """Write the page."""
    yield HEAD
    for part, sections in (("Pictures of one sentence", PICTURES), ("Charts", CHARTS)):
        yield f"## {part}\n"
        for heading, figures in sections.items():
            yield f"### {heading}\n"
            for figure in figures:
                plain = re.sub(r", as drawn by .*|[`\"]", "", figure.caption)
                yield f"{figure.caption}:\n\n![{plain}](gallery/{figure.name}.svg)\n"


if __name__ == "__main__":
    for sections in (PICTURES, CHARTS):
        for figures in sections.values():
            for figure in figures:
                if len(sys.argv) < 2 or figure.name in sys.argv[1:]:
                    figure.make()
                    print(figure.path.name, flush=True)
    (HERE / "gallery.md").write_text("\n".join(page()), encoding="utf-8")
