"""Are machine translations more literal than people's? What must simultaneous ones guess? WMT24, SiMuST-C."""

from __future__ import annotations

from typing import Any

import numpy as np

import wordorder
from papers.writing import Page, enumerate_words, write_cell, write_p

ALIGNERS = ("hmm", "diagonal")
MEASURES = ("kendall-sqrt", "non-monotonicity", "crossing-rate", "anticipation", "jump", "unaligned-source")
K = (1, 3, 5, 9)
PAIRS = {
    "en-de": ("--ref wmt24/references/en-de.ref*.txt", "--tokenize 13a"),
    "en-ja": ("--ref wmt24/references/en-ja.refA.txt --tokenize zh", "--tokenize zh"),
}
LANGUAGES = {"en-de": "German", "en-ja": "Japanese"}
LEARNT_FROM = ("GPT-4", "Claude-3.5", "ONLINE-B")
"""The systems whose output the aligners learn from, along with the references."""

PUBLISHED = {"usual": 1.47, "monotone": 0.77}
"""The average anticipation of the two references of SiMuST-C, as its authors print it (Liu et al. 2023)."""

CHARACTERS = 1.6
"""The characters of a Chinese word, in the mean, where lengths in words are needed."""


def make() -> Page:
    """Compute the page."""
    page = Page("literal", "Literal and simultaneous translation")
    page.say(
        "How closely do systems and people follow the order of the source? The [application"
        " `monotone`](../monotone.md) compares the translations of systems and people with the source through"
        " automatic word alignments. Aligners make errors, especially where a translation is free, so every comparison"
        " is repeated with a second aligner. A third one, eflomal (Östling & Tiedemann 2016), aligns the texts for"
        " which the first two lead to different verdicts. The last section uses manual alignments to show how far off"
        " automatic ones may be."
    )
    for pair in PAIRS:
        compare_with_people(page, pair)
    sentences(page)
    simultaneous(page)
    gold(page)
    return page


def compare_with_people(page: Page, pair: str) -> None:
    """Systems of WMT24 against the human references of a language pair."""
    page.say(f"## WMT24, {pair}")
    references, split = PAIRS[pair]

    texts = f"--source wmt24/sources/{pair}.txt --hyp wmt24/system-outputs/{pair}/*.txt {references}"
    people_files = sorted(path.name for path in (page.folder / "wmt24" / "references").glob(f"{pair}.*"))
    learnt = [f"wmt24/references/{name}" for name in people_files]
    learnt += [f"wmt24/system-outputs/{pair}/{name}.txt" for name in LEARNT_FROM]
    page.shell(
        f"cat {' '.join([f'wmt24/sources/{pair}.txt'] * len(learnt))} > {pair}.source",
        f"cat {' '.join(learnt)} > {pair}.target",
        *(
            f"wordorder align --train-source {pair}.source --train-target {pair}.target {split} --aligner {aligner}"
            f" --save {pair}.{aligner}"
            for aligner in ALIGNERS
        ),
    )
    found = {
        aligner: page.run(f"monotone {texts} --docs wmt24/documents/{pair}.docs --align-model {pair}.{aligner}")
        for aligner in ALIGNERS
    }
    first = found[ALIGNERS[0]]
    people, systems = (
        [each for each in first["systems"] if (each["name"] in first["references"]) == human] for human in (True, False)
    )
    systems.sort(key=lambda each: -each["scores"]["kendall-sqrt"]["value"])
    verdicts = {aligner: verdicts_of(made) for aligner, made in found.items()}
    page.say(
        f"The scores are computed with the aligner `{ALIGNERS[0]}`, and systems are sorted by `kendall-sqrt`. `!`"
        " marks scores that differ significantly from those of every reference (the tests resample documents, and are"
        " corrected for all pairs of a system and a reference). `non-monotonicity` is multiplied by 100, as in Raunak"
        " et al. (2023)."
    )
    if pair == "en-ja":
        page.say(
            "There is only one reference here, so systems are compared with one person, not with people in general."
            " Japanese is split around every Chinese character (`zh`), and whatever stands between two of them"
            " counts as a word, which makes links less certain."
        )
    page.say(
        "The aligners learn from the references and from the output of three systems only, so that scores do not"
        " depend on which systems are compared."
    )
    page.table(
        ["system", *(f"`{name}`" for name in MEASURES), *(f"verdict ({aligner})" for aligner in ALIGNERS)],
        [
            [
                each["name"],
                *(cell(each, name, verdicts[ALIGNERS[0]]) for name in MEASURES),
                *(verdicts[aligner].get((each["name"], "kendall-sqrt"), "human") for aligner in ALIGNERS),
            ]
            for each in [*people, *systems]
        ],
    )
    counts = {
        aligner: sum(named == "more literal" for (_, metric), named in made.items() if metric == "kendall-sqrt")
        for aligner, made in verdicts.items()
    }
    freer = [s for s, m in verdicts[ALIGNERS[0]] if m == "kendall-sqrt" and verdicts[ALIGNERS[0]][s, m] == "freer"]
    both = [
        each["name"]
        for each in systems
        if all(made[each["name"], "kendall-sqrt"] == "more literal" for made in verdicts.values())
    ]
    who = "the reference" if len(people) == 1 else "both references"
    disputed = [
        each["name"] for each in systems if len({made[each["name"], "kendall-sqrt"] for made in verdicts.values()}) > 1
    ]
    some = (
        f"these systems are freer than {who}: {enumerate_words(freer)}" if freer else f"no system is freer than {who}"
    )
    one, two = ALIGNERS
    found_by = (
        f"{len(both)} of the {len(systems)} systems are more literal than {who} under both aligners; `{one}` alone"
        f" finds {counts[one]} such systems, and `{two}` {counts[two]}"
        if any(counts.values())
        else f"none of the {len(systems)} systems is more literal than {who} under either aligner"
    )
    page.say(
        f"By `kendall-sqrt`, {found_by}. With `{one}`, {some}. The aligners disagree on {len(disputed)} of the"
        f" {len(systems)} verdicts."
    )
    literal = f"{len(both)} of the {len(systems)} WMT24 systems are more literal than {who} under both aligners"
    none = f"none of the {len(systems)} WMT24 systems is more literal than {who} under either aligner"
    page.sum_up(f"Into {LANGUAGES[pair]}, {literal if any(counts.values()) else none}.")
    ask_eflomal(page, pair, disputed, verdicts)
    unlinked = [each["scores"]["unaligned-source"]["value"] for each in first["systems"]]
    if min(unlinked) > 0.5:
        page.say(
            f"But in every text, at least {write_cell(min(unlinked), 2)} of the English words have no link. Nothing"
            " follows from so few links, neither that systems are like people nor the opposite."
        )
    if len(people) > 1:
        names = {each["name"] for each in people}
        tests = [t for t in first["tests"] if {t["a"], t["b"]} == names and t["metric"] == "kendall-sqrt"]
        values = [each["scores"]["kendall-sqrt"]["value"] for each in people]
        page.say(
            "By `kendall-sqrt`, the two references"
            f" {'differ' if tests[0]['p_corrected'] < 0.05 else 'do not differ significantly'}:"
            f" {write_cell(values[0])} and {write_cell(values[1])} (p {write_p(tests[0]['p_corrected'])})."
        )


def ask_eflomal(page: Page, pair: str, disputed: list[str], verdicts: dict[str, dict[tuple[str, str], str]]) -> None:
    """Align the references and the systems about which the aligners disagree with a third aligner."""
    source = f"wmt24/sources/{pair}.txt"
    people = sorted(str(path.relative_to(page.folder)) for path in page.folder.glob(f"wmt24/references/{pair}.*"))
    texts = [f"wmt24/system-outputs/{pair}/{name}.txt" for name in disputed]
    lines = len((page.folder / source).read_text(encoding="utf-8").splitlines())
    split = PAIRS[pair][1]
    page.shell(
        f"cat {' '.join([source] * (len(people) + len(texts)))} > {pair}.disputed.source",
        f"cat {' '.join([*people, *texts])} > {pair}.disputed.target",
        f"wordorder align --source {pair}.disputed.source --target {pair}.disputed.target {split} --aligner eflomal"
        f" -o {pair}.links",
        f"split --lines {lines} --numeric-suffixes --suffix-length 2 {pair}.links {pair}.links.",
    )
    links = [f"{pair}.links.{number:02}" for number in range(len(people) + len(texts))]
    found = page.run(
        f"monotone --source {source} --hyp {' '.join(texts)} --ref {' '.join(people)} {split}"
        f" --docs wmt24/documents/{pair}.docs --ref-align {' '.join(links[: len(people)])}"
        f" --hyp-align {' '.join(links[len(people) :])} --metrics kendall-sqrt"
    )
    third = verdicts_of(found)
    page.table(
        ["system", "`kendall-sqrt` (eflomal)", *(f"verdict ({aligner})" for aligner in (*ALIGNERS, "eflomal"))],
        [
            [
                each["name"],
                cell(each, "kendall-sqrt", third),
                *(made.get((each["name"], "kendall-sqrt"), "human") for made in (*verdicts.values(), third)),
            ]
            for each in found["systems"]
        ],
    )
    page.say(
        "Eflomal's random number generator cannot be seeded, so its scores change slightly from run to run. Where two"
        " of the three aligners agree on a verdict, it is likelier to be right than that of the third, but it is not"
        " certain."
    )


def verdicts_of(found: dict[str, Any]) -> dict[tuple[str, str], str]:
    """The verdict on each system under each metric."""
    return {(each["system"], each["metric"]): each["verdict"] for each in found["verdicts"]}


def cell(each: dict[str, Any], name: str, verdicts: dict[tuple[str, str], str]) -> str:
    """A score with half the width of its interval, marked if it differs from all references."""
    score, scale = each["scores"][name], 100 if name == "non-monotonicity" else 1
    half = scale * (score["high"] - score["low"]) / 2
    digits = 2 if scale == 100 else 3
    mark = "!" * (verdicts.get((each["name"], name)) in ("more literal", "freer"))
    return f"{write_cell(scale * score['value'], digits)} ±{write_cell(half, digits)}{mark}"


def sentences(page: Page) -> None:
    """What people and systems do with the sentences of a paragraph."""
    page.say("## Sentences within paragraphs (WMT24, en-de)")
    found = page.run(
        "monotone --source wmt24/sources/en-de.txt --hyp wmt24/system-outputs/en-de/GPT-4.txt"
        " wmt24/system-outputs/en-de/Claude-3.5.txt wmt24/system-outputs/en-de/Unbabel-Tower70B.txt"
        " wmt24/system-outputs/en-de/ONLINE-W.txt --ref wmt24/references/en-de.ref*.txt"
        " --docs wmt24/documents/en-de.docs --align-model en-de.hmm --sentences"
    )
    verdicts = verdicts_of(found)
    names = ("within", "swapped", "joined", "split", "crossed")
    page.table(
        ["system", *(f"`{name}`" for name in names)],
        [[each["name"], *(cell(each, name, verdicts) for name in names)] for each in found["systems"]],
    )
    split = {each["name"]: each["scores"]["split"]["value"] for each in found["systems"]}
    people = [split[name] for name in found["references"]]
    others = [value for name, value in split.items() if name not in found["references"]]
    page.conclude(
        f"Both human translators split a larger share of the source sentences ({write_cell(min(people))} and"
        f" {write_cell(max(people))} of them) than any of the four systems does (at most {write_cell(max(others))})."
        " People and systems hardly ever swap whole sentences.",
        min(people) > max(others),
        all(each["scores"]["swapped"]["value"] < 0.01 for each in found["systems"]),
    )


def simultaneous(page: Page) -> None:
    """The usual and the monotone references of SiMuST-C."""
    page.say(
        "## SiMuST-C\n\nThe authors of SiMuST-C (Liu et al. 2023) had people translate the talks of MuST-C again, in"
        " an order close to that of the English. In these comparisons, Chinese is split into characters."
    )
    texts = "--source simust-c/test.en --tokenize zh"
    metrics = f"--metrics {','.join((*MEASURES, 'anticipation:catchup=false', 'forced-lag'))}"
    shown = {}
    for aligner in ALIGNERS:
        shown[aligner] = page.run(
            f"monotone {texts} --hyp monotone=simust-c/test.annotation.zh --ref simust-c/test.original.zh {metrics}"
            f" --aligner {aligner}"
        )
    rows = []
    for name in (*MEASURES, "anticipation:catchup=false", "forced-lag"):
        row: list[str | float] = [f"`{name}`"]
        for aligner in ALIGNERS:
            usual, mono = shown[aligner]["systems"]
            row += [cell(usual, name, {}), cell(mono, name, verdicts_of(shown[aligner]))]
        rows.append(row)
    page.table(["measure", *(f"{text} ({a})" for a in ALIGNERS for text in ("usual", "monotone"))], rows)
    page.conclude(
        "Under both aligners, the monotone references are significantly more literal by `kendall-sqrt` than the usual"
        " ones, anticipate less and force less lag.",
        *(
            verdicts_of(shown[aligner])["monotone", name] == "more literal"
            for aligner in ALIGNERS
            for name in ("kendall-sqrt", "anticipation", "forced-lag")
        ),
    )
    average_anticipation(page)
    found = page.run(
        f"monotone {texts} --hyp usual=simust-c/test.original.zh monotone=simust-c/test.annotation.zh"
        f" --wait-k {' '.join(map(str, K))} --plot waiting.svg"
    )
    page.table(
        ["text", "k", "`guessed`", "`lag`", "`forced-lag`", "`policy-lag`", "`al`"],
        [
            [
                each["text"],
                each["k"],
                *(cell(each, name, {}) for name in ("guessed", "lag", "forced-lag", "policy-lag", "al")),
            ]
            for each in found["systems"]
        ],
    )
    page.figure(
        "waiting.svg",
        "Words that simulated wait-k translators guess, and the lag that word order forces, plotted against the"
        " translators' lag",
    )
    guessed = {(each["text"], each["k"]): each["scores"]["guessed"] for each in found["systems"]}
    page.conclude(
        "From k = 3 on, simulated translators guess fewer words of the monotone references than of the usual ones, and"
        " the intervals do not overlap. At the same k, the monotone references also lead to a larger `policy-lag`,"
        " because wait-k keeps waiting even where the order does not require it.",
        all(guessed["monotone", k]["high"] < guessed["usual", k]["low"] for k in K[1:]),
    )
    page.sum_up(
        "A simulated simultaneous translator from English into Chinese has to guess fewer words of references that"
        " stay close to the English word order than of the usual references."
    )


def average_anticipation(page: Page) -> None:
    """The average anticipation that the authors print, beside averages over links, with and without catch-up."""
    page.say(
        f"The authors report an average anticipation of {PUBLISHED['usual']} for the usual and {PUBLISHED['monotone']}"
        f" for the monotone references, a ratio of {write_cell(PUBLISHED['monotone'] / PUBLISHED['usual'], 2)}. The"
        " published data contain neither the authors' definition nor their word segmentation nor their links. The"
        " likeliest definition is a mean over all links (i, j) of the number of words by which i is ahead of j, max(0,"
        " i − j). This mean depends on the lengths of the texts, and so on how Chinese is split. The table below shows"
        f" this mean for Chinese split into characters, and for words of {CHARACTERS} characters each. In the row"
        " *with catch-up*, j·J/I replaces j, and the lengths no longer matter."
    )
    folder = page.folder / "simust-c"
    hyp = {"usual": str(folder / "test.original.zh"), "monotone": str(folder / "test.annotation.zh")}
    inputs = wordorder.make_inputs(hyp, source=str(folder / "test.en"), order="monotone", tokenize="zh")
    ahead: dict[str, list[list[Any]]] = {name: [[], [], []] for name in hyp}
    sizes = dict.fromkeys(hyp, 0)
    for block in inputs.batches(()):
        for name, batch in zip(hyp, block, strict=True):
            links = batch.alignments
            rows = np.repeat(np.arange(len(links)), np.diff(links.offsets))
            i, j = 1 + links.source, 1 + links.target
            rate = (links.source_lengths / np.maximum(links.target_lengths, 1))[rows]
            dues: list[Any] = [j, j / CHARACTERS, j * rate]
            for kept, due in zip(ahead[name], dues, strict=True):
                kept.append(np.maximum(i - due, 0))
            sizes[name] += int(links.target_lengths.sum())
    means = {name: [float(np.concatenate(parts).mean()) for parts in several] for name, several in ahead.items()}
    labels = ("max(0, i − j), characters", f"max(0, i − j), {CHARACTERS} characters a word", "with catch-up")
    page.table(
        ["mean over links (`hmm`)", "usual", "monotone", "ratio"],
        [
            ["as the authors report it", *PUBLISHED.values(), PUBLISHED["monotone"] / PUBLISHED["usual"]],
            *([label, one, two, two / one] for label, one, two in zip(labels, *means.values(), strict=True)),
        ],
        digits=2,
    )
    characters, words, adjusted = (means["monotone"][n] / means["usual"][n] for n in range(3))
    published = PUBLISHED["monotone"] / PUBLISHED["usual"]
    longer = sizes["monotone"] / sizes["usual"] - 1
    page.conclude(
        f"Without catch-up, the ratio depends on how Chinese is split, and the published {write_cell(published, 2)}"
        f" lies between {write_cell(characters, 2)} (characters) and {write_cell(words, 2)} (words of {CHARACTERS}"
        f" characters); with catch-up, the ratio is {write_cell(adjusted, 2)}. The monotone references are"
        f" {100 * longer:.0f}% longer than the usual ones, and of two translations in the same order, the shorter one"
        " falls behind and seems to anticipate more. Part of the published difference is therefore due to length, and"
        " the rest to order.",
        characters < published < words < adjusted < 1,
        longer > 0.05,
    )


def gold(page: Page) -> None:
    """How far automatic alignments are off, on texts with manual ones."""
    page.say(
        "## What errors of aligners may hide\n\nThe table shows each text twice, once measured on manual alignments"
        " and once on those of a neural aligner (awesome-align, Dou & Neubig 2021). Any difference between the two"
        " rows of a text is due to the alignments alone."
    )
    rows = []
    names = ("kendall-sqrt", "non-monotonicity", "crossing-rate", "anticipation", "jump", "unaligned-source")
    differences: list[float] = []
    for pair in ("enfr", "roen", "zhen"):
        page.shell(*(f"sed '{rule}' gold-align/{pair}.src-tgt > {pair}.{side}" for side, rule in SIDES.items()))
        made = page.run(
            f"monotone --source {pair}.src --hyp manual={pair}.tgt neural={pair}.tgt --tokenize none --hyp-align"
            f" talp:gold-align/{pair}.gold pharaoh:gold-align/{pair}.awesome-align.out"
        )
        scores = {each["name"]: each for each in made["systems"]}
        rows += [[pair, name, *(cell(scores[name], one, {}) for one in names)] for name in ("manual", "neural")]
        values = [scores[name]["scores"]["kendall-sqrt"]["value"] for name in ("manual", "neural")]
        differences.append(abs(values[0] - values[1]))
    page.table(["pair", "links", *(f"`{name}`" for name in names)], rows)
    page.say(
        "Between manual and automatic alignments, the `kendall-sqrt` of one and the same text differs by up to"
        f" {write_cell(max(differences))}, which is about as much as the scores of people and systems differ in the"
        " sections above. Absolute values therefore depend on the aligner, and cannot be compared with published ones"
        " unless the aligner is the same. Differences between texts aligned together are more reliable, as long as the"
        " aligner makes the same errors on both. If one text is freer than the other, the errors differ: words that"
        " cannot be linked are left out, and how that changes the order of the other words is unknown. The systems"
        " that are called more literal above also leave fewer words unaligned, which may mean that they translate"
        " literally or only that they are easier to align. Our verdicts cannot tell these two cases apart."
    )


SIDES = {"src": "s/ *|||.*//", "tgt": "s/.*||| *//"}
