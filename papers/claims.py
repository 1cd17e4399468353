"""What became of five papers' claims: numbers are read from the pages that measured them, sentences checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from papers.writing import RESULTS, Page, write_cell
from wordorder.report.charts import plot_intervals

PAIRS = ("de-en", "cs-en", "en-de")
ORDER = ("kendall", "kendall-sqrt", "hamming", "spearman", "ulam", "fuzzy", "pef")
CONSISTENCY = "[thesis](thesis_2011.md#tables-75-76-78-and-710-consistency-with-human-judges)"
HOLDS, PARTLY, NOT, OPEN = "holds", "holds in part", "does not hold here", "cannot be told here"


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


def make() -> Page:
    """Put the claims side by side, each with its number."""
    page = Page("claims", "What became of five papers' claims", computed=False)
    page.say(
        "Between 2009 and 2016, five papers said what word order is worth for judging and improving translation."
        " This page says what holds on data from 2012 to 2024, in ten minutes. Every number comes from the page"
        " that is linked next to it, where the command that computes it is shown; ± and parentheses are 95%"
        " confidence intervals. A program checks that the numbers support each sentence."
    )
    page.say(
        "**In short.** Order metrics measure what they say they measure, and show things that no other score"
        " shows: which words stand in the wrong place, how literally a system translates, what order costs a"
        " simultaneous translator. They are a diagnosis. They do not predict how good people find a translation,"
        " and no formula for order is clearly better than the others at agreeing with people."
    )
    summary(page)
    people(page)
    common(page)
    prediction(page)
    systems(page)
    page.say("## What to use order metrics for")
    page.table(
        ["use them to", "do not use them to"],
        [
            ["find the sentences whose words are in the wrong order", "decide which of two systems translates better"],
            ["see which words or classes a system misplaces", "replace BLEU, chrF or a neural metric"],
            ["compare how literal systems and people are", "compare numbers made with different aligners"],
            ["see what a change to a system did to its word order", "judge a single sentence"],
            ["judge pre-ordering rules and parsers in seconds", "compare systems that match different shares of words"],
        ],
    )
    return page


def summary(page: Page) -> None:
    """Add the table of claims."""
    rows: list[tuple[str, str, str, str]] = []

    def claim(text: str, verdict: str, numbers: str, where: str, *holds: bool) -> None:
        if not all(holds):
            raise SystemExit(f"claims: the numbers no longer say: {text}: {verdict}, {numbers}")
        rows.append((text, f"**{verdict}**", numbers, where))

    thesis = {name: look_up("thesis_2011", "de-en ours", name) for name in ("bleu", "bleu1", "kendall-sqrt")}
    tuned = {
        name: look_up("thesis_2011", "de-en ours", f"`{name}`, tuned (7.5)".strip("`")) for name in ("lr-kb1", "lr-kb4")
    }
    claim(
        "Combining order with words (LRscore) agrees better with people than words alone (Birch 2011)",
        PARTLY,
        f"consistency on de-en: BLEU-1 {thesis['bleu1'].value} → {tuned['lr-kb1'].value} with order; BLEU"
        f" {thesis['bleu'].value} → {tuned['lr-kb4'].value}",
        CONSISTENCY,
        tuned["lr-kb1"].value > thesis["bleu1"].value + 1,
        abs(tuned["lr-kb4"].value - thesis["bleu"].value) < 0.5,
    )
    alone = look_up("common_words", "all matched words", "kendall-sqrt")
    claim(
        "Order alone (d_k) reflects what people think of a translation (Birch 2011)",
        PARTLY,
        f"τ with rankings on de-en {alone}: more than nothing, but consistency is {thesis['kendall-sqrt'].value} and"
        f" that of BLEU {thesis['bleu'].value}",
        f"[common words](common_words.md), {CONSISTENCY}",
        alone.low > 0,
        thesis["kendall-sqrt"].value < thesis["bleu"].value - 10,
    )
    loop = [look_up("tuning", "BLEU", objective) for objective in ("BLEU", "LR-HB4", "LR-KB4")]
    claim(
        "Tuning for LRscore costs no BLEU (Birch 2011)",
        HOLDS,
        f"BLEU {loop[0].value} tuned for BLEU, {loop[1].value} for LR-HB4, {loop[2].value} for LR-KB4 (small system)",
        "[tuning](tuning.md)",
        min(loop[1].value, loop[2].value) > loop[0].value - 0.5,
    )
    regression = look_up("thesis_2011", "ours", "r² of BLEU with RQuantity (4.5)")
    claim(
        "How much two languages reorder says how hard translation between them is (Birch 2011)",
        HOLDS,
        f"r² of BLEU with RQuantity {regression} over 110 pairs; the printed tables, recomputed",
        "[thesis](thesis_2011.md#tables-45-to-47-what-makes-a-language-pair-hard-to-translate)",
        abs(regression.value - 0.391) < 0.005,
    )
    links = {name: look_up("thesis_2011", name, "English–French").value for name in ("manual", "automatic")}
    claim(
        "Automatic alignments show as much reordering as manual ones (Birch 2011)",
        NOT,
        f"RQuantity, English–French: {write_cell(links['manual'])} by people, {write_cell(links['automatic'])} by an"
        " aligner",
        "[thesis](thesis_2011.md#table-42-do-automatic-alignments-show-as-much-reordering-as-manual-ones)",
        links["automatic"] > 1.5 * links["manual"],
    )
    spread = {pair: [look_up("forests_2014", f"{pair} ours", name) for name in forests()] for pair in PAIRS}
    flat = {pair: max(v.value for v in values) - min(v.value for v in values) for pair, values in spread.items()}
    claim(
        "Permutation forests agree better with people than flat metrics (Stanojević & Sima'an 2014)",
        OPEN,
        "all but Hamming within "
        + ", ".join(f"{write_cell(flat[pair])} ({pair})" for pair in PAIRS)
        + " of τ; intervals ±.027",
        "[forests](forests_2014.md)",
        max(flat.values()) < 0.027,
    )
    tight, better = wins("ours, permutation")
    claim(
        "Tight measures of complexity rank systems better (Stanojević & Sima'an 2016)",
        OPEN,
        f"pet-size and max-op significantly better in {better} of {tight} comparisons (corrected)",
        "[complexity](complexity_2016.md)",
        better == 0,
    )
    edpm = {
        name: look_up("edpm_2009", "differences", name) for name in ("edpm", "edpm:n=1", "full:order=kendall", "bleu")
    }
    claim(
        "Dependencies over many parses agree better with people than BLEU (Kahn et al. 2009)",
        HOLDS,
        f"r of differences: EDPM {edpm['edpm']}, BLEU {edpm['bleu']}",
        "[EDPM](edpm_2009.md)",
        edpm["edpm"].value > edpm["bleu"].value + 0.05,
    )
    claim(
        "Many parses are better than one (Kahn et al. 2009)",
        OPEN,
        f"r of differences: 50 parses {edpm['edpm'].value:.3f}, one parse {edpm['edpm:n=1'].value:.3f}, no parse at"
        f" all {edpm['full:order=kendall'].value:.3f}",
        "[EDPM](edpm_2009.md)",
        abs(edpm["edpm"].value - edpm["edpm:n=1"].value) < 0.02,
        abs(edpm["edpm"].value - edpm["full:order=kendall"].value) < 0.02,
    )
    rules = {name: look_up("framework_2011", "kendall, aligned words only", name) for name in ("r1", "r5")}
    claim(
        "Pre-ordering rules can be judged without translating (Talbot et al. 2011)",
        PARTLY,
        f"the best rule set is found (`kendall`: r5 {rules['r5'].value:.3f}, r1 {rules['r1'].value:.3f}), but the"
        " others are not ranked as the paper's judges rank them",
        "[pre-ordering](framework_2011.md)",
        rules["r5"].low > rules["r1"].high,
    )
    parsers = {name[:3]: read_number(cell) for name, cell in column_of("parsers", "parser", "fuzzy").items()}
    claim(
        "Parsers get better at reordering when trained on parses that reorder well (Talbot et al. 2011)",
        OPEN,
        f"fuzzy score {parsers['P2:']} before, {parsers['P4:']} after",
        "[parsers](parsers.md#targeted-self-training)",
        parsers["P4:"].low < parsers["P2:"].value,
    )
    page.say("## The claims")
    page.table(["claim", "here", "numbers", "page"], rows)


def forests() -> list[str]:
    """Return the order metrics of the 2014 paper but Hamming, the worst one in every study."""
    return [name for name in column_of("forests_2014", "order metric", "de-en ours") if name != "hamming"]


def wins(column: str) -> tuple[int, int]:
    """Return how often tight metrics were compared with others, and how often they were significantly better."""
    counts = [
        [int(number) for number in cell.split("/")]
        for pair, cell in column_of("complexity_2016", "new metric, baseline", column).items()
        if "pet-count" not in pair
    ]
    return sum(map(sum, counts)), sum(won for won, _, _ in counts)


def people(page: Page) -> None:
    """Add what the metrics of order agree on with people."""
    page.say("## No formula wins")
    values = {pair: {name: look_up("forests_2014", f"{pair} ours", name) for name in forests()} for pair in PAIRS}
    best = {pair: max(found, key=lambda name: found[name].value) for pair, found in values.items()}
    page.conclude(
        "Combined with matched words, metrics of order differ little in how well they agree with the rankings of"
        f" WMT12: the best one is `{best['de-en']}` on de-en, `{best['cs-en']}` on cs-en and `{best['en-de']}` on"
        " en-de, and in each pair all but Hamming lie within one another's intervals. Choose the metric whose"
        " meaning you need ([which metric when](../which-metric.md)), not the one with the highest correlation.",
        len(set(best.values())) > 1,
        *(v.high > max(w.value for w in found.values()) for found in values.values() for v in found.values()),
    )


def common(page: Page) -> None:
    """Add what comparing on common words shows."""
    page.say("## Compare on the words that both match")
    gains = [look_up("common_words", "gain", name, place=place) for place in range(3) for name in ORDER]
    text = (RESULTS / "common_words.md").read_text(encoding="utf-8")
    (sure,) = map(int, re.findall(r"in (\d+) of 21 cases, the interval of the gain does not include 0", text))
    alone = [look_up("common_words", "only plain", name, place=place).value for place in range(3) for name in ORDER]
    page.conclude(
        "Two systems match different words of a reference. On the words that both match, comparisons of segments"
        f" agree better with people under every metric and in every language pair ({sure} of {len(gains)} gains are"
        f" significant); {min(alone):.0f} to {max(alone):.0f}% of the differences that the usual comparison reports"
        " vanish there, and these hardly agree with people. Between whole systems nothing is gained. [Common"
        " words](common_words.md)",
        all(gain.value > 0 for gain in gains),
        sure > len(gains) / 2,
    )


def prediction(page: Page) -> None:
    """Add order beside metrics of quality."""
    page.say("## A diagnosis, not a predictor")
    names = column_of("prediction", "metric", "en-de")
    found = {(name, pair): look_up("prediction", pair, name) for name in names for pair in ("en-de", "he-en")}
    neural = [number for (name, _), number in found.items() if name in ("COMET", "MetricX-23", "XCOMET-XXL")]
    order = [number for (name, _), number in found.items() if name in ORDER]
    page.conclude(
        "On WMT23, r with the errors that annotators marked (MQM, translations of the same segment) is"
        f" {write_cell(min(v.value for v in order))} to {write_cell(max(v.value for v in order))} for metrics of"
        f" order, and {write_cell(min(v.value for v in neural))} to {write_cell(max(v.value for v in neural))} for"
        " COMET, MetricX and XCOMET; with one of these held constant, next to nothing is left for order."
        " [Prediction](prediction.md)",
        max(v.value for v in order) < min(v.value for v in neural),
    )
    records = [
        {"metric": name, "pair": pair, "r with MQM": number.value, "low": number.low, "high": number.high}
        for (name, pair), number in found.items()
    ]
    chart = plot_intervals(records, name="metric", value="r with MQM", series="pair")
    page.figure(chart, "Correlation of metrics with the errors that annotators marked at WMT23")
    auc = {name: look_up("errors", "AUC", name) for name in ("both views", "bleu", "length")}
    page.conclude(
        f"Where annotators tagged errors of *order* (QRev), order finds them: AUC {auc['both views']} for"
        f" `order-errors`, and {auc['bleu']} for BLEU. The length of a segment alone reaches {auc['length']}, so one"
        " sentence tells little; thousands together do ([patterns](patterns.md)). [Errors](errors.md)",
        auc["both views"].low > auc["bleu"].high,
        auc["both views"].value > auc["length"].value,
    )


def systems(page: Page) -> None:
    """Add what order shows that no other score does."""
    page.say("## What no other score shows")
    verdicts = column_of("literal", "system", "verdict (hmm)")
    other = column_of("literal", "system", "verdict (diagonal)")
    both = [name for name, verdict in verdicts.items() if verdict == other[name] == "more literal"]
    judged = [name for name, verdict in verdicts.items() if verdict != "human"]
    page.conclude(
        f"*Literal translation.* {len(both)} of {len(judged)} systems of WMT24, English to German, translate more"
        " literally than both human references, by two aligners; the large language models are among them. Into"
        " Japanese, no system does. [Literal](literal.md)",
        len(both) > len(judged) / 2,
        {"GPT-4", "Claude-3.5"} <= set(both),
    )
    guessed = {text: look_up("literal", "guessed", text, "3") for text in ("usual", "monotone")}
    page.conclude(
        f"*Simultaneous translation.* A wait-3 translator of SiMuST-C must guess {guessed['usual']} of the words of"
        f" the usual Chinese references, and {guessed['monotone']} of those that people wrote in an order close to"
        " that of the English. [Literal](literal.md#simust-c)",
        guessed["monotone"].high < guessed["usual"].low,
    )
    first = look_up("patterns", "reference: first", "verbs at the end", "10%")
    late = [row for header, rows in tables("patterns") if header[0] == "system" for row in rows]
    verbs = [row for row in late if "`VERB`" in row[1] and row[1].startswith("class") and row[0] != "all systems"]
    page.conclude(
        f"*Patterns.* Verbs stand too late in {len(verbs)} of 16 systems that translate German into English, and"
        " too early in none. Planted in 10% of a thousand references, verbs at the end are the strongest pattern in"
        f" {first.value:.0%} of the samples. [Patterns](patterns.md)",
        all(row[2] == "late" for row in verbs),
        len(verbs) > 4,
        first.value >= 0.95,
    )
