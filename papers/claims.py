"""What became of five papers' claims: numbers are read from the pages that measured them, sentences checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from papers.writing import RESULTS, Page, wrap, write_cell
from wordorder.report.charts import plot_intervals

PAIRS = ("de-en", "cs-en", "en-de")
REPEAT = (
    "wordorder metaeval --judgements wmt12/wmt12.rankings.anon.csv --pair de-en --ref wmt12/newstest2012-ref.en"
    " --hyp wmt12/system-outputs/de-en/* --metrics kendall-sqrt"
)
FLAT = ("kendall", "spearman", "ulam", "fuzzy", "hamming")
ORDER = ("kendall", "kendall-sqrt", "hamming", "spearman", "ulam", "fuzzy", "pef")
CONSISTENCY = "[thesis](thesis_2011.md#tables-75-76-78-and-710-consistency-with-human-judges)"
PARTLY, OPEN = "holds in part", "undecided here"
FREE, RECOMPUTED = "no cost found", "recomputed, not retested"


@dataclass(frozen=True)
class Number:
    """A number from a page, with its interval where the page has one."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.low == self.high:
            return write_cell(self.value)
        return f"{write_cell(self.value)} ({write_cell(self.low)} to {write_cell(self.high)})"


_NUMBER = r"[−-]?\d*\.?\d+"


def read_number(cell: str) -> Number:
    """Read a cell: a number alone, with half the width of its interval, or with both ends.

    >>> str(read_number("**.253 ±.027***")), read_number("56%").value, str(read_number("0.1 (0.0 to 0.2)"))
    ('.253 (.226 to .280)', 56.0, '.100 (.000 to .200)')
    """
    found = [float(text.replace("−", "-")) for text in re.findall(_NUMBER, cell)]
    value, *ends = found
    if "±" in cell:
        return Number(value, value - ends[0], value + ends[0])
    return Number(value, *ends[:2]) if " to " in cell else Number(value, value, value)


@cache
def tables(page: str) -> list[tuple[list[str], list[list[str]]]]:
    """Return the tables of a page: their headings and their rows."""
    made = []
    for block in re.findall(r"(?:^\|.*\n)+", (RESULTS / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
        made.append(([name.strip("`") for name in rows[0]], rows[2:]))
    return made


def look_up(page: str, column: str, *row: str, place: int = 0) -> Number:
    """Return the number of a column in the row that begins with some cells; ``place`` counts the tables that fit."""
    found = []
    for header, rows in tables(page):
        if column in header:
            for cells in rows:
                if [cell.strip("`") for cell in cells[: len(row)]] == list(row):
                    found.append(read_number(cells[header.index(column)]))
    if len(found) <= place:
        raise SystemExit(f"claims: {page}.md has no number for {', '.join(row)} under {column}")
    return found[place]


def column_of(page: str, first: str, column: str) -> dict[str, str]:
    """Return a column of the first table that has it, by the cells of its first column."""
    for header, rows in tables(page):
        if header[0] == first and column in header:
            return {cells[0].strip("`"): cells[header.index(column)] for cells in rows}
    raise SystemExit(f"claims: {page}.md has no table with {first} and {column}")


def quote(page: str, pattern: str) -> tuple[str, ...]:
    """Return the groups of a sentence of a page."""
    if found := re.search(pattern, (RESULTS / f"{page}.md").read_text(encoding="utf-8")):
        return found.groups()
    raise SystemExit(f"claims: {page}.md does not say: {pattern}")


def make() -> Page:
    """Put the claims side by side, each with its number."""
    page = Page("claims", "What became of five papers' claims", computed=False)
    page.say(
        "Five papers made claims about the value of word order for judging and improving translation. Do these claims"
        " hold on other [data](../results.md#the-data)? Every number comes from the page linked next to it, which"
        " shows the command. Intervals, after ± or in parentheses, are 95% confidence intervals. For"
        " significance tests, we give a p-value, corrected for multiple comparisons, instead of an interval. A program"
        " checks the comparison behind each conclusion. Language pairs are written with the source first: de-en is"
        " German to English."
    )
    page.say(
        "Papers: Kahn, Ostendorf & Roark 2009, *Automatic Syntactic MT Evaluation with Expected Dependency"
        " Pair Match*; Birch 2011, *Reordering Metrics for Statistical Machine Translation*; Talbot et al. 2011, *A"
        " Lightweight Evaluation Framework for Machine Translation Reordering*; Stanojević & Sima'an 2014, *Evaluating"
        " Word Order Recursively over Permutation-Forests*, and 2016, *Hierarchical Permutation Complexity for Word"
        " Order Evaluation*."
    )
    page.say(
        "*Order metrics* ([formulas](../metrics.md)) see only the order of the words that translation and reference"
        " share (*matched words*): d_k (`kendall-sqrt`) is 1 − √(share of word pairs in the wrong order), `fuzzy`"
        " counts chunks, and `pef`, `pet-size` and `max-op` use trees. LRscore combines BLEU with d_k (LR-KB4) or with"
        " Hamming (LR-HB4). EDPM combines words with dependencies, so it is not an order metric. RQuantity is the"
        " amount of reordering. *Consistency* is the share of judged pairs that a metric orders as people do; τ leaves"
        " out the pairs that a metric ties. AUC is how often a segment with an error scores below a segment without"
        " one."
    )
    summary(page)
    people(page)
    common(page)
    prediction(page)
    systems(page)
    repeat(page)
    page.say("## What to use order metrics for")
    page.table(
        ["use them to", "do not use them to"],
        [
            ["rank candidate sentences for inspection", "judge a single sentence"],
            ["see which words or classes a system misplaces", "replace BLEU, chrF or a neural metric"],
            ["compare how literal systems and people are", "compare numbers made with different aligners"],
            [
                "see what a change did to word order, on the words that both versions match",
                "decide which of two systems translates better",
            ],
            ["see what order costs a simultaneous translator", "compare systems that match different shares of words"],
            [
                "screen pre-ordering rules in seconds",
                "rank such rules finely, since only the best rule set is confirmed",
            ],
        ],
    )
    return page


def summary(page: Page) -> None:
    """Add the table of claims."""
    rows: list[tuple[str, str, str, str, str]] = []

    def claim(text: str, data: str, verdict: str, numbers: str, where: str, *holds: bool) -> None:
        if not all(holds):
            raise SystemExit(f"claims: the numbers no longer say: {text}: {verdict}, {numbers}")
        rows.append((text, data, f"**{verdict}**", numbers, where))

    thesis = {name: consistency(name) for name in ("bleu", "bleu1", "kendall-sqrt")}
    tuned = {name: consistency(f"`{name}`, tuned (7.5)".strip("`")) for name in ("lr-kb1", "lr-kb4")}
    quote("thesis_2011", "no data are held out")
    claim(
        "Combining order with words (LRscore) agrees better with people than words alone (Birch)",
        f"WMT12 {', '.join(PAIRS)}",
        PARTLY,
        f"consistency in percent: with order, BLEU-1 rises ({changes(thesis['bleu1'], tuned['lr-kb1'])}), but BLEU"
        f" does not"
        f" ({changes(thesis['bleu'], tuned['lr-kb4'])}); no interval, because weights were chosen on the same data",
        CONSISTENCY,
        all(b > a + 1 for a, b in zip(thesis["bleu1"], tuned["lr-kb1"], strict=True)),
        all(abs(b - a) < 0.2 for a, b in zip(thesis["bleu"], tuned["lr-kb4"], strict=True)),
    )
    alone = look_up("common_words", "all matched words", "kendall-sqrt")
    claim(
        "Order alone (d_k) reflects what people think of a translation (Birch)",
        "WMT12 de-en",
        PARTLY,
        f"τ is {alone}, but consistency only {thesis['kendall-sqrt'][0]}%, against {thesis['bleu'][0]}% for BLEU"
        " (the table gives no interval); it is below 50% because d_k ties on"
        f" {tied(alone, thesis['kendall-sqrt'][0]):.0%} of the pairs",
        f"[common words](common_words.md), {CONSISTENCY}",
        alone.low > 0,
        thesis["kendall-sqrt"][0] < thesis["bleu"][0] - 10,
        0.2 < tied(alone, thesis["kendall-sqrt"][0]) < 0.4,
    )
    loop = [look_up("tuning", "BLEU", objective) for objective in ("BLEU", "LR-HB4", "LR-KB4")]
    p = [look_up("tuning", "p (BLEU)", objective).value for objective in ("LR-HB4", "LR-KB4")]
    (runs,) = quote("tuning", r"with (\d+) runs for each objective")
    claim(
        "Tuning for LRscore costs no BLEU (Birch)",
        "Multi30k de-en, one small system",
        FREE,
        f"BLEU is {loop[0].value} after tuning for BLEU, {loop[1].value} for LR-HB4 (p {write_cell(p[0])}) and"
        f" {loop[2].value} for LR-KB4 (p {write_cell(p[1])}); no interval, with only {runs} runs each",
        "[tuning](tuning.md)",
        *(number.value >= loop[0].value or chance > 0.05 for number, chance in zip(loop[1:], p, strict=True)),
    )
    regression, printed = (look_up("thesis_2011", who, "r² of BLEU with RQuantity (4.5)") for who in ("ours", "thesis"))
    quote("thesis_2011", "computed from the 110 pairs of Europarl languages in Tables C.1 to C.3")
    claim(
        "The amount of reordering between two languages says how hard translation between them is (Birch)",
        "the thesis's tables, 110 pairs",
        RECOMPUTED,
        f"r² of BLEU with RQuantity is {regression} ({printed} in the thesis); no interval, because nothing was"
        " measured anew",
        "[thesis](thesis_2011.md#tables-45-to-47-what-makes-a-language-pair-hard-to-translate)",
        abs(regression.value - printed.value) < 0.005,
    )
    links = {
        pair: [look_up("thesis_2011", name, pair).value for name in ("manual", "automatic", "p")]
        for pair in ("English–French", "Romanian–English", "Chinese–English")
    }
    claim(
        "Automatic alignments show as much reordering as manual ones (Birch)",
        "gold-align, 3 pairs",
        PARTLY,
        "RQuantity with manual → automatic alignments: "
        + "; ".join(
            f"{pair} {write_cell(manual)} → {write_cell(automatic)} (p {write_cell(chance)})"
            for pair, (manual, automatic, chance) in links.items()
        )
        + " (p-values not corrected; the manual links are only those that the annotators were sure of)",
        "[thesis](thesis_2011.md#table-42-do-automatic-alignments-show-as-much-reordering-as-manual-ones)",
        links["English–French"][1] > 1.5 * links["English–French"][0],
        links["English–French"][2] < 0.05 < links["Romanian–English"][2],
    )
    ahead = [look_up("forests_2014", f"{pair} difference", name).value for pair in PAIRS for name in FLAT]
    chances = [look_up("forests_2014", f"{pair} p", name).value for pair in PAIRS for name in FLAT]
    claim(
        "Permutation forests agree better with people than flat metrics (Stanojević & Sima'an 2014)",
        "WMT12, 3 pairs",
        OPEN,
        f"the τ of `pef` minus that of a flat metric is {write_cell(min(ahead))} to {write_cell(max(ahead))}; none of"
        f" {len(chances)} paired tests is significant",
        "[forests](forests_2014.md#are-the-differences-significant)",
        min(chances) > 0.05,
    )
    tight, better, worse = wins("ours, permutation")
    claim(
        "Tight measures of permutation complexity rank systems better (Stanojević & Sima'an 2016)",
        "WMT12, 3 pairs",
        OPEN,
        f"`pet-size` and `max-op` are significantly better in none of {tight} paired tests, and worse in {worse}",
        "[complexity](complexity_2016.md)",
        better == 0,
    )
    edpm = {
        name: look_up("edpm_2009", "differences", name)
        for name in ("edpm", "edpm:n=1", "dpm:parts=1g+2g", "full:order=kendall", "bleu")
    }
    (longest,) = quote("edpm_2009", r"segments with (\d+) words or fewer")
    gain, chance, *others = quote(
        "edpm_2009",
        r"difference is significant: (\.\d+) in `differences` \(p ([^)]*)\).*?"
        r"not significantly: \.\d+ in τ \(p (\.\d+)\), \.\d+ in system-level ρ \(p (\.\d+)\)",
    )
    claim(
        "Dependencies over many parses agree better with people than BLEU (Kahn et al.)",
        f"WMT12 de-en, references up to {longest} words",
        PARTLY,
        f"r with judges' differences is {edpm['edpm']} for EDPM and {edpm['bleu']} for BLEU; the difference of {gain}"
        f" is significant (p {chance}), but those in τ and ρ are not (p {others[0]} and {others[1]})",
        "[EDPM](edpm_2009.md)",
        edpm["edpm"].value > edpm["bleu"].value + 0.05,
    )
    quote("edpm_2009", "EDPM does not differ significantly from the same metric with only the best parse")
    claim(
        "Many parses are better than one (Kahn et al.)",
        "the same",
        OPEN,
        f"the same r is {write_cell(edpm['edpm'].value)} with 50 parses, {write_cell(edpm['edpm:n=1'].value)} with"
        f" 1 (the"
        f" difference is not significant) and {write_cell(edpm['dpm:parts=1g+2g'].value)} for EDPM's words and"
        f" pairs alone;"
        f" matched words and their order reach {write_cell(edpm['full:order=kendall'].value)} without any parser",
        "[EDPM](edpm_2009.md)",
        abs(edpm["edpm"].value - edpm["edpm:n=1"].value) < 0.02,
        abs(edpm["edpm"].value - edpm["full:order=kendall"].value) < 0.02,
    )
    rules, fuzzy = (
        {name: look_up("framework_2011", metric, f"r{name}") for name in range(1, 6)}
        for metric in ("kendall, aligned words only", "fuzzy, aligned words only")
    )
    claim(
        "Pre-ordering rules can be judged without translating (Talbot et al.)",
        "PUD en-ja",
        PARTLY,
        f"on aligned words, `kendall` finds the paper's best rule set (r5 scores {rules[5]}, and the unchanged order,"
        f" r1, {rules[1]}), but ranks r2 last; the paper's own metric, `fuzzy`, ranks r2, r3 and r4 below r1",
        "[pre-ordering](framework_2011.md)",
        rules[5].low > max(rules[name].high for name in range(1, 5)),
        rules[2].high < min(rules[name].low for name in (1, 3, 4)),
        max(fuzzy[name].high for name in (2, 3, 4)) < fuzzy[1].low,
    )
    parsers = {name[:3]: read_number(cell) for name, cell in reversed(column_of("parsers", "parser", "fuzzy").items())}
    quote("parsers", "no two parsers differ significantly in the fuzzy score")
    claim(
        "Parsers get better at reordering when trained on parses that reorder well (Talbot et al.)",
        "PUD en-ja",
        OPEN,
        f"`fuzzy` is {parsers['P2:']} before and {parsers['P4:']} after; the difference is not significant",
        "[parsers](parsers.md#targeted-self-training)",
        parsers["P4:"].low < parsers["P2:"].value,
    )
    page.say("## The claims")
    page.table(["claim", "data", "verdict", "numbers", "page"], rows)


def half(number: Number) -> str:
    """Write a number with half the width of its interval."""
    return f"{write_cell(number.value)} ±{write_cell((number.high - number.low) / 2)}"


def consistency(row: str) -> list[float]:
    """Return the consistency of a metric with the judges of each language pair, in percent."""
    return [look_up("thesis_2011", f"{pair} ours", row).value for pair in PAIRS]


def changes(before: list[float], after: list[float]) -> str:
    """Write a number of each language pair before and after."""
    return "; ".join(f"{a} → {b}" for a, b in zip(before, after, strict=True))


def tied(tau: Number, percent: float) -> float:
    """Return the share of pairs that a metric ties, which τ drops and consistency counts as wrong."""
    return 1 - percent / 100 / ((1 + tau.value) / 2)


def span(numbers: list[Number]) -> str:
    """Write the smallest and the largest of some numbers."""
    values = [number.value for number in numbers]
    return f"{write_cell(min(values))} to {write_cell(max(values))}"


def repeat(page: Page) -> None:
    """Add the command that repeats the first τ of the page."""
    page.say(
        "## Repeat one number\n\nWith the [published files](../results.md#the-data) of WMT12 in a folder `wmt12`, this"
        f" command takes a few seconds:\n\n```text\n{wrap(REPEAT)}\n```"
    )
    found = look_up("common_words", "all matched words", "kendall-sqrt")
    page.conclude(
        f"For `kendall-sqrt`, it prints a τ of {found.value:.3f} ±{write_cell((found.high - found.low) / 2)}, as in"
        " the second claim, a ρ (with a human ranking by wins, unlike the ρ above), and how many pairs the metric"
        " ties. You can name any other metric with `--metrics`.",
        0.1 < found.value < 0.14,
    )


def wins(column: str) -> tuple[int, int, int]:
    """Return how often tight metrics were compared with others, and were significantly better and worse."""
    counts = [
        [int(number) for number in cell.split("/")]
        for pair, cell in column_of("complexity_2016", "new metric, baseline", column).items()
        if "pet-count" not in pair
    ]
    return sum(map(sum, counts)), sum(won for won, _, _ in counts), sum(lost for _, lost, _ in counts)


def people(page: Page) -> None:
    """Add what the metrics of order agree on with people."""
    page.say("## No formula wins")
    names = column_of("forests_2014", "order metric", "de-en ours")
    values = {pair: {name: look_up("forests_2014", f"{pair} ours", name).value for name in names} for pair in PAIRS}
    best = {pair: max(found, key=lambda name: found[name]) for pair, found in values.items()}
    tests, sure, which = quote(
        "forests_2014", r"Of all (\d+) differences between two metrics, (\d+) are significant: (.*)"
    )
    page.conclude(
        "Combined with the share of matched words, order metrics agree about equally well with the human rankings of"
        f" WMT12: `{best['de-en']}` is best on de-en, `{best['cs-en']}` on cs-en and `{best['en-de']}` on en-de. Only"
        f" {sure} of {tests} differences are significant in paired tests; in {which.count('above `hamming`')} of them,"
        " Hamming is the worse metric ([forests](forests_2014.md#are-the-differences-significant)). Choose the metric"
        " that measures what you want to know ([which metric when](../which-metric.md)).",
        len(set(best.values())) > 1,
        int(sure) < int(tests) / 10,
    )
    page.sum_up(
        "Order metrics show what quality metrics do not report: which words stand in the wrong place, how literally a"
        " system translates, and what order costs a simultaneous translator. Use them for diagnosis: among"
        " translations of the same segment, BLEU and chrF predict human judgements better than order metrics do. No"
        " order metric agrees best with people in every language pair.",
        len(set(best.values())) > 1,
    )


def common(page: Page) -> None:
    """Add what comparing on common words shows."""
    page.say("## Compare on the words that both match")
    gains = [look_up("common_words", "gain", name, place=place) for place in range(3) for name in ORDER]
    sure, cases = map(int, quote("common_words", r"in (\d+) of (\d+) cases \(.*\), the interval of the gain does not"))
    level, lost = map(int, quote("common_words", r"in (\d+) of \d+ cases, the interval of .* and below 0 in (\d+)"))
    vanished = [
        read_number(cells[header.index("only plain") + 1])
        for header, rows in tables("common_words")
        if "only plain" in header
        for cells in rows
        if cells[0] != "`kendall-sqrt`"
    ]
    blind = sum(number.low <= 0 <= number.high for number in vanished)
    alone = [look_up("common_words", "only plain", name, place=place).value for place in range(3) for name in ORDER]
    right, right_common, compared = (
        sum(int(look_up("common_words", column, pair).value) for pair in PAIRS)
        for column in ("all matched words", "common words", "pairs of systems")
    )
    page.conclude(
        "Two translations of a segment can be compared on all matched words, or on the *common words*, which both"
        " match. On WMT12, the decisions made on common words agree better with people for every metric and language"
        f" pair ({sure} of {cases} gains have an interval that excludes 0): {min(alone):.0f} to {max(alone):.0f}% of"
        f" the differences vanish, and in {blind} of {cases} cases, those that vanish show no clear agreement with"
        f" people. But fewer pairs are decided. If undecided pairs count as half right, {level} of {cases} differences"
        f" between the two comparisons may be due to chance, and {lost} favour all matched words. Common words"
        " therefore make sure that a difference is one of order, but they do not reveal more of what people notice. Of"
        f" {compared} pairs of whole systems, `kendall` orders {right_common} as people do on common words, and"
        f" {right} on all matched words. See [common words](common_words.md).",
        all(gain.value > 0 for gain in gains),
        sure > cases / 2,
        level > cases / 2,
        len(vanished) == cases,
        right_common <= right,
    )


def prediction(page: Page) -> None:
    """Add order beside metrics of quality."""
    page.say("## A diagnosis, not a predictor")
    names = column_of("prediction", "metric", "en-de")
    found = {(name, pair): look_up("prediction", pair, name) for name in names for pair in ("en-de", "he-en")}
    better = ("COMET", "MetricX-23", "XCOMET-XXL")
    neural = [number for (name, _), number in found.items() if name in better]
    order = [number for (name, _), number in found.items() if name in ORDER]
    surface = [number for (name, _), number in found.items() if name in ("BLEU", "chrF")]
    left = {
        pair: max(
            (look_up("prediction", pair, name, one) for name in names if name in ORDER for one in better),
            key=lambda number: number.value,
        )
        for pair in ("en-de", "he-en")
    }
    page.conclude(
        "Among WMT23's translations of the same segment, the correlation (r) of scores with annotated errors (MQM) is"
        f" {span(order)} for `kendall-sqrt`, `pef` and `fuzzy`, {span(surface)} for BLEU and chrF, and {span(neural)}"
        " for COMET, MetricX and XCOMET. If one of these last three is held constant, the correlation that remains for"
        f" order is at most {left['en-de']} on en-de and {left['he-en']} on he-en. See [prediction](prediction.md).",
        max(v.value for v in order) < min(v.value for v in surface),
        max(v.value for v in surface) < min(v.value for v in neural),
    )
    ranked = {
        (name, pair): look_up("thesis_2011", f"{pair} ours", name, place=1)
        for name in ("kendall-sqrt", "bleu")
        for pair in PAIRS
    }
    page.conclude(
        "For WMT12's whole systems, the result depends on the language pair: the rank correlation ρ with how often"
        f" judges found a system best is {half(ranked['kendall-sqrt', 'de-en'])} for d_k and"
        f" {half(ranked['bleu', 'de-en'])} for BLEU on de-en, but {half(ranked['kendall-sqrt', 'en-de'])} and"
        f" {half(ranked['bleu', 'en-de'])} on en-de (± is half the width of an interval that need not be symmetric)."
        f" See the {CONSISTENCY}.",
        ranked["kendall-sqrt", "de-en"].value < ranked["bleu", "de-en"].value,
        ranked["kendall-sqrt", "en-de"].low > ranked["bleu", "en-de"].high,
    )
    records = [
        {"metric": name, "pair": pair, "r with MQM": number.value, "low": number.low, "high": number.high}
        for (name, pair), number in found.items()
    ]
    chart = plot_intervals(records, name="metric", value="r with MQM", series="pair")
    page.figure(chart, "Correlation with MQM at WMT23")
    plain = ("pef", "kendall-sqrt", "hamming")
    auc = {name: look_up("errors", "same length", name) for name in ("both views", "bleu", *plain)}
    alone = [auc[name].value for name in plain]
    marked, base = (look_up("errors", "P@100", name).value for name in ("both views", "base rate"))
    page.conclude(
        "Where annotators tagged errors of *order* (QRev), the AUC among segments of the same length is"
        f" {auc['both views']} for `order-errors`, the metric of `wordorder find`, which also uses stems and links with"
        f" the source; it is {write_cell(min(alone))} to {write_cell(max(alone))} for `pef`, d_k and Hamming, and"
        f" {auc['bleu']} for BLEU. Only {marked:.0%} of the 100 segments"
        f" with the lowest `order-errors` are tagged, against {base:.1%} of all segments, so a single low score says"
        " little. See [errors](errors.md).",
        auc["both views"].low > 0.5 > auc["bleu"].low,
        auc["both views"].value > auc["bleu"].high,
        auc["bleu"].value < min(alone) <= max(alone) < auc["both views"].value,
        marked > 2 * base,
    )


def systems(page: Page) -> None:
    """Add what order shows that scores of quality do not report."""
    page.say("## What quality scores do not report")
    verdicts = column_of("literal", "system", "verdict (hmm)")
    other = column_of("literal", "system", "verdict (diagonal)")
    both = [name for name, verdict in verdicts.items() if verdict == other[name] == "more literal"]
    judged = [name for name, verdict in verdicts.items() if verdict != "human"]
    (apart,) = quote("literal", r"`kendall-sqrt` of one and the same text differs by up to (\.\d+)")
    page.conclude(
        f"*Literal translation.* {len(both)} of WMT24's {len(judged)} en-de systems, large language models among them,"
        " are more literal than each of the 2 human references under both of 2 aligners. Into Japanese, where there is"
        " only one reference and links are less certain, no system is more literal than it. Neither aligner was checked"
        f" against manual links on these texts. On other texts, manual links change scores by up to {apart}, about as"
        " much as systems differ from people here, and both aligners may favour texts that are easy to align. See"
        " [literal translation](literal.md).",
        len(both) > len(judged) / 2,
        {"GPT-4", "Claude-3.5"} <= set(both),
    )
    guessed = {text: look_up("literal", "guessed", text, "3") for text in ("usual", "monotone")}
    page.conclude(
        "*Simultaneous translation.* On SiMuST-C, a simulated translator 3 words behind the speaker (wait-3) must"
        f" guess {guessed['usual']} of the words of the usual Chinese references, and {guessed['monotone']} of the"
        " words of references written in an order close to the English. See [simultaneous"
        " translation](literal.md#simust-c).",
        guessed["monotone"].high < guessed["usual"].low,
    )
    first = look_up("patterns", "reference: first", "verbs at the end", "10%")
    samples = int(quote("patterns", r"In each of (\d+) random samples of 1,000 sentences")[0])
    late = [row for header, rows in tables("patterns") if header[0] == "system" for row in rows]
    verbs = [row for row in late if "`VERB`" in row[1] and row[1].startswith("class") and row[0] != "all systems"]
    page.conclude(
        f"*Patterns.* Verbs come too late in the output of {len(verbs)} of WMT12's 16 de-en systems, and too early in"
        " that of none. If verbs are moved to the end in 10% of 1,000 references, this error is the strongest pattern"
        f" in {first.value * samples:.0f} of {samples} samples. See [patterns](patterns.md).",
        all(row[2] == "late" for row in verbs),
        len(verbs) > 4,
        first.value >= 0.95,
    )
