"""Kahn, Roark & Ostendorf 2009, *Expected Dependency Pair Match* (MetricsMATR; with HTER at NAACL)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from papers.writing import DATA, Page, finding, interval

METRICS = ("edpm", "edpm:n=1", "dpm", "bleu", "1-ter")
NAMES = {"edpm": "EDPM", "bleu": "BLEU", "1-ter": "TER"}
THEIRS = {"edpm": (0.61, 0.25, 0.47), "bleu": (0.40, 0.19, 0.32), "1-ter": (0.51, 0.19, 0.39)}
"""Table 1: |r| of per-document differences with those of HTER, Arabic, Chinese, all."""

SEGMENTS = 150
"""Judged segments are parsed; this many of the test set take a minute."""


def agreement(page: Page) -> None:
    """Table 1's question with the people we have: does EDPM agree better than BLEU and TER?"""
    page.say("## Table 1: agreement with people")
    page.say(
        "The paper correlates differences between two systems on a document with differences in HTER, on GALE 2.5."
        " Our data have neither documents nor HTER of several systems, but rankings by people: WMT12,"
        f" Czech–English, six systems, the first {SEGMENTS} segments. The grammar is learned from the GUM treebank,"
        " where the paper has the Wall Street Journal."
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        grammar = folder / "gum.grammar"
        trees = folder / "gum.mrg"
        trees.write_text(
            "\n".join(path.read_text(encoding="utf-8") for path in sorted((DATA / "gum-trees").glob("*.ptb"))),
            encoding="utf-8",
        )
        page.say(
            "```text\ncat gum-trees/*.ptb > gum.mrg\nwordorder parse train gum.mrg -o gum.grammar\nmkdir -p short\n"
            "for f in wmt12/newstest2012-ref.en wmt12/system-outputs/cs-en/*; do head -n"
            f" {SEGMENTS} $f > short/$(basename $f); done\n"
            f"awk -F, 'NR == 1 || $3 <= {SEGMENTS}' wmt12/wmt12.rankings.anon.csv > short/rankings.csv\n```"
        )
        train(trees, grammar)
        shorten(folder)
        made = page.run(
            f"metaeval --judgements short/rankings.csv --pair cs-en --ref short/newstest2012-ref.en --hyp"
            f" short/newstest2012.cs-en.* --grammar gum.grammar --metrics {','.join(METRICS)}",
            folder=folder,
        )
    page.table(
        [
            "metric",
            f"τ of {SEGMENTS} segments, ours",
            f"ρ of systems on {SEGMENTS} segments, ours",
            "paper, Arabic",
            "paper, Chinese",
            "paper, all",
        ],
        [
            [
                f"`{metric}`",
                interval(finding(made, metric)),
                interval(finding(made, metric, level="system", coefficient="rho")),
                *THEIRS.get(metric, (None, None, None)),
            ]
            for metric in METRICS
        ],
    )
    order = ", ".join(NAMES[metric] for metric in sorted(NAMES, key=lambda each: -finding(made, each)["value"]))
    page.say(
        f"In the paper EDPM is above TER, and TER above BLEU; ours on segments are {order}, best first. Other data,"
        " other people, other parser: only the order of the three can be compared. `edpm:n=1` takes the best parse"
        " alone. The intervals of so few segments are wide; the [results](../results.md#dependencies) have all of"
        " German–English."
    )


def train(trees: Path, grammar: Path) -> None:
    """Learn the grammar with the command that the page shows."""
    import subprocess
    import sys

    subprocess.run(
        [sys.executable, "-m", "wordorder", "parse", "train", str(trees), "-o", str(grammar), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def shorten(folder: Path) -> None:
    """Write the first segments of the test set, and the rankings of them."""
    short = folder / "short"
    short.mkdir()
    outputs = sorted((DATA / "wmt12" / "system-outputs" / "cs-en").iterdir())
    for path in (DATA / "wmt12" / "newstest2012-ref.en", *outputs):
        lines = path.read_text(encoding="utf-8").split("\n")[:SEGMENTS]
        (short / path.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    header, *rows = (DATA / "wmt12" / "wmt12.rankings.anon.csv").read_text(encoding="utf-8").splitlines()
    place = header.split(",").index("srcIndex")
    kept = [row for row in rows if int(row.split(",")[place]) <= SEGMENTS]
    (short / "rankings.csv").write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")


def make() -> Page:
    """Compute the page."""
    page = Page("edpm_2009", "Expected dependency pair match (Kahn et al. 2009)")
    agreement(page)
    page.cannot(
        {
            "Table 1 as printed": "GALE 2.5 and its HTER are not public",
            "r .240 with fluency and adequacy": "the LDC's multiple-translation Chinese corpora are not in our data",
            "the Charniak parser": "not in our data; its lists of parses can be read and scored where you have them",
        }
    )
    return page
