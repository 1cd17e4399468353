"""Kahn, Roark & Ostendorf 2009, *Expected Dependency Pair Match* (MetricsMATR; with HTER at NAACL)."""

from __future__ import annotations

from typing import Any

import wordorder
from papers.writing import Page, finding, interval, write_cell, write_p

LONGEST = 25
"""Words of a reference; longer sentences take most of a parser's time."""

GROUP = 10
"""Segments that stand for a document where the data name none."""

THEIRS = {"edpm": (-0.61, -0.25, -0.47), "bleu": (-0.40, -0.19, -0.32), "1-ter": (-0.51, -0.19, -0.39)}
"""Table 1: r of per-document differences with those of HTER, Arabic, Chinese, all; it prints TER, not 1 − TER."""

METRICS = {
    "edpm": "EDPM: words, pairs of words, arcs; 50 parses",
    "edpm:n=1": "EDPM with the best parse alone",
    "dpm:parts=dl+lh:n=50:gamma=0.25": "arcs without words; 50 parses",
    "dpm": "DPM: arcs with words; the best parse",
    "dpm:parts=1g+2g": "words and pairs of words; no parse",
    "full:order=kendall": "matched words and their order; no parse",
    "bleu": "BLEU",
    "1-ter": "TER",
}
FRAGMENTS = {
    "edpm": "EDPM",
    "edpm:parts=1g+2g+dl+lh+chain": "EDPM with chains",
    "dpm:parts=dl+lh:n=50:gamma=0.25": "arcs",
    "dpm:parts=chain:n=50:gamma=0.25": "chains",
}
SENTENCES = 300
"""Sentences whose n-best lists are looked at again with parses."""

LATE = {"bleu": "bleu", "kendall": "full:order=kendall"}
"""Cheaper metrics for the same late pass."""

FORESTS = (0.25, 1.0)
"""Values of γ: the paper's, and that of the parser's own probabilities."""

MANY = (
    "metaeval --judgements short/rankings.csv --pair de-en --ref short/newstest2012-ref.en --hyp"
    " short/newstest2012.de-en.* --grammar gum.grammar"
)


def prepare(page: Page) -> None:
    """Learn the grammar; write the judged segments that are short."""
    page.say(
        "The paper uses GALE 2.5 (Arabic and Chinese to English), which contains HTER and document boundaries, and a"
        " parser trained on the Wall Street Journal. We use WMT12, German to English, with 16 systems ranked by human"
        f" judges, and keep only judged segments with {LONGEST} words or fewer in the reference. Our grammar is learned"
        " from the GUM treebank."
    )
    page.shell(
        "cat gum-trees/*.ptb > gum.mrg",
        "wordorder parse train gum.mrg -o gum.grammar",
        "mkdir short",
        'awk -F, \'NR == FNR { if ($1 == "German") judged[$3]; next }',
        f'  FNR in judged && split($0, words, " ") <= {LONGEST} {{ print FNR }}\' \\',
        "  wmt12/wmt12.rankings.anon.csv wmt12/newstest2012-ref.en > lines.txt",
        "for f in wmt12/newstest2012-ref.en wmt12/system-outputs/de-en/*; do",
        "  awk 'NR == FNR { chosen[$1]; next } FNR in chosen' lines.txt $f > short/$(basename $f)",
        "done",
        "awk -F, -v OFS=, 'NR == FNR { place[$1] = FNR; next }",
        '  FNR == 1 || $1 == "German" && $3 in place { if (FNR > 1) $3 = place[$3]; print }\' \\',
        "  lines.txt wmt12/wmt12.rankings.anon.csv > short/rankings.csv",
        f"awk '{{ print int((NR - 1) / {GROUP}) }}' lines.txt > groups.txt",
    )


def agreement(page: Page) -> None:
    """Table 1's question with the people we have: does EDPM agree better than BLEU and TER?"""
    page.say("## Table 1: agreement with human judges")
    made = page.run(f"{MANY} --docs groups.txt --document delta-r --metrics {','.join(METRICS)} --compare")
    counts = made["sets"][0]["judgements"]
    page.say(
        f"There are {counts['segments']} segments with {counts['comparisons']:,} comparisons. `differences` is the"
        " paper's coefficient: the correlation (r) between how far two systems differ on a document according to a"
        f" metric and how far they differ according to the judges. Here a document is a group of {GROUP} segments. The"
        " last columns show the paper's r with HTER. HTER is an error rate, so the r of a good metric is negative in"
        " the paper and positive here. For TER, which is an error rate as well, the paper prints .51, .19 and .39."
    )
    page.table(
        ["metric", "", "τ", "system-level ρ", "differences", "HTER, Arabic", "HTER, Chinese", "HTER, all"],
        [
            [
                f"`{metric}`",
                what,
                interval(finding(made, metric)),
                interval(finding(made, metric, level="system", coefficient="rho")),
                interval(finding(made, metric, level="document", coefficient="delta-r")),
                *THEIRS.get(metric, (None, None, None)),
            ]
            for metric, what in METRICS.items()
        ],
    )
    levels = {"τ": "tau", "system-level ρ": "rho", "`differences`": "delta-r"}
    over = {label: difference(made, "edpm", "bleu", name) for label, name in levels.items()}
    said = {label: f"{write_cell(value)} in {label} (p {write_p(p)})" for label, (value, p) in over.items()}
    *others, ours = said.values()
    best = [difference(made, "edpm", "edpm:n=1", name) for name in levels.values()]
    plain = [difference(made, "edpm", "full:order=kendall", name) for name in levels.values()]
    page.conclude(
        "EDPM agrees better with human judges than BLEU does, as the paper found for HTER. By the paper's"
        f" coefficient, the difference is significant: {ours}, corrected for all comparisons between these metrics. By"
        f" the other coefficients, EDPM is above BLEU as well, but not significantly: {', '.join(others)}. EDPM does"
        " not differ significantly from the same metric with only the best parse, or from matched words and their"
        " order without any parse (`full:order=kendall`).",
        all(value > 0 for value, _ in over.values()),
        [p < 0.05 for _, p in over.values()] == [False, False, True],
        min(p for _, p in (*best, *plain)) > 0.05,
    )
    page.sum_up(
        "As the paper found, EDPM agrees better with human judges than BLEU does, but it does not differ"
        " significantly from a metric of matched words and their order, which needs no parser."
    )


def forests(page: Page) -> None:
    """What the paper hopes for: all parses at once, and chains of arcs."""
    page.say("## Forests and chains")
    page.say(
        "The paper hopes for gains from packed forests in place of fifty parses, and from longer chains of words. The"
        " table shows τ on the segments used above. A γ below 1 flattens the parse probabilities; a γ of 1 leaves them"
        " as they are."
    )
    packed = {
        (part, gamma): f"dpm:parses=forest:gamma={gamma}:parts={parts}"
        for part, parts in zip(FRAGMENTS, ("1g+2g+dl+lh", "1g+2g+dl+lh+chain", "dl+lh", "chain"), strict=True)
        for gamma in FORESTS
    }
    made = page.run(f"{MANY} --system none --metrics {','.join([*FRAGMENTS, *packed.values()])} --compare")
    page.table(
        ["fragments", "50 best parses, γ .25", *(f"forest, γ {write_cell(gamma, 2)}" for gamma in FORESTS)],
        [
            [what, interval(finding(made, part)), *(interval(finding(made, packed[part, gamma])) for gamma in FORESTS)]
            for part, what in FRAGMENTS.items()
        ],
    )
    flat, own = (difference(made, "edpm", packed["edpm", gamma]) for gamma in FORESTS)
    chains = difference(made, "edpm", "edpm:parts=1g+2g+dl+lh+chain")
    arcs = difference(made, "dpm:parts=dl+lh:n=50:gamma=0.25", "dpm:parts=chain:n=50:gamma=0.25")
    page.conclude(
        "We find neither of these gains. With the paper's γ, EDPM's τ is lower with the forest than with the list of"
        f" fifty parses, by {write_cell(flat[0])} (p {write_p(flat[1])}, corrected); with a γ of 1, the two hardly"
        f" differ ({write_cell(own[0])}, p {write_p(own[1])}). Adding chains to the other fragments makes no"
        f" significant difference ({write_cell(chains[0])}, p {write_p(chains[1])}), and with chains alone, τ is"
        f" {write_cell(arcs[0])} lower than with dependency arcs alone (p {write_p(arcs[1])}).",
        flat[0] > 0,
        own[1] > 0.05,
        chains[1] > 0.05,
        arcs[0] > 0,
    )


def post_edits(page: Page) -> None:
    """HTER, where there is some."""
    page.say("## HTER")
    page.say(
        "The paper's experiment needs documents, two systems, references that are not post-edits, and parses of the"
        " target. The English–German part of MLQE-PE contains only one system and no references other than post-edits,"
        " and we have no German treebank. We can therefore only compare words and pairs of words of the output with"
        " those of the post-edit, on groups of ten segments."
    )
    page.shell(f"awk '{{ print int((NR - 1) / {GROUP}) }}' mlqe-pe/en-de-test20/test20.pe > tens.txt")
    metrics = ("dpm:parts=1g+2g", "bleu", "1-ter")
    made = page.run(
        "metaeval --judgement-format hter --judgements mlqe-pe/en-de-test20/test20.hter --post-edits"
        " mlqe-pe/en-de-test20/test20.pe --ref mlqe-pe/en-de-test20/test20.pe --hyp mlqe-pe/en-de-test20/test20.mt"
        f" --docs tens.txt --document r --metrics {','.join(metrics)}"
    )
    found = {metric: finding(made, metric, level="document", coefficient="r") for metric in metrics}
    page.table(["metric", "r with HTER"], [[f"`{metric}`", interval(each)] for metric, each in found.items()])
    page.conclude(
        "Measured against the post-edit, 1−TER equals 1−HTER except for differences in tokenisation. All three"
        " metrics use the post-edit that HTER is computed from, so these values say nothing about how well EDPM"
        " judges translations.",
        max(found, key=lambda metric: float(found[metric]["value"])) == "1-ter",
    )


def late_pass(page: Page) -> None:
    """Section 3: select among translations that are already very good."""
    page.say("## A late pass over n-best lists")
    page.say(
        "The paper's last suggestion is to use EDPM late in training, to select among translations that are already"
        f" very good. We take the ten best translations of each of the first {SENTENCES} sentences of"
        " `test_2016_flickr` from a phrase-based system (`nbest/thot-de-en`), and choose for each sentence the"
        " translation that is most similar to the others by EDPM (`nbest rerank --utility`, without a reference). We"
        " do the same with cheaper metrics."
    )
    page.shell(
        f"zcat nbest/thot-de-en/test_2016_flickr.nbest.gz | awk '$1 < {SENTENCES} && ++n[$1] <= 10' > late.nbest",
        f"head -n {SENTENCES} multi30k/test_2016_flickr.lc.norm.tok.en > late.en",
        "wordorder nbest rerank late.nbest -o first.txt",
        *(
            f"wordorder nbest rerank late.nbest --tokenize none --utility {spec} -o {name}.txt"
            for name, spec in LATE.items()
        ),
        "wordorder nbest rerank late.nbest --tokenize none --utility edpm --grammar gum.grammar -o edpm.txt",
    )
    systems = {"first.txt": "the system's first", **{f"{name}.txt": f"most similar by {name}" for name in LATE}}
    systems["edpm.txt"] = "most similar by EDPM"
    metrics = ("edpm", "bleu", "1-ter", "kendall-sqrt")
    made = page.run(
        f"score --ref late.en --hyp {' '.join(systems)} --tokenize none --grammar gum.grammar --baseline first"
        f" --metrics {','.join(metrics)}"
    )
    found = {each["name"]: each["scores"] for each in made["systems"]}
    rows = [
        [what, *(interval(found[file.removesuffix(".txt")][metric]) for metric in metrics)]
        for file, what in systems.items()
    ]
    page.table(["chosen", *(f"`{metric}`" for metric in metrics)], rows)
    lists = page.run("nbest oracle late.nbest --ref late.en --metrics edpm,bleu --tokenize none --grammar gum.grammar")[
        "rows"
    ]
    best = {row["metric"]: row["best"] for row in lists}
    page.conclude(
        f"The lists do contain better translations: an oracle reaches an EDPM of {write_cell(best['edpm'])} and a BLEU"
        f" of {write_cell(best['bleu'])}. But choosing the translation most similar to the others does not find them:"
        " under none of the metrics do the chosen translations differ significantly from the system's first ones. EDPM"
        " chooses no better than BLEU, which needs no parser. One reason may be that the translations in the list of a"
        " phrase-based system differ little.",
        min(test["p_corrected"] for test in made["tests"]) > 0.05,
        best["edpm"] > found["first"]["edpm"]["value"] + 0.02,
    )
    page.sum_up("Packed forests, longer chains of words and a late pass over n-best lists bring no gain.")


def difference(made: Any, one: str, two: str, coefficient: str = "tau") -> tuple[float, float]:
    """How much higher one metric is than another, with the corrected p."""
    wanted = str(wordorder.metric(one)), str(wordorder.metric(two))
    for test in made["tests"]:
        if test["coefficient"] == coefficient and {test["a"], test["b"]} == set(wanted):
            return (test["difference"] if test["a"] == wanted[0] else -test["difference"]), test["p_corrected"]
    raise SystemExit(f"no test of {one} and {two} in {coefficient}")


def make() -> Page:
    """Compute the page."""
    page = Page("edpm_2009", "Expected dependency pair match (Kahn et al. 2009)")
    for part in (prepare, agreement, forests, late_pass, post_edits):
        part(page)
    page.cannot(
        {
            "Table 1 as printed": "GALE 2.5 and its HTER are not public",
            "The r of .240 with fluency and adequacy": "the LDC's multiple-translation Chinese corpora are not in our"
            " data",
            "The Charniak parser": "we do not have it; if you have it, wordorder can read its lists of parses and"
            " score with them",
        }
    )
    return page
